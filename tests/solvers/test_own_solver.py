"""A solver of one's own in a study: passed to `compare`, sent to workers, held to the form of answers."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor

import foldwise as fw
from foldwise import plugins
from foldwise.errors import BadPlugin, BadStudy

ROWS = 60


class Quantiles:
    """All quantiles of a training set at once; it notes in a file how many fits it answers, and where."""

    name, batch, is_exact = "quantiles", "train", True

    def __init__(self, notes):
        self.notes = notes

    def takes(self, estimator, data):
        return type(estimator) is DummyRegressor and estimator.strategy == "quantile" and data.weights is None

    def shares(self, estimator):
        return ()

    def pays(self, requests, data):
        return True

    def solve(self, requests, data):
        for number, request in enumerate(requests):
            with self.notes.open("a") as file:
                file.write(f"{len(request.estimators)}\n")
            yield number, range(len(request.estimators)), self.answer(request, data)

    def answer(self, request, data):
        values = np.percentile(data.y[request.train], [100 * estimator.quantile for estimator in request.estimators])
        return {"predict": np.repeat(values[:, None], request.rows.size, axis=1)}


def risk_of(solvers, **options):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(ROWS, 2)), rng.exponential(size=ROWS)
    learner = fw.tune(DummyRegressor(strategy="quantile"), quantile=[0.2, 0.5, 0.8])
    options = {"loss": "absolute", "outer": 4, "inner": 3, "progress": False, "jobs": 1, **options}
    method = fw.compare({"dummy": learner}, X, y, solvers=solvers, **options).to_dict()["methods"][0]
    assert method["status"] == "ok"
    return method["risk"]


@pytest.fixture
def solver(tmp_path):
    return Quantiles(tmp_path / "notes")


@pytest.mark.few(1)
@pytest.mark.parametrize("jobs", [1, 2])
def test_it_answers_the_fits_of_a_study_here_and_in_workers(solver, jobs):
    assert risk_of([solver], jobs=jobs, isolate=jobs > 1) == risk_of(False)
    noted = [int(line) for line in solver.notes.read_text().split()]
    assert max(noted) == 3  # the candidates of a training set
    assert sum(noted) >= 3 * 4 * 3


def test_what_it_answers_is_what_a_study_reads(solver):
    def answer(self, request, data):
        return {"predict": Quantiles.answer(self, request, data)["predict"] + 1.0}

    assert risk_of([type("Higher", (Quantiles,), {"answer": answer})(solver.notes)]) != risk_of(False)


def test_the_solvers_of_auto_are_asked_after_it(solver):
    X = np.random.default_rng(0).normal(size=(40, 3))
    made = [
        fw.compare(["ridge"], X, X[:, 0] ** 2, outer=4, inner=3, jobs=1, progress=False, solvers=solvers).to_dict()
        for solvers in ([solver], "auto")
    ]
    assert made[0]["methods"][0]["risk"] == made[1]["methods"][0]["risk"]
    assert not solver.notes.exists()


def zeros(request):
    return np.zeros((len(request.estimators), request.rows.size))


BAD_ANSWERS = {
    "no answer": lambda self, request, data: None,
    "another response": lambda self, request, data: {"predict_proba": zeros(request)},
    "a row too few": lambda self, request, data: {"predict": zeros(request)[:, 1:]},
    "a fit too few": lambda self, request, data: {"predict": zeros(request)[1:]},
    "not a number": lambda self, request, data: {"predict": zeros(request) * np.nan},
    "text": lambda self, request, data: {"predict": zeros(request).astype(str)},
    "a list": lambda self, request, data: {"predict": zeros(request).tolist()},
    "an error": lambda self, request, data: 1 / 0,
}


@pytest.mark.parametrize("kind", BAD_ANSWERS)
def test_what_is_no_answer_is_left_to_the_plain_loop(solver, kind):
    bad = type("Bad", (Quantiles,), {"answer": BAD_ANSWERS[kind]})(solver.notes)
    assert risk_of([bad]) == risk_of(False)
    assert bad.notes.exists()


@pytest.mark.parametrize("places", [[0, 0, 1], [1, 2, 3], []])
def test_places_that_are_none_are_left_to_the_plain_loop(solver, places):
    def solve(self, requests, data):
        for number, _, responses in Quantiles.solve(self, requests, data):
            yield number, places, {"predict": responses["predict"][: len(places)]}

    assert risk_of([type("Elsewhere", (Quantiles,), {"solve": solve})(solver.notes)]) == risk_of(False)


def test_what_is_no_solver_is_refused(solver):
    with pytest.raises(BadStudy, match="it is a class"):
        risk_of([Quantiles])
    with pytest.raises(BadStudy, match="it has no 'name'"):
        risk_of([DummyRegressor()])
    with pytest.raises(BadStudy, match="or a list of solvers"):
        risk_of(solver)


def test_a_solver_of_a_package_is_loaded_by_its_name(solver, monkeypatch):
    entry = EntryPoint("quantiles", "somewhere:solver", "foldwise.solvers")
    monkeypatch.setattr(EntryPoint, "load", lambda self: solver)
    monkeypatch.setattr(plugins, "_entries", lambda group: [entry] if group == "foldwise.solvers" else [])
    assert risk_of(["quantiles"]) == risk_of(False)
    assert solver.notes.exists()
    with pytest.raises(BadPlugin, match="no installed package brings 'other'"):
        risk_of(["other"])
