"""Checks that every answer of a model passes before any loss sees it."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.errors import InvalidOutput

ROUNDING = 1e-9  # how far outside [0, 1] arithmetic may leave a probability
SUM_ROUNDING = 1e-4  # how far from one the sum of a row's probabilities may be: some libraries count in float32
MOST_ROWS = 3  # bad rows that are named


def checked(model: Any, name: str, answer: Any, data: Dataset, rows: IntArray) -> AnyArray:
    """One response for these rows: finite values, class codes, or a column per class in the data's order."""
    _refuse_other_index(name, answer, rows.size)
    values = _as_array(name, answer)
    if name == "predict":
        values = values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values
        if values.shape != (rows.size,):
            raise InvalidOutput(f"predict gave an array of shape {values.shape} for {rows.size} rows")
        return _numbers(name, values, rows) if data.task == "regression" else _codes(values, data.classes, rows)
    place = _columns(model, name, answer, data)
    if name == "predict_proba":
        return _probabilities(values, place, data, rows)
    return _decision(values, place, data, rows)


def _refuse_other_index(name: str, answer: Any, rows: int) -> None:
    """Rows are matched by position, so an index that says otherwise is not passed over. Models see rows 0, 1, 2, ..."""
    index = getattr(answer, "index", None)
    if index is None or callable(index) or len(index) != rows:
        return
    if not np.array_equal(np.asarray(index), np.arange(rows)):
        raise InvalidOutput(f"{name} gave rows with another index than those it was asked for")


def _as_array(name: str, answer: Any) -> AnyArray:
    if hasattr(answer, "tocsr"):
        raise InvalidOutput(f"{name} gave a sparse {type(answer).__name__}, not an array")
    if np.ma.is_masked(answer):
        raise InvalidOutput(f"{name} gave an array with {np.ma.getmaskarray(answer).sum()} masked or missing values")
    try:
        values = np.asarray(answer)
    except (TypeError, ValueError) as reason:
        raise InvalidOutput(f"{name} gave a {type(answer).__name__} that is no array") from reason
    if values.dtype.kind == "c":
        raise InvalidOutput(f"{name} gave complex numbers")
    return values


def _numbers(name: str, values: AnyArray, rows: IntArray) -> FloatArray:
    """Finite numbers; text, dates, booleans and missing ones are none, even where they could pass for some."""
    if values.dtype.kind == "O":
        strange = np.array([not _is_number(value) for value in values.ravel()], bool).reshape(values.shape)
        if strange.any():
            found = type(values[strange][0]).__name__
            raise InvalidOutput(f"{name} gave values of type {found}, not numbers, {_where(strange, rows)}")
    elif values.dtype.kind not in "iuf":
        raise InvalidOutput(f"{name} gave {values.dtype} values, not numbers")
    if values.dtype == np.float64:
        values = values.copy(order="K")
    else:
        with np.errstate(over="ignore"):  # what is too large is infinite then, and refused
            values = values.astype(np.float64)
    is_finite = np.isfinite(values)
    if not is_finite.all():
        strange = ~is_finite
        raise InvalidOutput(f"{name} gave {strange.sum()} values that are NaN or infinite, {_where(strange, rows)}")
    return values


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)


def _columns(model: Any, name: str, answer: Any, data: Dataset) -> IntArray:
    """Which class each column is about, by the model's own list; names of the columns may not contradict it."""
    known = getattr(model, "classes_", None)
    if known is None or np.ndim(known) != 1:
        raise InvalidOutput(f"{name} has columns of unknown classes, as the model has no list classes_")
    place = _codes(np.asarray(known), data.classes, None)
    if len(set(place.tolist())) < place.size:
        raise InvalidOutput(f"{name} has two columns for one class: classes_ is {list(known)}")
    named = [str(label) for label in getattr(answer, "columns", ())]
    own = [str(label) for label in known]
    if named != own and sorted(named) == sorted(own):
        raise InvalidOutput(f"{name} gave its columns in the order {named}, and classes_ is {own}")
    return place


def _probabilities(values: AnyArray, place: IntArray, data: Dataset, rows: IntArray) -> FloatArray:
    if values.shape != (rows.size, place.size):
        words = f"{rows.size} rows and {place.size} classes"
        raise InvalidOutput(f"predict_proba gave an array of shape {values.shape} for {words}")
    values = _numbers("predict_proba", values, rows)
    strange = (values < -ROUNDING) | (values > 1 + ROUNDING)
    if strange.any():
        span = f"values from {values.min():.3g} to {values.max():.3g}, outside [0, 1]"
        raise InvalidOutput(f"predict_proba gave {span}, {_where(strange, rows)}")
    strange = np.abs(values.sum(axis=1) - 1.0) > SUM_ROUNDING
    if strange.any():
        raise InvalidOutput(f"predict_proba gave rows that do not sum to one, {_where(strange, rows)}")
    whole = np.zeros((rows.size, len(data.classes)))  # a class missing from the training rows keeps its column
    whole[:, place] = np.clip(values, 0.0, 1.0)
    return whole


def _decision(values: AnyArray, place: IntArray, data: Dataset, rows: IntArray) -> FloatArray:
    classes = len(data.classes)
    is_one_column = classes == 2 and values.shape == (rows.size,) and place.size == 2
    if not is_one_column and (place.size != classes or values.shape != (rows.size, place.size)):
        raise InvalidOutput(
            f"decision_function gave an array of shape {values.shape} for {rows.size} rows and {classes} classes, "
            f"{place.size} of which were trained on"
        )
    values = _numbers("decision_function", values, rows)
    if is_one_column:
        return values if place[1] == 1 else -values
    whole = np.empty_like(values)
    whole[:, place] = values
    return whole


def _codes(labels: AnyArray, classes: tuple[Any, ...], rows: IntArray | None) -> IntArray:
    """Labels as positions in the data's classes; `rows` are those they are about, if they are predictions."""
    known = np.array(classes, dtype=object if isinstance(classes[0], str) else None)
    _refuse_other_type(labels, known)
    given = labels.dtype
    if known.dtype == object:
        labels = labels.astype(object)
    order = np.argsort(known)
    try:
        place = np.clip(np.searchsorted(known, labels, sorter=order), 0, known.size - 1)
        codes = order[place]
        strange = np.asarray(known[codes] != labels, bool)
    except TypeError as reason:
        raise InvalidOutput(f"the model answered with labels of type {given}") from reason
    if strange.any():
        where = f", {_where(strange, rows)}" if rows is not None else ""
        raise InvalidOutput(f"the model answered with the unknown label {labels[strange][0]!r}{where}")
    return codes.astype(np.int64)


def _refuse_other_type(labels: AnyArray, known: AnyArray) -> None:
    """Texts are no numbers, and booleans are the classes 0 and 1 alone: NumPy would compare them all the same."""
    is_text, is_truth = labels.dtype.kind in "SUT", labels.dtype.kind == "b"
    is_mixed = known.dtype.kind in "iufb" and is_text
    is_strange = is_truth and known.dtype.kind != "b" and set(known.tolist()) != {0, 1}
    if is_mixed or is_strange or labels.dtype.kind in "mM":
        raise InvalidOutput(f"the model answered with labels of type {labels.dtype}")


def _where(strange: AnyArray, rows: IntArray) -> str:
    """The first rows with something wrong, by their numbers in the data."""
    bad = rows[strange if strange.ndim == 1 else strange.any(axis=1)]
    more = f" and {bad.size - MOST_ROWS} more" if bad.size > MOST_ROWS else ""
    return f"first in row{'s' * (bad.size > 1)} {', '.join(map(str, bad[:MOST_ROWS].tolist()))}{more}"
