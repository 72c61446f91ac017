"""Several methods: ranks and pairs over several data sets, and all pairs on one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadInterval, nearest
from foldwise.shown import table_html, words_html
from foldwise.stats import ranks
from foldwise.stats.array_checks import as_numbers, checked_level, has_no_spread
from foldwise.stats.comparison import Comparison
from foldwise.stats.cross_validated import CORRECTED_T, CorrectedT, corrected_t_of_runs
from foldwise.stats.multiple import holm, shared_level
from foldwise.stats.ranks import Friedman, Nemenyi


@dataclass(frozen=True)
class PairAcross:
    """Two methods over the data sets where both have a risk; differences are the first less the second.

    `better`, `equal` and `worse` count data sets from the first one's side. `difference` is the median of the
    differences as shares of the baseline's risk.

    `names`: of the two.
    `data_sets`: where both have a risk.
    `left_out`: those where one has none.
    `better`, `equal`, `worse`: numbers of data sets.
    `p`: of Friedman's test of the two; `p_holm`: adjusted for all pairs.
    `difference`: a median.

    >>> import foldwise as fw
    >>> found = fw.comparisons.across([[1, 2]] * 7, ["a", "b"], list("1234567"), baseline=[4] * 7)
    >>> pair = found.pair("a", "b")
    >>> pair.better, pair.worse, pair.difference, pair.p
    (7, 0, -0.25, 0.015625)
    """

    names: tuple[str, str]
    data_sets: tuple[str, ...]
    left_out: tuple[str, ...]
    better: int
    equal: int
    worse: int
    p: float | None = None
    p_holm: float | None = None
    difference: float | None = None

    def __repr__(self) -> str:
        words = f"{self.names[0]} minus {self.names[1]} over {len(self.data_sets)} data sets: better on {self.better}, "
        words += f"equal on {self.equal}, worse on {self.worse}"
        if self.difference is not None:
            words += f"; median difference {100 * self.difference:.3g}% of the baseline's risk"
        return words + (f"; Friedman's test p = {self.p:.2g}" if self.p is not None else "")

    def _repr_html_(self) -> str:
        return words_html(repr(self))


@dataclass(frozen=True)
class Across:
    """Several methods compared over several data sets; a method without a risk on one of them has no rank.

    `names`, `data_sets`: those compared.
    `ranked`: the methods with a risk on every data set.
    `ranks`: [data set, ranked method].
    `friedman`, `nemenyi`: what these tests found, or None for fewer than two data sets.
    `pairs`: the comparison of every two methods.
    `relative`: [data set, method], risks as shares of the baseline's.
    `losses`: of the data sets.
    `level`: the coverage that the interval is made for.
    `control`: as given.

    >>> import foldwise as fw
    >>> found = fw.comparisons.across([[1, 2, 3]] * 7, ["a", "b", "c"], list("1234567"), baseline=[4] * 7)
    >>> found.mean_ranks, found.mean_relative("a"), found.pair("a", "b").better
    ({'a': 1.0, 'b': 2.0, 'c': 3.0}, 0.25, 7)
    """

    names: tuple[str, ...]
    data_sets: tuple[str, ...]
    ranked: tuple[str, ...]
    ranks: FloatArray  # ranks[data set, ranked method]
    friedman: Friedman | None
    nemenyi: Nemenyi | None
    pairs: tuple[PairAcross, ...]
    relative: FloatArray  # relative[data set, method]: shares of the baseline's risk, NaN where there are none
    losses: tuple[str, ...]  # of the data sets
    level: float
    control: str | None

    def __repr__(self) -> str:
        ranks = ", ".join(f"{name} {rank:.3g}" for name, rank in self.mean_ranks.items())
        size = f"{len(self.names)} methods over {len(self.data_sets)} data sets"
        return f"{size}; mean ranks: {ranks}" if ranks else size

    def _repr_html_(self) -> str:
        ranks = self.mean_ranks
        table = table_html({"method": list(ranks), "mean rank": [f"{rank:.3g}" for rank in ranks.values()]})
        return words_html(f"{len(self.names)} methods over {len(self.data_sets)} data sets") + table

    @property
    def mean_ranks(self) -> dict[str, float]:
        """Mean rank of every ranked method, the best first; of equal ones the one with the smaller risks."""
        means = self.ranks.mean(axis=0).tolist() if self.ranked and self.data_sets else []
        ranked = dict(zip(self.ranked, means, strict=False))
        return dict(sorted(ranked.items(), key=lambda item: (item[1], self.mean_relative(item[0]) or 0.0)))

    @property
    def best(self) -> str | None:
        """The method with the smallest mean rank."""
        return next(iter(self.mean_ranks), None)

    @property
    def groups(self) -> list[list[str]]:
        """Largest runs of methods whose mean ranks lie within the critical difference."""
        return rank_groups(self.mean_ranks, self.nemenyi.critical_difference) if self.nemenyi else []

    def mean_relative(self, name: str) -> float | None:
        """Mean of the risks as shares of the baseline's; None if one is missing, or the losses differ.

        `name`: a method.
        """
        column = self.relative[:, self.names.index(name)]
        is_one_kind = len(set(self.losses)) == 1 and bool(np.isfinite(column).all())
        return float(column.mean()) if is_one_kind else None

    def pair(self, one: str, other: str) -> PairAcross:
        """The comparison of two methods, seen from the first.

        `one`, `other`: two methods.
        """
        for pair in self.pairs:
            if pair.names == (one, other):
                return pair
            if pair.names == (other, one):
                turned = None if pair.difference is None else -pair.difference
                return replace(pair, names=(one, other), better=pair.worse, worse=pair.better, difference=turned)
        raise BadInterval(f"{one!r} and {other!r} are not two of the methods", nearest(other, self.names))

    @property
    def smallest_friedman_p(self) -> float:
        """The smallest p that Friedman's test can have: all data sets agree on one of the orders."""
        return math.exp((1 - len(self.data_sets)) * math.lgamma(len(self.ranked) + 1)) if self.friedman else 1.0

    @property
    def not_told_apart(self) -> list[str]:
        """The best method and those that are not shown to be worse."""
        best = self.best
        if best is None:
            return []
        others = [(name, self.pair(name, best)) for name in self.names if name != best]
        return [best, *(name for name, pair in others if not self._is_worse(pair))]

    def _is_worse(self, pair: PairAcross) -> bool:
        return pair.worse > pair.better and pair.p_holm is not None and pair.p_holm <= 1 - self.level


def across(
    risks: Any,
    names: Sequence[str],
    data_sets: Sequence[str],
    *,
    baseline: Any = None,
    losses: Sequence[str] | None = None,
    level: float = 0.95,
    control: str | None = None,
) -> Across:
    """Compare methods by risks[data set, method]; NaN where there is none. The data sets are the sample.

    Pairs are compared by Friedman's exact test of their two methods: how often each is better. p is corrected by Holm
    over all pairs, as the best is picked by the same numbers, or over those with a `control` that was named beforehand.

    `risks`: [data set, method].
    `names`: of the methods.
    `data_sets`: their names.
    `baseline`: the baseline's risk on each data set.
    `losses`: the loss of each data set, where they differ.
    `level`: the coverage that the interval is made for.
    `control`: the method that the others are compared with.

    >>> found = across([[1, 2, 3]] * 7, ["a", "b", "c"], list("1234567"), baseline=[4] * 7)
    >>> found.best, found.not_told_apart, found.pair("a", "c").p_holm
    ('a', ['a'], 0.046875)
    """
    table, level = _checked(risks, names, data_sets), checked_level(level)
    if control is not None and control not in names:
        raise BadInterval(f"there is no method {control!r} to be the control", nearest(control, names))
    shares, kinds = _shares(table, baseline), tuple(losses or [""] * len(table))
    is_whole = [bool(len(table)) and bool(np.isfinite(column).all()) for column in table.T]
    whole = table[:, is_whole]
    can_test = whole.shape[0] >= 2 and whole.shape[1] >= 2
    pairs = []
    for i, j in combinations(range(len(names)), 2):
        both = np.isfinite(table[:, i]) & np.isfinite(table[:, j])
        differences, relative = table[both, i] - table[both, j], shares[both, i] - shares[both, j]
        is_one_kind = both.any() and np.isfinite(relative).all() and len(set(np.array(kinds)[both].tolist())) == 1
        pairs.append(
            PairAcross(
                names=(names[i], names[j]),
                data_sets=tuple(name for name, has in zip(data_sets, both.tolist(), strict=True) if has),
                left_out=tuple(name for name, has in zip(data_sets, both.tolist(), strict=True) if not has),
                better=int((differences < 0).sum()),
                equal=int((differences == 0).sum()),
                worse=int((differences > 0).sum()),
                p=ranks.friedman(table[both][:, [i, j]]).exact_p if both.sum() > 1 else 1.0 if both.any() else None,
                difference=float(np.median(relative)) if is_one_kind else None,
            )
        )
    return Across(
        names=tuple(names),
        data_sets=tuple(data_sets),
        ranked=tuple(name for name, is_ranked in zip(names, is_whole, strict=True) if is_ranked),
        ranks=_ranks(whole),
        friedman=ranks.friedman(whole) if can_test else None,
        nemenyi=ranks.nemenyi(whole, level=level) if can_test else None,
        pairs=_holm(pairs, control),
        relative=shares,
        losses=kinds,
        level=level,
        control=control,
    )


def _holm(pairs: list[PairAcross], control: str | None) -> tuple[PairAcross, ...]:
    """Each pair of the family with its corrected p; pairs that cannot be tested are left out."""
    tested = [at for at, pair in enumerate(pairs) if pair.p is not None and (control is None or control in pair.names)]
    adjusted = holm([pairs[at].p for at in tested]).tolist()
    corrected = dict(zip(tested, adjusted, strict=True))
    return tuple(replace(pair, p_holm=corrected.get(at)) for at, pair in enumerate(pairs))


def rank_groups(mean_ranks: dict[str, float], reach: float) -> list[list[str]]:
    """Largest runs of two or more methods, in order of rank, that span at most `reach`.

    >>> rank_groups({"a": 1.0, "b": 1.5, "c": 2.2, "d": 4.0}, 1.0)
    [['a', 'b'], ['b', 'c']]
    """
    ordered = sorted(mean_ranks, key=lambda name: mean_ranks[name])
    runs: list[list[str]] = []
    last = 0  # where the run before ended
    for at, name in enumerate(ordered):
        end = at + sum(mean_ranks[other] - mean_ranks[name] <= reach for other in ordered[at:])
        if end - at >= 2 and end > last:
            runs.append(ordered[at:end])
        last = max(last, end)
    return runs


def _shares(table: FloatArray, baseline: Any) -> FloatArray:
    """Risks as shares of the baseline's, NaN where that has no risk above 0."""
    if baseline is None:
        return np.full(table.shape, math.nan)
    under = as_numbers(baseline, what="risks of the baseline").reshape(-1, 1)
    if len(under) != len(table):
        raise BadInterval(f"there are {len(table)} data sets and {len(under)} risks of the baseline")
    usable = np.where(np.isfinite(under) & (under > 0), under, math.nan)
    return np.asarray(table / usable, np.float64)


def _ranks(whole: FloatArray) -> FloatArray:
    from scipy import stats

    return np.asarray(stats.rankdata(whole, axis=1), np.float64) if whole.size else np.zeros(whole.shape)


def _checked(risks: Any, names: Sequence[str], data_sets: Sequence[str]) -> FloatArray:
    table = as_numbers(risks, what="risks").reshape(len(data_sets), -1) if len(data_sets) else np.zeros((0, len(names)))
    if table.shape != (len(data_sets), len(names)):
        raise BadInterval(f"{len(data_sets)} data sets and {len(names)} methods need as many risks, not {table.shape}")
    if len(set(names)) != len(names) or len(set(data_sets)) != len(data_sets):
        raise BadInterval("two methods or two data sets have the same name", "Give each a name of its own")
    return np.where(np.isfinite(table), table, math.nan)


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
    table, names = _checked_losses(losses, names)
    pairs = list(combinations(range(len(table)), 2))
    each = shared_level(level, max(1, len(pairs)))
    raw = [_t(table[i], table[j], test_train_ratio, each).p for i, j in pairs]
    p = np.ones((len(table), len(table)))
    for (i, j), adjusted in zip(pairs, holm(raw).tolist(), strict=True):
        p[i, j] = p[j, i] = adjusted
    # exact sums, so that the first of equal methods is the best whatever the order of splits
    best = int(np.argmin([math.fsum(method.ravel()) for method in table]))
    differences = {}
    for method in (method for method in range(len(table)) if method != best):
        tested = _t(table[method], table[best], test_train_ratio, each)
        is_silent = not math.isfinite(tested.high)
        differences[names[method]] = Comparison(
            tested.value,
            None if is_silent else tested.low,
            None if is_silent else tested.high,
            level,
            None if is_silent else f"{CORRECTED_T.name}, simultaneous over {len(pairs)} pairs",
            f"the risk of {names[method]} minus that of {names[best]}",
            notes=(("interval", "all splits have the same difference"),) if is_silent else (),
            p=float(p[method, best]),
            se=tested.se,
            t=None if is_silent else tested.t,
            df=tested.df,
            names=(names[method], names[best]),
        )
    worse = {name for name, found in differences.items() if found.low is not None and found.low > 0}
    return Family(names[best], differences, tuple(name for name in names if name not in worse), p, names, level)


def _t(first: FloatArray, second: FloatArray, test_train_ratio: float, level: float) -> CorrectedT:
    """The corrected t, with endless ends where all splits have the same difference."""
    differences = first - second
    tested = corrected_t_of_runs(differences, test_train_ratio=test_train_ratio, level=level)
    # rounding is that of the losses, which may be far larger than their differences
    size = float(max(np.abs(first).max(), np.abs(second).max()))
    if not differences.any() or not has_no_spread(differences.ravel(), size=size):
        return tested
    return tested._replace(low=-math.inf, high=math.inf, se=0.0, t=math.nan, p=1.0)


def _checked_losses(losses: Any, names: Sequence[str] | None) -> tuple[FloatArray, tuple[str, ...]]:
    table = as_numbers(losses, what="losses")
    table = table[:, None, :] if table.ndim == 2 else table
    if table.ndim != 3 or not len(table):
        raise BadInterval(f"methods are compared by an array of methods x splits, not one of shape {table.shape}")
    names = tuple(map(str, range(len(table)) if names is None else names))
    if len(names) != len(table) or len(set(names)) != len(names):
        raise BadInterval(f"{len(table)} methods need as many different names, not {list(names)}")
    is_bad = ~np.isfinite(table).all(axis=(1, 2))
    if is_bad.any():
        name = names[int(is_bad.argmax())]
        raise BadInterval(f"method {name} lacks a finite loss in some split", "Compare methods that have all")
    return table, names
