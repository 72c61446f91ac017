"""Blends (learners/blend.py, api/alone.py, questions/combined.py) of out-of-fold predictions."""

from __future__ import annotations

import os
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from by_hand import Counted, grid, method_of, pairs_of, score_table
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import KFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import foldwise as fw
from foldwise.api.model_file import load_model, save_model
from foldwise.api.saved_model import predict_table
from foldwise.data.dataset import make_dataset
from foldwise.errors import BadLearner, BadStudy, FitsFailed
from foldwise.learners.blend import WeightedMean

KS, ALPHAS = [1, 3, 6], [0.01, 1.0, 30.0]
LEARNERS = {"knn": Counted(), "ridge": Ridge(), "line": LinearRegression()}
GRIDS = {"knn": grid("n_neighbors", KS), "ridge": grid("alpha", ALPHAS), "line": [{}]}


def members():
    return {
        "knn": fw.tune(Counted(), n_neighbors=KS),
        "ridge": fw.tune(Ridge(), alpha=ALPHAS),
        "line": LinearRegression(),
    }


def on_simplex(columns, target):
    """Least squares with weights that are not negative and sum to one: the best of all sets of members."""
    best, found = np.inf, None
    for size in range(1, columns.shape[1] + 1):
        for used in combinations(range(columns.shape[1]), size):
            last, others = columns[:, used[-1]], columns[:, used[:-1]]
            free = np.linalg.lstsq(others - last[:, None], target - last, rcond=None)[0] if size > 1 else np.zeros(0)
            weights = np.zeros(columns.shape[1])
            weights[list(used)] = [*free, 1 - free.sum()]
            loss = ((columns @ weights - target) ** 2).sum()
            if weights.min() >= 0 and loss < best:
                best, found = loss, weights
    return found


def member_answers(X, y, train, inner):
    """Chosen models of every member on the training rows, and their predictions of the rows held out inside."""
    rows = np.unique(np.concatenate([test for _, test in inner]))
    models, columns = [], []
    for name, learner in LEARNERS.items():
        best = GRIDS[name][score_table(learner, GRIDS[name], X, y, inner).mean(axis=1).argmin()]
        chosen = clone(learner).set_params(**best)
        sums, times = np.zeros(len(y)), np.zeros(len(y))
        for part, test in inner:
            sums[test] += clone(chosen).fit(X[part], y[part]).predict(X[test])
            times[test] += 1
        columns.append((sums / np.maximum(times, 1))[rows])
        models.append(clone(chosen).fit(X[train], y[train]))
    return models, rows, np.stack(columns, axis=1)


@pytest.fixture(scope="module")
def both(numbers):
    return fw.compare({"blend": fw.blend(members())}, *numbers, outer=5, inner=3, jobs=1)


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("outer", "inner"), [(3, 4), (7, "aligned"), (4, "dev"), (0.3, 0.25), (2, fw.MonteCarlo(4, share=0.3))]
)
def test_a_row_of_the_answer_is_what_loops_by_hand_give(numbers, outer, inner):
    X, y = numbers
    result = fw.compare({"blend": fw.blend(members())}, X, y, outer=outer, inner=inner, jobs=1, solvers=False)
    parts = next(method for method in result.study.methods if method.inner is not None)
    losses = []
    for (train, test), within in zip(pairs_of(result.study.outer), parts.inner.splits, strict=True):
        models, rows, columns = member_answers(X, y, train, pairs_of(within))
        judged = np.stack([model.predict(X[test]) for model in models], axis=1)
        weights = on_simplex(columns, y[rows])
        losses.append(((judged @ weights - y[test]) ** 2).mean())

    row = method_of(result, "blend")
    np.testing.assert_allclose([fold["loss"] for fold in row["folds"]], losses, rtol=1e-10)
    assert row["risk"] == pytest.approx(np.mean(losses), rel=1e-10)


def test_it_is_a_row_like_any_other(both, numbers):
    row = method_of(both, "blend")
    assert row["status"] == "ok"
    assert row["low"] < row["risk"] < row["high"]
    assert row["target"].startswith("the blended learner at ")
    baseline = method_of(both, "baseline")["risk"]
    assert both.difference("blend", "baseline").value == pytest.approx(row["risk"] - baseline)
    assert row["train_risk"] < method_of(both, "baseline")["train_risk"]
    losses = both.losses()
    own = losses[losses["method"] == "blend"]
    assert sorted(own["row"]) == list(range(len(numbers[1])))
    assert own.groupby("fold")["loss"].mean().mean() == pytest.approx(row["risk"])


def test_its_choices_are_the_weights_of_its_members(both, numbers):
    X, y = numbers
    parts = next(method for method in both.study.methods if method.inner is not None)
    first = pairs_of(parts.inner.splits[0])
    _, rows, columns = member_answers(X, y, pairs_of(both.study.outer)[0][0], first)
    shown = method_of(both, "blend")["folds"][0]["candidate"]
    assert list(shown) == ["knn", "ridge", "line"]
    np.testing.assert_allclose(list(shown.values()), on_simplex(columns, y[rows]), atol=1e-6)
    assert sum(both.candidate("blend").values()) == pytest.approx(1, abs=1e-5)
    assert both.candidate("blend").keys() == shown.keys()


def test_members_that_are_rows_cost_no_further_fit(numbers):
    rows = {name: spec for name, spec in members().items() if name != "line"}
    Counted.made.clear()
    alone = fw.compare(rows, *numbers, outer=5, inner=3, jobs=1, solvers=False)
    made = len(Counted.made)
    Counted.made.clear()
    both = fw.compare({"blend": fw.blend(rows), **rows}, *numbers, outer=5, inner=3, jobs=1, solvers=False)

    assert len(Counted.made) == made
    assert [method.name for method in both.study.methods] == ["blend", "knn", "ridge", "baseline"]
    finals = 5 + 1  # of the blend itself: one per outer split and one on all rows
    assert both.fits == both.fits_made == alone.fits + finals
    assert method_of(both, "blend")["fits"] == sum(method_of(alone, name)["fits"] for name in rows) + finals
    for name in rows:
        assert method_of(both, name)["folds"] == method_of(alone, name)["folds"]


def test_members_that_are_no_rows_stay_out_of_the_answer(both):
    assert [method["name"] for method in both.to_dict()["methods"]] == ["blend", "baseline"]
    names = [method.name for method in both.study.methods]
    assert names == ["blend", "blend: knn", "blend: ridge", "blend: line", "baseline"]
    assert both.to_dict()["fits_made"] == sum(row["fits_made"] for row in both.to_dict()["methods"])
    assert set(both.table()["method"]) == {"blend", "baseline"}
    assert both.to_dict()["inner"] == "3 folds"
    assert "knn=" in repr(both)


def test_a_row_that_is_not_tuned_can_be_a_member(numbers):
    line = LinearRegression()
    result = fw.compare(
        {"line": line, "blend": fw.blend({"line": line, "ridge": Ridge()})}, *numbers, outer=4, inner=3, jobs=1
    )
    alone = fw.compare({"line": line}, *numbers, outer=4, jobs=1)
    assert method_of(result, "line")["folds"] == method_of(alone, "line")["folds"]
    assert method_of(result, "blend")["status"] == "ok"


def test_rows_that_are_judged_never_reach_the_weights(numbers):
    X, y = numbers
    poisoned, words = y.copy(), {"outer": 4, "inner": 3, "jobs": 1, "solvers": False}
    first = fw.compare({"blend": fw.blend(members())}, X, y, **words)
    test = first.study.outer[0].test
    poisoned[test] += np.linspace(-2, 2, len(test))
    second = fw.compare({"blend": fw.blend(members())}, X, poisoned, **words)

    np.testing.assert_array_equal(second.study.outer[0].test, test)
    one, other = (method_of(result, "blend")["folds"] for result in (first, second))
    assert one[0]["candidate"] == other[0]["candidate"]
    assert all(a["candidate"] != b["candidate"] for a, b in zip(one[1:], other[1:], strict=True))
    mine, theirs = (
        result.losses().query("method == 'blend' and fold == 0")["prediction"].to_numpy() for result in (first, second)
    )
    np.testing.assert_array_equal(mine, theirs)


def plain(result):
    answer = result.to_dict()
    for one in (answer, *answer["methods"]):
        one.pop("seconds"), one.pop("fits_made")
    return answer


@pytest.mark.slow
def test_workers_interruptions_and_stores_do_not_change_a_number(both, numbers, tmp_path):
    specs = {"blend": fw.blend(members())}
    words, here = {"outer": 5, "inner": 3}, plain(both)
    assert plain(fw.compare(specs, *numbers, **words, jobs=2)) == here
    store = tmp_path / "run"
    first = fw.compare({"knn": members()["knn"]}, *numbers, **words, jobs=1, store=store)
    rest = fw.compare(specs, *numbers, **words, jobs=1, store=store)
    again = fw.compare(specs, *numbers, **words, jobs=1, store=store)

    assert first.fits_made > 0
    assert rest.fits_made < rest.fits
    assert again.fits_made == 0
    assert plain(rest) == plain(again) == plain(fw.load(store)) == here


@pytest.mark.few(1)
@pytest.mark.parametrize("other", [{"rule": "one_se"}, {"inner": 4}, {"loss": "absolute"}, {"on_failure": "baseline"}])
def test_another_way_to_choose_makes_other_fits_in_the_same_store(numbers, tmp_path, other):
    ridge = fw.tune(Ridge(), alpha=ALPHAS, simpler={"alpha": "high"})
    knn = fw.tune(KNeighborsRegressor(), n_neighbors=KS, simpler={"n_neighbors": "high"})
    specs = {"blend": fw.blend({"ridge": ridge, "knn": knn})}
    words = {"outer": 3, "inner": 3, "jobs": 1, "solvers": False}
    fw.compare(specs, *numbers, **words, store=tmp_path / "run")
    kept = fw.compare(specs, *numbers, **{**words, **other}, store=tmp_path / "run")
    fresh = fw.compare(specs, *numbers, **{**words, **other})
    assert plain(kept) == plain(fresh)
    assert kept.fits_made >= 4  # its own


def test_a_time_limit_finishes_method_after_method(both, numbers):
    specs = {"blend": fw.blend(members())}
    result = fw.compare(specs, *numbers, outer=5, inner=3, jobs=1, time_limit=60, isolate=False)
    assert result.is_finished
    assert plain(result) == plain(both)


def classes_by_hand(X, y, pair, inner, judge):
    train, test = pair
    able, columns, judged = [GaussianNB(), KNeighborsClassifier(9)], [], []
    for learner in able:
        held = np.zeros((len(y), len(np.unique(y))))
        for part, out in inner:
            held[out] = learner.fit(X[part], y[part]).predict_proba(X[out])
        columns.append(held)
        judged.append(learner.fit(X[train], y[train]).predict_proba(X[test]))
    rows = np.concatenate([out for _, out in inner])
    grid = np.linspace(0, 1, 2001)
    losses = [judge(w * columns[0][rows] + (1 - w) * columns[1][rows], y[rows]) for w in grid]
    return grid[int(np.argmin(losses))], judged


def brier(shares, y):
    return ((shares - np.eye(shares.shape[1])[y]) ** 2).sum(axis=1).mean()


def log(shares, y):
    return -np.log(np.maximum(shares[np.arange(len(y)), y], 1e-15)).mean()


@pytest.mark.few(2)
@pytest.mark.parametrize(("loss", "judge"), [("brier", brier), ("log", log), ("zero_one", brier)])
@pytest.mark.parametrize("count", [2, 3])
def test_a_blend_of_classes_weighs_probabilities(loss, judge, count):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(90, 3))
    y = np.digitize(X[:, 0] + X[:, 1] ** 2 + rng.normal(size=90), [0.5] if count == 2 else [0.0, 1.5])
    spec = fw.blend({"nb": GaussianNB(), "knn": KNeighborsClassifier(9)})
    result = fw.compare({"blend": spec}, X, y, loss=loss, outer=3, inner=3, jobs=1)
    parts = next(method for method in result.study.methods if method.inner is not None)
    folds = method_of(result, "blend")["folds"]
    for fold, pair, within in zip(folds, pairs_of(result.study.outer), parts.inner.splits, strict=True):
        weight, judged = classes_by_hand(X, y, pair, pairs_of(within), judge)
        assert fold["candidate"]["nb"] == pytest.approx(weight, abs=1e-3)
        shares = fold["candidate"]["nb"] * judged[0] + fold["candidate"]["knn"] * judged[1]
        wrong = (shares.argmax(axis=1) != y[pair[1]]).mean()
        own = wrong if loss == "zero_one" else judge(shares, y[pair[1]]) / (1 if loss == "log" or count > 2 else 2)
        assert fold["loss"] == pytest.approx(own, rel=1e-4)


def test_labels_may_be_texts_in_any_order(classes):
    X, y = classes
    names = np.array(["yes", "no"])[y]
    spec = {"nb": GaussianNB(), "logistic": LogisticRegression()}
    model = fw.compare({"blend": fw.blend(spec)}, X, names, positive="no", outer=3, inner=3, jobs=1).refit("blend")
    assert set(model.predict(X)) <= {"yes", "no"}
    assert (model.predict(X) == names).mean() > 0.6
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    picked = model.classes_[shares.argmax(axis=1)]
    assert (picked == model.predict(X)).all()


def test_row_weights_reach_the_final_learner(numbers):
    X, y = numbers
    weights = np.where(np.arange(len(y)) % 2, 5.0, 0.2)
    spec = fw.blend({"knn": KNeighborsRegressor(3), "ridge": Ridge()})
    result = fw.compare({"blend": spec}, X, y, weights=weights, outer=3, inner=3, jobs=1)
    parts = next(method for method in result.study.methods if method.inner is not None)
    inner = pairs_of(parts.inner.final)
    columns = np.zeros((len(y), 2))
    for part, out in inner:
        columns[out, 0] = KNeighborsRegressor(3).fit(X[part], y[part]).predict(X[out])
        columns[out, 1] = Ridge().fit(X[part], y[part], sample_weight=weights[part]).predict(X[out])
    root = np.sqrt(weights)
    by_hand = on_simplex(columns * root[:, None], y * root)
    np.testing.assert_allclose(list(result.candidate("blend").values()), by_hand, atol=1e-5)


def test_refit_and_a_fit_on_its_own_give_the_same_model(numbers):
    X, y = numbers
    result = fw.compare({"blend": fw.blend(members())}, X, y, outer=3, inner=5, jobs=1)
    alone = fw.blend(members(), inner=5).fit(X, y)
    np.testing.assert_allclose(result.refit("blend").predict(X), alone.predict(X), rtol=1e-12)
    assert alone.weights_ == pytest.approx(result.candidate("blend"), abs=1e-5)
    assert alone.candidates_["ridge"]["alpha"] in ALPHAS
    with pytest.raises(BadStudy, match="takes no rule of its own"):
        result.refit("blend", rule="one_se")
    with pytest.raises(BadStudy, match="made of other learners"):
        result.noise("blend")


def test_a_refitted_model_can_be_saved_and_fitted_again(both, numbers, tmp_path):
    X, y = numbers
    model = both.refit("blend")
    line = fw.blend({"a": Ridge(), "b": LinearRegression()}, inner=2).fit(X, y).model_
    file = save_model(tmp_path / "blend.skops", line, make_dataset(X, y))
    table = pd.DataFrame(X, columns=["x0", "x1", "x2"])
    found = predict_table(load_model(file), table)
    np.testing.assert_allclose(found["prediction"], line.predict(X))
    other = clone(model).fit(X[:30], y[:30])
    assert other.weights_ == model.weights_
    assert not np.allclose(other.predict(X), model.predict(X))


def test_scikit_learn_s_tools_take_it(numbers):
    X, y = numbers
    learner = fw.blend({"knn": fw.tune(KNeighborsRegressor(), n_neighbors=[1, 5]), "ridge": Ridge()})
    scores = cross_validate(make_pipeline(StandardScaler(), learner), X, y, cv=KFold(3), error_score="raise")
    assert np.isfinite(scores["test_score"]).all()
    assert clone(learner).get_params()["members"].keys() == {"knn", "ridge"}


def test_members_that_hold_an_estimator_of_their_own_are_taken_as_they_are(numbers, classes):
    """A bag without an estimator has a tree; what calibrates gives probabilities that the inner learner does not."""
    bag = fw.blend({"bag": BaggingRegressor(n_estimators=2, random_state=0), "ridge": Ridge()}, inner=2)
    assert len(bag.fit(*numbers).predict(numbers[0])) == len(numbers[1])

    calibrated = CalibratedClassifierCV(RidgeClassifier(), cv=2)
    assert hasattr(fw.blend({"calibrated": calibrated, "bayes": GaussianNB()}), "predict_proba")
    assert not hasattr(fw.blend({"ridge": RidgeClassifier(), "bayes": GaussianNB()}), "predict_proba")


def test_a_splitter_of_its_own_is_the_same_one_in_the_next_process(numbers, tmp_path):
    """Fits are named by the rows of the inner splits, not by the object that drew them."""

    def made():
        spec = {"blend": fw.blend(members(), inner=KFold(3))}
        return fw.compare(spec, *numbers, outer=3, inner=2, jobs=1, store=tmp_path / "run").to_dict()["fits_made"]

    assert (made() > 0, made()) == (True, 0)


def test_the_risk_of_a_blend_alone(numbers):
    words = {"outer": 4, "inner": 3, "jobs": 1}
    estimate = fw.risk(fw.blend(members()), *numbers, **words)
    result = fw.compare({"blend": fw.blend(members())}, *numbers, **words)
    assert estimate.value == method_of(result, "blend")["risk"]
    assert estimate.interval == method_of(result, "blend")["interval"]


def test_members_may_search_or_be_raced(numbers, tmp_path):
    ridge = fw.tune(Ridge(), alpha=fw.log_range(1e-3, 1e3), tuner="tpe", budget=12)
    raced = fw.tune(KNeighborsRegressor(), n_neighbors=[1, 2, 4, 8], tuner="racing")
    specs = {"ridge": ridge, "blend": fw.blend({"ridge": ridge, "knn": raced})}
    words = {"outer": 3, "inner": 3, "jobs": 1, "solvers": False}
    result = fw.compare(specs, *numbers, **words, store=tmp_path / "run")

    assert [method.name for method in result.study.methods] == ["ridge", "blend", "blend: knn", "baseline"]
    assert result.is_finished
    assert method_of(result, "blend")["status"] == "ok"
    assert plain(fw.load(tmp_path / "run")) == plain(result) == plain(fw.compare(specs, *numbers, **words))


class Broken(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        raise ValueError("no such luck")

    def predict(self, X):
        return np.zeros(len(X))


def test_what_a_member_cannot_do_the_whole_cannot_do(numbers, tmp_path):
    specs = {"blend": fw.blend({"broken": Broken(), "ridge": Ridge()}), "ridge": fw.tune(Ridge(), alpha=ALPHAS)}
    result = fw.compare(specs, *numbers, outer=3, inner=3, jobs=1)
    row = method_of(result, "blend")
    assert row["status"] == "failed"
    assert row["failed"] > 0
    assert result.is_finished
    assert result.best == "ridge"
    assert any("no such luck" in note for note in result.notes)
    with pytest.raises(FitsFailed, match="no such luck"):
        result.refit("blend")
    with pytest.raises(FitsFailed, match="no such luck"):
        fw.blend({"broken": Broken(), "ridge": Ridge()}).fit(*numbers)
    stood_in = fw.compare(specs, *numbers, outer=3, inner=3, jobs=1, on_failure="baseline")
    assert method_of(stood_in, "blend")["own_folds"] == 0
    assert "the baseline where it failed" in method_of(stood_in, "blend")["target"]


class Moody(Ridge):
    def fit(self, X, y):
        if self.alpha == 1.0 and "SICK" in os.environ:
            raise ValueError("not today")
        return super().fit(X, y)


def test_fits_that_are_made_again_change_what_rests_on_them(numbers, tmp_path, monkeypatch):
    specs = {"blend": fw.blend({"moody": fw.tune(Moody(), alpha=ALPHAS), "knn": KNeighborsRegressor(3)})}
    words = {"outer": 3, "inner": 3, "jobs": 1, "on_failure": "drop_candidate"}
    monkeypatch.setenv("SICK", "yes")
    sick = fw.compare(specs, *numbers, **words, store=tmp_path / "run")
    monkeypatch.delenv("SICK")
    well = fw.compare(specs, *numbers, **words, store=tmp_path / "run", retry_failed=True)
    fresh = fw.compare(specs, *numbers, **words)
    assert plain(well) == plain(fresh)
    assert method_of(well, "blend")["risk"] != method_of(sick, "blend")["risk"]


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        (
            lambda: fw.blend({"ridge": RidgeClassifier(), "nb": GaussianNB()}),
            BadLearner,
            "needs probabilities of its members, which 'ridge'",
        ),
        (lambda: fw.blend({"nb": GaussianNB()}), BadLearner, "two or more learners, not 1"),
        (lambda: fw.blend("ridge"), BadLearner, "several learners, not 'ridge'"),
        (lambda: fw.blend(["logistic", "no such"]), BadLearner, "no built-in learner 'no such'"),
        (lambda: fw.blend(["logistic", "k-nn"], loss="brier"), BadLearner, "has its own loss"),
        (
            lambda: fw.blend({"a": fw.blend(["k-nn", "logistic"]), "nb": GaussianNB()}),
            BadLearner,
            "'a' of 'it' is itself a blend",
        ),
        (
            lambda: fw.blend({"a": fw.tune(KNeighborsClassifier(), n_neighbors=[1], inner=2), "b": GaussianNB()}),
            BadLearner,
            "Give inner to fw.blend instead",
        ),
    ],
)
def test_what_cannot_be_blended_is_refused_before_any_fit(classes, spec, error, message):
    with pytest.raises(error, match=message):
        fw.compare({"it": spec()}, *classes, outer=3, inner=3, jobs=1)


def test_how_hidden_members_were_tuned_is_noted(classes):
    spec = fw.blend(["k-nn:small", fw.tune(GaussianNB(), var_smoothing=[1e-9, 1e-3])], tuner="tpe", budget=20)
    answer = fw.compare({"it": spec}, *classes, outer=2, inner=2, jobs=1, progress=False).to_dict()
    notes = [note["text"] for note in answer["notes"] if note["code"] == "tuner"]
    assert any(text.startswith("it: GaussianNB: its 2 candidates are within the budget of 20") for text in notes)


def test_one_wild_prediction_cannot_spoil_a_blend():
    columns, y = np.column_stack([np.arange(10.0), np.arange(10.0) + 0.5]), np.arange(10.0)
    mean = WeightedMean(reach=0.1).fit(columns, y)
    assert mean.range_ == pytest.approx((-0.9, 9.9))
    wild = np.array([[5.0, 1e6], [5.0, -1e6], [5.0, 5.0]])
    clipped = np.array([[5.0, 9.9], [5.0, -0.9], [5.0, 5.0]]) @ mean.weights_
    np.testing.assert_allclose(mean.predict(wild), clipped)
    wild_row = np.vstack([columns, [[3.0, 1e9]]])
    assert WeightedMean(reach=0.1).fit(wild_row, np.append(y, 3.0)).weights_[0] > 0.9
