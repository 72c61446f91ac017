"""Several methods: all pairs on one data set, or ranks over several data sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadInterval
from foldwise.stats import multiple, ranks
from foldwise.stats.array_checks import as_numbers, has_no_spread
from foldwise.stats.comparison import Comparison
from foldwise.stats.cross_validated import CORRECTED_T, CorrectedT, corrected_t_of_runs
from foldwise.stats.ranks import Friedman, Nemenyi


@dataclass(frozen=True)
class Family:
    """All pairs of methods, compared simultaneously.

    `differences[name]` is the method less the best one, with its simultaneous interval and its p by Holm over all
    pairs; `not_told_apart` are the methods that may be the best one at this level, the best among them.

    `best`: the method with the smallest mean loss.
    `differences`: by method.
    `not_told_apart`: names of methods.
    `p`: [method, method], adjusted.
    `names`: of the methods.
    `level`: the coverage that the interval is made for.

    >>> import foldwise as fw
    >>> losses = [[0.1, 0.2, 0.1, 0.2], [0.8, 0.9, 0.8, 0.8]]
    >>> family = fw.comparisons.compare_all(losses, 1 / 3, names=["ridge", "tree"])
    >>> family.best, family.differences["tree"].p < 0.05
    ('ridge', True)
    """

    best: str
    differences: dict[str, Comparison]
    not_told_apart: tuple[str, ...]
    p: FloatArray
    names: tuple[str, ...]
    level: float


def compare_all(
    losses: Any, test_train_ratio: float, level: float = 0.95, *, names: Sequence[str] | None = None
) -> Family:
    """All pairs of methods from losses[method, split] or [method, run, split] on the same splits.

    The best is picked by the same losses, so each difference to it must hold among all pairs: corrected t intervals
    at the Bonferroni level, and p by Holm.

    `losses`: means of splits.
    `test_train_ratio`: test rows / training rows of a split; 1 / (K - 1) for K folds.
    `level`: the coverage that the interval is made for.
    `names`: of the methods (None: 0, 1, 2, ...).

    >>> family = compare_all([[0.1, 0.2, 0.1, 0.2], [0.1, 0.2, 0.2, 0.1], [0.8, 0.9, 0.8, 0.8]], 1 / 3)
    >>> family.best, family.not_told_apart
    ('0', ('0', '1'))
    """
    table, known = _checked(losses, names)
    pairs = list(combinations(range(len(table)), 2))
    each = multiple.shared_level(level, max(1, len(pairs)))
    raw = [_t(table[i], table[j], test_train_ratio, each).p for i, j in pairs]
    p = np.ones((len(table), len(table)))
    for (i, j), adjusted in zip(pairs, multiple.holm(raw).tolist(), strict=True):
        p[i, j] = p[j, i] = adjusted
    # exact sums, so that the first of equal methods is the best whatever the order of splits
    best = int(np.argmin([math.fsum(method.ravel()) for method in table]))
    name = f"{CORRECTED_T.name}, simultaneous over {len(pairs)} pairs"
    differences = {
        known[at]: _comparison(
            _t(table[at], table[best], test_train_ratio, each),
            p=float(p[at, best]),
            level=level,
            interval=name,
            names=(known[at], known[best]),
        )
        for at in range(len(table))
        if at != best
    }
    apart = {name for name, found in differences.items() if found.low is not None and found.low > 0}
    return Family(known[best], differences, tuple(name for name in known if name not in apart), p, known, level)


def holm(p_values: Any) -> FloatArray:
    """Adjusted p values in the order given, which control the family-wise error (Holm, 1979).

    `p_values`: those of all tests that were made.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    return multiple.holm(p_values)


def friedman(scores: Any) -> Friedman:
    """Do methods differ over data sets? From scores[data set, method]; rank 1 is the smallest (Demsar, 2006).

    Go by `exact_p`: `p` (chi squared) and `f_p` (Iman and Davenport) fail for few data sets.

    `scores`: losses or risks; lower is better.

    >>> round(friedman([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.1, 0.3, 0.2], [0.3, 0.4, 0.5]]).p, 3)
    0.039
    """
    return ranks.friedman(scores)


def nemenyi(scores: Any, level: float = 0.95) -> Nemenyi:
    """How far mean ranks must lie apart to be told apart, all pairs at once, and each pair's p.

    `scores`: [data set, method], losses or risks; lower is better.
    `level`: the coverage that the interval is made for.

    >>> round(nemenyi([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.1, 0.3, 0.2], [0.3, 0.4, 0.5]]).critical_difference, 3)
    1.657
    """
    return ranks.nemenyi(scores, level=level)


def _t(one: FloatArray, other: FloatArray, test_train_ratio: float, level: float) -> CorrectedT:
    """The corrected t; there is none where all splits have the same difference."""
    differences = one - other
    found = corrected_t_of_runs(differences, test_train_ratio=test_train_ratio, level=level)
    # rounding is that of the losses, which may be far larger than their differences
    is_silent = differences.any() and has_no_spread(
        differences.ravel(), size=float(max(np.abs(one).max(), np.abs(other).max()))
    )
    return found._replace(low=-math.inf, high=math.inf, se=0.0, t=math.nan, p=1.0) if is_silent else found


def _comparison(found: CorrectedT, *, p: float, level: float, interval: str, names: tuple[str, str]) -> Comparison:
    has_interval = math.isfinite(found.high)
    return Comparison(
        found.value,
        found.low if has_interval else None,
        found.high if has_interval else None,
        level,
        interval if has_interval else None,
        f"the risk of {names[0]} minus that of {names[1]}",
        notes=() if has_interval else (("interval", "all splits have the same difference"),),
        p=p,
        se=found.se,
        t=found.t if has_interval else None,
        df=found.df,
        names=names,
    )


def _checked(losses: Any, names: Sequence[str] | None) -> tuple[FloatArray, tuple[str, ...]]:
    table = as_numbers(losses, what="losses")
    table = table[:, None, :] if table.ndim == 2 else table
    if table.ndim != 3 or not len(table):
        raise BadInterval(f"methods are compared by an array of methods x splits, not one of shape {table.shape}")
    bad = np.flatnonzero(~np.isfinite(table).all(axis=(1, 2)))
    known = tuple(map(str, range(len(table)) if names is None else names))
    if len(known) != len(table) or len(set(known)) != len(known):
        raise BadInterval(f"{len(table)} methods need as many different names, not {list(known)}")
    if bad.size:
        raise BadInterval(f"method {known[bad[0]]} lacks a finite loss in some split", "Compare methods that have all")
    return table, known
