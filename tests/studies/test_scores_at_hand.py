"""Large answers come in pieces, are scored at hand, wait in a file (executors/worker.py, studies/reading.py)."""

from __future__ import annotations

import numpy as np
import pytest

import foldwise as fw
from foldwise.records import memory, overflow
from foldwise.solvers import finding, ridge
from foldwise.studies import reading


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    return X, X @ [1.0, 2.0, 0.0] + rng.normal(size=120)


def without_seconds(value):
    if isinstance(value, dict):
        return {name: without_seconds(part) for name, part in value.items() if "seconds" not in name}
    return [without_seconds(part) for part in value] if isinstance(value, list) else value


def study(rows, **options):
    learners = {
        "ridge": fw.tune("ridge", space={"alpha": [0.1, 1.0, 10.0, 100.0]}),
        "k-nn": fw.tune("k-nn", space={"n_neighbors": [1, 5, 9]}),
    }
    options = {"outer": 7, "inner": "lines", "loss": ["absolute", "squared"], "jobs": 1, "progress": False} | options
    return fw.compare(learners, *rows, **options)


@pytest.fixture
def small_pieces(monkeypatch):
    """Every record is large, pieces are of one training set, and nothing stays at hand."""
    sizes = {(overflow, "LARGE"): 1, (memory, "LARGE"): 1, (finding, "PIECE"): 1, (ridge, "GROUP"): 1}
    for (module, name), size in (sizes | {(reading, "WORTH_LOOKING"): 0, (reading, "CELLS"): 40}).items():
        monkeypatch.setattr(module, name, size)
    monkeypatch.setattr(memory.MemoryStore.__init__, "__defaults__", (0,))


@pytest.mark.parametrize("options", [{}, {"tuner": "racing"}, {"inner": 3, "optimism": True}], ids=str)
def test_the_answer_is_the_same(rows, options, request):
    plain = study(rows, **options)
    wanted, curve = without_seconds(plain.to_dict()), plain.table()
    request.getfixturevalue("small_pieces")
    found = study(rows, **options)
    assert without_seconds(found.to_dict()) == wanted
    assert found.table().drop(columns="seconds", errors="ignore").equals(curve.drop(columns="seconds", errors="ignore"))


def test_long_scores_have_the_bits_of_short_ones(rows, monkeypatch):
    wanted = without_seconds(study(rows).to_dict())
    monkeypatch.setattr(reading, "LONG", 0)
    assert without_seconds(study(rows).to_dict()) == wanted


def test_a_solver_that_fails_on_the_way_leaves_the_rest_to_the_plain_loop(rows, small_pieces, monkeypatch):
    each = ridge.RidgeSolver.solve

    def failing(self, requests, data):
        for count, found in enumerate(each(self, requests, data)):
            if count == 6:
                raise FloatingPointError("not today")
            yield found

    wanted = study(rows, solvers=False)
    monkeypatch.setattr(ridge.RidgeSolver, "solve", failing)
    assert study(rows).table()["risk"].tolist() == pytest.approx(wanted.table()["risk"].tolist(), rel=1e-9)


@pytest.mark.slow
def test_workers_get_pieces_too(rows, small_pieces):
    one = study(rows)
    assert without_seconds(study(rows, jobs=2, isolate=True).to_dict()) == without_seconds(one.to_dict())
