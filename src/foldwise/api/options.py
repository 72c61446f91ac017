"""The options of a study, one row each.

From these rows come the keywords of `compare` and its kin with their types and help, the flags of the commands, the
keys of study files, and the answers to words that other libraries use. A row says what users read; what an option does
is up to the value that has a field of its name: `Roles`, `Tuning`, `StudyOptions`, `RunOptions`, `GuardOptions` or
`Request`.
"""

import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

if TYPE_CHECKING:
    from pathlib import Path

    from foldwise.executors.executor import Executor
    from foldwise.records.store import Store
    from foldwise.stats.interval_method import IntervalMethod
    from foldwise.tuners.tuner import Tuner


# Kinds of flags, and the type that their values have in a study file; "choice" is of a Literal.
KINDS: dict[str, Any] = {
    "text": str,
    "engine": str,
    "switch": bool,
    "on or off": bool,
    "count": int,
    "number": int,
    "share": float,
    "positive": float,
    "gap": float,
    "time": float,
    "budget": int | str,
    "scheme": int | float | str,
    "losses": str | list[str] | list[list[float]],
    "repeated": list[str],
}


@dataclass(frozen=True)
class Flag:
    """An option on the command line."""

    help: str
    kind: str = "text"
    metavar: str | None = None


@dataclass(frozen=True)
class Option:
    """One option of a study."""

    help: str
    flag: Flag | None = None
    default: Any = None
    file: Any = None  # its type in a study file, where the kind of its flag does not say that
    foreign: Mapping[str, str] = field(default_factory=dict)  # how it is written -> what others call it
    name: str = ""
    type: str = "Any"  # as Python writes it
    heading: str = ""

    @property
    def file_type(self) -> Any:
        """The type of its values in a study file; None where it is no key there."""
        return KINDS[self.flag.kind] if self.file is None and self.flag is not None else self.file


class DataOptions(TypedDict, total=False):
    """What the columns of the table are for."""

    drop_missing_target: Annotated[
        bool,
        Option(
            "leave rows without a target out, and say how many; else they are refused.",
            Flag("Leave rows without a target out.", "switch"),
            default=False,
            foreign={"drop_missing_target=True": "dropna drop_na"},
        ),
    ]
    groups: Annotated[
        Any,
        Option(
            "rows of one group are never on both sides of a split. An array, or the name of a column.",
            Flag("Rows of one group never part between train and test.", metavar="COL"),
            foreign={"groups=, an array or the name of a column": "group group_col cluster"},
        ),
    ]
    time: Annotated[
        Any,
        Option(
            "train on the past, test on the future. An array, or the name of a column.",
            Flag("Train on the past, test on the future.", metavar="COL"),
        ),
    ]
    weights: Annotated[
        Any,
        Option(
            "of the rows, in fits and losses. An array, or the name of a column.",
            Flag("Weights of the rows, in fits and losses.", metavar="COL"),
            foreign={"weights=, an array or the name of a column": "sample_weight sample_weights weight"},
        ),
    ]
    task: Annotated[
        "str | None",
        Option(
            '"regression", "classification", "binary" or "multiclass" (None: as learners or a loss of one '
            "task ask; else text, booleans, categories, any two whole numbers, and codes 0, 1, ... up to at "
            "most 9 are classes).",
            Flag("regression or classification, if not as found from the target.", "choice", "TASK"),
            file=Literal["regression", "classification", "binary", "multiclass"],
            foreign={'task="classification" or task="regression"': "problem_type task_type is_classification"},
        ),
    ]
    positive: Annotated[
        Any,
        Option(
            "the positive class of two.",
            Flag("The positive class of two.", metavar="CLASS"),
            file=str | bool | int | float,
            foreign={"positive=, the positive class of two": "pos_label positive_class"},
        ),
    ]
    stratify: Annotated[
        Any,
        Option(
            'folds with equal shares of each class ("auto": for classification), or of each label of an array.',
            Flag("Keep class shares equal over folds.", "on or off"),
            default="auto",
            file=bool | str,
            foreign={"stratify=True, False, or an array of labels": "stratified strata"},
        ),
    ]


class TuningOptions(TypedDict, total=False):
    """Which learners there are, and how they are tuned."""

    effort: Annotated[
        str,
        Option(
            '"quick", "normal" or "thorough": one dial over learners, spaces, splits and repeats, where no '
            "other word says them (docs/effort.md).",
            Flag("One dial over learners, spaces and splits, where no other option says them (normal).", "choice"),
            default="normal",
            file=Literal["quick", "normal", "thorough"],
        ),
    ]
    tuner: Annotated[
        "str | Tuner | None",
        Option(
            '"grid", "random", "racing", "halving", "tpe" (Optuna), or any sampler of Optuna\'s.',
            Flag("grid, random, racing, halving, or tpe (Optuna).", metavar="NAME"),
        ),
    ]
    budget: Annotated[
        "int | str | None",
        Option(
            'the most candidates of each tuning, or a time for all of them, such as "10 min".',
            Flag('Most candidates of each tuning, or time in all: "10 min".', "budget"),
            foreign={"budget=50, the most candidates of a tuning": "n_iter n_trials max_evals n_candidates"},
        ),
    ]
    rule: Annotated[
        str,
        Option(
            'the "best" candidate, or the simplest within one standard error of it ("one_se").',
            Flag("How a candidate is picked.", "choice"),
            default="best",
            file=Literal["best", "one_se"],
        ),
    ]
    stop: Annotated[
        "str | None",
        Option(
            '"noise" ends a search that gains less than the noise of its scores.',
            Flag("End a search when it gains less than the noise.", "choice"),
            file=Literal["noise"],
        ),
    ]
    defaults: Annotated[
        "bool | None",
        Option(
            "judge tuned learners at their own default parameters too, one more fit per outer split, to tell "
            "whether tuning helped (None: those of 20 or more candidates).",
            Flag(
                "Judge tuned learners at their default parameters too.  [default: those of 20 or more candidates]",
                "on or off",
            ),
        ),
    ]


class SplitOptions(TypedDict, total=False):
    """What is estimated, and from which splits."""

    loss: Annotated[
        Any,
        Option(
            "a name, a scikit-learn scorer or metric, a cost matrix or a function of (y, prediction); of "
            "several the first tunes.",
            Flag("squared, rmse, zero_one, auc, ...; several with commas.", "losses", "LOSS"),
            foreign={
                'loss="absolute", say; names of scorers such as "roc_auc" are known too': (
                    "scoring score scorer metric metrics criterion objective eval_metric loss_function"
                )
            },
        ),
    ]
    outer: Annotated[
        Any,
        Option(
            'the splits that estimate risk: folds, a held-out share, "loo", a splitter, labels or pairs of '
            "rows (None: by effort and the table's shape, 13 or 7 folds for ordinary sizes, one test set for "
            "very many).",
            Flag("Estimates the risk: folds, a share, loo or column:NAME.", "scheme"),
            foreign={
                "outer=10 for the splits that estimate the risk": (
                    "cv n_splits n_folds folds fold kfold k_folds splitter resampling outer_cv"
                ),
                "outer=0.2 for a held-out share of the rows": "test_size train_size holdout val_size",
            },
        ),
    ]
    inner: Annotated[
        Any,
        Option(
            'the splits that tune: folds, a held-out share, a splitter, labels, "aligned", "lines", "pairs" '
            'or "dev" (None: by effort and the table\'s shape, "aligned" for ordinary sizes).',
            Flag("Tunes: folds, a share, aligned, lines, pairs, dev, column:NAME.", "scheme"),
            foreign={"inner=5 for the splits that tune": "inner_cv cv n_splits n_folds folds splitter"},
        ),
    ]
    repeats: Annotated[
        "int | None",
        Option(
            "how often the outer splits are drawn anew (None: by effort).",
            Flag("Independent repetitions of the outer splits.", "count"),
            foreign={"repeats=3": "n_repeats num_repeats n_repetitions"},
        ),
    ]
    seed: Annotated[
        int,
        Option(
            "everything random follows from it.",
            Flag("Everything random follows from it (0).", "number"),
            default=0,
            foreign={"seed=7": "random_state rng random_seed"},
        ),
    ]
    level: Annotated[
        float,
        Option(
            "of the intervals.",
            Flag("Level of the intervals (0.95).", "share"),
            default=0.95,
            foreign={"level=0.95": "confidence confidence_level conf_level"},
        ),
    ]
    interval: Annotated[
        "str | IntervalMethod | None",
        Option(
            "one by name, or of your own (`fw.testing` checks it); else a valid one is chosen.",
            Flag("An interval by name; else the chooser's.", metavar="NAME"),
        ),
    ]
    optimism: Annotated[
        bool,
        Option(
            "make the fits that optimism needs.", Flag("Buy the fits that optimism needs.", "switch"), default=False
        ),
    ]
    importance: Annotated[
        bool,
        Option(
            "measure which columns the picked method needs: its outer models are made once more, and predict "
            "their held-out rows with one column shuffled (docs/report.md).",
            Flag("Measure which columns the picked method needs (one more fit for each outer split).", "switch"),
            default=False,
        ),
    ]


class RunningOptions(TypedDict, total=False):
    """Where and how fits run, and what is kept of them."""

    time_limit: Annotated[
        "float | str | None",
        Option(
            'seconds, or a time such as "2 min", within which there is an answer. What no other word says '
            "(methods, spaces, splits) is chosen to fit, and told; what is not finished then is left out.",
            Flag('An answer within so long: seconds, or a time: "2 min".', "time", "S"),
            foreign={"time_limit=60, in seconds": "timeout max_time time_budget total_time"},
        ),
    ]
    jobs: Annotated[
        "int | None",
        Option(
            "worker processes (None: none for short work, else one per core).",
            Flag("Worker processes; numbers never depend on it.", "count"),
            foreign={"jobs=2": "n_jobs n_workers num_workers workers nthread n_threads cores n_cores"},
        ),
    ]
    store: Annotated[
        "str | Path | Store | None",
        Option(
            "a folder that keeps every fit, or a store of your own. The same call goes on from there, and "
            "`fw.load` reopens the result.",
            Flag("Folder that keeps every fit, for resuming and reports.", metavar="RUN"),
            foreign={'store="runs/first", a folder': "cache memory cache_dir folder"},
        ),
    ]
    fit_timeout: Annotated[
        "float | None",
        Option(
            "seconds that one fit may take; beyond them it fails.", Flag("Seconds one fit may take.", "positive", "S")
        ),
    ]
    fit_memory: Annotated[
        "float | None",
        Option(
            "gigabytes that one fit may take; beyond them it fails.",
            Flag("Gigabytes one fit may take.", "positive", "GB"),
        ),
    ]
    fit_threads: Annotated[
        int, Option("threads within each fit.", Flag("Threads in each fit; part of the study (1).", "count"), default=1)
    ]
    guards: Annotated[
        bool,
        Option(
            "look for leaks and traps before the fits and in the results, which changes no number "
            "(docs/checks.md); what is found stands in `result.findings`. A study that could not mean "
            "anything, such as one with its target among the features, is refused.",
            Flag("Look for leaks and traps (they change no number).", "on or off"),
            default=True,
        ),
    ]
    silence: Annotated[
        "str | Sequence[str] | None",
        Option(
            'codes of findings to leave out, such as ["FW101"]. One that refuses lets the study run instead, '
            "and stays as a warning.",
            Flag("Leave findings of this code out; may be repeated.", "repeated", "CODE"),
        ),
    ]
    on_failure: Annotated[
        str,
        Option(
            'what a failed fit does to its method: it has no risk ("fail"), the baseline answers in its place'
            ' ("baseline"), or the candidate is dropped ("drop_candidate"). Where no method is left with a '
            "risk, FitsFailed is raised, with the rest of the answer as its `result`.",
            Flag("What a failed fit does to its method (fail: it gets no risk).", "choice"),
            default="fail",
            file=Literal["fail", "baseline", "drop_candidate"],
            foreign={'on_failure="baseline", say': "error_score"},
        ),
    ]
    retry_failed: Annotated[
        bool,
        Option(
            "make fits again that failed before; else a failed fit is kept like any other.",
            Flag("Make fits that failed before again.", "switch"),
            default=False,
        ),
    ]
    isolate: Annotated[
        "bool | None",
        Option(
            "fit in processes of their own (True) or in this one (False).",
            Flag("Fit in processes of their own, or in this one.", "on or off"),
        ),
    ]
    engine: Annotated[
        "str | Executor",
        Option(
            '"local", "dask", "ray", or an executor of your own.',
            Flag("Where fits run (local).", "engine"),
            default="local",
        ),
    ]
    address: Annotated[
        "str | None",
        Option(
            "of a cluster that is running.", Flag("A Dask scheduler or Ray cluster that is there already.", metavar="A")
        ),
    ]
    solvers: Annotated[
        Any,
        Option(
            'exact solvers that share work between fits: "auto", "all", a list of your own (asked first; '
            "provisional), or False for one fit after the other. Tuners that drop candidates, such as "
            '"halving", drop none where a solver answers them all.',
            default="auto",
            file=bool | Literal["auto", "all"],
        ),
    ]
    progress: Annotated[
        "bool | None",
        Option(
            "show a progress line (None: in a terminal).",
            foreign={"progress=True or progress=False": "verbose verbosity show_progress disp quiet"},
        ),
    ]


class CompareOptions(DataOptions, TuningOptions, SplitOptions, RunningOptions, total=False):
    """The keywords of `compare`, and of the functions that hand them on."""


HEADINGS = {
    "Data": DataOptions,
    "Learners and tuning": TuningOptions,
    "Loss, splits and intervals": SplitOptions,
    "Running": RunningOptions,
}


def _rows(heading: str, keywords: type) -> dict[str, Option]:
    rows = {}
    for name, hint in keywords.__annotations__.items():
        written = getattr(hint.__origin__, "__forward_arg__", hint.__origin__)
        text = written if isinstance(written, str) else getattr(written, "__name__", "Any")
        rows[name] = replace(hint.__metadata__[0], name=name, type=text, heading=heading)
    return rows


OPTIONS = {name: row for heading, keywords in HEADINGS.items() for name, row in _rows(heading, keywords).items()}


def explained(rows: Iterable[Option]) -> str:
    """Options under their headings, as `help(fw.compare)` shows them."""
    lines, heading = list[str](), ""
    for row in rows:
        if row.heading != heading:
            heading = row.heading
            lines += ["", heading]
        text = f"`{row.name}`: {row.help}"
        lines += textwrap.wrap(text, 116, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
    return "\n".join(lines[1:])


# What a study in a file or on the command line says besides.
WRITTEN = {
    "target": Option("", Flag("The column to predict; built-in sets know theirs.", metavar="COL")),
    "drop": Option("", Flag("Leave a column out; may be repeated.", "repeated", "COL")),
    "margin": Option(
        "", Flag("A regret that does not matter, in the unit of the loss (a tenth of the gap to the baseline).", "gap")
    ),
    "title": Option("", Flag("Title of the page.  [default: target and data]", metavar="T")),
}
_SPACES = "param_grid param_distributions params param_space search_space search_spaces"
# What others call arguments that are no options: our word, then how it is written -> theirs.
_FOREIGN: dict[str, dict[str, str]] = {
    "space": {"the space after the estimator, fw.tune(estimator, {...}), or space=": f"{_SPACES} grid"},
    "learners": {
        "the learners first, fw.compare(learners, X, y), or learners=": (
            "estimator estimators model models learner algorithm algorithms methods classifier"
        ),
        "fw.tune(estimator, {...}) as a learner, with what to try": f"{_SPACES} space",
    },
    "learner": {
        "the learner first, or learner=": "estimator model learners classifier regressor",
        "fw.tune(estimator, {...}) as the learner, with what to try": f"{_SPACES} space",
    },
    "model": {"the model first, or model=": "estimator learner"},
    "X": {"X=, a table or the name of a file": "features data df frame table x file path"},
    "y": {"y=, the target or the name of its column": "target label labels target_column outcome"},
    "parameter": {"the parameter as a keyword, such as n_neighbors=range(1, 31)": "param_name param_range"},
    "sizes": {"sizes=[0.2, 0.5, 1.0]": "train_sizes"},
    "test": {"test=0.2, a share of all rows": "test_size"},
    "dev": {"dev=0.2, a share of all rows": "val_size dev_size validation_size"},
}
_OF_BOTH_SPLITS = ("cv", "n_splits", "n_folds", "folds", "splitter")  # elsewhere one word for both kinds of splits


def our_word(word: str, known: Collection[str]) -> str:
    """How we write what others call so, if it is one of the known options; else nothing.

    >>> our_word("random_state", ["seed"]), our_word("random_state", ["loss"])
    ('Write seed=7', '')
    """
    ours, how = our_option(word, known)
    is_of_both = word in _OF_BOTH_SPLITS and ours == "outer" and "inner" in known
    return f"Write {how}{' and inner=5 for those that tune' if is_of_both else ''}" if ours else ""


def our_option(word: str, known: Collection[str]) -> tuple[str, str]:
    """The known option that others call so, and how it is written; two empty texts if there is none."""
    foreign = {**_FOREIGN, **{name: option.foreign for name, option in OPTIONS.items()}}
    meant = (
        (ours, how)
        for ours in foreign
        if ours in known
        for how, theirs in foreign[ours].items()
        if word in theirs.split()
    )
    return next(meant, ("", ""))
