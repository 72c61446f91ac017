"""Inner scores over every two tuned parameters, in cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.blocks.numbers import candidate_words, number
from foldwise.questions.validation import Scored
from foldwise.studies.plain import plain_candidate
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method

MOST_VALUES = 10  # of a parameter that have a line of cells each; more numbers are put into bins
BINS = 8
MOST_PAIRS = 6
FEWEST_FILLED = 0.4  # share of the cells that must be filled: parameters that were hardly crossed make no map
LOG_RATIO = 50


def heat_maps(reading: Reading, method: Method) -> list[dict[str, Any]]:
    """One map for every two parameters, those that matter most first: the smallest mean inner score in each cell."""
    if method.inner is None:
        return []
    candidates = [plain_candidate(candidate) for candidate in method.candidates[: method.listed]]
    scored = Scored(reading, method)
    names = list(dict.fromkeys(name for candidate in candidates for name in candidate))
    axes = {name: axis for name in names if len((axis := _Axis(name, candidates)).words) > 1}
    if len(axes) < 2:
        return []
    weight = {name: _reach(axis, scored.means) for name, axis in axes.items()}
    pairs = sorted(combinations(axes, 2), key=lambda pair: -(weight[pair[0]] + weight[pair[1]]))
    maps = [_map(axes[one], axes[other], scored) for one, other in pairs[:MOST_PAIRS]]
    return [found for found in maps if found is not None]


class _Axis:
    """The values of one parameter in order, and the place of every candidate among them; -1 where it has none."""

    def __init__(self, name: str, candidates: Sequence[dict[str, Any]]) -> None:
        self.name = name
        values = {repr(one[name]): one[name] for one in candidates if name in one}
        numbers = list(values.values())
        self.is_ordered = all(isinstance(v, int | float) and not isinstance(v, bool) for v in numbers)
        if self.is_ordered and len(numbers) > MOST_VALUES:
            self._bin(candidates)
            return
        ordered = sorted(numbers) if self.is_ordered else numbers[:MOST_VALUES]
        places = {repr(value): at for at, value in enumerate(ordered)}
        self.words = [candidate_words({"": value})[1:] for value in ordered]
        self.places = [places.get(repr(one[name]), -1) if name in one else -1 for one in candidates]

    def _bin(self, candidates: Sequence[dict[str, Any]]) -> None:
        known = [float(one[self.name]) for one in candidates if self.name in one]
        low, high = min(known), max(known)
        is_log = low > 0 and high / low > LOG_RATIO
        edges = np.geomspace(low, high, BINS + 1) if is_log else np.linspace(low, high, BINS + 1)
        middles = np.sqrt(edges[1:] * edges[:-1]) if is_log else (edges[1:] + edges[:-1]) / 2
        self.words = [number(float(middle), digits=2) for middle in middles]
        self.places = [_bin_of(edges, float(one[self.name])) if self.name in one else -1 for one in candidates]


def _bin_of(edges: FloatArray, value: float) -> int:
    return int(np.clip(np.searchsorted(edges, value, side="right") - 1, 0, BINS - 1))


def _reach(axis: _Axis, means: FloatArray) -> float:
    """How far the best scores of its values lie apart; scores without end are left out."""
    best: dict[int, float] = {}
    for place, mean in zip(axis.places, means, strict=True):
        if place >= 0 and math.isfinite(mean):
            best[place] = min(best.get(place, math.inf), float(mean))
    return max(best.values()) - min(best.values()) if best else 0.0


def _map(one: _Axis, other: _Axis, scored: Scored) -> dict[str, Any] | None:
    cells: dict[tuple[int, int], float] = {}
    final = None
    for at, (i, j) in enumerate(zip(one.places, other.places, strict=True)):
        if i < 0 or j < 0 or not math.isfinite(scored.means[at]):
            continue
        cells[i, j] = min(cells.get((i, j), math.inf), float(scored.means[at]))
        final = [i, j] if at == scored.final else final
    if len(cells) < max(4, FEWEST_FILLED * len(one.words) * len(other.words)):
        return None
    best = min(cells, key=lambda cell: cells[cell])
    return {
        "parameters": [one.name, other.name],
        "values": [one.words, other.words],
        "cells": [[i, j, score] for (i, j), score in sorted(cells.items())],
        "best": list(best),
        "final": final,
    }
