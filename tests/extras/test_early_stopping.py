"""Early stopping on rows held out of the training rows (learners/early_stopping.py)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import foldwise as fw
from foldwise.data.dataset import make_dataset
from foldwise.learners.early_stopping import may_stop_early, stops_at_random, stops_early, watched_rows
from foldwise.learners.identity import family
from foldwise.learners.model import make_fitting
from foldwise.studies.study import Study, rows_name

catboost, lightgbm, xgboost = map(pytest.importorskip, ("catboost", "lightgbm", "xgboost"))
CatBoostClassifier, CatBoostRegressor, Pool = catboost.CatBoostClassifier, catboost.CatBoostRegressor, catboost.Pool
LGBMClassifier, LGBMRegressor = lightgbm.LGBMClassifier, lightgbm.LGBMRegressor
XGBClassifier, XGBRegressor = xgboost.XGBClassifier, xgboost.XGBRegressor
pytestmark = pytest.mark.extras

LIGHT = {"n_estimators": 200, "learning_rate": 0.2, "random_state": 1, "n_jobs": 1, "verbosity": -1}
CAT = {"n_estimators": 150, "learning_rate": 0.3, "random_seed": 1, "verbose": 0, "allow_writing_files": False}
CAT |= {"thread_count": 1}
XGB = {"n_estimators": 200, "learning_rate": 0.3, "random_state": 1, "n_jobs": 1}
REGRESSORS = [(LGBMRegressor, LIGHT), (XGBRegressor, XGB), (CatBoostRegressor, CAT)]
CLASSIFIERS = [(LGBMClassifier, LIGHT), (XGBClassifier, XGB), (CatBoostClassifier, CAT)]


def rows(count=160, classes=0):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(count, 4))
    signal = X[:, 0] + X[:, 1] ** 2 + rng.normal(size=count)
    return X, signal if not classes else np.digitize(signal, np.quantile(signal, np.arange(1, classes) / classes))


def twice(kind, options, X, y, learn, watch, train, weights=None):
    """By hand: the best round on the watched rows, then so many rounds on all training rows."""
    first = kind(**options, early_stopping_rounds=8)
    held = (X[watch], y[watch])
    if kind.__name__.startswith("LGBM"):
        own = {} if weights is None else {"sample_weight": weights[learn], "eval_sample_weight": [weights[watch]]}
        rounds = first.fit(X[learn], y[learn], eval_X=(held[0],), eval_y=(held[1],), **own).best_iteration_
    elif kind.__name__.startswith("XGB"):
        own = {} if weights is None else {"sample_weight": weights[learn], "sample_weight_eval_set": [weights[watch]]}
        rounds = first.fit(X[learn], y[learn], eval_set=[held], verbose=False, **own).best_iteration + 1
    else:
        own = {} if weights is None else {"sample_weight": weights[learn]}
        pool = Pool(*held, weight=None if weights is None else weights[watch])
        rounds = first.fit(X[learn], y[learn], eval_set=pool, **own).get_best_iteration() + 1
    assert 1 <= rounds < options["n_estimators"] - 20  # it has stopped
    own = {} if weights is None else {"sample_weight": weights[train]}
    return kind(**(options | {"n_estimators": rounds})).fit(X[train], y[train], **own), rounds


@pytest.mark.parametrize(("kind", "options"), REGRESSORS, ids=["lightgbm", "xgboost", "catboost"])
def test_a_study_is_the_plain_loop_of_two_fits(kind, options):
    X, y = rows()
    learner, data = kind(**options, early_stopping_rounds=8), make_dataset(X, y)
    result = fw.compare({"mine": learner}, X, y, outer=3, seed=4, jobs=1)
    study = Study.__new__(Study)
    object.__setattr__(study, "seed", 4)
    for fold, part in result.splits().query("level == 'outer'").groupby("fold"):
        train, test = (part[part["part"] == name]["row"].to_numpy() for name in ("train", "test"))
        seed = study.fit_seed(family(learner), rows_name(train))
        model, _ = twice(kind, options, X, y, *watched_rows(data, train, seed), train)
        loss = result.to_dict()["methods"][0]["folds"][fold]["loss"]
        assert_allclose(loss, np.mean((model.predict(X[test]) - y[test]) ** 2))


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize(
    ("kind", "options", "classes"),
    [(*pair, 0) for pair in REGRESSORS] + [(*pair, 2) for pair in CLASSIFIERS] + [(*pair, 3) for pair in CLASSIFIERS],
    ids=lambda value: getattr(value, "__name__", str(value) if isinstance(value, int) else ""),
)
def test_a_fit_is_two_fits_by_hand(kind, options, classes, is_weighted):
    X, y = rows(classes=classes)
    weights = np.random.default_rng(0).uniform(0.2, 2, len(y)) if is_weighted else None
    data, train = make_dataset(X, y, weights=weights, task="classification" if classes else None), np.arange(0, 150)
    learn, watch = watched_rows(data, train, seed=5)

    model = make_fitting(kind(**options, early_stopping_rounds=8)).fit(data, train, 5)

    by_hand, rounds = twice(kind, options, X, y, learn, watch, train, weights)
    assert_allclose(model.predict(X), by_hand.predict(X))
    assert model.get_params()["n_estimators"] == rounds


def test_steps_before_the_learner_see_no_watched_row():
    X, y = rows()
    data, train = make_dataset(X, y), np.arange(150)
    learn, watch = watched_rows(data, train, seed=5)
    pipeline = make_pipeline(PCA(2), XGBRegressor(**XGB, early_stopping_rounds=8))
    scaled = PCA(2).fit(X[learn])
    first = XGBRegressor(**XGB, early_stopping_rounds=8)
    first.fit(scaled.transform(X[learn]), y[learn], eval_set=[(scaled.transform(X[watch]), y[watch])], verbose=False)

    model = make_fitting(pipeline).fit(data, train, 5)

    assert model.steps[-1][1].n_estimators == first.best_iteration + 1
    whole = make_pipeline(PCA(2), XGBRegressor(**(XGB | {"n_estimators": first.best_iteration + 1})))
    assert_allclose(model.predict(X), whole.fit(X[train], y[train]).predict(X))


@pytest.mark.parametrize("name", ["stratified", "groups", "time"])
def test_watched_rows_are_a_fifth_as_the_roles_ask(name):
    X, y = rows(classes=2)
    roles = {"groups": np.arange(160) // 5} if name == "groups" else {}
    roles |= {"time": np.random.default_rng(0).permutation(160)} if name == "time" else {}
    data, train = make_dataset(X, y, **roles), np.arange(20, 160)
    learn, watch = watched_rows(data, train, seed=1)
    assert sorted([*learn, *watch]) == train.tolist()
    if name == "time":
        assert data.time[watch].min() > data.time[learn].max()
    elif name == "groups":
        assert not set(data.groups[watch]) & set(data.groups[learn])
    else:
        assert abs(data.codes[watch].mean() - data.codes[train].mean()) < 1 / 28
    assert 28 <= len(watch) <= 32
    again = watched_rows(data, train, seed=1)
    np.testing.assert_array_equal(again[1], watch)


def test_a_class_of_one_row_is_never_watched_alone():
    X, y = rows(30, classes=2)
    labels = np.array(["a", "b"])[y].astype(object)
    labels[3] = "rare"
    data = make_dataset(X, labels)
    for seed in range(20):
        learn, _ = watched_rows(data, np.arange(30), seed)
        assert 3 in learn


def test_the_model_handed_over_takes_the_same_way_and_a_note_says_so():
    X, y = rows()
    result = fw.compare({"mine": LGBMRegressor(**LIGHT, early_stopping_rounds=8)}, X, y, outer=3)
    model = result.refit()
    assert 1 <= model.n_estimators < 180
    assert not model.get_params().get("early_stopping_rounds")
    (note,) = [note["text"] for note in result.to_dict()["notes"] if note["code"] == "early stopping"]
    assert note == "mine finds its rounds on 20% of its training rows, and is fitted again on all of them"


def test_the_numbers_do_not_depend_on_workers_or_on_solvers():
    X, y = rows(100)
    spec = fw.tune(XGBRegressor(**XGB, early_stopping_rounds=8), max_depth=[1, 3])
    options = {"outer": 3, "inner": 2, "progress": False}
    found = [
        fw.compare({"mine": spec}, X, y, **options, **more) for more in ({"jobs": 1}, {"jobs": 2, "isolate": True})
    ]
    found.append(fw.compare({"mine": spec}, X, y, **options, solvers=False))
    assert len({result.to_dict()["methods"][0]["risk"] for result in found}) == 1


def test_the_built_in_xgboost_stops_on_labels_of_any_kind():
    X, y = rows(classes=3)
    learner = fw.learner("xgboost", early_stopping_rounds=5, n_estimators=200, learning_rate=0.3, max_depth=3)
    result = fw.compare([learner], X, np.array(["low", "mid", "top"])[y], outer=3)
    assert result.to_dict()["methods"][0]["failed"] == 0
    assert result.refit("xgboost").steps[-1][1].n_estimators < 150


def test_what_stops_early_is_known_from_its_parameters():
    assert stops_early(LGBMRegressor(n_iter_no_change=3))
    assert stops_early(make_pipeline(StandardScaler(), CatBoostRegressor(early_stopping_rounds=3)))
    assert not stops_early(XGBRegressor())
    assert not stops_early(Ridge())
    assert may_stop_early(XGBRegressor(), ["early_stopping_rounds"])
    assert not may_stop_early(XGBRegressor(), ["max_depth"])
    assert stops_at_random(HistGradientBoostingRegressor(early_stopping=True))
    assert not stops_at_random(HistGradientBoostingRegressor())


def test_a_note_says_where_scikit_learn_stops_on_random_rows_of_a_series():
    X, y = rows(60)
    learner = HistGradientBoostingRegressor(max_iter=5, early_stopping=True)
    result = fw.compare({"mine": learner}, X, y, time=np.arange(60), outer=2)
    assert any(note["code"] == "early stopping" for note in result.to_dict()["notes"])
