"""Which of several methods to take: how probable each is the best, and what it costs to be wrong."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.stats.array_checks import t_quantile
from foldwise.stats.comparison import Comparison
from foldwise.stats.decision import Choices, choices

CENTRAL = 0.999  # a p above it says nothing of the scale: the difference is next to 0
NO_INTERVAL = "two of the methods have no interval for their difference"


@dataclass(frozen=True, eq=False)
class Contest:
    """Estimated risks of some methods, and the standard error of each difference: se[method, method]."""

    risks: FloatArray
    se: FloatArray
    df: float

    def choices(self, *, margin: float | None, level: float) -> Choices:
        """Of each method, the probability to be the best and the regret of taking it."""
        return choices(self.risks, self.se, df=self.df, level=level, margin=margin)


def contest_of(risks: Sequence[float], pairs: Sequence[Comparison]) -> Contest | str:
    """The joint law that agrees with the printed interval of every pair (in the order of `combinations`).

    It has the fewest degrees of freedom of all pairs, infinitely many where every interval is normal or exact. A reason
    in words where some pair has no interval.
    """
    told = [pair for pair in pairs if not is_tie(pair)]
    if without := [pair for pair in told if pair.low is None]:
        return next((text for code, text in without[0].notes if code == "interval"), NO_INTERVAL)
    df = min(map(_df, told), default=math.inf)
    se = np.zeros((len(risks), len(risks)))
    se[np.triu_indices(len(risks), 1)] = [0.0 if is_tie(pair) else agreeing_se(pair, df) for pair in pairs]
    return Contest(np.asarray(risks, np.float64), se + se.T, df)


def agreeing_se(pair: Comparison, df: float) -> float:
    """The standard error at which a t of so many degrees of freedom is no surer of the sign than what is printed.

    That is the difference's own, where it has one of these degrees of freedom; else, and where exact tests are wider,
    the one whose interval reaches as far towards 0, or whose p is as large.

    >>> round(agreeing_se(Comparison(-1.0, -2.5, 0.0, 0.95, "Tango"), math.inf), 3)
    0.51
    """
    assert pair.low is not None
    assert pair.high is not None
    ends = [pair.value - pair.low] * (pair.value >= 0) + [pair.high - pair.value] * (pair.value <= 0)
    found = [max(ends) / t_quantile(pair.level, df)]
    if pair.se is not None and _df(pair) == df:
        found.append(pair.se)
    p = pair.details.get("mid_p", pair.p)  # McNemar's exact p of a few rows is larger than any law would have it
    if p is not None and p < CENTRAL:
        found.append(abs(pair.value) / t_quantile(1 - p, df))
    return max(found)


def is_tie(pair: Comparison) -> bool:
    """Two names of the same learner, or two methods with the same loss in every split."""
    return pair.value == 0 and pair.p == 1 and not pair.se and not pair.low and not pair.high


def _df(pair: Comparison) -> float:
    return math.inf if pair.df is None else pair.df
