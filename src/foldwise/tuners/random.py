"""Candidates drawn at random, evenly spread over the space, each on every inner split."""

from __future__ import annotations

from typing import Any

from foldwise.spaces.space import Space
from foldwise.tuners.tuner import Tuner

BUDGET = 60  # the best of 60 draws is in the top 5 % with probability 0.95


class Random(Tuner):
    """A low-discrepancy draw that all learners and all tunings share."""

    name = "random"
    takes_time = True
    may_stop = True

    def candidates(self, space: Space, budget: int | None, seed: int) -> list[dict[str, Any]]:
        return space.draw(budget or BUDGET, seed)
