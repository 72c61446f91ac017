"""Exact pruning: candidates that can no longer be the best are not fitted any further.

A candidate's final sum lies between its sum so far plus the least, and plus the most, that
the splits that are left can add. So one whose least is above the most of another has lost,
and need not be fitted on the splits that are left. Of a loss that is never negative, the
least is the sum so far, and only finished candidates have a most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from foldwise.arrays import BoolArray, FloatArray
from foldwise.errors import BadStudy
from foldwise.spaces.space import Space
from foldwise.tuners.tuner import OVER, Evaluate, Seen, Step, Tuner

if TYPE_CHECKING:
    from foldwise.losses.loss import Loss

ROUNDING = 1e-12  # sums in another order differ by less: such near ties are scored to the end
NONNEGATIVE = (0.0, np.inf)


@dataclass(frozen=True)
class Pruned(Tuner):
    """One fit after another, without the candidates that provably cannot win any more."""

    name = "pruned"
    is_exhaustive = False

    def next(self, seen: Seen) -> Step:
        scores = seen.scores()
        is_out = np.asarray((np.isnan(scores) & seen.is_seen()).any(axis=1))
        wanted = next_fit(scores, is_out, bounds=bounds_that_hold(seen.bounds, scores))
        return [Evaluate([candidate], [split]) for candidate, split in wanted] or OVER

    def candidates(self, space: Space, budget: int | None, seed: int) -> list[dict[str, Any]]:
        return space.whole_grid(budget)

    def check(self, who: str, loss: Loss, rule: str, *, optimism: bool) -> None:
        if not loss.is_nonnegative and loss.bounds is None:
            raise BadStudy(
                f"the tuner 'pruned' needs a loss that is never negative, and of {loss.name!r} that is not known",
                "Use tuner='grid', or a per-row loss with bounds",
            )
        super().check(who, loss, rule, optimism=optimism)

    def most_fits(self, tunings: Sequence[Seen]) -> int:
        """The whole grid: to play the worst case fit after fit would take long, and come to that."""
        names = {seen.training_set(split) for seen in tunings for split in range(seen.splits)}
        return max((seen.candidates for seen in tunings), default=0) * len(names)


def can_win(scores: FloatArray, is_out: BoolArray, *, bounds: tuple[float, float] = NONNEGATIVE) -> BoolArray:
    """Candidates that may beat, or tie with, all others in the end; `scores[candidate, split]`, within the bounds.

    >>> scores = np.array([[0.1, 0.1, np.nan], [1.0, 0.9, np.nan]])
    >>> can_win(scores, np.zeros(2, bool), bounds=(0, 1)).tolist()
    [True, False]
    """
    least, most = final_range(scores, bounds)
    best = most[~is_out].min(initial=np.inf)
    size = np.abs(np.nan_to_num(scores)).sum(axis=1).max(initial=0.0)
    return np.asarray(~is_out & (least <= best + ROUNDING * size))


def final_range(scores: FloatArray, bounds: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
    """Between which numbers each candidate's sum will be."""
    sums, left = np.nansum(scores, axis=1), np.isnan(scores).sum(axis=1)
    is_open = left > 0
    low, high = (np.where(is_open, bound * np.where(is_open, left, 1), 0.0) for bound in bounds)
    return sums + low, sums + high


def bounds_that_hold(bounds: tuple[float, float], scores: FloatArray) -> tuple[float, float]:
    """The bounds, or none at all where a score shows that what was said of the loss is not so: then nothing is proved.

    >>> bounds_that_hold((0.0, 1.0), np.array([0.3, np.nan])), bounds_that_hold((0.0, 1.0), np.array([0.3, 1.5]))
    ((0.0, 1.0), (-inf, inf))
    """
    known, (low, high) = scores[~np.isnan(scores)], bounds
    slack = 1e-9 * max(1.0, *(abs(bound) for bound in bounds if np.isfinite(bound)), 0.0)
    holds = bool(((known >= low - slack) & (known <= high + slack)).all())
    return bounds if holds else (-np.inf, np.inf)


def open_candidates(scores: FloatArray, is_out: BoolArray, *, bounds: tuple[float, float] = NONNEGATIVE) -> BoolArray:
    """Candidates that are not finished and may still win.

    >>> scores = np.array([[0.2, 0.3], [0.6, np.nan], [0.1, np.nan]])
    >>> open_candidates(scores, np.zeros(3, bool)).tolist()
    [False, False, True]
    """
    return np.asarray(can_win(scores, is_out, bounds=bounds) & np.isnan(scores).any(axis=1))


def next_fit(
    scores: FloatArray, is_out: BoolArray, *, bounds: tuple[float, float] = NONNEGATIVE
) -> list[tuple[int, int]]:
    """What to score next, as pairs of candidate and split: the candidate that may come to the smallest sum goes on.

    All candidates have a first score to get, so these come together.

    >>> next_fit(np.array([[0.2, np.nan], [0.6, np.nan]]), np.zeros(2, bool))
    [(0, 1)]
    """
    may_win = open_candidates(scores, is_out, bounds=bounds)
    fresh = may_win & np.isnan(scores).all(axis=1)
    if fresh.any():
        return [(int(at), 0) for at in np.flatnonzero(fresh)]
    if not may_win.any():
        return []
    least = final_range(scores, bounds)[0]
    first = int(np.argmin(np.where(may_win, least, np.inf)))
    return [(first, int(np.flatnonzero(np.isnan(scores[first]))[0]))]
