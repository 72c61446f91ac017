"""Under `on_failure="baseline"` a failed fit predicts as the baseline (studies/baseline.py), to the bit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import foldwise as fw
from foldwise.api.request import make_comparison
from foldwise.data.dataset import make_dataset
from foldwise.errors import BadStudy, FitsFailed
from foldwise.studies.baseline import baseline_answer
from foldwise.studies.study import Study

LABELS = np.repeat(np.arange(5), [10, 12, 15, 18, 23])  # training sizes tell the fold: 68, 66, 63, 60, 55


def outline_of(y: Any, weights: Any = None, **words: Any) -> Study:
    data = make_dataset(np.zeros((len(y), 1)), y, weights=weights, **words)
    asked = make_comparison(["baseline"], data, None, outer=0.5, inner=5, loss=None).study
    return replace(asked, target=data.target, weights=data.weights, classes=data.classes)


@given(seed=st.integers(0, 10**6), is_weighted=st.booleans(), classes=st.sampled_from([0, 2, 3, 12]))
def test_the_stand_in_is_what_scikit_learns_dummy_answers_to_the_bit(seed, is_weighted, classes):
    """With weights, rows drawn twice (bootstrap), and classes without training rows."""
    rng = np.random.default_rng(seed)
    y = rng.normal(50, 30, 40) if classes == 0 else np.array([f"c{k:02d}" for k in np.r_[:40] % classes])
    weights = rng.uniform(0.1, 3, 40) if is_weighted else None
    asked, train = outline_of(y, weights), np.sort(rng.choice(40, rng.integers(1, 30)))
    model = DummyRegressor() if classes == 0 else DummyClassifier(strategy="prior")
    own = None if weights is None else asked.weights[train]
    model.fit(np.zeros((len(train), 1)), y[train], sample_weight=own)
    found = baseline_answer(asked, train, "predict", 3)
    if classes == 0:
        np.testing.assert_array_equal(found, model.predict(np.zeros((3, 1))))
        return
    labels = np.array(asked.classes)
    np.testing.assert_array_equal(labels[found], model.predict(np.zeros((3, 1))))
    whole = np.zeros((3, classes))
    whole[:, np.searchsorted(labels, model.classes_)] = model.predict_proba(np.zeros((3, 1)))
    np.testing.assert_array_equal(baseline_answer(asked, train, "predict_proba", 3), whole)


def test_a_tie_goes_to_the_first_label_also_where_a_positive_class_was_named():
    y = np.array(["a", "b"] * 10)
    for positive, codes in (("b", 0), ("a", 1)):  # the positive class comes last
        asked = outline_of(y, positive=positive)
        assert baseline_answer(asked, np.arange(20), "predict", 2).tolist() == [codes, codes]
        assert asked.classes[codes] == "a" == DummyClassifier().fit(np.zeros((20, 1)), y).predict([[0]])[0]


def test_a_decision_function_ranks_no_row_and_orders_the_classes_by_their_shares():
    two, three = outline_of(np.array(["a", "b"] * 10)), outline_of(np.array(["a", "b", "c", "c"] * 5))
    np.testing.assert_allclose(baseline_answer(two, np.array([0, 1, 3, 5]), "decision_function", 2), np.log([3, 3]))
    found = baseline_answer(three, np.array([0, 2, 3]), "decision_function", 2)
    np.testing.assert_allclose(found, np.log([[1 / 3, 1e-15, 2 / 3]] * 2))


def test_training_rows_without_weight_have_no_baseline():
    weights = np.r_[np.zeros(10), np.ones(10)]
    for y in (np.arange(20.0) / 7, np.array(["a", "b"] * 10)):
        assert baseline_answer(outline_of(y, weights), np.arange(10), "predict", 2) is None


class Fragile(KNeighborsRegressor):
    """Fails on training sets of some sizes."""

    def __init__(self, n_neighbors: int = 5, sizes: tuple[int, ...] = ()) -> None:
        super().__init__(n_neighbors)
        self.sizes = sizes

    def fit(self, X: Any, y: Any) -> Any:
        if len(X) in self.sizes:
            raise OSError(f"cannot take {len(X)} rows")
        return super().fit(X, y)


class FragileClassifier(KNeighborsClassifier):
    def fit(self, X: Any, y: Any) -> Any:
        if len(X) == 66:
            raise OSError("cannot take 66 rows")
        return super().fit(X, y)


@pytest.fixture(scope="module")
def rows():
    X, y = load_diabetes(return_X_y=True)
    return X[:78], y[:78]


def methods_of(result):
    return {method["name"]: method for method in result.to_dict()["methods"]}


@pytest.fixture(scope="module")
def mixed(rows):
    learners = {"fragile": Fragile(sizes=(66, 60)), "sound": KNeighborsRegressor()}
    return fw.compare(learners, *rows, outer=LABELS, on_failure="baseline", jobs=1)


def test_the_folds_that_failed_have_the_baselines_loss_and_the_others_their_own(mixed):
    methods = methods_of(mixed)
    fragile, sound, baseline = methods["fragile"], methods["sound"], methods["baseline"]
    losses = [[fold["loss"] for fold in method["folds"]] for method in (fragile, sound, baseline)]
    assert losses[0] == [losses[2][k] if k in (1, 3) else losses[1][k] for k in range(5)]
    assert fragile["risk"] == np.mean(losses[0])
    assert (fragile["status"], fragile["failed"], fragile["own_folds"]) == ("ok", 2, 3)
    assert [fold["own"] for fold in fragile["folds"]] == [True, False, True, False, True]
    assert (sound["own_folds"], sound["failed"], sound["failures"]) == (5, 0, [])


def test_a_risk_that_is_partly_the_baselines_has_no_interval_and_no_test(mixed):
    fragile = methods_of(mixed)["fragile"]
    for name in ("low", "high", "interval", "difference_low", "difference_high", "p", "p_holm"):
        assert fragile[name] is None
    found = mixed.difference("fragile", "sound")
    assert (found.low, found.p) == (None, None)
    assert "on 2 of 5 splits the baseline answers for a failed fit" in found.notes[0][1]
    assert methods_of(mixed)["sound"]["low"] is not None
    with pytest.raises(FitsFailed, match="partly the baseline's"):
        mixed.noise("fragile")


def test_a_learner_that_always_fails_ties_with_the_baseline_which_wins(rows):
    result = fw.compare(
        {"never": Fragile(sizes=(55, 60, 63, 66, 68))}, *rows, outer=LABELS, on_failure="baseline", jobs=1
    )
    methods = methods_of(result)
    assert methods["never"]["risk"] == methods["baseline"]["risk"]
    assert methods["never"]["train_risk"] == methods["baseline"]["train_risk"]
    assert (result.best, methods["never"]["own_folds"]) == ("baseline", 0)


def test_a_candidate_that_fails_while_tuning_is_scored_as_the_baseline(rows):
    pair = 78 - 10 - 12  # trained without folds 0 and 1
    learner = fw.tune(Fragile(sizes=(pair,)), n_neighbors=[1, 5, 20])
    words: dict[str, Any] = {"outer": LABELS, "inner": "pairs", "jobs": 1}
    result = fw.compare({"fragile": learner}, *rows, on_failure="baseline", **words)
    method = methods_of(result)["fragile"]
    assert (method["status"], method["failed"], method["own_folds"]) == ("ok", 3, 5)
    X, y = rows
    means = []
    for k in (1, 5, 20):
        losses = []
        for other in (1, 2, 3, 4):
            train = ~np.isin(LABELS, (0, other))
            model = DummyRegressor() if other == 1 else KNeighborsRegressor(k)
            losses.append(
                np.mean((model.fit(X[train], y[train]).predict(X[other == LABELS]) - y[other == LABELS]) ** 2)
            )
        means.append(np.mean(losses))
    assert method["folds"][0]["selection_score"] == pytest.approx(min(means), rel=1e-10)
    assert method["low"] is not None  # the outer folds are all its own


def test_the_risk_of_one_learner_says_whose_folds_it_rests_on(rows):
    estimate = fw.risk(Fragile(sizes=(66,)), *rows, outer=LABELS, on_failure="baseline", jobs=1)
    assert "4 of 5 folds own, 1 the baseline's" in str(estimate)
    assert estimate.interval is None


@pytest.mark.parametrize("loss", ["log", "zero_one", "roc_auc"])
def test_classes_have_their_shares_as_the_stand_in(rows, loss):
    X, y = rows[0], np.where(rows[1] > 150, "high", "low")
    words: dict[str, Any] = {"outer": LABELS, "jobs": 1, "loss": loss, "stratify": False}
    methods = methods_of(fw.compare({"fragile": FragileClassifier()}, X, y, on_failure="baseline", **words))
    assert methods["fragile"]["folds"][1]["loss"] == methods["baseline"]["folds"][1]["loss"]
    assert methods["fragile"]["own_folds"] == 4


def test_a_stored_study_keeps_its_policy(rows, tmp_path):
    words: dict[str, Any] = {"outer": LABELS, "jobs": 1, "store": tmp_path / "run"}
    first = fw.compare({"fragile": Fragile(sizes=(66,))}, *rows, on_failure="baseline", **words)
    loaded = fw.load(tmp_path / "run")
    assert methods_of(loaded)["fragile"]["risk"] == methods_of(first)["fragile"]["risk"]
    assert loaded.to_dict()["on_failure"] == "baseline"
    with pytest.raises(FitsFailed) as failed:
        fw.compare({"fragile": Fragile(sizes=(66,))}, *rows, on_failure="fail", **words)
    again = failed.value.result
    assert (again.fits_made, methods_of(again)["fragile"]["risk"]) == (0, None)


def test_an_unknown_policy_is_refused_with_the_nearest(rows):
    with pytest.raises(BadStudy, match=r"no failure policy 'baselin'. Did you mean 'baseline'\?"):
        fw.compare({"fragile": Fragile()}, *rows, on_failure="baselin", jobs=1)
