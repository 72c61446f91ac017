"""Fits expected (live/folds.py) before the first is made are those that are made."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from small_study import learners, rows

import foldwise as fw
from foldwise.live.counts import Counts
from foldwise.live.folds import update_folds
from foldwise.records.memory import MemoryStore
from foldwise.records.sqlite import Facts
from foldwise.studies.reading import Reading


def facts(result):
    keys = set().union(*(method.keys for method in result.methods))
    return [Facts(key, "", "ok", 0.0) for key in sorted(keys)]


SCHEMES = {
    "test split": {"outer": 0.25, "inner": 0.25},
    "nested": {"outer": 4, "inner": 3},
    "pairs": {"outer": 4, "inner": "pairs"},
    "lines": {"outer": 7, "inner": "lines"},
    "cheap": {"outer": 4, "inner": "dev"},
    "repeated": {"outer": 3, "inner": 2, "repeats": 2},
    "optimism": {"outer": 3, "inner": 2, "optimism": True},
}


@pytest.mark.few(4)
@pytest.mark.parametrize("words", SCHEMES.values(), ids=SCHEMES)
def test_what_is_expected_of_a_grid_is_what_is_made(words):
    result = fw.compare(learners(), *rows(), jobs=1, **words)
    before = Counts(Reading(result.study, MemoryStore()))
    expected, by_method = before.total, [count.total for count in before.methods]
    after = Counts(result.reading)
    after.add(facts(result))
    update_folds(after)

    assert before.sureness == ""
    assert expected == result.fits
    assert by_method == [len(method.keys) for method in result.methods]
    assert after.is_over
    assert (after.done, after.total) == (result.fits, result.fits)


def test_a_fit_that_two_methods_need_counts_once_for_the_study():
    spec = {"tuned": fw.tune(Ridge(), alpha=[0.1, 1.0]), "plain": Ridge(alpha=1.0)}
    result = fw.compare(spec, *rows(), outer=4, inner="pairs", jobs=1)
    before = Counts(Reading(result.study, MemoryStore()))
    assert before.total == result.fits
    assert sum(count.total for count in before.methods) == result.fits + 4


def test_members_that_are_shared_count_once_for_the_study():
    parts = {"ridge": fw.tune(Ridge(), alpha=[0.1, 1.0]), "stiff": fw.tune(Ridge(), alpha=[10.0, 100.0])}
    made = {**parts, "blend": fw.blend(parts)}
    result = fw.compare(made, *rows(), outer=3, inner=2, jobs=1)
    after = Counts(result.reading)
    after.add(facts(result))
    update_folds(after)

    assert after.is_over
    assert after.done == result.fits
    before = Counts(Reading(result.study, MemoryStore()))
    assert before.total == result.fits


@pytest.mark.parametrize("tuner", ["random", "racing", "halving"])
def test_a_tuner_that_may_drop_candidates_is_expected_to_make_at_most_so_many(tuner):
    spec = {"ridge": fw.tune(Ridge(), alpha=fw.log_range(0.01, 100, 9))}
    result = fw.compare(spec, *rows(), outer=3, inner=3, tuner=tuner, budget=9, jobs=1)
    before = Counts(Reading(result.study, result.reading.store))
    assert before.methods[0].total >= len(result.methods[0].keys)
    assert before.sureness in ("at most", "")
    before.add(facts(result))
    update_folds(before)
    assert before.is_over
    assert before.total == result.fits


def test_losses_of_finished_folds_are_those_of_the_answer():
    result = fw.compare(learners(), *rows(), outer=4, inner=3, jobs=1)
    counts = Counts(result.reading)
    counts.add(facts(result))
    update_folds(counts)
    for count, method in zip(counts.methods, result.methods, strict=True):
        assert np.array([count.losses[at] for at in range(4)]).tolist() == method.fold_losses.tolist()


def test_records_of_other_studies_are_not_counted():
    result = fw.compare(learners(), *rows(), outer=4, inner=3, jobs=1)
    counts = Counts(Reading(result.study, MemoryStore()))
    counts.add([Facts("f" * 32, "ridge", "error", 1.0)])
    assert (counts.done, counts.failures) == (0, [])
