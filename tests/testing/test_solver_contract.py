"""The contract of solvers (testing/solvers.py): ours keep it, and broken ones are told apart."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestClassifier
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import HuberRegressor, Lasso, LogisticRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeRegressor

from foldwise.data.dataset import make_dataset
from foldwise.solvers.finding import all_solvers, find
from foldwise.testing import check_solver

CANDIDATES = {
    "baseline": [DummyRegressor()],
    "k-nn": [make_pipeline(StandardScaler(), KNeighborsClassifier(k)) for k in (1, 4)],
    "ridge": [RidgeClassifier(alpha) for alpha in (0.1, 10.0)],
    "kernel ridge": [GaussianProcessRegressor(alpha=alpha, optimizer=None) for alpha in (0.1, 1.0)],
    "lasso": [Lasso(alpha, tol=1e-12, max_iter=100_000) for alpha in (0.01, 0.1)],
    "logistic": [LogisticRegression(C=C, solver="newton-cg", tol=1e-12) for C in (0.1, 10.0)],
    "trees": [DecisionTreeRegressor(ccp_alpha=alpha) for alpha in (0.0, 0.1)],
    "forests": [RandomForestClassifier(trees, random_state=1) for trees in (3, 5)],
    "histogram boosting": [HistGradientBoostingRegressor(max_iter=rounds) for rounds in (3, 5)],
    "svm": [SVC(C=C) for C in (0.1, 10.0)],
    "gaussian naive Bayes": [GaussianNB(var_smoothing=value) for value in (1e-9, 0.1)],
    "linear discriminant": [LinearDiscriminantAnalysis(solver="lsqr", shrinkage=value) for value in (0.01, 0.5)],
    "principal components": [make_pipeline(PCA(count), Ridge()) for count in (1, 2)],
    "k-nn behind steps": [make_pipeline(MinMaxScaler(), KNeighborsClassifier(k)) for k in (1, 4)],
    "shared steps": [make_pipeline(StandardScaler(), HuberRegressor(alpha=alpha)) for alpha in (0.1, 1.0)],
}


def table(estimator):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X @ [1.0, -1.0, 0.5] + 0.3 * rng.normal(size=60)
    return X, np.digitize(y, [-0.7, 0.7]).astype(str) if is_classifier(estimator) else y


@pytest.mark.few(7)
@pytest.mark.parametrize("name", CANDIDATES)
def test_a_solver_of_ours_keeps_the_contract(name):
    estimators = CANDIDATES[name]
    X, y = table(estimators[0])
    solver = find(estimators, make_dataset(X, y), solvers="all", is_builtin=True)
    assert solver.name == name
    check_solver(solver, estimators, X, y)


def test_the_list_of_candidates_has_every_kind_of_solver():
    homes = {type(solver) for solver in all_solvers()}
    assert {type(solver) for solver in all_solvers() if solver.name in CANDIDATES} == homes


class Quantiles:
    """A solver of one's own: all quantiles of a training set at once."""

    name, batch, is_exact = "quantiles", "train", True

    def takes(self, estimator, data):
        return type(estimator) is DummyRegressor and estimator.strategy == "quantile" and data.weights is None

    def shares(self, estimator):
        return ()

    def pays(self, requests, data):
        return len(requests[0].estimators) > 1

    def solve(self, requests, data):
        for number, request in enumerate(requests):
            levels = [100 * estimator.quantile for estimator in request.estimators]
            values = np.percentile(data.y[request.train], levels)
            yield number, range(len(levels)), {"predict": np.repeat(values[:, None], request.rows.size, axis=1)}


DUMMIES = [DummyRegressor(strategy="quantile", quantile=level) for level in (0.25, 0.5, 0.9)]


def broken(**members):
    return type("Broken", (Quantiles,), members)()


def changed(change):
    """A solver whose answers to a request are changed."""

    def solve(self, requests, data):
        for number, places, responses in Quantiles.solve(self, requests, data):
            yield number, *change(self, requests[number], places, responses["predict"])

    return solve


def changes_an_estimator(self, request, places, predict):
    request.estimators[0].constant = (request.estimators[0].constant or 0) + 1
    return places, {"predict": predict}


def changes_its_mind(self, request, places, predict):
    self.turn = -getattr(self, "turn", 1e-14)
    return places, {"predict": predict + self.turn}


def hangs_on_the_order(self, request, places, predict):
    return places, {"predict": predict * (1 + 8e-7 * (np.arange(len(predict))[:, None] - 1))}


BROKEN = {
    "it has the members of a solver": broken(batch="unit"),
    "it takes every candidate": broken(takes=lambda self, estimator, data: False),
    "it takes no stranger": broken(takes=lambda self, estimator, data: isinstance(estimator, DummyRegressor)),
    "equal estimators share equal values": broken(shares=lambda self, estimator: id(estimator)),
    "it leaves every fit": broken(solve=lambda self, requests, data: iter(())),
    "gives 1 predict to 3 fits": broken(solve=changed(lambda self, request, at, values: (at, {"predict": values[:1]}))),
    "one fit twice": broken(solve=changed(lambda self, request, at, values: ([0] * len(at), {"predict": values}))),
    "values differ": broken(solve=changed(lambda self, request, at, values: (at, {"predict": 0 * values}))),
    "pays is neither": broken(pays=lambda self, requests, data: None),
    "the order of the fits": broken(is_exact=False, solve=changed(hangs_on_the_order)),
    "the same batch gives the same bits": broken(solve=changed(changes_its_mind)),
    "what it is given is left as it was": broken(solve=changed(changes_an_estimator)),
}


def test_a_solver_of_ones_own_keeps_it():
    check_solver(Quantiles(), DUMMIES, *table(DUMMIES[0]))


@pytest.mark.parametrize("sentence", BROKEN)
def test_a_broken_solver_is_told_what_it_breaks(sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_solver(BROKEN[sentence], DUMMIES, *table(DUMMIES[0]))


def test_a_solver_that_holds_what_cannot_be_sent_is_refused():
    import threading

    solver = Quantiles()
    solver.lock = threading.Lock()
    with pytest.raises(AssertionError, match="it can be sent to workers"):
        check_solver(solver, DUMMIES, *table(DUMMIES[0]))
