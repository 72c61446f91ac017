"""How many fits a method comes to: those that are then made."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import foldwise as fw
from foldwise.records.memory import MemoryStore
from foldwise.studies.counting import most_fits, own_keys, rows_of_chosen
from foldwise.studies.reading import Reading

RNG = np.random.default_rng(1)
X, Y = RNG.normal(size=(36, 2)), RNG.normal(size=36)


@pytest.mark.parametrize(("inner", "chosen"), [(3, 4), ("pairs", 0)])
def test_fits_of_tunings_and_of_chosen_candidates_are_those_that_are_made(inner, chosen):
    result = fw.compare({"ridge": fw.tune(Ridge(), alpha=[0.1, 1.0])}, X, Y, outer=4, inner=inner, jobs=1)
    reading = Reading(result.study, MemoryStore())
    method = result.study.methods[0]
    own = set(own_keys(reading, method))
    assert most_fits(reading, method, len(own)) == (len(own), "")
    assert len(own) + len(rows_of_chosen(result.study, method)) == len(result.methods[0].keys)
    assert len(rows_of_chosen(result.study, method)) == chosen


def test_a_search_that_ends_by_time_has_no_most():
    spec = fw.tune(Ridge(), alpha=fw.log_range(0.1, 10))
    result = fw.compare({"ridge": spec}, X, Y, outer=3, inner=2, tuner="random", budget="0.2 s", jobs=1)
    method = result.study.methods[0]
    assert most_fits(Reading(result.study, MemoryStore()), method, 0)[1] == "at least"
