"""Thirty kinds of wrong answers (learners/outputs.py) never reach a loss, and no right one is refused."""

from __future__ import annotations

import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.utils import all_estimators

from foldwise.data.dataset import make_dataset
from foldwise.errors import InvalidOutput
from foldwise.learners.model import RESPONSES, respond, responses_of
from foldwise.learners.outputs import checked

ROWS = np.array([4, 7, 9, 12])
NUMBERS = np.array([1.5, 2.0, -3.0, 4.0])
SHARES = np.array([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [0.2, 0.3, 0.5], [0.1, 0.1, 0.8]])


def regression():
    return make_dataset(np.zeros((20, 1)), np.linspace(0, 1, 20))


def classes(*labels):
    return make_dataset(np.zeros((20, 1)), np.resize(np.array(labels), 20))


def gate(answer, *, name="predict", data=None, known=None):
    data = regression() if data is None else data
    model = SimpleNamespace(classes_=np.array(data.classes if known is None else known))
    return checked(model, name, answer, data, ROWS)


def changed(values, place, value):
    values = np.array(values, dtype=object if isinstance(value, str | type(None)) else None)
    values[place] = value
    return values


WRONG_NUMBERS = {
    "too few": (NUMBERS[:3], r"shape \(3,\) for 4 rows"),
    "too many": (list(NUMBERS) * 2, r"shape \(8,\) for 4 rows"),
    "a single number": (1.5, r"shape \(\) for 4 rows"),
    "two columns": (np.ones((4, 2)), r"shape \(4, 2\) for 4 rows"),
    "lying down": (NUMBERS[None], r"shape \(1, 4\) for 4 rows"),
    "nothing": (None, r"shape \(\) for 4 rows"),
    "a generator": ((value for value in NUMBERS), r"shape \(\) for 4 rows"),
    "a ragged list": ([1.0, [2.0, 3.0], 4.0, 5.0], "a list that is no array"),
    "NaN": (changed(NUMBERS, 2, np.nan), r"1 values that are NaN or infinite, first in row 9\.$"),
    "infinite": (NUMBERS * np.inf, "4 values that are NaN or infinite, first in rows 4, 7, 9 and 1 more"),
    "NaN of four bytes": (np.float32([1, np.nan, 1, np.nan]), "first in rows 7, 12"),
    "overflow": (NUMBERS.astype(np.longdouble) * np.longdouble("1e400"), "NaN or infinite"),
    "complex": (NUMBERS + 0j, "complex numbers"),
    "texts of numbers": (NUMBERS.astype(str), "<U32 values, not numbers"),
    "texts among numbers": (changed(NUMBERS, 1, "2.0"), "of type str, not numbers, first in row 7"),
    "None among numbers": (changed(NUMBERS, 1, None), "of type NoneType, not numbers, first in row 7"),
    "truth values": (NUMBERS > 0, "bool values, not numbers"),
    "times": (np.arange(4).astype("timedelta64[s]"), "timedelta64.* values, not numbers"),
    "masked": (np.ma.masked_less(NUMBERS, 0), "1 masked or missing"),
    "sparse": (sparse.csr_array(NUMBERS[:, None]), "sparse csr_array"),
    "missing": (pd.array([1, 2, None, 4], dtype="Int64"), "1 masked or missing values"),
    "a shuffled series": (pd.Series(NUMBERS, index=[1, 0, 2, 3]), "another index"),
    "a series of other rows": (pd.Series(NUMBERS, index=ROWS), "another index"),
}


@pytest.mark.parametrize("kind", WRONG_NUMBERS)
def test_wrong_numbers_are_refused(kind):
    answer, words = WRONG_NUMBERS[kind]
    with pytest.raises(InvalidOutput, match=words):
        gate(answer)


WRONG_LABELS = {
    "unknown": (["a", "b", "z", "a"], "unknown label 'z', first in row 9"),
    "codes": (np.array([0, 1, 2, 0]), "labels of type int"),
    "None": (["a", "b", None, "c"], "labels of type object"),
    "NaN": (changed(["a", "b", "a", "c"], 1, None), "labels of type object"),
    "probabilities": (SHARES, r"shape \(4, 3\)"),
    "missing category": (pd.Series(pd.Categorical(["a", "b", None, "c"])), "labels of type object"),
}


@pytest.mark.parametrize("kind", WRONG_LABELS)
def test_wrong_labels_are_refused(kind):
    answer, words = WRONG_LABELS[kind]
    with pytest.raises(InvalidOutput, match=words):
        gate(answer, data=classes("a", "b", "c"))


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (["1", "2", "1", "2"], "labels of type <U1"),
        ([1.0, 1.5, 2.0, 1.0], "unknown label .*1.5.*, first in row 7"),
        ([True, True, True, True], "labels of type bool"),
        (np.array(["1", 2, 1, 2], dtype=object), "labels of type object"),
        (np.array([1, 2, 1, 2]).astype("datetime64[s]"), "labels of type datetime64"),
    ],
)
def test_labels_of_another_type_are_refused(answer, words):
    with pytest.raises(InvalidOutput, match=words):
        gate(answer, data=classes(1, 2))


WRONG_SHARES = {
    "rows that sum to two": (SHARES * [[1], [2], [1], [1]] / [[1], [2], [1], [1]] + [[0], [0], [1 / 3], [0]], "one"),
    "twice too much": (changed(SHARES, 0, [0.5, 0.75, 0.75]), "do not sum to one, first in row 4"),
    "negative": (changed(SHARES, 1, [-0.5, 1.0, 0.5]), r"from -0.5 to 1, outside \[0, 1\], first in row 7"),
    "above one": (changed(SHARES, 1, [0.0, 1.5, -0.5]), r"outside \[0, 1\]"),
    "NaN": (changed(SHARES, (0, 0), np.nan), "1 values that are NaN or infinite, first in row 4"),
    "a column too many": (np.full((4, 4), 0.25), r"shape \(4, 4\) for 4 rows and 3 classes"),
    "a column too few": (np.full((4, 2), 0.5), r"shape \(4, 2\) for 4 rows and 3 classes"),
    "one column": (np.full(4, 0.5), r"shape \(4,\) for 4 rows and 3 classes"),
    "lying down": (SHARES.T, r"shape \(3, 4\)"),
    "a list per class": ([SHARES] * 3, r"shape \(3, 4, 3\)"),
    "logs": (np.log(SHARES + 0.1), r"outside \[0, 1\]"),
    "texts": (SHARES.astype(str), "values, not numbers"),
    "another order": (pd.DataFrame(SHARES, columns=["b", "a", "c"]), r"order \['b', 'a', 'c'\], and classes_ is"),
    "shuffled rows": (pd.DataFrame(SHARES, index=[3, 2, 1, 0]), "another index"),
    "sparse": (sparse.csr_array(SHARES), "sparse csr_array"),
}


@pytest.mark.parametrize("kind", WRONG_SHARES)
def test_wrong_probabilities_are_refused(kind):
    answer, words = WRONG_SHARES[kind]
    with pytest.raises(InvalidOutput, match=words):
        gate(answer, name="predict_proba", data=classes("a", "b", "c"))


@pytest.mark.parametrize("response", ["predict_proba", "decision_function"])
@pytest.mark.parametrize(
    ("known", "words"),
    [
        (["a", "b", "z"], "unknown label 'z'"),
        (["a", "b", "b"], "two columns for one class"),
        (None, "no list classes_"),
    ],
)
def test_columns_of_classes_nobody_knows_are_refused(response, known, words):
    model = SimpleNamespace() if known is None else SimpleNamespace(classes_=np.array(known))
    with pytest.raises(InvalidOutput, match=words):
        checked(model, response, SHARES, classes("a", "b", "c"), ROWS)


@pytest.mark.parametrize(
    ("answer", "words"),
    [(SHARES[:, :2], r"shape \(4, 2\)"), (SHARES * np.nan, "NaN"), (SHARES[0], r"shape \(3,\)")],
)
def test_wrong_decisions_are_refused(answer, words):
    with pytest.raises(InvalidOutput, match=words):
        gate(answer, name="decision_function", data=classes("a", "b", "c"))


def test_there_are_thirty_kinds_and_more():
    assert len(WRONG_NUMBERS) + len(WRONG_LABELS) + len(WRONG_SHARES) > 40


@pytest.mark.parametrize(
    "answer",
    [
        NUMBERS,
        NUMBERS[:, None],
        NUMBERS.tolist(),
        NUMBERS.astype(np.float32),
        NUMBERS.astype(object),
        pd.Series(NUMBERS),
        pd.DataFrame(NUMBERS),
        np.ma.array(NUMBERS),
        np.array([1.5, 2, -3, 4], dtype=object),
    ],
    ids=lambda answer: type(answer).__name__,
)
def test_numbers_pass_in_any_container(answer):
    np.testing.assert_array_equal(gate(answer), NUMBERS)


@pytest.mark.parametrize(
    ("labels", "answer", "codes"),
    [
        (("a", "b"), ["a", "b", "b", "a"], [0, 1, 1, 0]),
        (("a", "b"), pd.Series(["a", "b", "b", "a"], dtype="category"), [0, 1, 1, 0]),
        (("a", "b"), pd.Series(["a", "b", "b", "a"], dtype="string"), [0, 1, 1, 0]),
        ((1, 2), [1.0, 2.0, 2.0, 1.0], [0, 1, 1, 0]),
        ((0, 1), [False, True, True, False], [0, 1, 1, 0]),
        ((False, True), [False, True, True, False], [0, 1, 1, 0]),
        ((1, 2), np.array([1, 2, 2, 1], dtype=object), [0, 1, 1, 0]),
    ],
)
def test_known_labels_pass_as_codes(labels, answer, codes):
    np.testing.assert_array_equal(gate(answer, data=classes(*labels)), codes)


def test_what_rounding_leaves_of_a_probability_passes_and_is_put_right():
    answer = changed(SHARES, 1, [-1e-17, 1.0 + 2e-16, 0.0])
    found = gate(answer, name="predict_proba", data=classes("a", "b", "c"))
    np.testing.assert_array_equal(found, SHARES)
    thirds = np.full((4, 3), np.float32(1 / 3))
    np.testing.assert_array_equal(gate(thirds, name="predict_proba", data=classes("a", "b", "c")), thirds)


def test_a_class_that_was_not_trained_on_keeps_its_column_and_others_their_place():
    found = gate(SHARES[:, [0, 1]] / SHARES[:, [0, 1]].sum(axis=1, keepdims=True), name="predict_proba",
                 data=classes("a", "b", "c"), known=["c", "a"])  # fmt: skip
    assert (found[:, 1] == 0).all()
    np.testing.assert_allclose(found[:, [2, 0]].sum(axis=1), 1)
    assert found[1].tolist() == [1, 0, 0]


SLOW = {
    "GaussianProcessClassifier", "GaussianProcessRegressor", "LogisticRegressionCV", "GridSearchCV",
    "MLPClassifier", "MLPRegressor", "HistGradientBoostingClassifier", "HistGradientBoostingRegressor",
}  # fmt: skip
KINDS = [("regression", "regressor"), ("binary", "classifier"), ("multiclass", "classifier")]


@pytest.mark.few(1)
@pytest.mark.parametrize(("task", "kind"), KINDS)
def test_no_answer_of_the_librarys_learners_is_refused(task, kind):
    """Every estimator that can be made without arguments and can be fitted on these rows."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0.1, 2.0, (48, 3))
    y = {
        "regression": X @ [1.0, 2.0, 0.5] + 0.1 * rng.uniform(size=48),
        "binary": np.where(X[:, 0] > 1, "yes", "no"),
        "multiclass": np.digitize(X[:, 0], [0.7, 1.4]),
    }[task]
    data, asked = make_dataset(X, y), 0
    for name, maker in all_estimators(type_filter=kind):
        if name in SLOW:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model = maker().fit(X[::2], data.y[::2])
                raw = {response: getattr(model, response)(X) for response in responses_of(model, task)}
            except Exception:  # it needs other data or arguments: nothing to check
                continue
            try:
                found = respond(model, data, np.arange(48), tuple(raw))
            except InvalidOutput as problem:
                raise AssertionError(f"{name}: {problem}") from problem
        asked += 1
        assert set(found) <= set(RESPONSES)
        if "predict_proba" in found:
            np.testing.assert_allclose(found["predict_proba"], raw["predict_proba"], atol=1e-9, err_msg=name)
    assert asked > {"regression": 35, "binary": 25, "multiclass": 25}[task]
