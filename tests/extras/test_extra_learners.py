"""Learners of other packages (learners/estimators/xgboosted.py, learners/estimators/catboosted.py)."""

from __future__ import annotations

import json
import signal
import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import foldwise as fw
from foldwise.cli import run
from foldwise.data.dataset import make_dataset
from foldwise.errors import BadLearner, BadSpace
from foldwise.learners.catalogue import all_entries, builtin
from foldwise.learners.learner import Learner
from foldwise.learners.model import takes_weights
from foldwise.learners.trial import check_space
from foldwise.solvers.finding import find
from foldwise.solvers.steps import params_key_without

pytestmark = pytest.mark.extras

NAMES = [entry.name for entry in all_entries() if entry.extra is not None]
BOOSTERS = [name for name in NAMES if name != "neural-net"]
TASKS = ("regression", "binary", "multiclass")
QUICK = {"neural-net": {"max_epochs": 15}}


def mixed(task: str, rows: int = 80):
    """Missing values, categories, and labels that are text."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(rows, 4))
    signal_ = X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=rows)
    cuts = {"regression": None, "binary": [0.0], "multiclass": [-0.7, 0.7]}[task]
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame.loc[rng.integers(0, rows, 8), "a"] = np.nan
    frame["shop"] = pd.Series(rng.choice(["x", "y", None], rows), dtype=object)
    return frame, signal_ if cuts is None else np.array(["low", "mid", "top"])[np.digitize(signal_, cuts)]


def compare(name, task, **words):
    spec = fw.learner(name, size="small", **QUICK.get(name, {}))
    options = {"outer": 0.4, "inner": 0.4, "budget": 2, "jobs": 1, "seed": 3, "progress": False}
    return fw.compare([spec], *mixed(task), **(options | words)).to_dict()["methods"][0]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("name", NAMES)
def test_every_extra_learner_runs_on_a_mixed_table_without_a_word_or_a_file(name, task, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    method = compare(name, task)
    assert (method["status"], method["failed"]) == ("ok", 0)
    assert np.isfinite(method["risk"])
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_seed_of_the_study_decides(name):
    assert compare(name, "binary", loss="log")["risk"] == compare(name, "binary", loss="log")["risk"]


@pytest.mark.parametrize("task", ["regression", "multiclass"])
@pytest.mark.parametrize("name", BOOSTERS)
def test_shorter_runs_are_read_from_the_longest(name, task):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 3)), rng.normal(size=90)
    y = y if task == "regression" else np.array(["a", "b", "c"])[np.digitize(y, [-0.5, 0.5])]
    data = make_dataset(X, y)
    made = builtin(name, data)
    learner = Learner(name, made.estimator, made.space)
    solver = find([learner.at(candidate) for candidate in made.space.grid()], data, is_builtin=True)
    assert solver is not None
    assert solver.name.startswith(name)
    loss = "squared" if task == "regression" else "log"
    rounds = "iterations" if name == "catboost" else "n_estimators"
    spec = fw.learner(name, **{rounds: [3, 8, 20]})
    fast, plain = (
        fw.compare([spec], X, y, loss=loss, outer=3, inner=2, jobs=1, solvers=solvers, progress=False).losses()["loss"]
        for solvers in ("auto", False)
    )
    assert_allclose(fast, plain, rtol=1e-10)


@pytest.mark.parametrize("name", NAMES)
def test_extra_learners_take_weights(name):
    data = make_dataset(*mixed("binary"))
    assert takes_weights(builtin(name, data).estimator)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", ["small", "default", "large"])
def test_spaces_of_extra_learners_hold_only_values_they_take(name, size):
    data = make_dataset(*mixed("regression"))
    made = builtin(f"{name}:{size}", data)
    check_space(Learner(name, made.estimator, made.space, is_builtin=True), data)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("catboost", {"depth": [0, 3]}),
        ("neural-net", {"dropout": [0.1, 2.0]}),
        ("lightgbm", {"num_leaves": [31, 1]}),
        ("lightgbm", {"learning_rate": ["fast"]}),
        ("lightgbm", {"subsample": 1.5}),
        ("xgboost", {"max_depth": [-3]}),
        ("xgboost", {"learning_rate": fw.float_range(-1.0, 1.0)}),
    ],
)
def test_values_that_a_learner_refuses_are_told_before_any_fit(name, values):
    with pytest.raises(BadSpace, match=f"learner '{name}' refuses {next(iter(values))}"):
        fw.compare([fw.learner(name, **values)], *mixed("regression"), jobs=1)


def test_labels_of_any_kind_reach_xgboost():
    from foldwise.learners.estimators.xgboosted import LabelledXGBClassifier

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    codes = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)
    words = np.array(["c", "a", "b"])[codes]
    settings = {"n_estimators": 5, "n_jobs": 1, "random_state": 0}
    model = LabelledXGBClassifier(**settings).fit(X, words)
    assert_array_equal(model.classes_, ["a", "b", "c"])
    places = np.searchsorted(["a", "b", "c"], words)
    twin = LabelledXGBClassifier(**settings).fit(X, places)
    assert_allclose(model.predict_proba(X), twin.predict_proba(X))
    assert_array_equal(model.predict(X), model.classes_[twin.predict(X)])
    assert_array_equal(model.fit(X, places).classes_, [0, 1, 2])


def test_a_study_whose_package_is_gone_is_refused_and_loses_nothing(tmp_path, monkeypatch, capsys):
    store = str(tmp_path / "run")
    words = ["--learners", "lightgbm:small", "--budget", "2", "--outer", "3", "--inner", "2", "--jobs", "1", "--json"]
    before = signal.getsignal(signal.SIGTERM)
    try:
        assert run(["compare", "iris", *words, "--store", store]) == 0
        first = json.loads(capsys.readouterr().out)
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, "lightgbm", None)
            assert run(["resume", store, "--json"]) == 2
            out, err = capsys.readouterr()
            assert out == ""
            assert 'Run: pip install "foldwise[lightgbm]"' in err
            assert fw.load(store).to_dict()["methods"][0]["risk"] == first["methods"][0]["risk"]
        assert run(["resume", store, "--json"]) == 0
        again = json.loads(capsys.readouterr().out)
        assert again["fits_made"] == 0
        assert again["methods"][0]["risk"] == first["methods"][0]["risk"]
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize(("task", "loss"), [("regression", "squared"), ("binary", "log"), ("multiclass", "log")])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_catboost_without_anything_to_split_on_predicts_as_the_baseline(task, loss, is_weighted):
    _, y = mixed(task)
    weights = np.linspace(0.5, 1.5, len(y)) if is_weighted else None
    words = {"loss": loss, "weights": weights, "outer": 2, "inner": 2, "jobs": 1, "progress": False}
    boosted, baseline = fw.compare(["catboost:small"], np.ones((len(y), 3)), y, **words).to_dict()["methods"][:2]
    assert (boosted["status"], boosted["failed"]) == ("ok", 0)
    assert_allclose(boosted["risk"], baseline["risk"], rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("lightgbm", {"boosting_type": "no"}, "refuses boosting_type='no': Unknown boosting type no"),
        ("lightgbm", {"n_estimators": [None]}, "refuses n_estimators=None"),
        ("xgboost", {"booster": ["no"]}, "refuses booster='no': Unknown gbm type no"),
        ("xgboost", {"learning_rate": float("inf")}, "refuses learning_rate=inf: its predictions are not finite"),
        ("xgboost", {"objective": ["reg:squaredlogerror"]}, "label must be greater than -1"),
        ("catboost", {"depth": [True]}, "refuses depth=True"),
    ],
)
def test_values_that_extra_learners_refuse_are_told_before_any_fit_and_without_a_cry(name, values, words, capfd):
    with pytest.raises(BadSpace, match=words):
        fw.compare([fw.learner(name, **values)], *mixed("regression"), outer=2, inner=2, jobs=1)
    assert capfd.readouterr() == ("", "")


def test_xgboost_refuses_infinity_before_any_fit():
    X = np.where(np.arange(160).reshape(80, 2) == 3, np.inf, 1.0)
    with pytest.raises(BadLearner, match="'xgboost' cannot take infinite values: column 'x1' has them in 1 row"):
        fw.compare(["xgboost"], X, np.arange(80.0), outer=2, inner=2, jobs=1)


def test_candidates_of_a_users_own_lightgbm_share_a_run():
    """LightGBM notes what `set_params` tells it a second time, which must not keep runs apart."""
    from lightgbm import LGBMRegressor
    from sklearn.base import clone

    own = LGBMRegressor(verbose=-1)
    short, long, fast = (
        params_key_without(clone(own).set_params(**words), "n_estimators")
        for words in ({"n_estimators": 5}, {"n_estimators": 9}, {"n_estimators": 9, "learning_rate": 0.5})
    )
    assert short == long != fast
