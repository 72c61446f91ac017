"""What a tuner is: told the scores so far, it says which points of a space to try next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Protocol

from foldwise.spaces.point import Point, default_point, spread
from foldwise.spaces.space import Space

START = 10  # points before the first look at scores
BATCH = 5  # points between two looks; the same for any number of workers
ADAPTIVE = ("tpe", "gp", "cmaes")
DEFAULT_BUDGET = 50  # candidates of an adaptive tuner

Told = Sequence[tuple[Point, float]]


class Tuner(Protocol):
    """Remembers nothing: the same scores told to a tuner of the same seed give the same points."""

    def ask(self, told: Told, n: int) -> list[Point]:
        """At most n new points; a score is NaN where the candidate failed. None: all of the space was tried."""


def make_tuner(name: str, space: Space, seed: int) -> Tuner:
    """The tuner of this name; one that goes through a fixed sequence has no use for scores."""
    if name not in ADAPTIVE:
        return FixedTuner(space, seed)
    from foldwise.tuners.optuna import OptunaTuner

    return OptunaTuner(name, space, seed)


class FixedTuner:
    """A sequence spread evenly over the space, whatever the scores are."""

    def __init__(self, space: Space, seed: int) -> None:
        self.space, self.seed = space, seed

    def ask(self, told: Told, n: int) -> list[Point]:
        return fresh(spread(self.space, self.seed), (point for point, _ in told), n)


def start_points(space: Space, current: dict[str, Any], seed: int) -> list[Point]:
    """Where every search of a method begins: the learner's own parameters, then points spread over the space."""
    return list(islice(_with_default(space, current, seed), START))


def _with_default(space: Space, current: dict[str, Any], seed: int) -> Iterator[Point]:
    first = default_point(space, current)
    yield first
    yield from (point for point in spread(space, seed) if point != first)


def fresh(points: Iterable[Point], known: Iterable[Point], n: int) -> list[Point]:
    """The first n of these points that are not known yet."""
    seen = set(known)
    return list(islice((point for point in points if point not in seen), n))
