"""Several methods on several data sets: ranks within each, and every pair over the data sets that both have."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from foldwise.arrays import BoolArray, FloatArray
from foldwise.errors import BadInterval, nearest
from foldwise.formulas import multiple, ranks
from foldwise.formulas.checks import as_numbers, checked_level
from foldwise.formulas.ranks import Friedman, Nemenyi
from foldwise.formulas.signed_ranks import DRAWS, Places, sign_test, signed_rank, signed_rank_bayes
from foldwise.shown import table_html, words_html

SIGNED_RANK, SIGN = "signed-rank", "sign"


@dataclass(frozen=True)
class PairAcross:
    """Two methods over the data sets where both have a risk; differences are the first less the second.

    `better`, `equal` and `worse` count data sets from the first one's side. `difference` is the median of the
    differences as shares of the baseline's risk. `places` says where that of a new data set would lie, if a `rope`
    was given and so many data sets can show a difference at all.

    `names`: of the two.
    `data_sets`: where both have a risk.
    `left_out`: those where one has none.
    `better`, `equal`, `worse`: numbers of data sets.
    `test`: its name.
    `p`: of that test; `smallest_p`: the smallest that so few data sets can give; `p_holm`: adjusted for all pairs.
    `side`: -1 if the first is better, 1 if it is worse.
    `difference`: a median.
    `places`: probabilities.

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
    test: str | None = None
    p: float | None = None
    smallest_p: float | None = None
    p_holm: float | None = None
    side: int = 0  # -1: the test leans to the first as the better, 1: to the second
    difference: float | None = None
    places: Places | None = None

    def __repr__(self) -> str:
        words = f"{self.names[0]} minus {self.names[1]} over {len(self.data_sets)} data sets: better on {self.better}, "
        words += f"equal on {self.equal}, worse on {self.worse}"
        if self.difference is not None:
            words += f"; median difference {100 * self.difference:.3g}% of the baseline's risk"
        return words + (f"; {self.test} test p = {self.p:.2g}" if self.p is not None else "")

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
    `rope`, `control`: as given.

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
    rope: float | None
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
        order = sorted(
            zip(self.ranked, means, strict=False), key=lambda one: (one[1], self.mean_relative(one[0]) or 0.0)
        )
        return dict(order)

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
        for found in self.pairs:
            if found.names == (one, other):
                return found
            if found.names == (other, one):
                return _turned(found)
        raise BadInterval(f"{one!r} and {other!r} are not two of the methods", nearest(other, self.names))

    @property
    def smallest_friedman_p(self) -> float:
        """The smallest p that Friedman's test can have: all data sets agree on one of the orders."""
        return math.exp((1 - len(self.data_sets)) * math.lgamma(len(self.ranked) + 1)) if self.friedman else 1.0

    @property
    def not_told_apart(self) -> list[str]:
        """The best method and those that are not shown to be worse, by Holm."""
        best = self.best
        if best is None:
            return []
        others = [(name, self.pair(name, best)) for name in self.names if name != best]
        return [best, *(name for name, pair in others if not self._is_worse(pair))]

    def _is_worse(self, pair: PairAcross) -> bool:
        return pair.side > 0 and pair.p_holm is not None and pair.p_holm <= 1 - self.level


def across(
    risks: Any,
    names: Sequence[str],
    data_sets: Sequence[str],
    *,
    baseline: Any = None,
    losses: Sequence[str] | None = None,
    level: float = 0.95,
    rope: float | None = None,
    control: str | None = None,
    seed: int = 0,
    draws: int = DRAWS,
) -> Across:
    """Compare methods by risks[data set, method]; NaN where there is none. The data sets are the sample.

    Pairs are compared by Wilcoxon's signed-rank test of risks as shares of the `baseline` risks, or by the sign test
    where their data sets have different `losses` or no usable baseline. p is corrected by Holm over all pairs, as the
    best is picked by the same numbers, or over the pairs with a `control` that was named beforehand. With a `rope`, a
    difference that does not matter, each pair alone also gets the Bayesian signed-rank test.

    `risks`: [data set, method].
    `names`: of the methods.
    `data_sets`: their names.
    `baseline`: the baseline's risk on each data set.
    `losses`: the loss of each data set, where they differ.
    `level`: the coverage that the interval is made for.
    `rope`: a difference that does not matter, as a share of the baseline's risk.
    `control`: the method that the others are compared with.
    `seed`: names the random draws; the same seed gives the same answer.
    `draws`: of the Bayesian test.

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
    belief = partial(_belief, level=level, rope=rope, seed=seed, draws=draws)
    pairs = [
        _pair(
            _Risks(table[:, places], shares[:, places], kinds, data_sets), (names[places[0]], names[places[1]]), belief
        )
        for places in combinations(range(len(names)), 2)
    ]
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
        rope=rope,
        control=control,
    )


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


class _Risks(NamedTuple):
    """Risks of two methods: risks[data set, method], the same as shares of the baseline's, and their losses."""

    table: FloatArray
    shares: FloatArray
    losses: tuple[str, ...]
    data_sets: Sequence[str]


def _belief(differences: FloatArray, *, level: float, rope: float | None, seed: int, draws: int) -> Places | None:
    """The Bayesian test where a rope asks for it; never from fewer data sets than could show any difference."""
    if rope is None or not can_show(len(differences), level):
        return None
    return signed_rank_bayes(differences, rope=rope, seed=seed, draws=draws)


def can_show(data_sets: int, level: float) -> bool:
    """Could so many data sets show that two methods differ, if all of them agreed?"""
    return 2.0 ** (1 - data_sets) <= 1 - level


def _pair(risks: _Risks, names: tuple[str, str], belief: Callable[[FloatArray], Places | None]) -> PairAcross:
    both: BoolArray = np.isfinite(risks.table[:, 0]) & np.isfinite(risks.table[:, 1])
    differences = risks.table[both, 0] - risks.table[both, 1]
    found = PairAcross(
        names=names,
        data_sets=tuple(name for name, has in zip(risks.data_sets, both.tolist(), strict=True) if has),
        left_out=tuple(name for name, has in zip(risks.data_sets, both.tolist(), strict=True) if not has),
        better=int((differences < 0).sum()),
        equal=int((differences == 0).sum()),
        worse=int((differences > 0).sum()),
    )
    if not differences.size:
        return found
    relative = risks.shares[both, 0] - risks.shares[both, 1]
    if not np.isfinite(relative).all() or len({risks.losses[at] for at in np.flatnonzero(both)}) > 1:
        tested = sign_test(differences)
        return replace(found, test=SIGN, p=tested.p, smallest_p=tested.smallest_p, side=tested.side)
    tested = signed_rank(relative)
    return replace(
        found,
        test=SIGNED_RANK,
        p=tested.p,
        smallest_p=tested.smallest_p,
        side=tested.side,
        difference=float(np.median(relative)),
        places=belief(relative),
    )


def _holm(pairs: list[PairAcross], control: str | None) -> tuple[PairAcross, ...]:
    """Each pair of the family with its corrected p; pairs that cannot be tested are left out."""
    asked = [at for at, pair in enumerate(pairs) if pair.p is not None and (control is None or control in pair.names)]
    adjusted = multiple.holm([pairs[at].p for at in asked]).tolist()
    corrected = dict(zip(asked, adjusted, strict=True))
    return tuple(replace(pair, p_holm=corrected.get(at)) for at, pair in enumerate(pairs))


def _turned(pair: PairAcross) -> PairAcross:
    """The same pair seen from the other side."""
    return replace(
        pair,
        names=(pair.names[1], pair.names[0]),
        better=pair.worse,
        worse=pair.better,
        side=-pair.side,
        difference=None if pair.difference is None else -pair.difference,
        places=None if pair.places is None else Places(pair.places.p_right, pair.places.p_rope, pair.places.p_left),
    )


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
