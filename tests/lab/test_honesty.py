"""The honesty exhibit says yes to what is honest and no to what is not."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin

import foldwise as fw
from foldwise.cli import run
from foldwise.lab import honesty
from foldwise.lab.honesty import SCHEMES, beside_chance, leak_cases, noise_cases, permutation_case

DRAW = np.random.default_rng(0)
X, Y = DRAW.normal(size=(60, 2)), DRAW.normal(size=60)


class Knows(RegressorMixin, BaseEstimator):
    """Has seen all rows, whatever it is fitted to."""

    def fit(self, X, y):
        return self

    def predict(self, rows):
        return np.array([Y[np.abs(X - row).sum(axis=1).argmin()] for row in rows]) * 0.8


@pytest.mark.parametrize("scheme", ["nested folds", "bootstrap", "test split, dev split"])
def test_a_learner_that_has_seen_the_test_rows_is_called_dishonest_and_others_are_not(scheme):
    result = fw.compare(
        {"knows": Knows(), "linear": fw.learner("linear")}, X, Y, guards=False, jobs=1, **SCHEMES[scheme]
    )
    lines = {case["case"]: case["honest"] for case in beside_chance(result, 1.0)}
    assert lines == {"knows": False, "linear": True, "baseline": True}


@pytest.mark.slow
@pytest.mark.parametrize("task", ["regression", "binary"])
def test_noise_is_noise_under_every_scheme(task):
    cases = list(noise_cases(task, 1))
    assert {case["scheme"] for case in cases} == set(SCHEMES)
    assert [case for case in cases if not case["honest"]] == []


def test_planted_leaks_are_found_and_their_twins_are_clean():
    assert [case for case in leak_cases(1) if not case["honest"]] == []


def test_a_leak_that_is_missed_and_one_that_is_imagined_are_dishonest(monkeypatch):
    monkeypatch.setattr(honesty, "LEAKS", {"a leak": ("FW201",), "no leak": ("FW201",)})
    monkeypatch.setattr(honesty, "_reported", lambda is_planted, seed: [[], ["FW201"]])
    assert [case["honest"] for case in leak_cases(0)] == [False, True, True, False]


def test_p_values_of_noise_are_calibrated():
    assert permutation_case(0, 20)["honest"]


def test_the_command_has_an_exit_code(monkeypatch, capsys):
    monkeypatch.setattr(honesty, "noise_cases", lambda task, seed, is_full: iter(()))
    monkeypatch.setattr(honesty, "permutation_case", lambda seed, count: {"case": "p", "honest": True})
    monkeypatch.setattr(honesty, "LEAKS", {"a leak": ("FW201",)})
    for hits, code in ((["FW201"], 1), ([], 1)):
        monkeypatch.setattr(honesty, "_reported", lambda is_planted, seed, hits=hits: [hits])
        assert run(["lab", "honesty"]) == code
    assert "turned out wrong" in capsys.readouterr().out
    monkeypatch.setattr(honesty, "_reported", lambda is_planted, seed: [["FW201"] if is_planted else []])
    assert run(["lab", "honesty", "--json"]) == 0
    assert all(line["honest"] for line in json.loads(capsys.readouterr().out)["lines"])


@pytest.mark.slow
def test_every_installed_learner_is_honest_on_noise():
    assert [case for case in noise_cases("regression", 0, is_full=True) if not case["honest"]] == []
