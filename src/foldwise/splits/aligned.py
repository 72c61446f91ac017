"""Inner folds that are unions of outer folds, so that outer loops share their fits (docs/schemes.md)."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from foldwise.arrays import IntArray
from foldwise.errors import BadSplits
from foldwise.splits.split import EAGER_ROWS, Rest, Split, Splits

ALIGNED = ("aligned", "lines", "pairs")
Block = tuple[int, ...]

# Projective planes as translates of a difference set; affine planes by the order of their field.
DIFFERENCE_SETS = {7: (0, 1, 3), 13: (0, 1, 3, 9), 21: (3, 6, 7, 12, 14), 31: (1, 5, 11, 24, 25, 27)}
AFFINE_ORDERS = {9: 3, 16: 4, 25: 5}
PLANES = tuple(sorted({*DIFFERENCE_SETS, *AFFINE_ORDERS}))


def plane(k: int) -> tuple[Block, ...]:
    """The lines of the fixed plane of k points: every two points are on exactly one of them.

    >>> plane(7)[:3]
    ((0, 1, 3), (1, 2, 4), (2, 3, 5))
    """
    if k in DIFFERENCE_SETS:
        return tuple(tuple(sorted((point + step) % k for point in DIFFERENCE_SETS[k])) for step in range(k))
    if k not in AFFINE_ORDERS:
        raise BadSplits(f"there is no plane of {k} points here", f"Planes have {_either(PLANES)} points")
    q = AFFINE_ORDERS[k]
    slopes = [(slope, shift) for slope in range(q) for shift in range(q)]
    sloped = [tuple(q * x + add(multiply(slope, x, q), shift, q) for x in range(q)) for slope, shift in slopes]
    upright = [tuple(q * x + y for y in range(q)) for x in range(q)]
    return tuple(sloped + upright)


def add(a: int, b: int, q: int) -> int:
    """The sum in the field of q elements."""
    return a ^ b if q == 4 else (a + b) % q


def multiply(a: int, b: int, q: int) -> int:
    """The product in the field of q elements; those of GF(4) are polynomials over GF(2) modulo x^2 + x + 1.

    >>> [multiply(2, b, 4) for b in range(4)]
    [0, 2, 3, 1]
    """
    if q != 4:
        return a * b % q
    product = (a if b & 1 else 0) ^ (a << 1 if b & 2 else 0)
    return product ^ 0b111 if product & 0b100 else product


def choose_scheme(word: str, outer: Splits) -> str:
    """ "lines" or "pairs" for these outer splits, or a refusal with its reason."""
    if not outer.is_partition:
        raise BadSplits(
            f"inner={word!r} needs outer folds that cut all rows into parts, each tested once, "
            f"and the outer splits are: {outer.scheme}",
            "Use an int for outer, or inner=5",
        )
    if outer.folds < 3:
        raise BadSplits(f"inner={word!r} needs at least 3 outer folds, not {outer.folds}", "Use inner=5, or more folds")
    if word == "lines" and outer.folds not in PLANES:
        raise BadSplits(
            f"inner='lines' needs {_either(PLANES)} outer folds, not {outer.folds}",
            "Use inner='pairs'",
        )
    return "lines" if word != "pairs" and outer.folds in PLANES else "pairs"


def align(word: str, outer: Splits) -> tuple[tuple[Splits, ...], Splits, str]:
    """Inner splits of each outer split, the final splits of all rows, and the scheme in words."""
    scheme = choose_scheme(word, outer)
    k = outer.folds
    blocks = plane(k) if scheme == "lines" else tuple(combinations(range(k), 2))
    inner: list[Splits] = []
    final: list[Split] = []
    for repeat in range(outer.repeats):
        folds = outer.splits[repeat * k : (repeat + 1) * k]
        table = _Blocks([split.test for split in folds], blocks)
        words = f"{sum(0 in block for block in blocks)} on {scheme}"
        inner += [Splits(table.inner(point), words, outer.kind, is_partition=True) for point in range(k)]
        final += table.final(repeat) if scheme == "lines" else folds
    if scheme == "pairs":
        return tuple(inner), outer, words
    return tuple(inner), Splits(tuple(final), f"{len(blocks)} lines of {k} folds", "lines", is_partition=False), words


class _Blocks:
    """The rows of one repeat, held out block by block; a block's training rows are one array, however often used."""

    def __init__(self, tests: list[IntArray], blocks: tuple[Block, ...]) -> None:
        self.tests, self.blocks = tests, blocks
        self.through: list[list[int]] = [[] for _ in tests]  # through[point]: numbers of the blocks it is on
        for number, block in enumerate(blocks):
            for point in block:
                self.through[point].append(number)
        rows = np.concatenate(tests)
        order = np.argsort(rows)
        self.rows = rows[order]
        self.fold = np.repeat(np.arange(len(tests)), [len(test) for test in tests])[order]
        self.is_eager = len(blocks) * len(rows) <= EAGER_ROWS
        self.trains = [self._outside(block) for block in blocks] if self.is_eager else []

    def inner(self, point: int) -> tuple[Split, ...]:
        """The blocks through a point in the order of their numbers, each tested on its other points."""
        return tuple(
            self._split(number, self._union([other for other in self.blocks[number] if other != point]), 0, fold)
            for fold, number in enumerate(self.through[point])
        )

    def final(self, repeat: int) -> list[Split]:
        return [self._split(n, self._union(list(block)), repeat, n) for n, block in enumerate(self.blocks)]

    def _split(self, number: int, test: IntArray, repeat: int, fold: int) -> Split:
        if self.is_eager:
            return Split(self.trains[number], test, repeat, fold)
        return Rest(self.rows, test, repeat, fold, held=self._union(list(self.blocks[number])))

    def _union(self, points: list[int]) -> IntArray:
        return self.tests[points[0]] if len(points) == 1 else np.sort(np.concatenate([self.tests[p] for p in points]))

    def _outside(self, block: Block) -> IntArray:
        keep = np.ones(len(self.tests), dtype=bool)
        keep[list(block)] = False
        return self.rows[keep[self.fold]]


def _either(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers[:-1])) + f" or {numbers[-1]}"
