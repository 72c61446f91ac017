"""One interval as a value, and the contract (testing/intervals.py) that every one of them keeps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import foldwise as fw
from foldwise.errors import BadInterval
from foldwise.stats.chooser import INTERVALS, choose, work_out
from foldwise.stats.cross_validated import CORRECTED_T
from foldwise.stats.held_out import BETTING, T
from foldwise.stats.interval_method import Ends, IntervalMethod
from foldwise.testing import check_interval
from foldwise.testing.intervals import made_up_evidence

FOLDS = next(found for found in made_up_evidence() if found.scheme == "folds")


def quantiles(evidence, level):
    return np.quantile(evidence.fold_losses, [(1 - level) / 2, (1 + level) / 2])


@pytest.mark.parametrize("row", INTERVALS.values(), ids=INTERVALS)
def test_every_interval_keeps_the_contract(row):
    check_interval(row)


def test_the_least_that_an_interval_of_your_own_needs_is_a_name_and_a_function():
    own = IntervalMethod("split quantiles", quantiles)
    check_interval(own)
    assert own.ends(FOLDS, 0.9) == Ends(*quantiles(FOLDS, 0.9))
    assert own.measured("folds") == "not measured"


class Fickle:
    """Another answer every time it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, evidence, level):
        self.asked += 1
        return -self.asked, self.asked


def greedy(evidence, level):
    evidence.fold_losses.sort()
    return quantiles(evidence, level)


def first_split(evidence, level):
    return evidence.fold_losses[0] * (1 - level), evidence.fold_losses[0] * (1 + level)


def near_zero(evidence, level):
    return tuple(np.array([-1, 1]) * level)


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ({"compute": lambda evidence, level: (1.0, 0.0)}, "the ends 1 and 0 are not in order"),
        ({"compute": lambda evidence, level: (0.0, np.inf)}, "the ends 0 and inf are not finite"),
        ({"compute": lambda evidence, level: 1 / 0}, "not refused, yet compute raised ZeroDivisionError"),
        ({"compute": lambda evidence, level: quantiles(evidence, 1 - level)}, "is not as wide as at a lower level"),
        ({"compute": Fickle()}, "asked twice, it gives different ends"),
        ({"compute": greedy}, "compute changed the losses it was given"),
        (
            {"compute": first_split, "is_affine": False},
            "the order of the splits changes the ends, so it must say ignores_order=False",
        ),
        ({"compute": near_zero}, "losses in other units give another interval, so it must say is_affine=False"),
        ({"refuse": lambda evidence: evidence.no_such_thing}, "refuse raised AttributeError"),
        ({"refuse": lambda evidence: False}, "refuse gave False, not None or a reason in words"),
        ({"refuse": lambda evidence: "no"}, "refuse gave 'no', not None or a reason in words"),
        ({"refuse": lambda evidence: "not today, sorry"}, "refuses everything it was shown"),
    ],
)
def test_the_contract_can_be_broken(broken, words):
    own = replace(IntervalMethod("mine", quantiles), **broken)
    with pytest.raises(AssertionError, match=f"mine.*{words}"):
        check_interval(own)


def test_what_is_not_claimed_is_not_checked():
    check_interval(IntervalMethod("first", first_split, ignores_order=False, is_affine=False))
    check_interval(IntervalMethod("near zero", near_zero, is_affine=False))
    with pytest.raises(AssertionError, match="betting, one test set, brier loss: the order"):
        check_interval(replace(BETTING, ignores_order=True))


def test_a_refusal_that_was_forgotten_is_found():
    """Without its refusals the t interval reads one fold of several, and the corrected t meets a single split."""
    with pytest.raises(AssertionError, match="t, folds, squared loss: the order of the splits changes the ends"):
        check_interval(replace(T, refuse=lambda evidence: None))
    with pytest.raises(AssertionError, match=r"corrected t, one test set.*not refused, yet compute raised BadInterval"):
        check_interval(replace(CORRECTED_T, refuse=lambda evidence: None))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"name": ""}, "needs a name to be printed under, not ''"),
        ({"name": "mine", "covers": "the learner"}, "cannot cover 'the learner'. Did you mean 'learner'"),
    ],
)
def test_an_interval_that_cannot_be_told_is_refused_when_it_is_made(words, message):
    with pytest.raises(BadInterval, match=message):
        IntervalMethod(compute=quantiles, **words)


def test_an_interval_of_your_own_that_fails_leaves_the_risk_and_a_reason():
    """The fits are done by then."""
    broken = IntervalMethod("mine", lambda evidence, level: 1 / 0)
    assert work_out(FOLDS, broken, 0.9) == (
        None,
        "mine could not be computed: ZeroDivisionError: division by zero",
        None,
    )
    turned = IntervalMethod("mine", lambda evidence, level: (2, 1))
    assert work_out(FOLDS, turned, 0.9)[1] == "mine gave the ends 2 and 1, which is no interval"
    missing = IntervalMethod("mine", lambda evidence, level: (np.nan, 1))
    assert work_out(FOLDS, missing, 0.9)[1] == "mine gave the ends nan and 1, which is no interval"
    careless = IntervalMethod("mine", quantiles, lambda evidence: evidence.no_such_thing)
    assert "mine is not valid here: its own check failed: AttributeError" in choose(FOLDS, careless)[1]


def test_a_built_in_interval_that_fails_is_our_mistake():
    with pytest.raises(AttributeError):
        work_out(replace(FOLDS, fold_losses=FOLDS.fold_losses, loss=None, row_losses=None), INTERVALS["Bayle"], 0.9)


def test_the_public_name_is_the_class_of_the_table():
    assert fw.IntervalMethod is IntervalMethod
    assert all(isinstance(row, fw.IntervalMethod) for row in INTERVALS.values())
