"""Successive halving: all candidates on a part of the rows, the best of them on more and more."""

from __future__ import annotations

import math
import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass

from foldwise.errors import BadStudy
from foldwise.tuners.racing import best_of, first_open, most_left, race
from foldwise.tuners.tuner import ROWS, Evaluate, Seen, Step, Tuner, check_whole

LEVEL_SPLITS = 2  # splits of a race that a level counts for: its fits are scored on many rows, but trained on fewer
MOST_LEVELS = 3
MANY = 36  # candidates for which one level is enough; the whole splits take most of the work then

Climb = Generator[list[Evaluate], None, list[int]]  # rounds, and who is left in the end


@dataclass(frozen=True)
class Halving(Tuner):
    """All candidates on a part of a resource, the best of them on `factor` times more, and so on up to all of it."""

    resource: str = ROWS
    factor: float = 1.5  # on half of the rows other candidates are the best too often
    least: int | None = None  # of the resource, to begin with

    name = "halving"
    is_exhaustive = False

    def __post_init__(self) -> None:
        if not isinstance(self.resource, str) or not re.fullmatch(r"\w+", self.resource):
            raise BadStudy(
                f"the resource of {self.name} is {self.resource!r}", "Use 'rows', or a parameter such as 'max_iter'"
            )
        is_number = isinstance(self.factor, int | float) and not isinstance(self.factor, bool)
        if not is_number or not 1 < self.factor < math.inf:
            raise BadStudy(f"the factor of {self.name} must be a number above 1, not {self.factor!r}", "Use factor=1.5")
        if self.least is not None:
            check_whole("least", self.least, 1)

    def next(self, seen: Seen) -> Step:
        return first_open(_then_race(seen, self.climb(seen)), seen)

    def climb(self, seen: Seen) -> Climb:
        """The rounds on the levels below the whole splits."""
        return halve(seen, range(seen.candidates), seen.levels)

    def most_levels(self, candidates: int, amount: int, least: int) -> int:
        return min(levels_for(candidates), steps_down(amount, self.least or least, self.factor))

    def part(self, amount: int, level: int) -> int:
        return math.ceil(amount / self.factor**level)

    def share(self, level: int) -> float:
        return float(self.factor) ** -level


def halving(*, resource: str = ROWS, factor: float = Halving.factor, least: int | None = None) -> Halving:
    """The tuner `halving` with other options.

    `resource`: "rows", or a parameter such as "max_iter". `factor`: how much more of it the next level has.
    `least`: how much of it the first level has.

    >>> print(halving(resource="n_estimators"))
    halving(resource=n_estimators)
    """
    return Halving(resource, factor, least)


def halve(seen: Seen, candidates: Sequence[int], levels: int) -> Climb:
    """All candidates on the lowest level, the best of them on the next, and so on up to the whole splits."""
    alive, splits = list(candidates), list(range(seen.level_splits))
    for step, level in enumerate(range(levels, 0, -1), start=1):
        yield [Evaluate(list(alive), splits, level)]
        scores = seen.scores(level)[:, splits]
        alive = best_of(scores, alive, most_left(len(candidates), LEVEL_SPLITS * step))
    return alive


def steps_down(most: int, least: int, factor: float) -> int:
    """How often, up to the most levels there are, `most` can be divided by the factor without falling below `least`.

    >>> steps_down(400, 40, 3)
    2
    """
    steps = 0
    while steps < MOST_LEVELS and math.ceil(most / factor ** (steps + 1)) >= least:
        steps += 1
    return steps


def levels_for(candidates: int) -> int:
    """Levels that so many candidates are worth: one, and another where the first would leave many.

    >>> levels_for(2), levels_for(60), levels_for(216), levels_for(2000)
    (0, 1, 2, 3)
    """
    return min(MOST_LEVELS, 1 + steps_down(candidates, MANY, 6)) if candidates > 2 else 0


def _then_race(seen: Seen, climb: Climb) -> Iterator[list[Evaluate]]:
    """Those who reach the whole splits race there, as if every level had been some splits of the race."""
    finalists = yield from climb
    before = LEVEL_SPLITS * seen.levels
    yield from race(seen, finalists, most=lambda split: most_left(seen.candidates, before + split + 1))
