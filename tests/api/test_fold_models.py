"""Prediction intervals with a model: CV+ written out with scikit-learn, and what is refused."""

from __future__ import annotations

from math import ceil, floor

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Lasso, LogisticRegression, Perceptron, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import foldwise as fw
from foldwise.errors import BadInterval, BadStudy, FitsFailed

RNG = np.random.default_rng(8)
X = RNG.normal(size=(80, 3))
Y = X @ [1.0, -2.0, 0.5] + RNG.normal(size=80)
NEW = RNG.normal(size=(25, 3))
CLASSES = np.array(["low", "mid", "top"])[np.digitize(Y, [-1, 1])]
GROUPS = np.repeat(np.arange(20), [1, 7, 4, 4, 2, 6, 4, 4, 3, 5, 4, 4, 4, 4, 4, 4, 8, 2, 3, 3])
LEARNERS = {
    "ridge": fw.tune(make_pipeline(StandardScaler(), Ridge()), alpha=[0.1, 10.0, 1000.0]),
    "k-nn": fw.tune(KNeighborsRegressor(), n_neighbors=[1, 5, 9]),
}


def study(learners=None, y=Y, **options):
    return fw.compare(learners or LEARNERS, X, y, **{"outer": 5, "inner": 4, "jobs": 1, "guards": False, **options})


@pytest.fixture(scope="module")
def result():
    return study()


def by_hand(result, name, estimators):
    """CV+ of one method: its estimator at the candidate of each outer fold, fitted on what that fold leaves."""
    choices = result.choices().query("method == @name and repeat == 0").sort_values("fold")
    tests = [split.test for split in result.study.outer if split.repeat == 0]
    predicted, residuals = [], []
    for test, candidate in zip(tests, choices["candidate"], strict=True):
        train = np.setdiff1d(np.arange(len(Y)), test)
        model = estimators[name](**candidate).fit(X[train], Y[train])
        residuals.append(np.abs(Y[test] - model.predict(X[test])))
        predicted.append(model.predict(NEW))
    return predicted, residuals


ESTIMATORS = {
    "ridge": lambda alpha: make_pipeline(StandardScaler(), Ridge(alpha=alpha)),
    "k-nn": lambda n_neighbors: KNeighborsRegressor(n_neighbors=n_neighbors),
}


def naive_interval(predicted, residuals, level):
    found = []
    for row in range(len(NEW)):
        lows = sorted(p[row] - r for p, own in zip(predicted, residuals, strict=True) for r in own)
        highs = sorted(p[row] + r for p, own in zip(predicted, residuals, strict=True) for r in own)
        n = len(lows)
        found.append((lows[floor(round((1 - level) * (n + 1), 9)) - 1], highs[ceil(round(level * (n + 1), 9)) - 1]))
    return np.array(found)


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95])
@pytest.mark.parametrize("name", LEARNERS)
def test_intervals_are_those_of_cv_plus_by_hand(result, name, level):
    found = result.refit(name, intervals=True).predict_interval(NEW, level=level)
    assert found.columns.tolist() == ["low", "high"]
    np.testing.assert_allclose(found, naive_interval(*by_hand(result, name, ESTIMATORS), level), rtol=1e-9)


def test_predictions_are_the_bytes_of_the_plain_model(result):
    assert type(result.refit()).__name__ == "Pipeline"
    assert result.refit(intervals=True).predict(NEW).tobytes() == result.refit().predict(NEW).tobytes()


def test_residuals_are_those_of_the_out_of_fold_predictions(result):
    model, table = result.refit("ridge", intervals=True), result.predictions().query("method == 'ridge'")
    own = (table["truth"] - table["prediction"]).abs().to_numpy()
    np.testing.assert_allclose(np.concatenate(model.scores), own, rtol=1e-8)


def test_a_choice_by_inner_splits_is_made_again_in_every_fold():
    """Two learners of nearly equal worth, so that folds differ in which they prefer."""
    learners = {"ridge": LEARNERS["ridge"], "lasso": fw.tune(Lasso(), alpha=[0.01, 0.1])}
    found = study(learners, seed=1)
    model, choices = found.refit(pick="inner", intervals=True), found.choices()
    for fold, own in enumerate(model.fold_models):
        here = choices[choices["fold"] == fold].dropna(subset="selection_score").sort_values(["selection_score"])
        assert isinstance(own, Lasso) == (here["method"].iloc[0] == "lasso")
    assert fw.model_card(model)["intervals"]["choice"] == "inner"


def test_the_card_says_how_the_method_was_chosen(result):
    found = fw.model_card(result.refit(intervals=True))["intervals"]
    assert (found["kind"], found["models"], found["unit_counts"]) == ("CV+ intervals", 5, [16] * 5)
    assert (found["choice"], found["among"]) == ("outer", 2)
    assert fw.model_card(result.refit("ridge", intervals=True))["intervals"]["choice"] == "named"
    assert fw.model_card(result.refit())["intervals"] is None


def test_repeats_keep_the_models_of_the_first():
    model = study({"ridge": LEARNERS["ridge"]}, repeats=2).refit(intervals=True)
    assert len(model.fold_models) == 5
    assert sum(model.unit_counts) == 80


def test_one_test_set_gives_split_conformal_intervals():
    model = study({"ridge": Ridge()}, outer=0.25).refit(intervals=True)
    train, test = model_rows(0.25)
    own = Ridge().fit(X[train], Y[train])
    reach = np.sort(np.abs(Y[test] - own.predict(X[test])))[ceil(0.9 * 21) - 1]
    found = model.predict_interval(NEW)
    np.testing.assert_allclose(found, np.column_stack([own.predict(NEW) - reach, own.predict(NEW) + reach]))
    assert model.proved_coverage(0.9) == 0.9


def model_rows(outer):
    split = study({"ridge": Ridge()}, outer=outer).study.outer[0]
    return split.train, split.test


def test_groups_count_once_each_and_stay_whole():
    model = study({"ridge": Ridge()}, groups=GROUPS, outer=5).refit(intervals=True)
    assert (model.unit, sum(model.unit_counts)) == ("group", 20)
    assert sum(masses.sum() for masses in model.masses) == pytest.approx(20)
    with pytest.raises(BadInterval, match="needs at least 39 groups, and there are 20"):
        model.predict_interval(NEW, level=0.975)
    assert (model.predict_interval(NEW)["low"] < model.predict_interval(NEW)["high"]).all()


def test_sets_are_those_of_cross_conformal_prediction_by_hand():
    found = study({"logistic": LogisticRegression()}, CLASSES)
    model, labels = found.refit(intervals=True), ["low", "mid", "top"]
    below = np.zeros((len(NEW), 3))
    for split in found.study.outer:
        own = LogisticRegression().fit(X[split.train], CLASSES[split.train])
        held, new = own.predict_proba(X[split.test]), own.predict_proba(NEW)
        for row, true in zip(held, CLASSES[split.test], strict=True):
            below += 1 - row[labels.index(true)] < 1 - new
    expected = (below < 0.9 * 81) | (found.refit().predict(NEW)[:, None] == np.array(labels))
    sets = model.predict_set(NEW, level=0.9)
    assert sets.columns.tolist() == labels
    assert np.array_equal(sets.to_numpy(), expected)
    assert 1 < sets.sum(axis=1).mean() < 3


def test_classes_without_probabilities_are_ranked_by_decision_values():
    model = study({"perceptron": Perceptron()}, CLASSES).refit(intervals=True)
    assert model.response == "decision_function"
    assert model.predict_set(NEW).any(axis=1).all()


class Mute(KNeighborsClassifier):
    """A classifier that says its class and nothing else."""

    predict_proba = property()


def test_classes_alone_are_refused():
    with pytest.raises(BadStudy, match="sets of classes need probabilities or decision values, which Mute does not"):
        study({"mute": Mute()}, CLASSES).refit(intervals=True)


def test_blends_have_intervals_too():
    found = study({"blend": fw.blend(dict(LEARNERS))})
    model, table = found.refit(intervals=True), found.predictions().query("method == 'blend'")
    own = (table["truth"] - table["prediction"]).abs().to_numpy()
    np.testing.assert_allclose(np.concatenate(model.scores), own, rtol=1e-7)
    assert model.predict(NEW).tobytes() == found.refit().predict(NEW).tobytes()


@pytest.mark.slow
def test_tables_of_all_kinds_go_through_the_door_of_predict(tmp_path):
    frame = pd.DataFrame(
        {
            "size": X[:, 0],
            "town": pd.Categorical(np.where(X[:, 1] > 0, "north", "south")),
            "words": np.where(X[:, 2] > 0, "good and warm", "cold"),
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(80), unit="D"),
        }
    )
    found = fw.compare([fw.learner("ridge", alpha=1.0)], frame, Y, outer=4, jobs=1, guards=False)
    model = found.refit(intervals=True)
    inside = model.predict_interval(frame)
    assert ((inside["low"] <= Y) & (inside["high"] >= Y)).mean() > 0.8
    path = fw.save_model(model, tmp_path / "model.skops")
    loaded = fw.load_model(path)
    assert loaded.predict_interval(frame).equals(inside)
    assert loaded.predict(frame).tobytes() == model.predict(frame).tobytes()
    assert fw.model_card(path)["intervals"] == fw.model_card(model)["intervals"]
    assert fw.model_card(path)["model"] == type(found.refit()).__name__


def test_a_saved_model_with_sets_gives_the_same_sets(tmp_path):
    found = study({"forest": RandomForestClassifier(n_estimators=10)}, CLASSES, outer=4)
    path = found.save_model(tmp_path / "model.skops", intervals=True)
    assert fw.load_model(path).predict_set(NEW).equals(found.refit(intervals=True).predict_set(NEW))


def test_weights_reach_the_folds_models():
    weights = np.linspace(0.1, 2, 80)
    found = study({"ridge": Ridge()}, weights=weights)
    split, model = found.study.outer[0], found.refit(intervals=True)
    own = Ridge().fit(X[split.train], Y[split.train], sample_weight=weights[split.train])
    np.testing.assert_allclose(model.fold_models[0].predict(NEW), own.predict(NEW))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"time": np.arange(80)}, "rows in time order are not exchangeable"),
        ({"outer": fw.MonteCarlo(5, share=0.2)}, "need outer splits that hold every row out once"),
    ],
    ids=["time", "monte carlo"],
)
def test_intervals_without_a_promise_are_refused(options, words):
    with pytest.raises(BadInterval, match=words):
        study({"ridge": Ridge()}, **options).refit(intervals=True)


def test_a_method_that_the_baseline_stood_in_for_is_refused():
    class Fickle(Ridge):
        def fit(self, X, y, sample_weight=None):
            if 0.0 in np.round(X[:, 0] - RARE, 12):
                raise ValueError("not this row")
            return super().fit(X, y)

    RARE = X[3, 0]
    found = study({"fickle": Fickle(), "ridge": Ridge()}, on_failure="baseline")
    with pytest.raises(FitsFailed, match="fickle has the baseline's predictions where its fits failed"):
        found.refit("fickle", intervals=True)
