"""A loss that is no finite number is undefined: it never wins, never ends a study, and is told."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import make_scorer
from sklearn.neighbors import KNeighborsRegressor

import foldwise as fw
from foldwise.errors import FitsFailed

LABELS = np.repeat(np.arange(4), 10)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    return X, X[:, 0] + 0.1 * rng.normal(size=40)


def spoiled(way: str) -> Any:
    """Mean squared error; the predictions of one neighbour hit no mean, so they alone are spoiled."""

    def measure(y: Any, prediction: Any) -> Any:
        if len(y) > 2 and np.ptp(prediction) > 0 and np.isin(prediction, spoiled.targets).all():
            if way == "raises":
                raise ZeroDivisionError("no such thing")
            return {"nan": np.nan, "inf": np.inf, "minus inf": -np.inf, "text": "much", "array": np.zeros(2)}[way]
        return float(np.mean((y - prediction) ** 2))

    return measure


spoiled.targets = ()
WAYS = {
    "nan": "it is nan",
    "inf": "it is inf",
    "minus inf": "it is -inf",
    "raises": "it raised ZeroDivisionError: no such thing",
    "text": "it raised TypeError: a loss must be a number",
    "array": "it raised TypeError: only",
}


@pytest.mark.parametrize("way", WAYS)
def test_a_candidate_with_an_undefined_loss_is_never_chosen(rows, way):
    spoiled.targets = rows[1]
    learner = fw.tune(KNeighborsRegressor(), n_neighbors=[1, 3])
    result = fw.compare({"knn": learner}, *rows, loss=spoiled(way), outer=LABELS, inner="pairs", jobs=1)
    method = result.to_dict()["methods"][0]
    assert (method["status"], method["failed"]) == ("ok", 0)
    assert [fold["candidate"] for fold in method["folds"]] == [{"n_neighbors": 3}] * 4
    scores = [fold["selection_score"] for fold in method["folds"]]
    assert np.isfinite(scores).all()
    note = next(note for note in result.notes if "is undefined for" in note)
    assert "which it never ranks best" in note
    assert WAYS[way] in note
    json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.parametrize("way", WAYS)
def test_a_method_with_an_undefined_loss_has_no_risk_and_the_others_theirs(rows, way):
    spoiled.targets = rows[1]
    learners = {"one": KNeighborsRegressor(1), "three": KNeighborsRegressor(3)}
    result = fw.compare(learners, *rows, loss=spoiled(way), outer=LABELS, jobs=1)
    one, three = result.to_dict()["methods"][:2]
    assert (one["status"], one["risk"], one["failed"], three["status"]) == ("undefined", None, 0, "ok")
    assert result.best == "three"
    assert any("one: the loss is undefined on some split" in note and WAYS[way] in note for note in result.notes)
    assert len(result.losses()) == 120  # the predictions are kept
    assert "undefined" in result.explain()


def test_a_loss_per_row_that_raises_keeps_the_predictions(rows):
    def touchy(y: Any, prediction: Any) -> Any:
        if len(y) > 2 and np.isin(prediction, rows[1]).all():
            raise RuntimeError("not these")
        return (y - prediction) ** 2

    learners = {"one": KNeighborsRegressor(1), "three": KNeighborsRegressor(3)}
    result = fw.compare(learners, *rows, loss=[touchy, "absolute"], outer=LABELS, jobs=1)
    frame = result.losses()
    assert frame.query("method == 'one'")["loss"].isna().all()
    assert frame.query("method == 'one'")["loss: absolute"].notna().all()
    assert result.to_dict()["methods"][0]["status"] == "undefined"
    assert result.best == "three"


@pytest.mark.parametrize("error", [TypeError, ArithmeticError])
def test_a_scorer_that_raises_is_undefined_there(rows, error):
    def score(y: Any, prediction: Any) -> float:
        if np.isin(prediction, rows[1]).all() and np.isin(y, rows[1]).all():
            raise error("not these")
        return -float(np.mean((y - prediction) ** 2))

    learners = {"one": KNeighborsRegressor(1), "three": KNeighborsRegressor(3)}
    result = fw.compare(learners, *rows, loss=make_scorer(score), outer=LABELS, jobs=1)
    assert result.to_dict()["methods"][0]["status"] == "undefined"
    assert result.best == "three"


def test_all_losses_undefined_names_no_winner(rows):
    def never(y: Any, prediction: Any) -> float:
        return np.nan if len(y) > 2 else float(np.mean((y - prediction) ** 2))

    learner = fw.tune(KNeighborsRegressor(), n_neighbors=[1, 3])
    with pytest.raises(FitsFailed, match="is undefined") as failed:
        fw.compare({"knn": learner}, *rows, loss=never, outer=LABELS, inner="pairs", jobs=1)
    result = failed.value.result
    answer = result.to_dict()
    assert (answer["best"], answer["refit"], answer["finished"]) == (None, None, True)
    assert {method["status"] for method in answer["methods"]} == {"undefined"}
    assert "No method but the baseline has an error" in repr(result)
