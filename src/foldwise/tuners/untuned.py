"""No tuning: a learner with fixed hyperparameters, or a list of candidates that are all shown."""

from __future__ import annotations

from foldwise.tuners.tuner import OVER, Seen, Step, Tuner


class Untuned(Tuner):
    """Nothing is evaluated inside: every candidate is judged on the outer splits."""

    name = "untuned"

    def next(self, seen: Seen) -> Step:
        return OVER
