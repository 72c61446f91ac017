"""One tuning replayed from the records: studies/tuning_run.py and studies/levels.py."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVR

import foldwise as fw
from foldwise.studies.tuning_run import FAILED, MISSING, THERE
from foldwise.tuners.rules import choose

rng = np.random.default_rng(0)
X = rng.normal(size=(90, 2))
Y = X[:, 0] + 0.3 * rng.normal(size=90)
GRID = {"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1, 1.0]}


@pytest.fixture(scope="module")
def results():
    words = {"outer": 3, "inner": 3, "jobs": 1, "solvers": False}
    tuners = ("grid", "racing", "halving(least=10)", "halving(resource=max_iter, least=2)")
    learners = {tuner: fw.tune(SVR(max_iter=400), tuner=tuner, **GRID) for tuner in tuners}
    return fw.compare(learners, X, Y, **words)


@pytest.mark.filterwarnings("ignore:Solver terminated early")
def test_scores_are_the_losses_of_naive_fits(results):
    method, reading = results.study.methods[0], results.reading
    run = reading.run(method, "outer 0")
    assert run.state() == "over"
    for place, candidate in enumerate(method.candidates):
        for at, split in enumerate(run.inner):
            model = SVR(max_iter=400, **candidate).fit(X[split.train], Y[split.train])
            loss = np.mean((model.predict(X[split.test]) - Y[split.test]) ** 2)
            assert run.scores()[place, at] == pytest.approx(loss, rel=1e-12)
    assert reading.choice(method, 0).candidate == choose(run.scores())


def test_levels_use_fewer_rows_or_less_of_the_resource(results):
    rows, trees = (results.reading.run(results.study.methods[at], "final") for at in (2, 3))
    assert rows.levels == trees.levels == 1
    low, whole = rows.place.split(0, 1), rows.place.split(0, 0)
    assert set(low.train) < set(whole.train)
    assert len(low.train) == int(np.ceil(len(whole.train) / 1.5))
    assert set(low.test) == set(range(90)) - set(low.train)  # what is left over is as good a test
    assert trees.place.split(0, 1) is trees.place.split(0, 0)
    assert trees.place.number(2, 1) == 2 + trees.method.listed
    assert trees.method.candidates[2 + trees.method.listed]["max_iter"] == 267
    assert (rows.place.share(0, 1), trees.place.share(0, 1)) == (pytest.approx(2 / 3, abs=0.01), pytest.approx(2 / 3))


def test_only_what_was_asked_for_is_read(results):
    grid, raced = results.study.methods[:2]
    run = results.reading.run(raced, "outer 1")
    asked = sum(len(cells.places) for cells in run.asked)
    assert asked == run.is_seen().sum() < run.scores().size
    np.testing.assert_array_equal(np.isnan(run.scores()), ~run.is_seen())
    whole = results.reading.run(grid, "outer 1").scores()
    np.testing.assert_array_equal(run.scores()[run.is_seen()], whole[run.is_seen()])
    assert set(run.fit_keys()) <= set(run.possible_keys())


def test_status_of_a_fit(results):
    method, reading = results.study.methods[0], results.reading
    scores, status = reading.scores_on(method, range(2), method.inner.final[0])
    assert (status.tolist(), np.isfinite(scores).all()) == ([THERE] * 2, True)
    assert len({THERE, FAILED, MISSING}) == 3
