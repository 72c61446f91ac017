"""Points of a space as plain numbers, so that a search can be written down and taken up again."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from foldwise.spaces.draw import MOST_CANDIDATES, Block, Candidate, count, finite_values, sobol_engine
from foldwise.spaces.parameter import Choice, Distribution, Parameter, Range
from foldwise.spaces.space import Space
from foldwise.spaces.value import value_key

MOST_DRAWN = 2**14  # points of one block's sequence


class Point(NamedTuple):
    """A candidate as numbers: the place of a choice, the value of a range, the quantile of a distribution."""

    block: int
    at: tuple[float, ...]


def candidate_at(space: Space, point: Point) -> Candidate:
    """The candidate of a point.

    >>> from foldwise.spaces.space import make_space
    >>> candidate_at(make_space({"depth": [1, None], "leaf": range(5, 9)}), Point(0, (1, 0)))
    {'depth': None, 'leaf': 5}
    """
    block = space.blocks[point.block]
    return {name: _value(parameter, at) for (name, parameter), at in zip(block, point.at, strict=True)}


def default_point(space: Space, current: dict[str, Any]) -> Point:
    """The point of a learner's own parameters; one that the space leaves out starts from the middle.

    Of several blocks, the one that holds most of them.
    """
    places = [[_place(parameter, current, name) for name, parameter in block] for block in space.blocks]
    shares = [sum(place is not None for place in block) / max(len(block), 1) for block in places]
    best = int(np.argmax(shares))
    middle = [place_at(parameter, 0.5) for _, parameter in space.blocks[best]]
    return Point(best, tuple(m if place is None else place for place, m in zip(places[best], middle, strict=True)))


def spread(space: Space, seed: int) -> Iterator[Point]:
    """Distinct points spread evenly over the space, the blocks by turns; every point of a finite one comes once."""
    sources = [_spread_block(block, number, seed) for number, block in enumerate(space.blocks)]
    while sources:
        for source in list(sources):
            point = next(source, None)
            if point is None:
                sources.remove(source)
            else:
                yield point


def points_in(space: Space) -> float:
    """How many points there are."""
    return sum(count(block) for block in space.blocks)


def every_point(space: Space) -> Iterator[Point]:
    """All points of a finite space, in declared order, the last parameter fastest."""
    return itertools.chain.from_iterable(_every_point(block, number) for number, block in enumerate(space.blocks))


def _spread_block(block: Block, number: int, seed: int) -> Iterator[Point]:
    seen: set[Point] = set()
    for point in itertools.chain(_drawn(block, number, seed), _every_point(block, number)):
        if point not in seen:
            seen.add(point)
            yield point


def _drawn(block: Block, number: int, seed: int) -> Iterator[Point]:
    """The points of a Sobol sequence."""
    if not block:
        return
    engine, power = sobol_engine(len(block), [seed, number]), 4
    while engine.num_generated < MOST_DRAWN:
        for row in engine.random_base2(power).tolist():
            yield Point(number, tuple(place_at(parameter, u) for (_, parameter), u in zip(block, row, strict=True)))
        power = max(power, engine.num_generated.bit_length() - 1)


def _every_point(block: Block, number: int) -> Iterator[Point]:
    """All points of a block of choices and whole numbers."""
    if count(block) <= MOST_CANDIDATES:
        values = [finite_values(parameter) for _, parameter in block]
        for places in itertools.product(*(each if isinstance(each, range) else range(len(each)) for each in values)):
            yield Point(number, places)


def place_at(parameter: Parameter, u: float) -> float:
    """The number of a point on this axis, a share u of the way along it."""
    if isinstance(parameter, Choice):
        return min(int(u * len(parameter.values)), len(parameter.values) - 1)
    number: float = parameter.at(u) if isinstance(parameter, Range) else u
    return number


def _value(parameter: Parameter, at: float) -> Any:
    if isinstance(parameter, Choice):
        return parameter.values[int(at)]
    if isinstance(parameter, Range):
        return int(at) if parameter.is_whole else float(at)
    return parameter.at(at)


def _place(parameter: Parameter, current: dict[str, Any], name: str) -> float | None:
    """Where a value of now lies on a parameter, if it does."""
    if name not in current:
        return None
    value = current[name]
    if isinstance(parameter, Choice):
        keys = [value_key(each) for each in parameter.values]
        return keys.index(value_key(value)) if value_key(value) in keys else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    if isinstance(parameter, Distribution):
        quantile = float(parameter.frozen.cdf(value))
        return quantile if 0 < quantile < 1 else None
    if not parameter.low <= value <= parameter.high or (parameter.is_whole and value != int(value)):
        return None
    return int(value) if parameter.is_whole else float(value)
