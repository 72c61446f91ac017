"""The shared low-discrepancy draw of candidates."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.spaces.parameter import Choice, Distribution, Parameter
from foldwise.spaces.value import value_key

if TYPE_CHECKING:
    from scipy.stats import qmc

Candidate = dict[str, Any]
Block = tuple[tuple[str, Parameter], ...]

MOST_CANDIDATES = 1_000_000  # a longer grid would fill the memory before its first fit


def distinct(candidates: Iterator[Candidate]) -> list[Candidate]:
    """The candidates without repetitions, each where it came first."""
    found: dict[Any, Candidate] = {}
    for candidate in candidates:
        found.setdefault(_candidate_key(candidate), candidate)
    return list(found.values())


def _candidate_key(candidate: Candidate) -> Any:
    return frozenset((name, value_key(value)) for name, value in candidate.items())


def shares(counts: list[float], n: int) -> list[int]:
    """n split over the blocks in proportion to min(values, n), by turns, never above a block's own number."""
    wanted = [min(most, n) for most in counts]
    parts = [0] * len(counts)
    for _ in range(int(min(n, sum(wanted)))):
        open_blocks = [i for i, most in enumerate(counts) if parts[i] < most]
        parts[min(open_blocks, key=lambda i: (parts[i] / wanted[i], -wanted[i], i))] += 1
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
    found: list[Candidate] = []
    # rounding to choices and integers repeats points, so ask for more until there are n
    least = (n - 1).bit_length()
    for power in range(least, least + 8):
        before, found = found, distinct(_at(block, point) for point in _sobol(len(block), power, seed))
        if len(found) >= n or len(found) == len(before):
            break
    if len(found) < n and count(block) <= MOST_CANDIDATES:
        found = distinct(itertools.chain(found, _every(block)))
    return found[:n]


def _at(block: Block, point: Any) -> Candidate:
    return {name: parameter.at(float(u)) for (name, parameter), u in zip(block, point, strict=True)}


def _every(block: Block) -> Iterator[Candidate]:
    """All values of a block of choices and whole numbers."""
    names = [name for name, _ in block]
    for values in itertools.product(*(_values(parameter) for _, parameter in block)):
        yield dict(zip(names, values, strict=True))


def _values(parameter: Parameter) -> Sequence[Any]:
    if isinstance(parameter, Choice):
        return parameter.values
    assert not isinstance(parameter, Distribution)
    return range(int(parameter.low), int(parameter.high) + 1)


def _sobol(dimensions: int, power: int, seed: list[int]) -> FloatArray:
    return sobol_engine(dimensions, seed).random_base2(power)


def sobol_engine(dimensions: int, seed: list[int]) -> qmc.Sobol:
    """A scrambled Sobol sequence; its generator is called `seed` before SciPy 1.15, with the same numbers."""
    from inspect import signature

    from scipy.stats import qmc

    word = "rng" if "rng" in signature(qmc.Sobol).parameters else "seed"
    generator: Any = {word: np.random.default_rng(seed)}
    return qmc.Sobol(d=dimensions, scramble=True, **generator)
