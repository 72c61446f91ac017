"""The built-in learners by name, each with its preprocessing and its default space."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from foldwise.errors import BadLearner, BadSpace, nearest
from foldwise.recipes.preprocess import Container, table_preparer
from foldwise.spaces.parameter import is_parameter, log_range
from foldwise.spaces.space import Direction, Space, make_space

if TYPE_CHECKING:
    from foldwise.data.dataset import Dataset

REGRESSION = ("regression",)
CLASSIFICATION = ("binary", "multiclass")
EVERY_TASK = REGRESSION + CLASSIFICATION


@dataclass(frozen=True)
class Entry:
    """One built-in learner: what it is for, how it is made, and what is tuned."""

    name: str
    summary: str
    make: Callable[[bool], Any]  # is it a classification? -> estimator
    space: Callable[[int], dict[str, Any]]  # rows -> default space
    simpler: Mapping[str, Direction]
    tasks: tuple[str, ...] = EVERY_TASK
    instead: str = ""  # the learner to use for the other task
    scale: bool = False
    impute: bool = True
    is_prepared: bool = True
    takes_sparse: bool = True
    takes_weights: bool = True
    extra: str | None = None

    @property
    def preparation(self) -> str:
        """What is done to the table first, in words."""
        if not self.is_prepared:
            return "none"
        steps = (("missing numbers imputed", self.impute), ("scaled", self.scale), ("text one-hot encoded", True))
        return ", ".join(step for step, is_done in steps if is_done)


@dataclass(frozen=True, eq=False)
class BuiltIn:
    """A built-in learner made for a table; without a space it is not tuned."""

    name: str
    estimator: Any
    space: Space | None


def builtin(name: str, data: Dataset, *, overrides: Mapping[str, Any] | None = None) -> BuiltIn:
    """The built-in learner of this name for these data.

    Overrides that are lists or ranges replace the default space; single values fix a parameter.
    """
    entry = find_entry(name)
    if data.task not in entry.tasks:
        other = "classification" if data.task in CLASSIFICATION else "regression"
        raise BadLearner(f"the learner {name!r} is not for {other}", f"Use {entry.instead!r}")
    estimator = _prepared(entry, data)
    spaces = {key: value for key, value in (overrides or {}).items() if is_parameter(value)}
    fixed = {key: value for key, value in (overrides or {}).items() if key not in spaces}
    if fixed:
        _fix(name, estimator, fixed)
    tuned = spaces or {key: value for key, value in entry.space(data.rows).items() if not _is_fixed(key, fixed)}
    if not tuned:
        return BuiltIn(name, estimator, None)
    simpler = {key: way for key, way in entry.simpler.items() if key in tuned}
    return BuiltIn(name, estimator, _space(name, tuned, estimator, simpler))


def default_learners(task: str) -> list[str]:
    """A sensible set for the task.

    >>> default_learners("binary")
    ['logistic', 'k-nn', 'tree', 'forest', 'boosting']
    """
    return ["ridge" if task == "regression" else "logistic", "k-nn", "tree", "forest", "boosting"]


def find_entry(name: str) -> Entry:
    """The entry of this name.

    >>> find_entry("ridge").tasks
    ('regression', 'binary', 'multiclass')
    """
    entry = _BY_NAME.get(name)
    if entry is None:
        raise BadLearner(f"there is no built-in learner {name!r}", nearest(str(name), _BY_NAME))
    return entry


def entries() -> list[dict[str, Any]]:
    """One row per built-in learner, for `fw.learners()`.

    >>> [row["name"] for row in entries()][:3]
    ['baseline', 'k-nn', 'ridge']
    """
    return [
        {
            "name": entry.name,
            "task": _task_words(entry.tasks),
            "summary": entry.summary,
            "tuned": _space_words(entry),
            "preparation": entry.preparation,
            "weights": entry.takes_weights,
            "extra": entry.extra,
            "installed": True,
        }
        for entry in _BY_NAME.values()
    ]


def _prepared(entry: Entry, data: Dataset) -> Any:
    from sklearn.pipeline import Pipeline

    learner = entry.make(data.task in CLASSIFICATION)
    if not entry.is_prepared:
        return learner
    preparer = table_preparer(
        data.kinds,
        data.names,
        scale=entry.scale,
        impute=entry.impute,
        fill_empty=not entry.impute,
        dense=not entry.takes_sparse,
        container=_container(data.X),
    )
    return learner if preparer is None else Pipeline([("prepare", preparer), ("learner", learner)])


def _container(X: Any) -> Container:
    if hasattr(X, "iloc"):
        return "frame"
    return "sparse" if hasattr(X, "tocsr") else "array"


def _fix(name: str, estimator: Any, fixed: dict[str, Any]) -> None:
    full = _space(name, {key: [value] for key, value in fixed.items()}, estimator, {}).resolve(estimator)
    estimator.set_params(**{full[key]: value for key, value in fixed.items()})


def _space(name: str, tuned: dict[str, Any], estimator: Any, simpler: Mapping[str, Direction]) -> Space:
    try:
        return make_space(tuned, None, estimator, simpler=simpler)
    except BadSpace as error:
        raise BadSpace(f"learner {name!r}: {error.problem}", error.remedy) from None


def _is_fixed(key: str, fixed: Mapping[str, Any]) -> bool:
    return any(name == key or name.endswith(f"__{key}") for name in fixed)


def _task_words(tasks: tuple[str, ...]) -> str:
    if tasks == EVERY_TASK:
        return "any"
    return "regression" if tasks == REGRESSION else "classification"


def _space_words(entry: Entry) -> str:
    tuned = entry.space(10**6)
    return repr(make_space(tuned))[len("Space(") : -1] if tuned else "not tuned"


def _scaled_target(regressor: Any) -> Any:
    """The regressor on a target of mean 0 and variance 1, so that its ranges fit any unit."""
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.preprocessing import StandardScaler

    return TransformedTargetRegressor(regressor, transformer=StandardScaler(), check_inverse=False)


def _make_baseline(is_classification: bool) -> Any:
    from sklearn.dummy import DummyClassifier, DummyRegressor

    return DummyClassifier(strategy="prior") if is_classification else DummyRegressor(strategy="mean")


def _make_k_nn(is_classification: bool) -> Any:
    from foldwise.recipes.nearest import NearestClassifier, NearestRegressor

    return NearestClassifier() if is_classification else NearestRegressor()


def _k_nn_space(rows: int) -> dict[str, Any]:
    # the smallest default study trains on a third of the rows, and k rows must be there
    return {"n_neighbors": range(1, min(30, max(rows // 3, 1)) + 1)}


def _make_ridge(is_classification: bool) -> Any:
    from sklearn.linear_model import Ridge, RidgeClassifier

    return RidgeClassifier() if is_classification else Ridge()


def _make_lasso(is_classification: bool) -> Any:
    from sklearn.linear_model import Lasso

    # enough passes for more columns than rows at the smallest penalty
    return _scaled_target(Lasso(max_iter=100_000))


def _make_logistic(is_classification: bool) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1000)


def _make_tree(is_classification: bool) -> Any:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    return DecisionTreeClassifier() if is_classification else DecisionTreeRegressor()


def _make_forest(is_classification: bool) -> Any:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    make = RandomForestClassifier if is_classification else RandomForestRegressor
    return make(n_estimators=100, n_jobs=1)


def _make_boosting(is_classification: bool) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    make = HistGradientBoostingClassifier if is_classification else HistGradientBoostingRegressor
    # early stopping would hold rows out by chance and make the fit depend on them
    return make(max_iter=100, early_stopping=False)


def _make_svm(is_classification: bool) -> Any:
    from sklearn.svm import SVC, SVR

    return SVC() if is_classification else _scaled_target(SVR())


_ENTRIES = (
    Entry(
        "baseline",
        "the mean, or the class frequencies, of the training rows",
        _make_baseline,
        lambda rows: {},
        {},
        is_prepared=False,
    ),
    Entry(
        "k-nn",
        "the k nearest rows in Euclidean distance",
        _make_k_nn,
        _k_nn_space,
        {"n_neighbors": "high"},
        scale=True,
        takes_weights=False,
    ),
    Entry(
        "ridge",
        "linear, squared penalty",
        _make_ridge,
        lambda rows: {"alpha": log_range(1e-4, 1e4, 25)},
        {"alpha": "high"},
        scale=True,
    ),
    Entry(
        "lasso",
        "linear, absolute penalty: few columns are used",
        _make_lasso,
        lambda rows: {"alpha": log_range(1e-4, 10, 30)},
        {"alpha": "high"},
        tasks=REGRESSION,
        instead="logistic",
        scale=True,
    ),
    Entry(
        "logistic",
        "linear, probabilities by the logistic function, squared penalty",
        _make_logistic,
        lambda rows: {"C": log_range(1e-4, 1e4, 15)},
        {"C": "low"},
        tasks=CLASSIFICATION,
        instead="ridge",
        scale=True,
    ),
    Entry(
        "tree",
        "one decision tree",
        _make_tree,
        lambda rows: {"max_depth": [1, 2, 3, 4, 6, 8, 12, None], "min_samples_leaf": [1, 5, 20]},
        {"max_depth": "low", "min_samples_leaf": "high"},
    ),
    Entry(
        "forest",
        "a random forest of 100 trees",
        _make_forest,
        lambda rows: {"max_features": [0.2, 0.5, 1.0], "min_samples_leaf": [1, 5]},
        {"max_features": "low", "min_samples_leaf": "high"},
    ),
    Entry(
        "boosting",
        "gradient boosting of 100 trees on histograms",
        _make_boosting,
        lambda rows: {"learning_rate": [0.03, 0.1, 0.3], "max_leaf_nodes": [7, 31]},
        {"learning_rate": "low", "max_leaf_nodes": "low"},
        impute=False,
        takes_sparse=False,
    ),
    Entry(
        "svm",
        "a support vector machine with a Gaussian kernel",
        _make_svm,
        lambda rows: {"C": log_range(0.1, 100, 4), "gamma": log_range(1e-4, 1, 5)},
        {"C": "low", "gamma": "low"},
        scale=True,
    ),
)
_BY_NAME = {entry.name: entry for entry in _ENTRIES}
