"""The front of risk and cost, and the splits that methods win, by definition."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from foldwise.questions.pictures.front import front, wins

POINTS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=8)


@given(POINTS)
def test_the_front_is_what_nothing_else_beats(points):
    methods = [{"name": str(at), "seconds": float(s), "risk": float(r)} for at, (s, r) in enumerate(points)]
    found = front(methods)

    def is_beaten(one):
        return any(s <= one[0] and r <= one[1] and (s, r) != one for s, r in points)

    assert {points[int(name)] for name in found} == {point for point in points if not is_beaten(point)}


def test_a_method_without_a_risk_is_on_no_front():
    assert front([{"name": "a", "risk": None, "seconds": 1.0}, {"name": "b", "risk": 1.0, "seconds": 2.0}]) == ["b"]


def test_every_split_is_won_once():
    losses = np.random.default_rng(0).integers(0, 3, size=(4, 9)).astype(float)
    methods = [{"name": str(at), "folds": [{"loss": loss} for loss in own]} for at, own in enumerate(losses)]
    found = wins(methods)

    is_best = losses == losses.min(axis=0)
    assert np.allclose(list(found.values()), (is_best / is_best.sum(axis=0)).sum(axis=1))
    assert sum(found.values()) == 9
