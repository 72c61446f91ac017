"""Words that other libraries have for our options: an unknown keyword is answered with ours."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from foldwise.errors import BadOption, nearest

Options = ParamSpec("Options")
Answer = TypeVar("Answer")

# Our word, and how it is written; what others call it. The first of our words that a function has is meant.
_WORDS: dict[tuple[str, str], tuple[str, ...]] = {
    ("loss", 'loss="absolute", say; names of scorers such as "roc_auc" are known too'): (
        *("scoring", "score", "scorer", "metric", "metrics", "criterion", "objective", "eval_metric", "loss_function"),
    ),
    ("outer", "outer=10 for the splits that estimate the risk"): (
        *("cv", "n_splits", "n_folds", "folds", "fold", "kfold", "k_folds", "splitter", "resampling", "outer_cv"),
    ),
    ("outer", "outer=0.2 for a held-out share of the rows"): ("test_size", "train_size", "holdout", "val_size"),
    ("inner", "inner=5 for the splits that tune"): ("inner_cv", "cv", "n_splits", "n_folds", "folds", "splitter"),
    ("repeats", "repeats=3"): ("n_repeats", "num_repeats", "n_repetitions"),
    ("jobs", "jobs=2"): ("n_jobs", "n_workers", "num_workers", "workers", "nthread", "n_threads", "cores", "n_cores"),
    ("seed", "seed=7"): ("random_state", "rng", "random_seed"),
    ("weights", "weights=, an array or the name of a column"): ("sample_weight", "sample_weights", "weight"),
    ("groups", "groups=, an array or the name of a column"): ("group", "group_col", "cluster"),
    ("stratify", "stratify=True, False, or an array of labels"): ("stratified", "strata"),
    ("learners", "the learners first, fw.compare(learners, X, y), or learners="): (
        *("estimator", "estimators", "model", "models", "learner", "algorithm", "algorithms", "methods", "classifier"),
    ),
    ("learner", "the learner first, or learner="): ("estimator", "model", "learners", "classifier", "regressor"),
    ("model", "the model first, or model="): ("estimator", "learner"),
    ("space", "the space after the estimator, fw.tune(estimator, {...}), or space="): (
        *("param_grid", "param_distributions", "params", "param_space", "search_space", "search_spaces", "grid"),
    ),
    ("learners", "fw.tune(estimator, {...}) as a learner, with what to try"): (
        *("param_grid", "param_distributions", "params", "param_space", "search_space", "search_spaces", "space"),
    ),
    ("learner", "fw.tune(estimator, {...}) as the learner, with what to try"): (
        *("param_grid", "param_distributions", "params", "param_space", "search_space", "search_spaces", "space"),
    ),
    ("budget", "budget=50, the most candidates of a tuning"): ("n_iter", "n_trials", "max_evals", "n_candidates"),
    ("progress", "progress=True or progress=False"): ("verbose", "verbosity", "show_progress", "disp", "quiet"),
    ("X", "X=, a table or the name of a file"): ("features", "data", "df", "frame", "table", "x", "file", "path"),
    ("y", "y=, the target or the name of its column"): ("target", "label", "labels", "target_column", "outcome"),
    ("time_limit", "time_limit=60, in seconds"): ("timeout", "max_time", "time_budget", "total_time"),
    ("positive", "positive=, the positive class of two"): ("pos_label", "positive_class"),
    ("task", 'task="classification" or task="regression"'): ("problem_type", "task_type", "is_classification"),
    ("level", "level=0.95"): ("confidence", "confidence_level", "conf_level"),
    ("on_failure", 'on_failure="baseline", say'): ("error_score",),
    ("store", 'store="runs/first", a folder'): ("cache", "memory", "cache_dir", "folder"),
    ("drop_missing_target", "drop_missing_target=True"): ("dropna", "drop_na"),
    ("parameter", "the parameter as a keyword, such as n_neighbors=range(1, 31)"): ("param_name", "param_range"),
    ("sizes", "sizes=[0.2, 0.5, 1.0]"): ("train_sizes",),
    ("test", "test=0.2, a share of all rows"): ("test_size",),
    ("dev", "dev=0.2, a share of all rows"): ("val_size", "dev_size", "validation_size"),
}


_BOTH = ("cv", "n_splits", "n_folds", "folds", "splitter")  # elsewhere one word for both kinds of splits


def with_our_words(function: Callable[Options, Answer]) -> Callable[Options, Answer]:
    """Make a function answer an unknown keyword with our word for it."""
    known = signature(function).parameters

    @wraps(function)
    def call(*given: Options.args, **options: Options.kwargs) -> Answer:
        check_keywords(function.__name__, options, known)
        return function(*given, **options)

    return call


def check_keywords(function: str, given: Collection[str], known: Collection[str]) -> None:
    """Refuse a keyword that a function does not have, with our word for it, or else the nearest one.

    >>> check_keywords("compare", ["n_jobs"], ["jobs", "outer"])
    Traceback (most recent call last):
    foldwise.errors.BadOption: fw.compare has no 'n_jobs'. Write jobs=2.
    """
    check_foreign(function, [word for word in given if word not in known], known)
    for word in given:
        if word not in known:
            raise BadOption(f"fw.{function} has no {word!r}", nearest(word, known))


def check_foreign(function: str, given: Collection[str], known: Collection[str]) -> None:
    """Refuse a keyword of other libraries, with our word for it; any other word passes."""
    for word in given:
        if ours := our_word(word, known):
            raise BadOption(f"fw.{function} has no {word!r}", ours)


def own_words(estimator: Any) -> set[str]:
    """What an estimator calls its own parameters, with and without the steps they are in."""
    from foldwise.spaces.naming import known_parameters

    known = known_parameters(estimator) if hasattr(estimator, "get_params") else {}
    return {word for name in known for word in (name, name.rpartition("__")[2])}


def our_word(word: str, known: Collection[str]) -> str:
    """How we write what others call so, if it is one of the known options; else nothing.

    >>> our_word("random_state", ["seed"]), our_word("random_state", ["loss"])
    ('Write seed=7', '')
    """
    ours, how = our_option(word, known)
    is_both = word in _BOTH and ours == "outer" and "inner" in known
    return f"Write {how}{' and inner=5 for those that tune' if is_both else ''}" if ours else ""


def our_option(word: str, known: Collection[str]) -> tuple[str, str]:
    """The known option that others call so, and how it is written; two empty texts if there is none."""
    meant = (our for our, others in _WORDS.items() if word in others and our[0] in known)
    return next(meant, ("", ""))
