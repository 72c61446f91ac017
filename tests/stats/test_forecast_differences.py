"""Two forecasts of the same times: the numbers, the refusals, and the words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from foldwise import comparisons
from foldwise.errors import BadInterval
from foldwise.losses.loss import Loss
from foldwise.stats.cross_validated import t_probability_within
from foldwise.stats.differences import difference
from foldwise.stats.evidence import Evidence
from foldwise.stats.long_run import long_run

SQUARED = Loss("squared", lambda y, p: (y - p) ** 2)
ZERO_ONE = Loss("zero_one", lambda y, p: y != p, bounds=(0.0, 1.0))
NAMES = ("ridge", "k-nn")
RNG = np.random.default_rng(8)
A, B = RNG.random(90), RNG.random(90)


def test_set(losses, loss: Loss = SQUARED, **changes) -> Evidence:
    losses = np.asarray(losses, float)
    facts = {
        "fold_losses": np.array([losses.mean()]),
        "row_losses": (losses,),
        "test_rows": (np.arange(len(losses)),),
        "train_counts": (50,),
        "kind": "time_holdout",
        "is_partition": False,
        "repeats": 1,
        "folds": 1,
        "loss": loss,
        "rows": len(losses),
    }
    return Evidence(**(facts | changes))


test_set.__test__ = False


def test_the_difference_is_the_long_run_mean_of_the_paired_losses():
    found, truth = comparisons.diebold_mariano(A, B, 0.9, steps=3), long_run(A - B, steps=3, level=0.9)
    assert (found.value, found.low, found.high, found.p) == (truth.value, truth.low, truth.high, truth.p)
    assert (found.t, found.df, found.se) == (truth.t, truth.df, truth.se)
    assert found.details["hln_p"] == truth.hln_p
    assert found.interval == "Diebold-Mariano"
    assert "forecasts" in found.target


def test_in_a_study_it_is_the_same_with_names_and_the_probability_of_practical_equivalence():
    found = difference(test_set(A, steps=3), test_set(B, steps=3), names=NAMES, level=0.9, rope=0.05)
    truth = comparisons.diebold_mariano(A, B, 0.9, steps=3)
    assert (found.low, found.high, found.p) == pytest.approx((truth.low, truth.high, truth.p))
    assert found.names == NAMES
    assert found.equivalence == pytest.approx(t_probability_within(found.value, found.se, found.df, reach=0.05))
    assert found.target == "the risk of ridge minus that of k-nn in this period"
    assert "over 90 test times, 3 steps ahead" in dict(found.notes)["interval"]


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        (A, B[:-1], "two lists of losses at the same times, not 90 and 89"),
        (A[:30], B[:30], "30 test times"),
        (A, A + 0.1, "all times have the same difference"),
    ],
)
def test_losses_that_allow_no_test_are_refused(a, b, words):
    with pytest.raises(BadInterval, match=words):
        comparisons.diebold_mariano(a, b)


@pytest.mark.parametrize(
    ("one", "other", "p", "words"),
    [
        (test_set(A[:40]), test_set(B[:40]), None, "at least 44 are needed"),
        (test_set(A), test_set(A), 1.0, "all times have the same difference"),
        (test_set(A + 1), test_set(A), None, "all times have the same difference"),
        (test_set(A, row_losses=None), test_set(B, row_losses=None), None, "has no loss per time to pair"),
        (test_set(np.arange(60.0)), test_set(np.zeros(60)), None, "say too little of their mean"),
    ],
)
def test_a_difference_without_an_interval_says_why(one, other, p, words):
    found = difference(one, other, names=NAMES)
    assert (found.low, found.interval, found.p) == (None, None, p)
    assert words in dict(found.notes)["interval"]


def test_error_rates_are_no_surer_than_those_of_independent_rows():
    errors = np.zeros(90)
    errors[40] = 1.0
    found = difference(test_set(errors, ZERO_ONE), test_set(np.zeros(90), ZERO_ONE), names=NAMES)
    tango = comparisons.mcnemar(errors, np.zeros(90))
    assert found.low <= tango.low + 1e-9
    assert found.high >= tango.high - 1e-9
    assert found.p > 0.3


def test_a_wider_level_gives_a_wider_interval_and_the_same_p():
    narrow, wide = (comparisons.diebold_mariano(A, B, level) for level in (0.9, 0.99))
    assert wide.low < narrow.low
    assert wide.p == narrow.p
    assert replace(narrow, level=0.99, low=wide.low, high=wide.high) == wide
