"""Racing: inner split after inner split, without the candidates that are worse than the best."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from foldwise.arrays import BoolArray, FloatArray
from foldwise.errors import BadStudy
from foldwise.tuners.tuner import OVER, Evaluate, Seen, Step, Tuner, check_whole, has_seen

ROUNDING = 1e-12  # sums in another order differ by less: such near ties are scored to the end
NONNEGATIVE = (0.0, np.inf)
Rounds = Iterator[list[Evaluate]]


@dataclass(frozen=True)
class Racing(Tuner):
    """Inner split after inner split, without the candidates that are worse than the best at this level.

    After k splits at most one of every cut x k candidates goes on; with `cut=0` the test alone drops them.
    """

    level: float = 0.01
    first: int = 1  # splits that all candidates are scored on
    cut: int = 3

    name = "racing"
    is_exhaustive = False

    def __post_init__(self) -> None:
        if not isinstance(self.level, int | float) or not 0 < self.level < 1:
            raise BadStudy(f"the level of racing must lie between 0 and 1, not {self.level!r}", "Use level=0.01")
        check_whole("first", self.first, 1)
        check_whole("cut", self.cut, 0)

    def next(self, seen: Seen) -> Step:
        count = seen.candidates
        most = [most_left(count, splits + 1, cut=self.cut) for splits in range(seen.splits)]
        return first_open(race(seen, range(count), most=most.__getitem__, level=self.level, first=self.first), seen)


def racing(*, level: float = Racing.level, first: int = Racing.first, cut: int = Racing.cut) -> Racing:
    """The tuner `racing` with other options.

    `level`: of the paired test by which a candidate is dropped. `first`: folds that all candidates are scored on.
    `cut`: after k folds at most one of every `cut` x k candidates goes on; with 0 the test alone drops them.

    >>> print(racing(level=0.05))
    racing(level=0.05)
    """
    return Racing(level, first, cut)


def first_open(rounds: Rounds, seen: Seen) -> Step:
    """The first round that has not been seen; each is worked out from the scores of those before it."""
    return next((round_ for round_ in rounds if not has_seen(seen, round_)), OVER)


def race(
    seen: Seen, candidates: Sequence[int], *, most: Callable[[int], int], level: float = Racing.level, first: int = 1
) -> Rounds:
    """Split after split, without those that are worse than the best by a paired test, or that can win no more.

    Of the others the best go on, after split k at most `most(k)`: ties would otherwise cost most of the fits.
    """
    alive = list(candidates)
    scores = np.full((seen.candidates, seen.splits), np.nan)
    for split in range(seen.splits):
        yield [Evaluate(list(alive), [split])]
        scores[alive, split] = seen.scores()[alive, split]
        is_out = np.isnan(scores[:, : split + 1]).any(axis=1)
        may_win = can_win(scores, is_out, bounds=bounds_that_hold(seen.bounds, scores))
        alive = [candidate for candidate in alive if may_win[candidate]]
        if not alive:
            return  # none has a score on every split, so that further fits could not make one the choice
        if split + 1 >= first and len(alive) > 1:
            alive = _not_worse(seen, alive, split + 1, level)
            alive = best_of(scores[:, : split + 1], alive, most(split))


def most_left(candidates: int, splits: int, *, cut: int = Racing.cut) -> int:
    """How many of the candidates go on at most after so many splits.

    >>> [most_left(36, splits) for splits in (1, 2, 3, 10)]
    [12, 6, 4, 2]
    """
    return math.ceil(candidates / (cut * splits)) if cut else candidates


def best_of(scores: FloatArray, alive: Sequence[int], size: int) -> list[int]:
    """The candidates with the smallest mean score, in their own order; the first on ties, those without one last."""
    means = np.ascontiguousarray(scores[list(alive)]).mean(axis=1)
    order = np.argsort(np.where(np.isnan(means), np.inf, means), kind="stable")
    return sorted(alive[at] for at in order[:size].tolist())


def is_above(differences: FloatArray, *, level: float) -> BoolArray:
    """Which rows of differences have a mean above 0 by the one-sided t test; equal ones by their sign.

    >>> is_above(np.array([[1.0, 1.2, 0.9], [0.5, -0.4, 0.1], [0.0, 0.0, 0.0]]), level=0.05).tolist()
    [True, False, False]
    """
    from scipy.stats import t

    count = differences.shape[1]
    if count < 2:
        return np.zeros(len(differences), bool)
    means, spreads = differences.mean(axis=1), differences.std(axis=1, ddof=1)
    reach = float(t.ppf(1 - level, count - 1)) * spreads / math.sqrt(count)
    return np.asarray((means > 0) & (means > reach))


def _not_worse(seen: Seen, alive: Sequence[int], splits: int, level: float) -> list[int]:
    """Candidates that are not worse than the best so far: by their losses row by row, or else split by split."""
    scores = np.ascontiguousarray(seen.scores()[list(alive), :splits])
    losses = [[seen.losses(candidate, split) for split in range(splits)] for candidate in alive]
    if any(part is None for parts in losses for part in parts):
        table = scores if splits >= 3 else scores[:, :0]  # a measure of whole folds has one number per fold
    else:
        table = np.array([np.concatenate([part for part in parts if part is not None]) for parts in losses])
    is_worse = is_above(table - table[int(np.argmin(scores.mean(axis=1)))], level=level)
    return [candidate for candidate, is_out in zip(alive, is_worse, strict=True) if not is_out]


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
