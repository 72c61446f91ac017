"""A tuner: all candidates on the first inner split, the better half of them on the others."""

from __future__ import annotations

import numpy as np

import foldwise as fw


class BetterHalf(fw.Tuner):
    """Pure: the same scores always lead to the same evaluations, so a run can be resumed and read again."""

    name = "better half"
    is_exhaustive = False  # it leaves candidates out

    def next(self, seen):
        everyone = range(seen.candidates)
        if not seen.is_seen()[:, 0].all():
            return [fw.Evaluate(everyone, [0])]
        order = np.argsort(seen.scores()[:, 0], kind="stable")  # failed ones, NaN, come last
        half = sorted(order[: (seen.candidates + 1) // 2].tolist())
        others = range(1, seen.splits)
        if not seen.is_seen()[np.ix_(half, list(others))].all():
            return [fw.Evaluate(half, others)]
        return fw.OVER
