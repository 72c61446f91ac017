"""Shorter runs of other packages' boosting read from the longest, against fitting each (solvers/boosting.py)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import foldwise as fw
from foldwise.data.dataset import make_dataset
from foldwise.errors import BadSpace, BadStudy
from foldwise.solvers import boosting
from foldwise.solvers.finding import find
from foldwise.solvers.solver import FitRequest
from foldwise.testing.solvers import assert_same, plain_answer

pytestmark = pytest.mark.extras

ROUNDS = (1, 4, 11)
ROWS = 60


def table(task: str, is_weighted: bool = False):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(ROWS, 3))
    y = np.exp((X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=ROWS)) / 2)
    cuts = {"regression": None, "binary": [1.0], "multiclass": [0.7, 1.4]}[task]
    y = y if cuts is None else np.array(["low", "mid", "top"])[np.digitize(y, cuts)]
    return make_dataset(X, y, weights=rng.uniform(0.5, 2, ROWS) if is_weighted else None)


def assert_twins(models, data, responses=("predict",), tolerance=1e-12):
    """The solver that is found answers all of them from one run as each answers alone."""
    solver = find(models, data, is_builtin=False)
    assert solver is not None
    assert solver.fits_for(models) == 1
    train, rows = np.arange(0, ROWS * 2 // 3), np.arange(ROWS * 2 // 3, ROWS)
    request = FitRequest(tuple(models), train, rows, tuple(responses))
    [(_, places, values)] = solver.solve([request], data)
    assert list(places) == list(range(len(models)))
    for at, model in enumerate(models):
        answer = {name: value[at] for name, value in values.items()}
        assert_same(answer, plain_answer(model, request, data), model, request, tolerance)


def lightgbms(kind: str, **options):
    import lightgbm

    options = {"random_state": 1, "verbose": -1, "n_jobs": 1, "min_child_samples": 5} | options
    return [getattr(lightgbm, f"LGBM{kind}")(n_estimators=rounds, **options) for rounds in ROUNDS]


@pytest.mark.parametrize("objective", [None, "l1", "huber", "quantile", "mape", "poisson", "gamma", "tweedie"])
def test_lightgbm_adds_up_the_trees_of_every_stage(objective, monkeypatch):
    """With weights, with rows drawn in every round, and with targets whose average is the start of the run."""
    drawn = {} if objective in boosting.QUANTILES else {"subsample": 0.7, "subsample_freq": 1}
    own = lightgbms("Regressor", objective=objective, **drawn)
    monkeypatch.setattr(type(own[0]), "predict", _only_the_first_stage(type(own[0]).predict))
    data = table("regression", is_weighted=True)
    longest = clone(own[-1]).fit(data.X, data.y)
    found = boosting._lightgbm(longest, data.X, ("predict",), list(ROUNDS))["predict"]
    monkeypatch.undo()
    for rounds in ROUNDS:
        np.testing.assert_allclose(found[rounds], longest.predict(data.X, num_iteration=rounds), rtol=1e-13)
    assert_twins(own, data)


def _only_the_first_stage(predict):
    """The estimator's own prediction, which must not be asked for whole runs."""

    def asked(self, X, **words):
        assert words.get("raw_score"), "the model predicted a whole run"
        return predict(self, X, **words)

    return asked


@pytest.mark.parametrize("objective", ["l1", "quantile", "mape"])
def test_lightgbm_is_not_shared_where_it_draws_weighted_quantiles(objective):
    """Its run of 11 rounds for the quantile begins with other trees than its run of 4."""
    own = lightgbms("Regressor", objective=objective, subsample=0.7, subsample_freq=1)
    assert find(own, table("regression", is_weighted=True), is_builtin=False) is None
    assert_twins(own, table("regression"))


@pytest.mark.parametrize("task", ["binary", "multiclass"])
def test_lightgbm_adds_up_the_trees_of_classes(task):
    own = lightgbms("Classifier", class_weight="balanced")
    responses = [name for name in ("predict", "predict_proba", "decision_function") if hasattr(own[0], name)]
    assert_twins(own, table(task, is_weighted=True), responses)


def test_lightgbm_with_a_goal_that_is_not_known_is_asked_for_every_stage():
    assert_twins(lightgbms("Regressor", objective="cross_entropy"), squashed(), tolerance=0)


def squashed():
    data = table("regression")
    return make_dataset(data.X, data.y / data.y.max())


@pytest.mark.parametrize("part", [2, 30])
def test_lightgbm_that_runs_out_of_splits_answers_longer_runs_with_what_it_has(part):
    """The mean is the same on both sides of the only split, or the split leaves nothing to learn."""
    data = make_dataset((np.arange(ROWS) % part == 0)[:, None] * 1.0, np.arange(ROWS) % 4 // 2 + 0.5)
    assert_twins(lightgbms("Regressor", learning_rate=1.0), data)


def test_lightgbm_is_asked_for_the_class_where_two_are_as_good_as_equal():
    scores = np.array([0.0, 1e-12, 3.0])
    assert "predict" not in boosting._classified(np.array(["a", "b"]), scores, boosting._logistic)
    assert_array_equal(boosting._classified(np.array(["a", "b"]), scores[2:], boosting._logistic)["predict"], ["b"])


def catboosts(kind: str, word: str = "iterations", **options):
    import catboost

    options = {
        "verbose": 0,
        "thread_count": 1,
        "allow_writing_files": False,
        "depth": 3,
        "learning_rate": 0.2,
    } | options
    return [getattr(catboost, f"CatBoost{kind}")(**{word: rounds}, **options) for rounds in ROUNDS]


@pytest.mark.parametrize(
    ("kind", "task", "options"),
    [
        ("Regressor", "regression", {"subsample": 0.7}),
        ("Regressor", "regression", {"loss_function": "Poisson", "word": "n_estimators"}),
        ("Regressor", "regression", {"loss_function": "MAE", "grow_policy": "Lossguide", "random_strength": 3}),
        ("Classifier", "binary", {"bootstrap_type": "Bernoulli", "rsm": 0.5}),
        ("Classifier", "multiclass", {"auto_class_weights": "Balanced"}),
    ],
)
def test_a_users_own_catboost_is_read_from_the_longest_run(kind, task, options):
    responses = ("predict",) if task == "regression" else ("predict", "predict_proba")
    assert_twins(catboosts(kind, **options), table(task, is_weighted=True), responses, tolerance=0)


def test_catboost_with_steps_of_its_own_choice_is_not_shared():
    """CatBoost takes smaller steps for longer runs unless they are given, and shrinks earlier trees if told to."""
    data = table("regression")
    assert find(catboosts("Regressor", learning_rate=None), data, is_builtin=False) is None
    assert find(catboosts("Regressor", model_shrink_rate=0.1), data, is_builtin=False) is None


@pytest.mark.parametrize("is_piped", [False, True])
def test_parameters_that_catboost_has_not_told_of_can_be_tuned(is_piped, tmp_path, monkeypatch, capfd):
    from catboost import CatBoostRegressor

    monkeypatch.chdir(tmp_path)
    data = table("regression")
    own = CatBoostRegressor(verbose=0, learning_rate=0.2, thread_count=1)
    learner = make_pipeline(StandardScaler(), own) if is_piped else own
    words = {"outer": 2, "inner": 2, "jobs": 1, "progress": False}
    fast, plain = (
        fw.compare({"cat": fw.tune(learner, iterations=[2, 9], depth=[2, 3])}, data.X, data.y, solvers=solvers, **words)
        for solvers in ("auto", False)
    )
    assert_array_equal(fast.losses()["loss"], plain.losses()["loss"])
    assert fast.to_dict()["methods"][0]["failed"] == 0
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []


def test_a_parameter_that_catboost_does_not_have_is_refused_with_the_nearest():
    from catboost import CatBoostRegressor

    with pytest.raises(BadSpace, match=r"has no parameter 'iteration'\. Did you mean 'iterations'"):
        fw.tune(CatBoostRegressor(), iteration=[5, 10])


def test_rounds_of_catboost_are_a_resource_once_they_are_given():
    from catboost import CatBoostRegressor

    data = table("regression")
    learner = fw.tune(CatBoostRegressor(verbose=0), depth=[2, 3], tuner="halving(resource=iterations)")
    with pytest.raises(BadStudy, match="the resource 'iterations' of learner 'cat' is None"):
        fw.compare({"cat": learner}, data.X, data.y)


def test_categories_reach_catboost_in_every_stage():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"shop": rng.choice(["x", "y", "z"], ROWS), "size": rng.normal(size=ROWS)})
    y = (frame["shop"] == "x") + frame["size"].to_numpy()
    words = {"outer": 2, "inner": 2, "jobs": 1, "progress": False}
    spec = fw.learner("catboost", iterations=[2, 7], depth=2, learning_rate=0.3)
    fast, plain = (
        fw.compare([spec], frame, y, solvers=solvers, **words).losses()["loss"] for solvers in ("auto", False)
    )
    assert_array_equal(fast, plain)


@pytest.mark.parametrize(
    ("package", "name", "word"), [("lightgbm", "LGBM", "n_jobs"), ("catboost", "CatBoost", "thread_count")]
)
def test_fits_have_the_threads_of_the_study_unless_the_learner_says_how_many(package, name, word, monkeypatch):
    """Both would take one for every core, in every worker."""
    make, seen = getattr(pytest.importorskip(package), f"{name}Regressor"), []
    plain = make.fit
    monkeypatch.setattr(
        make, "fit", lambda self, *rest, **more: seen.append(self.get_params()[word]) or plain(self, *rest, **more)
    )
    X = np.arange(60.0).reshape(-1, 2) % 7
    for options, expected in (({}, 1), ({word: 2}, 2)):
        learner = make_pipeline(
            StandardScaler(), make(n_estimators=2, verbose=-1 if word == "n_jobs" else 0, **options)
        )
        fw.compare(learner, X, X[:, 0] + 0.1 * X[:, 1], outer=3, jobs=1, guards=False)
        assert set(seen) == {expected}
        seen.clear()
