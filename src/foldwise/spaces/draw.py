"""The shared low-discrepancy draw of candidates."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from foldwise.spaces.parameter import Choice, Distribution, Parameter
from foldwise.spaces.value import value_key

if TYPE_CHECKING:
    from scipy.stats import qmc

Candidate = dict[str, Any]
Block = tuple[tuple[str, Parameter], ...]

MOST_CANDIDATES = 1_000_000  # a longer grid would fill the memory before its first fit


def distinct(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The candidates without repetitions, each where it came first."""
    by_key: dict[Any, Candidate] = {}
    for candidate in candidates:
        by_key.setdefault(frozenset((name, value_key(value)) for name, value in candidate.items()), candidate)
    return list(by_key.values())


def shares(counts: list[float], n: int) -> list[int]:
    """n split over the blocks in proportion to min(values, n), by turns, never above a block's own number."""
    most = [min(count, n) for count in counts]
    parts = [0] * len(counts)
    for _ in range(int(min(n, sum(most)))):
        open_blocks = [i for i, count in enumerate(counts) if parts[i] < count]
        parts[min(open_blocks, key=lambda i: (parts[i] / most[i], -most[i], i))] += 1
    return parts


def count(block: Block) -> float:
    """How many candidates a draw from the block can give."""
    return math.prod(parameter.count() for _, parameter in block)


def draw_block(block: Block, n: int, seed: list[int]) -> list[Candidate]:
    """The first n distinct points of a scrambled Sobol sequence, mapped to the block's values."""
    if n == 0:
        return []
    if not block:
        return [{}]
    drawn: list[Candidate] = []
    # rounding to choices and integers repeats points, so ask for more until there are n
    least = (n - 1).bit_length()
    for power in range(least, least + 8):
        points = sobol_engine(len(block), seed).random_base2(power).tolist()
        before, drawn = (
            drawn,
            distinct(
                {name: parameter.at(u) for (name, parameter), u in zip(block, point, strict=True)} for point in points
            ),
        )
        if len(drawn) >= n or len(drawn) == len(before):
            break
    if len(drawn) < n and count(block) <= MOST_CANDIDATES:
        names = [name for name, _ in block]
        every = itertools.product(*(finite_values(parameter) for _, parameter in block))
        drawn = distinct([*drawn, *(dict(zip(names, values, strict=True)) for values in every)])
    return drawn[:n]


def finite_values(parameter: Parameter) -> Sequence[Any]:
    """All values of a choice or of a range of whole numbers."""
    if isinstance(parameter, Choice):
        return parameter.values
    assert not isinstance(parameter, Distribution)
    return range(int(parameter.low), int(parameter.high) + 1)


def sobol_engine(dimensions: int, seed: list[int]) -> qmc.Sobol:
    """A scrambled Sobol sequence; its generator is called `seed` before SciPy 1.15, with the same numbers."""
    from inspect import signature

    from scipy.stats import qmc

    keyword = "rng" if "rng" in signature(qmc.Sobol).parameters else "seed"
    generator: Any = {keyword: np.random.default_rng(seed)}
    return qmc.Sobol(d=dimensions, scramble=True, **generator)
