"""Values that do not go together are found on made-up rows, and nothing else is refused for it."""

from __future__ import annotations

import os
import random
import sys
import tracemalloc
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import sklearn
from saboteur import SaboteurRegressor
from scipy.sparse import csr_array
from sklearn.compose import TransformedTargetRegressor
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import BaggingClassifier, HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVR, LinearSVC

import foldwise as fw
from foldwise.data.dataset import make_dataset
from foldwise.errors import BadSpace
from foldwise.learners.catalogue import builtin
from foldwise.learners.trial import _without_cries, check_space
from foldwise.losses.loss import make_losses
from foldwise.plans.methods import make_learners

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = X[:, 0] + 0.1 * RNG.normal(size=60)
DATA = {
    "regression": make_dataset(X, Y),
    "positive": make_dataset(X, np.abs(Y) + 1),
    "binary": make_dataset(X, np.where(Y > 0, "a", "b")),
    "multiclass": make_dataset(X, np.array(["a", "b", "c"])[np.digitize(Y, [-0.5, 0.5])]),
}


def check(spec, task):
    """All checks of a study, and no fit of its own."""
    data = DATA[task]
    make_learners({"mine": spec}, data, make_losses(None, data))


LASSO = "Solver lbfgs supports only 'l2' or None penalties, got l1 penalty"
BAD = {
    "fixed solver": ("binary", lambda: fw.tune(LogisticRegression(), l1_ratio=[0.0, 1.0]), f"l1_ratio=1.0: {LASSO}"),
    "solver and penalty": (
        "binary",
        lambda: fw.tune(LogisticRegression(), solver=["saga", "lbfgs"], l1_ratio=[0.0, 1.0]),
        f"refuses solver='lbfgs', l1_ratio=1.0: {LASSO}. Give values that go together in spaces of their own",
    ),
    "middle of a range": (
        "binary",
        lambda: fw.tune(LogisticRegression(solver="liblinear"), l1_ratio=fw.float_range(0, 1)),
        "refuses l1_ratio=0.5: Only 'saga' solver supports elasticnet",
    ),
    "conditional": (
        "binary",
        lambda: fw.tune(
            LogisticRegression(),
            space=[{"C": [1.0]}, {"solver": ["lbfgs"], "l1_ratio": [1.0]}],
        ),
        "refuses solver='lbfgs', l1_ratio=1.0",
    ),
    "in a pipeline": (
        "binary",
        lambda: fw.tune(make_pipeline(StandardScaler(), LinearSVC()), loss=["hinge"], penalty=["l1", "l2"]),
        "refuses penalty='l1', loss='hinge': Unsupported set of arguments",
    ),
    "in a chosen step": (
        "regression",
        lambda: fw.tune(Pipeline([("m", SVR())]), space={"m": [Ridge(positive=True)], "m__solver": ["svd"]}),
        "refuses m=Ridge.*m__solver='svd': solver='svd' does not support positive fitting",
    ),
    "built in": (
        "binary",
        lambda: fw.learner("logistic", solver=["lbfgs"], l1_ratio=[1.0]),
        "refuses solver='lbfgs', l1_ratio=1.0",
    ),
    "built in and fixed": ("binary", lambda: fw.learner("logistic", solver="lbfgs", l1_ratio=1.0), LASSO),
    "qda": ("binary", lambda: fw.learner("qda", shrinkage=[0.1], reg_param=[0.1]), "shrinkage and reg_param belong"),
    "qda fixed": ("binary", lambda: fw.learner("qda", shrinkage=0.1, reg_param=0.1), "shrinkage and reg_param belong"),
    "own qda": ("binary", lambda: fw.tune(QuadraticDiscriminantAnalysis(), shrinkage=[0.1]), "with solver='svd'"),
    "the target": (
        "regression",
        lambda: fw.tune(HistGradientBoostingRegressor(), loss=["squared_error", "poisson"]),
        "refuses loss='poisson': loss='poisson' requires non-negative y",
    ),
    "scaled target": ("positive", lambda: fw.learner("tree", criterion=["poisson"]), "y are negative"),
    "scaled columns": ("regression", lambda: fw.learner("kernel-ridge", kernel="chi2"), "negative values"),
    "dict": ("regression", lambda: fw.learner("ridge", alpha={"a": 1}), "refuses alpha={'a': 1}"),
    "set": ("regression", lambda: fw.learner("ridge", alpha={1, 2}), r"refuses alpha=\{1, 2\}"),
    "table": ("regression", lambda: fw.learner("ridge", alpha=np.ones((2, 2))), "has 2 dimensions"),
    "list in a list": ("regression", lambda: fw.tune(Ridge(), alpha=[[1.0, 2.0]]), r"refuses alpha=\[1.0, 2.0\]"),
}


@pytest.mark.parametrize("case", BAD)
def test_values_that_do_not_go_together_are_refused_before_any_fit(case):
    task, spec, words = BAD[case]
    with pytest.raises(BadSpace, match=words) as caught:
        check(spec(), task)
    assert "\n" not in str(caught.value)


GOOD = {
    "kinds apart": (
        "binary",
        lambda: fw.tune(LogisticRegression(), space=[{"C": [1.0]}, {"solver": ["saga"], "l1_ratio": [0.5, 1.0]}]),
    ),
    "one against the rest": (
        "multiclass",  # whose inner learner meets two classes only
        lambda: fw.tune(OneVsRestClassifier(LogisticRegression(solver="liblinear")), estimator__C=[1.0, 2.0]),
    ),
    "labels": ("binary", lambda: fw.tune(LogisticRegression(), class_weight=[{"a": 1.0, "b": 2.0}, None])),
    "more rows than the small table": ("regression", lambda: fw.tune(RandomForestRegressor(3), max_samples=[30, 40])),
    "early stopping": (
        "binary",
        lambda: fw.tune(MLPClassifier(early_stopping=True), validation_fraction=[0.01, 0.1]),
    ),
    "counts": ("positive", lambda: fw.tune(HistGradientBoostingRegressor(), loss=["poisson", "gamma"])),
    "another target": (
        "regression",  # the learner inside meets no number below zero
        lambda: fw.tune(
            TransformedTargetRegressor(HistGradientBoostingRegressor(), func=np.exp, inverse_func=np.log),
            loss=["poisson", "gamma"],
        ),
    ),
    "more rows than the large table": (
        "regression",
        lambda: fw.tune(MLPRegressor(early_stopping=True), validation_fraction=[0.002, 0.2]),
    ),
    "bagged": ("binary", lambda: fw.tune(BaggingClassifier(LogisticRegression()), estimator__C=[1.0])),
}
if sklearn.__version__ < "1.9":  # where it stops early with numbers as classes only
    GOOD.pop("early stopping")


@pytest.mark.parametrize("case", GOOD)
def test_what_a_learner_may_take_is_not_refused(case):
    task, spec = GOOD[case]
    check(spec(), task)


CALLS = []


class Mine(Ridge):
    """A user's own class is never run before its fits."""

    def fit(self, X, y, sample_weight=None):
        CALLS.append("fit")
        return super().fit(X, y, sample_weight)


def call_me(X, Y):
    CALLS.append("kernel")
    return X @ Y.T


@pytest.mark.parametrize(
    "spec",
    [
        lambda: fw.tune(Mine(positive=True), solver=["svd", "auto"]),
        lambda: fw.tune(make_pipeline(StandardScaler(), Mine()), alpha=[1.0, 2.0]),
        lambda: fw.tune(SVR(kernel=call_me), C=[1.0, 2.0]),
    ],
    ids=["class", "class in a pipeline", "function"],
)
def test_code_of_the_user_is_never_run(spec):
    CALLS.clear()
    check(spec(), "regression")
    assert CALLS == []


def test_a_saboteur_harms_only_the_process_that_fits_it(monkeypatch):
    """It is ours, but made to do harm: a trial would do it in the process of the user."""
    monkeypatch.setattr(SaboteurRegressor, "_misbehave", lambda saboteur, X: CALLS.append("harm"))
    CALLS.clear()
    check(fw.tune(SaboteurRegressor(fault="segfault"), strength=[1.0, 100.0]), "regression")
    assert CALLS == []


def test_made_up_tables_are_small_however_wide_the_real_one_is():
    """A bag of words may have a million columns, of which no dense table can be made."""
    data = make_dataset(csr_array((np.ones(4), ([0, 1, 2, 3], [0, 1, 2, 3])), shape=(4, 20_000)), [1.0, 2.0, 3.0, 4.0])
    learner = fw.tune(SVR(), kernel=["linear", "poly"], degree=[2]).as_learner("mine")
    tracemalloc.start()
    check_space(learner, data)
    with pytest.raises(BadSpace, match="positive fitting"):
        check_space(fw.tune(Ridge(positive=True), solver=["svd"]).as_learner("mine"), data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20e6


def test_a_process_without_an_error_stream_is_no_fault(monkeypatch):
    def closed(stream):
        raise OSError(9, "Bad file descriptor")

    monkeypatch.setattr(os, "dup", closed)
    with _without_cries():
        pass


def test_several_threads_leave_the_streams_and_warnings_of_the_process_alone():
    """Two that silence and restore in turns would leave it silent for good."""
    learner = fw.tune(MLPRegressor(), activation=["relu", "tanh"], solver=["adam", "sgd"]).as_learner("mine")
    before = sys.stdout, sys.stderr, list(warnings.filters)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: check_space(learner, DATA["regression"]), range(8)))
    assert (sys.stdout, sys.stderr, list(warnings.filters)) == before


def test_random_numbers_are_where_they_were():
    np.random.seed(3)
    random.seed(3)
    before = np.random.get_state()[1].copy(), random.getstate()
    learner = fw.tune(RandomForestRegressor(), max_depth=[1, 2]).as_learner("mine")
    check_space(learner, DATA["regression"])
    assert (np.random.get_state()[1] == before[0]).all()
    assert random.getstate() == before[1]


@pytest.mark.parametrize(
    ("name", "task", "fixed", "left"),
    [
        ("logistic", "binary", {"solver": "lbfgs"}, {"C", "l1_ratio", "tol"}),
        ("svm:small", "regression", {"kernel": "linear"}, {"C"}),
        ("kernel-ridge", "regression", {"kernel": "cosine"}, {"alpha"}),
        ("k-nn", "regression", {"metric": "cosine"}, {"n_neighbors", "weights"}),
        ("lda", "binary", {"solver": "svd"}, set()),
        ("qda", "binary", {"solver": "svd"}, set()),
    ],
)
def test_our_own_space_leaves_out_what_goes_ill_with_a_fixed_value(name, task, fixed, left):
    made = builtin(name, DATA[task], overrides=fixed)
    names = set() if made.space is None else set(made.space.names)
    assert names <= left
    assert ("C" in names) == ("C" in left)
    grid = [{}] if made.space is None else made.space.grid()
    assert all(candidate.get("l1_ratio", 0.0) == 0.0 for candidate in grid)
    full = {} if made.space is None else made.space.resolve(made.estimator)
    for candidate in (grid[0], grid[-1]):
        made.estimator.set_params(**{full[key]: value for key, value in candidate.items()})
        made.estimator.fit(DATA[task].X, DATA[task].y)


def test_one_number_of_a_learner_as_it_comes_is_not_tried(monkeypatch):
    """Its own check of that value has said all, and a trial would cost more than a quick study."""
    tried = []
    monkeypatch.setattr("foldwise.learners.trial._said", lambda part, *_: tried.append(part) or "")
    data = DATA["regression"]
    check_space(fw.tune(make_pipeline(StandardScaler(), Ridge()), alpha=[0.1, 1.0]).as_learner("mine"), data)
    assert not tried
    check_space(fw.tune(Ridge(solver="svd"), alpha=[0.1, 1.0]).as_learner("mine"), data)
    check_space(fw.tune(Ridge(), alpha=[0.1, 1.0], solver=["svd", "lsqr"]).as_learner("mine"), data)
    assert len(tried) == 2 + 4


@pytest.mark.parametrize("values", [{"nu": [-1.0, 1.5]}, {"length_scale": [0.0]}, {"length_scale": 0.0}])
def test_kernels_that_cannot_be_are_refused_before_any_fit(values):
    with pytest.raises(BadSpace, match=f"refuses {next(iter(values))}=.*a number above 0"):
        check(fw.learner("gaussian-process", **values), "regression")


def test_a_number_that_differs_in_type_is_found_among_many():
    with pytest.raises(BadSpace, match=r"refuses n_neighbors=3\.5: it must be an int"):
        check(fw.tune(KNeighborsRegressor(), n_neighbors=[1, 2, 3, 3.5, 4, 5, 6, 7, 8]), "regression")


def test_steps_before_the_learner_are_asked_too():
    with pytest.raises(BadSpace, match="refuses degree=-1: it must be an int"):
        check(fw.tune(make_pipeline(PolynomialFeatures(), Ridge()), degree=[2, -1]), "regression")
