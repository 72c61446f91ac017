"""Searches: tuners that propose candidates on the way, until their budget, their time or their gains end."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from foldwise.errors import BadStudy, nearest
from foldwise.spaces.parameter import Choice, Parameter
from foldwise.spaces.point import Point, default_point, every_point, points_in, spread
from foldwise.spaces.space import Space
from foldwise.tuners.tuner import OVER, PROPOSE, Evaluate, Limits, Seen, Step, Tuner, remaining

START = 10  # points before the first scores are used
BATCH = 5  # points per proposal; the same for any number of workers
BUDGET = 50  # candidates of each tuning
MOST_TIMED = 300  # candidates of each tuning within a budget in time: proposing takes time too
STOPS = ("noise",)

Reported = Sequence[tuple[Point, float]]


class Search(Tuner):
    """A tuner that proposes candidates, reads their scores, and proposes more."""

    is_listed = False
    takes_time = True
    may_stop = True

    limits = Limits(BUDGET)

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or type(self).limits

    def next(self, seen: Seen) -> Step:
        if not seen.candidates:
            return PROPOSE
        step = remaining(seen, [Evaluate(range(seen.candidates), range(seen.splits))])
        return step if step is not OVER else OVER if self.is_enough(seen) else PROPOSE

    def is_enough(self, seen: Seen) -> bool:
        """Has a tuning used up its candidates or its time, or does it gain less than the noise?"""
        limits = self.limits
        if limits.budget is not None and seen.candidates >= limits.budget:
            return True
        if limits.seconds is not None and seen.seconds >= limits.seconds:
            return True
        return limits.stop == "noise" and is_within_noise(seen.scores())

    def propose(self, seen: Seen, space: Space, seed: int) -> list[Point]:
        scores = seen.scores().mean(axis=1)
        reported = [(point, float(score)) for point, score in zip(seen.points, scores, strict=True)]
        return self.ask(reported, space, seed)

    def ask(self, reported: Reported, space: Space, seed: int, count: int = BATCH) -> list[Point]:
        """Points to try next, here of an even spread; a score is NaN where the candidate failed."""
        return fresh(spread(space, seed), (point for point, _ in reported), count)

    def check(self, who: str, loss: Any, rule: str, *, optimism: bool) -> None:
        """A search has other candidates in every fold."""

    def most_fits(self, tunings: Sequence[Seen]) -> int:
        """What the tunings begin with is the same for all of them; after that each goes its own way."""
        budget = self.limits.budget or 0
        every = [seen.training_set(split) for seen in tunings for split in range(seen.splits)]
        return min(START, budget) * len(set(every)) + max(0, budget - START) * len(every)

    def fewest_fits(self, tunings: Sequence[Seen]) -> int:
        every = {seen.training_set(split) for seen in tunings for split in range(seen.splits)}
        return min(START, self.limits.budget or START) * len(every)


class Stepwise(Search):
    """A sequence spread evenly over the grid or the space, taken in steps until time or noise ends it."""

    def __init__(self, name: str, limits: Limits, *, on_grid: bool = False) -> None:
        super().__init__(limits)
        self.name, self.on_grid = name, on_grid

    def domain(self, parameter: Parameter) -> Parameter:
        return Choice(tuple(parameter.grid())) if self.on_grid else parameter


def check_stop(stop: str | None) -> str | None:
    if stop is not None and stop not in STOPS:
        raise BadStudy(f"there is no rule {stop!r} to stop a search", nearest(str(stop), STOPS))
    return stop


def whole_space(space: Space, tuner: Tuner) -> list[Point] | None:
    """Every point of a space with no more points than the budget of a search by scores: nothing to search for then."""
    limits = tuner.limits
    if not tuner.is_seeded or limits.seconds is not None or points_in(space) > (limits.budget or 0):
        return None
    return list(every_point(space))


def start_points(space: Space, current: dict[str, Any], seed: int) -> list[Point]:
    """Where every search of a method begins: the learner's own hyperparameters, then points spread over the space."""
    return list(islice(_with_default(space, current, seed), START))


def fresh(points: Iterable[Point], known: Iterable[Point], count: int) -> list[Point]:
    """The first so many of these points that are not known yet."""
    seen = set(known)
    return list(islice((point for point in points if point not in seen), count))


def is_within_noise(scores: Any) -> bool:
    """Did the best score gain less in the last two batches than the standard error of the best candidate's folds?"""
    means = scores.mean(axis=1)
    before = means[: -2 * BATCH]
    if scores.shape[1] < 2 or len(means) < START + 2 * BATCH or not np.isfinite(before).any():
        return False
    best = int(np.nanargmin(means))
    noise = scores[best].std(ddof=1) / math.sqrt(scores.shape[1])
    return bool(np.nanmin(before) - means[best] < noise)


def _with_default(space: Space, current: dict[str, Any], seed: int) -> Iterator[Point]:
    first = default_point(space, current)
    yield first
    yield from (point for point in spread(space, seed) if point != first)
