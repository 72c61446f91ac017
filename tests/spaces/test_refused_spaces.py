"""Bad spaces are refused before any fit, in one sentence, from Python and from the command line."""

from __future__ import annotations

import signal

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

import foldwise as fw
from foldwise.cli import run
from foldwise.errors import BadSpace

X = np.random.default_rng(0).normal(size=(60, 3))
Y = X[:, 0] + 0.1


class Unfitted(Ridge):
    """Fails the test if it is ever fitted."""

    def fit(self, X, y, sample_weight=None):
        raise AssertionError("a fit was made")


class KernelRidge(BaseEstimator, RegressorMixin):
    """A user's own, with parameters that mean something else than scikit-learn's."""

    def __init__(self, alpha=1.0, gamma=1.0):
        self.alpha, self.gamma = alpha, gamma

    def fit(self, X, y):
        self.mean_ = np.mean(y) + self.alpha
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


def compare(**specs):
    specs["unfitted"] = Unfitted()
    return fw.compare(specs, X, Y, outer=3, inner=2, jobs=1, progress=False)


BAD = {
    "range turned round": (lambda: fw.tune(Ridge(), alpha=fw.log_range(10, 1)), r"log_range\(10, 1\) is turned around"),
    "whole range turned round": (lambda: fw.learner("k-nn", n_neighbors=fw.int_range(9, 2)), r"int_range\(9, 2\)"),
    "log range through zero": (lambda: fw.tune(Ridge(), alpha=fw.log_range(0, 1)), "a logarithm needs numbers above"),
    "misspelt": (lambda: fw.tune(Ridge(), alpah=[1, 2]), r"no parameter 'alpah'. Did you mean 'alpha'\?"),
    "misspelt in the zoo": (
        lambda: fw.learner("forest", max_dept=[1, 2]),
        r"learner 'forest': the learner has no parameter 'max_dept'. Did you mean 'max_depth'\?",
    ),
    "misspelt and fixed": (lambda: fw.learner("forest", max_dept=3), r"Did you mean 'max_depth'\?"),
    "empty choice": (lambda: fw.tune(Ridge(), alpha=[]), "parameter 'alpha': the list"),
    "empty range": (lambda: fw.learner("k-nn", n_neighbors=range(5, 1)), "the list of values is empty"),
    "too low": (
        lambda: fw.tune(RandomForestRegressor(), max_depth=[3, -1]),
        r"learner 'mine' refuses max_depth=-1: it must be an int in the range \[1, inf\) or None",
    ),
    "too low in a range": (lambda: fw.tune(Ridge(), alpha=fw.float_range(-1, 1)), "refuses alpha=-1.0"),
    "wrong kind": (lambda: fw.tune(make_pipeline(StandardScaler(), Ridge()), alpha=["a"]), "refuses alpha='a'"),
    "none": (lambda: fw.tune(KNeighborsRegressor(), n_neighbors=[0, 3]), "refuses n_neighbors=0"),
    "unknown word": (lambda: fw.tune(SVR(), kernel=["rfb"]), "refuses kernel='rfb': it must be a str among"),
    "in the zoo": (lambda: fw.learner("ridge", alpha=[-1, 1]), "learner 'mine' refuses alpha=-1"),
    "fixed in the zoo": (lambda: fw.learner("tree", max_depth=-3), "refuses max_depth=-3"),
    "our own part": (lambda: fw.learner("gam", n_knots=[0, 4]), "refuses n_knots=0: it must be a whole number"),
    "without its condition": (
        lambda: fw.learner("svm", kernel=["linear", "rbf"], gamma=[0.1, 1.0]),
        "learner 'mine': gamma has no effect with kernel='linear'. Give it only with kernel='rbf'",
    ),
    "condition in the learner": (lambda: fw.tune(SVR(kernel="linear"), gamma=[0.1, 1.0]), "with kernel='linear'"),
    "condition of a fixed word": (lambda: fw.learner("svm", kernel="rbf", degree=[2, 3]), "with kernel='rbf'"),
    "condition in a pipeline": (
        lambda: fw.tune(make_pipeline(StandardScaler(), SVR()), svr__degree=[2, 3], svr__C=[1.0]),
        "svr__degree has no effect with kernel='rbf'",
    ),
    "condition of steps": (lambda: fw.tune(MLPRegressor(), momentum=[0.5, 0.9]), "with solver='adam'"),
    "condition of rows": (
        lambda: fw.tune(RandomForestRegressor(bootstrap=False), max_samples=[0.5]),
        "bootstrap=False",
    ),
    "condition of a loss": (lambda: fw.tune(GradientBoostingRegressor(), alpha=[0.5, 0.9]), "loss='squared_error'"),
    "given twice": (lambda: fw.tune(Ridge(), space={"alpha": [1]}, alpha=[2]), "'alpha' is given twice"),
    "true for a number": (lambda: fw.tune(RandomForestRegressor(), max_depth=[True]), "refuses max_depth=True"),
    "true in a list": (
        lambda: fw.learner("k-nn", n_neighbors=[3, True]),
        "refuses n_neighbors=True: it must be an int",
    ),
    "infinite": (
        lambda: fw.learner("ridge", alpha=[float("inf")]),
        "refuses alpha=inf: it must be a float in",
    ),
    "not a number": (lambda: fw.learner("ridge", alpha=float("nan")), "refuses alpha=nan"),
    "without end": (lambda: fw.learner("forest", max_depth=10**30), "refuses max_depth=10+: Python int too large"),
    "misspelt word": (
        lambda: fw.tune(KNeighborsRegressor(), metric=["euclidian"]),
        r"it must be a str among \{'braycurtis', 'canberra'.*Did you mean 'euclidean'\?",
    ),
    "precomputed": (lambda: fw.learner("svm", kernel="precomputed"), "refuses kernel='precomputed': the rows of a"),
    "class for a learner": (lambda: fw.tune(Pipeline([("m", Ridge())]), m=[Ridge]), "Ridge is a class, not a learner"),
    "word for a step": (
        lambda: fw.tune(Pipeline([("s", StandardScaler()), ("m", Ridge())]), s=["no"]),
        "refuses s='no': a step must be an estimator or 'passthrough'",
    ),
    "inside of our pipelines": (
        lambda: fw.learner("ridge", memory="folder"),
        "learner 'ridge': the learner has no parameter 'memory'. Known are: alpha, copy_X",
    ),
    "step of our pipelines": (lambda: fw.learner("ridge", learner=[None]), "has no parameter 'learner'"),
    "nothing of the kind": (
        lambda: fw.learner("gam", zzz=[1]),
        "no parameter 'zzz'. Known are: alpha, copy_X, fit_intercept, max_iter, n_knots, positive, random_state",
    ),
    "step chosen elsewhere": (
        lambda: fw.tune(Pipeline([("step", Ridge())]), space=[{"step": [SVR()]}, {"step__C": [1.0, 2.0]}]),
        "no parameter 'step__C'",
    ),
    "step chosen differently": (
        lambda: fw.tune(Pipeline([("step", Ridge())]), space=[{"step": [SVR(), Ridge()], "step__C": [1.0, 2.0]}]),
        "no parameter 'step__C'",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_space_is_refused_before_any_fit_in_one_sentence(case):
    spec, words = BAD[case]
    with pytest.raises(BadSpace, match=words) as caught:
        compare(mine=spec())
    assert "\n" not in str(caught.value)


GOOD = {
    "kernels apart": lambda: fw.tune(SVR(), space=[{"kernel": ["linear"]}, {"kernel": ["rbf"], "gamma": [0.1, 1.0]}]),
    "one value": lambda: fw.tune(SVR(), kernel=["linear", "rbf"], gamma=[0.1]),
    "fixed kernel": lambda: fw.learner("svm", kernel="poly", degree=[2, 3]),
    "none is a value": lambda: fw.tune(RandomForestRegressor(3), max_depth=[2, None]),
    "own class of a known name": lambda: fw.tune(KernelRidge(), alpha=[-1.0, 0.0], gamma=[1.0, 2.0]),
    "chosen step": lambda: fw.tune(Pipeline([("step", SVR())]), space=[{"step": [Ridge()], "step__alpha": [1.0, 2.0]}]),
}


@pytest.mark.parametrize("case", GOOD)
def test_a_good_space_is_not_refused(case):
    result = fw.compare({"mine": GOOD[case]()}, X, Y, outer=0.3, inner=0.3, jobs=1, progress=False)
    assert result.to_dict()["methods"][0]["status"] == "ok"


def test_a_built_in_learner_is_not_told_to_take_a_list_of_spaces():
    """There is no such word of `fw.learner`, nor on the command line."""
    for words in ({"degree": [2, 3]}, {"kernel": "linear", "degree": 3}, {"kernel": ["linear"], "degree": [3]}):
        with pytest.raises(BadSpace, match=r"Give it only with kernel='poly'\.$"):
            compare(mine=fw.learner("svm", **words))


def test_a_tuned_learner_fitted_alone_refuses_too():
    with pytest.raises(BadSpace, match="refuses alpha=-1"):
        fw.tune(Ridge(), alpha=[-1, 1]).fit(X, Y)


FLAGS = {
    "ridge.alpha=log(10,1)": "turned around",
    "ridge.alpha=log(0,1)": "above zero",
    "k-nn.n_neighbors=30..1": "range of parameter 'n_neighbors' cannot be [30, 1]",
    "ridge.alpah=1,2": "Did you mean 'alpha'?",
    "forest.max_depth=-1,3": "refuses max_depth=-1",
    "k-nn.n_neighbors=0,3": "refuses n_neighbors=0",
    "ridge.alpha=": "cannot read the space",
    "k-nn.n_neighbors=1..400": "asks for n_neighbors=400, but its smallest training part has",
    "ridge.alpha=true": "refuses alpha=True",
    "ridge.steps=1": "has no parameter 'steps'",
    "ridge.alpha=1,2 ridge.alpha=3": "the values of ridge.alpha are given twice",
    "svm.kernel=linear,rbf svm.gamma=0.1,1": "gamma has no effect with kernel='linear'",
}


@pytest.mark.parametrize("flags", FLAGS)
def test_the_command_line_refuses_with_exit_code_2_and_one_sentence(flags, capsys):
    learner = flags.partition(".")[0]
    words = [word for flag in flags.split() for word in ("--space", flag)]
    before = signal.getsignal(signal.SIGTERM)
    code = run(["compare", "diabetes", "--learners", learner, *words, "--jobs", "1"])
    signal.signal(signal.SIGTERM, before)
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert FLAGS[flags] in err
    assert len(err.strip().splitlines()) == 1
