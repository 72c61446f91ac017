"""The honesty suite says yes to what is honest and no to what is not; holds lab/honesty_suite.py and lab/leaks.py."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin

import foldwise as fw
from foldwise.cli import run
from foldwise.errors import BadStudy
from foldwise.lab import honesty_suite
from foldwise.lab.honesty_suite import SCHEMES, _beside_chance
from foldwise.lab.leaks import LEAKS, Leak

DRAW = np.random.default_rng(0)
X, Y = DRAW.normal(size=(60, 2)), DRAW.normal(size=60)


class Knows(RegressorMixin, BaseEstimator):
    """Has seen all rows, whatever it is fitted to."""

    def fit(self, X, y):
        return self

    def predict(self, rows):
        return np.array([Y[np.abs(X - row).sum(axis=1).argmin()] for row in rows]) * 0.8


@pytest.mark.parametrize("scheme", ["nested folds", "bootstrap", "test split, folds"])
def test_a_learner_that_has_seen_the_test_rows_is_called_dishonest_and_others_are_not(scheme):
    result = fw.compare(
        {"knows": Knows(), "linear": fw.learner("linear")}, X, Y, guards=False, jobs=1, **SCHEMES[scheme]
    )
    lines = {line["case"]: line["honest"] for line in _beside_chance(result, "regression", scheme)}

    assert lines == {"knows, regression": False, "linear, regression": True, "baseline, regression": True}


def test_noise_is_noise_under_every_scheme_of_a_quick_learner():
    found = fw.lab.honesty(parts=["noise"], learners=["linear"], rows=36, jobs=1)

    assert found["honest"].all()
    assert set(found["scheme"]) == set(SCHEMES)
    assert list(found.columns) == ["part", "case", "scheme", "expected", "found", "honest"]


def test_a_leak_that_is_missed_and_one_that_is_imagined_are_dishonest(monkeypatch):
    missed = Leak("a leak", ("FW201",), lambda is_planted, draw: [])
    imagined = Leak("no leak", ("FW201",), lambda is_planted, draw: ["FW201"])
    unknown = Leak("a leak without a check", ("FW999",), lambda is_planted, draw: [])
    monkeypatch.setattr(honesty_suite, "LEAKS", (missed, imagined, unknown))

    found = fw.lab.honesty(parts=["leaks"]).set_index("case")["honest"]
    assert found.to_dict() == {"a leak": False, "not a leak": True, "no leak": True, "not no leak": False}


@pytest.mark.few(4)
@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.name)
def test_a_planted_leak_is_found_and_its_twin_is_clean(leak):
    assert leak.is_known  # its check is there
    for is_planted in (True, False):
        found = leak.found(is_planted, np.random.default_rng(1))
        assert any(code in leak.codes for code in found) is is_planted, found


def test_the_command_has_an_exit_code(monkeypatch, capsys):
    assert (
        run(["lab", "honesty", "--part", "noise", "--learner", "linear", "--rows", "30", "--jobs", "1", "--json"]) == 0
    )
    lines = json.loads(capsys.readouterr().out)["lines"]
    assert all(line["honest"] for line in lines)
    monkeypatch.setattr(honesty_suite, "LEAKS", (Leak("a leak", ("FW201",), lambda is_planted, draw: []),))
    assert run(["lab", "honesty", "--part", "leaks"]) == 1
    assert "a leak" in capsys.readouterr().out


def test_an_unknown_part_is_refused():
    with pytest.raises(BadStudy, match=r"there is no part 'nose' of the honesty suite\. Did you mean 'noise'"):
        fw.lab.honesty(parts=["nose"])


@pytest.mark.slow
def test_every_learner_of_the_core_is_honest_on_noise_and_p_values_are_calibrated():
    table = fw.list_learners()
    core = table[table["extra"].isin(["", None]) | table["extra"].isna()]["name"].tolist()
    found = fw.lab.honesty(parts=["noise", "permutations"], learners=[*core], rows=40, jobs=1)

    assert found[~found["honest"]].to_dict("records") == []
