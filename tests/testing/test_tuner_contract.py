"""The contract of testing/tuners.py: every tuner keeps it, and each way of breaking it is told in a sentence."""

from __future__ import annotations

import numpy as np
import pytest

import foldwise as fw
from foldwise.testing.tuners import GivenTuning, check_tuner, play
from foldwise.tuners.registry import make_tuner, tuner_names


@pytest.mark.few(4)
@pytest.mark.parametrize("name", tuner_names())
def test_every_tuner_keeps_the_contract(name):
    check_tuner(make_tuner(name))


class Named(fw.Tuner):
    name = "mine"


class Nameless(fw.Tuner):
    pass


class Forgetful(Named):
    """Asks for something else every time."""

    def __init__(self):
        self.count = 0

    def next(self, seen):
        self.count += 1
        return [fw.Evaluate([self.count % seen.candidates], [0])]


class Endless(Named):
    def next(self, seen):
        return [fw.Evaluate(range(seen.candidates), range(seen.splits))]


class Empty(Named):
    def next(self, seen):
        return []


class Lazy(Named):
    """Ends at once, and claims to have scored everybody."""

    def next(self, seen):
        return fw.OVER


class Nobody(Lazy):
    is_exhaustive = False


class Outside(Named):
    def next(self, seen):
        return [fw.Evaluate([seen.candidates], [0])]


class Asking(Named):
    def next(self, seen):
        return fw.PROPOSE


@pytest.mark.parametrize(
    ("tuner", "words"),
    [
        (Nameless(), "needs a name"),
        (Forgetful(), "it must be pure"),
        (Endless(), "asks again for evaluations it has"),
        (Empty(), "gives an empty list"),
        (Lazy(), "leaves no candidate to choose"),
        (Nobody(), "leaves no candidate to choose"),
        (Outside(), "candidates that there are not"),
        (Asking(), "say is_listed = False"),
    ],
)
def test_each_way_to_break_it_is_told(tuner, words):
    with pytest.raises(AssertionError, match=words):
        check_tuner(tuner)


def test_a_tuning_of_given_losses_shows_only_what_was_evaluated():
    seen = GivenTuning([[np.ones(3), np.zeros(3)], [np.full(3, 2.0), np.ones(3)]])
    (step,) = list(play(make_tuner("grid"), seen))
    assert (list(step[0].candidates), list(step[0].splits)) == ([0, 1], [0, 1])
    np.testing.assert_array_equal(seen.scores(), [[1, 0], [2, 1]])
    assert np.isnan(GivenTuning(seen.rows).scores()).all()
