"""What can be found wrong with a learner before any fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from foldwise.arrays import AnyArray
from foldwise.data.roles import MOST_SQUARED, count_rows
from foldwise.errors import BadLearner, BadLoss

if TYPE_CHECKING:
    from foldwise.data.dataset import Dataset
    from foldwise.losses.loss import Loss

NOT_NUMBERS = ("text", "category", "date")  # columns that are not numbers
CLASSIFICATION = ("binary", "multiclass")
MOST_SINGLE = 3.4e38  # numbers of half the digits, which trees compute with
_SINGLE = ("DecisionTree", "ExtraTree", "RandomForest", "GradientBoosting", "XGB", "LabelledXGB")
# scikit-learn's steps that hand missing values on to the next step
_PASSES_MISSING = {
    "StandardScaler",
    "MinMaxScaler",
    "MaxAbsScaler",
    "RobustScaler",
    "QuantileTransformer",
    "PowerTransformer",
    "VarianceThreshold",
}
# scikit-learn's classes that take any table, or whose tags do not say what they take
_TAKES_ANYTHING = {
    "ColumnTransformer",
    "FunctionTransformer",
    "FeatureUnion",
    "DummyClassifier",
    "DummyRegressor",
    "FrozenEstimator",
}


def check_learner(name: str, estimator: Any, data: Dataset, losses: Sequence[Loss]) -> None:
    """Refuse a learner that cannot serve these data and losses, with the reason."""
    _check_is_learner(name, estimator)
    check_copies(name, estimator)
    _check_task(name, estimator, data.task)
    _check_searches(name, estimator)
    for loss in losses:
        _check_response(name, estimator, loss)
        _check_quantile(name, estimator, loss)
    for reader in _readers(estimator):
        _check_sparse(name, reader, data)
        _check_types(name, reader, data)
    for reader in _readers(estimator, skip_missing=True):
        _check_missing(name, reader, data)
    _check_categories(name, estimator, data)
    _check_infinite(name, estimator, data)


def check_responses(name: str, estimator: Any, task: str, losses: Sequence[Loss]) -> None:
    """Refuse a learner of this task whose models do not give what a loss needs."""
    _check_is_learner(name, estimator)
    _check_task(name, estimator, task)
    for loss in losses:
        _check_response(name, estimator, loss)


def task_of(estimator: Any) -> str | None:
    """The task a learner is made for, as a hint when the target leaves room for doubt.

    >>> from sklearn.linear_model import Ridge
    >>> task_of(Ridge())
    'regression'
    """
    return {"classifier": "classification", "regressor": "regression"}.get(_kind(estimator) or "")


def _check_is_learner(name: str, estimator: Any) -> None:
    if isinstance(estimator, type):
        found = estimator.__name__
        raise BadLearner(f"learner {name!r} is the class {found}, not a learner made from it", f"Write {found}()")
    for method in ("fit", "get_params", "predict"):
        if not _answers(estimator, method):
            found = type(estimator).__name__
            remedy = "Give a scikit-learn estimator, the name of a built-in learner, or fw.tune(...)"
            raise BadLearner(f"learner {name!r} is a {found}, which has no {method}", remedy)


def check_copies(name: str, estimator: Any) -> None:
    """Every fit is made from a copy: find now what cannot be copied, a lock, an open file or a generator."""
    from sklearn.base import clone

    try:
        clone(estimator)
    except Exception as problem:
        if word := _list_to_be_a_tuple(estimator):
            what = f"learner {name!r} cannot be copied: its constructor makes another list of its parameter {word}"
            raise BadLearner(what, f"Give {word} as a tuple") from problem
        culprits = [word for word, value in estimator.get_params(deep=True).items() if not _is_copied(value)]
        culprit = max(culprits, key=lambda word: word.count("__"), default="")  # a step is named by what is in it
        where = f"its parameter {culprit}: " if culprit else ""
        raise BadLearner(
            f"learner {name!r} cannot be copied ({where}{problem})", "Make it from plain values, and open files in fit"
        ) from problem


def _list_to_be_a_tuple(estimator: Any) -> str:
    """A parameter that can be copied as a tuple and not as a list, such as CatBoost's `cat_features`."""
    for word, value in estimator.get_params(deep=True).items():
        owner = estimator.get_params(deep=True).get(word.rpartition("__")[0], estimator)
        if isinstance(value, list) and not _is_copied(owner):
            plain = {**owner.get_params(deep=False), word.rpartition("__")[2]: tuple(value)}
            with suppress(Exception):
                if _is_copied(type(owner)(**plain)):
                    return str(word)
    return ""


def _is_copied(value: Any) -> bool:
    from sklearn.base import clone

    try:
        clone(value, safe=False)
    except Exception:
        return False
    return True


def _check_task(name: str, estimator: Any, task: str) -> None:
    kind = _kind(estimator)
    wanted = "classifier" if task in CLASSIFICATION else "regressor"
    if kind is not None and kind != wanted:
        words = "classification" if task in CLASSIFICATION else "regression"
        remedy = f"Use a {wanted}, or say task= if the target was misread"
        article = "an" if kind[0] in "aeiou" else "a"
        raise BadLearner(f"learner {name!r} is {article} {kind}, but the task is {words}", remedy)
    tags = getattr(_tags(estimator), "classifier_tags", None)
    if task == "multiclass" and tags is not None and not tags.multi_class:
        raise BadLearner(f"learner {name!r} takes two classes, but there are more", "Put it in OneVsRestClassifier")


def _check_searches(name: str, estimator: Any) -> None:
    """A search must split the rows it is given, and must not remember those of another fold."""
    for part in _parts(estimator):
        found = type(part).__name__
        if _has_fixed_splits(getattr(part, "cv", None)):
            remedy = "Give cv a number or a splitter, or tune with fw.tune"
            reason = "its row numbers are those of the whole table, so test rows would leak into training"
            raise BadLearner(f"learner {name!r} has a {found} with a fixed list of splits: {reason}", remedy)
        if getattr(part, "study", None) is not None:
            reason = "what it learnt on one outer fold's test rows would leak into the next"
            remedy = "Leave study=None, so that every fit starts its own, or tune with fw.tune"
            raise BadLearner(f"learner {name!r} has a {found} with a shared study: {reason}", remedy)


def _check_response(name: str, estimator: Any, loss: Loss) -> None:
    if any(_answers(estimator, need) for need in loss.needs):
        return
    words = {"predict_proba": "probabilities", "decision_function": "decision values"}
    needed = " or ".join(words.get(need, need) for need in loss.needs)
    remedy = "Wrap it in CalibratedClassifierCV, or use loss='zero_one'"
    raise BadLoss(f"the loss {loss.name!r} needs {needed}, which learner {name!r} does not give", remedy)


def _check_quantile(name: str, estimator: Any, loss: Loss) -> None:
    own = _own_quantile(_last(estimator))
    if loss.quantile is not None and own is not None and own != loss.quantile:
        found = f"the {own} quantile, not the {loss.quantile} quantile"
        raise BadLoss(f"learner {name!r} predicts {found} of the loss {loss.name!r}", "Make the two the same")


def _check_sparse(name: str, reader: Any, data: Dataset) -> None:
    if hasattr(data.X, "tocsr") and not _tags(reader).input_tags.sparse:
        problem = f"learner {name!r} cannot take sparse data: {type(reader).__name__} needs a dense table"
        raise BadLearner(problem, "Use a built-in learner, or X.toarray()")


def _check_types(name: str, reader: Any, data: Dataset) -> None:
    refused = [kind for kind in NOT_NUMBERS if kind not in _types_taken(reader)]
    found = [(column, kind) for column, kind in zip(data.names, data.kinds, strict=True) if kind in refused]
    if not found:
        return
    shown = ", ".join(f"{column!r} ({kind})" for column, kind in found[:3]) + (", ..." if len(found) > 3 else "")
    problem = f"learner {name!r} takes only numbers, but {len(found)} columns are not: {shown}"
    if len(found) == 1:
        problem = f"learner {name!r} takes only numbers, but column {found[0][0]!r} is a {found[0][1]} column"
    raise BadLearner(problem, "Use a built-in learner, or put an encoder before it")


def _check_categories(name: str, estimator: Any, data: Dataset) -> None:
    """LightGBM and XGBoost take numbers and declared categories, and find out in every single fit."""
    if type(estimator).__module__.partition(".")[0] not in ("lightgbm", "xgboost"):
        return
    refused = {column: kind for column, kind in zip(data.names, data.kinds, strict=True) if kind in ("text", "date")}
    if refused:
        column, kind = next(iter(refused.items()))
        more = f", and {len(refused) - 1} more are text or dates" if len(refused) > 1 else ""
        problem = f"learner {name!r} takes numbers and categories, but column {column!r} is a {kind} column{more}"
        raise BadLearner(problem, "Declare categories, X[column].astype('category'), or use a built-in learner")


def _check_missing(name: str, reader: Any, data: Dataset) -> None:
    if _tags(reader).input_tags.allow_nan:
        return
    missing = _missing_counts(data.X)
    if missing.any():
        column = int(np.argmax(missing > 0))
        found = f"column {data.names[column]!r} has {missing[column]}"
        more = int((missing > 0).sum()) - 1
        found += f", and {more} more have some" if more else ""
        problem = f"learner {name!r} cannot take missing values: {found}"
        raise BadLearner(problem, "Put a SimpleImputer before it, or use a built-in learner")


def _check_infinite(name: str, estimator: Any, data: Dataset) -> None:
    """Of scikit-learn's own parts only histogram boosting takes infinity, or what is nearly so."""
    most = MOST_SINGLE if _is_single(estimator) else MOST_SQUARED
    extreme = _extreme_rows(data, most)
    takers = [(estimator, data.names)] if "XGB" in type(_last(estimator)).__name__ else _takers(estimator, data.names)
    for reader, columns in takers if extreme else ():
        column = next((column for column in columns if column in extreme), None)
        if column is not None and not type(reader).__name__.startswith("HistGradientBoosting"):
            words = "infinite values" if _has_infinite(data, column) else f"values beyond {most:.2g}"
            found = f"column {column!r} has them in {count_rows(extreme[column])}"
            remedy = "Leave these rows out, or make the values missing"
            raise BadLearner(f"learner {name!r} cannot take {words}: {found}", remedy)


def _is_single(estimator: Any) -> bool:
    """Does it compute with numbers of half the digits, as they are in the table?"""
    parts = [part for name, part in estimator.get_params(deep=True).items() if not name.endswith("transformer")]
    is_scaled = any(type(part).__name__ in _PASSES_MISSING for part in parts)  # columns, not the target
    return type(_last(estimator)).__name__.startswith(_SINGLE) and not is_scaled


def _kind(estimator: Any) -> str | None:
    """What scikit-learn says it is; None where it says nothing."""
    kind = getattr(_tags(estimator), "estimator_type", None) or getattr(estimator, "_estimator_type", None)
    return None if kind is None else str(kind).replace("_", " ")


def _tags(estimator: Any) -> Any:
    from sklearn.utils import get_tags

    try:
        return get_tags(estimator)
    except Exception:  # a foreign class without tags is no fault of the user's
        return None


def _parts(estimator: Any) -> Iterator[Any]:
    """The estimator and every estimator inside it."""
    yield estimator
    for value in estimator.get_params(deep=True).values():
        if hasattr(value, "fit") and not isinstance(value, type):
            yield value


def _has_fixed_splits(cv: Any) -> bool:
    if isinstance(cv, (list, tuple)) or type(cv).__name__ == "PredefinedSplit":
        return True
    return hasattr(cv, "__next__")  # a generator of splits


def _answers(estimator: Any, need: str) -> bool:
    last = _last(estimator)
    if type(last).__name__ in ("StackingClassifier", "StackingRegressor") and last.final_estimator is None:
        return True  # its default final learner, which the unfitted object does not know yet, answers everything
    return hasattr(estimator, need)


def _last(estimator: Any) -> Any:
    """The part that makes the predictions."""
    steps = getattr(estimator, "steps", None)
    if _is_sklearn(estimator, "Pipeline") and steps:
        return _last(steps[-1][1])
    for inside in ("regressor", "estimator"):
        if getattr(estimator, inside, None) is not None:
            return _last(getattr(estimator, inside))
    return estimator


def _own_quantile(estimator: Any) -> float | None:
    values = estimator.get_params(deep=False) if hasattr(estimator, "get_params") else {}
    if values.get("loss", "quantile") != "quantile":
        return None
    quantile = values.get("quantile", values.get("alpha") if "loss" in values else None)
    return float(quantile) if isinstance(quantile, (int, float)) else None


def _readers(estimator: Any, *, skip_missing: bool = False) -> Iterator[Any]:
    """scikit-learn's own parts that are given the table as it is; foreign code is trusted to know."""
    if _is_sklearn(estimator, "Pipeline"):
        steps = [step for _, step in estimator.steps if step is not None and step != "passthrough"]
        passes = _passes_missing if skip_missing else _passes_text
        while len(steps) > 1 and passes(steps[0]):
            steps = steps[1:]
        yield from _readers(steps[0], skip_missing=skip_missing) if steps else ()
    elif _is_several(estimator):
        for _, part in estimator.estimators:
            yield from _readers(part, skip_missing=skip_missing) if hasattr(part, "fit") else ()
    elif (inside := _inside(estimator)) is not None:
        yield from _readers(inside, skip_missing=skip_missing)
    elif _is_sklearn(estimator) and type(estimator).__name__ not in _TAKES_ANYTHING and _tags(estimator) is not None:
        yield estimator


def _takers(estimator: Any, columns: Sequence[str]) -> Iterator[tuple[Any, Sequence[str]]]:
    """The parts that meet the numbers of the table first, and the columns each of them is given."""
    if _is_sklearn(estimator, "Pipeline"):
        steps = [step for _, step in estimator.steps if step is not None and step != "passthrough"]
        yield from _takers(steps[0], columns) if steps else ()
    elif isinstance(parts := getattr(estimator, "transformers", None), list):
        for _, part, own in parts:
            yield from _takers(part, own) if hasattr(part, "fit") and isinstance(own, list) else ()
    else:
        yield from ((reader, columns) for reader in _readers(estimator))


def _is_sklearn(estimator: Any, name: str | None = None) -> bool:
    kind = type(estimator)
    return kind.__module__.startswith("sklearn.") and name in (None, kind.__name__)


def _is_several(estimator: Any) -> bool:
    """Voting and stacking give the table to each of their learners."""
    return _is_sklearn(estimator) and isinstance(getattr(estimator, "estimators", None), list)


def _inside(estimator: Any) -> Any:
    """The learner that a search, a calibration or a scaled target hands its table to."""
    if not (_is_sklearn(estimator) or type(estimator).__module__.startswith("foldwise.")):
        return None
    inside = getattr(estimator, "regressor", getattr(estimator, "estimator", None))
    return inside if hasattr(inside, "fit") else None


def _passes_missing(step: Any) -> bool:
    return _is_sklearn(step) and type(step).__name__ in _PASSES_MISSING


def _passes_text(step: Any) -> bool:
    return _is_sklearn(step, "SimpleImputer") and step.strategy in ("constant", "most_frequent")


def _types_taken(reader: Any) -> tuple[str, ...]:
    tags = _tags(reader).input_tags
    if tags.categorical or tags.string or type(reader).__module__.startswith("sklearn.feature_extraction"):
        return NOT_NUMBERS
    if type(reader).__name__.startswith("HistGradientBoosting"):
        return ("category",)
    return ()


def _extreme_rows(data: Dataset, most: float) -> dict[str, AnyArray]:
    """Which rows are beyond a number, by column, for the columns where some are."""
    X = data.X
    if not hasattr(X, "iloc") and not _is_beyond(X.data if hasattr(X, "tocsc") else X, most):
        return {}
    numbers = [(j, name) for j, name in enumerate(data.names) if data.kinds[j] == "number"]
    masks = {name: np.abs(column_at(X, j)) > most for j, name in numbers}
    return {name: mask for name, mask in masks.items() if mask.any()}


def _is_beyond(values: AnyArray, most: float) -> bool:
    """Is one of them beyond a number? Missing values are not, and a large table is not copied."""
    top, low = (ufunc.reduce(values, axis=None, initial=0.0) for ufunc in (np.fmax, np.fmin))
    return bool(top > most or low < -most)


def _has_infinite(data: Dataset, column: str) -> bool:
    return bool(np.isinf(column_at(data.X, data.names.index(column))).any())


def column_at(X: Any, j: int) -> AnyArray:
    """One column of a canonical table, whatever holds it."""
    if hasattr(X, "iloc"):
        return np.asarray(X.iloc[:, j])
    return np.asarray(X[:, [j]].toarray()[:, 0] if hasattr(X, "tocsc") else X[:, j])


def _missing_counts(X: Any) -> Any:
    """How many values are missing, by column."""
    if hasattr(X, "iloc"):
        return X.isna().sum().to_numpy()
    if hasattr(X, "tocsc"):
        table = X.tocsc()
        missing = np.concatenate([[0], np.cumsum(np.isnan(table.data))])
        return missing[table.indptr[1:]] - missing[table.indptr[:-1]]
    return np.isnan(X).sum(axis=0)
