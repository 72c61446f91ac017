"""The difference of two risks on the same splits: what it says, and the corrected t from its losses by split."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from foldwise.errors import BadInterval
from foldwise.stats.cross_validated import CORRECTED_T, CorrectedT, corrected_t_of_runs, t_probability_within
from foldwise.stats.estimate import Estimate, plain_number

LEARNERS = "the risk of the first learner minus that of the second, averaged over training sets of this size"


@dataclass(frozen=True, repr=False)
class Comparison(Estimate):
    """The risk of the first method minus that of the second; below 0 the first is better.

    `p` tests a difference of 0 by the statistic `t` on `df` degrees of freedom; `equivalence` is the probability
    that the difference is at most `rope` in size.

    `value`, `low`, `high`, `level`, `interval`, `target`, `train_rows`, `losses`, `fits`, `notes` and `details` are
    those of `Estimate`.
    `p`: of the test that the difference is 0.
    `se`, `t`, `df`: standard error, statistic and degrees of freedom.
    `equivalence`: the probability that the difference is at most `rope` in size.
    `rope`: a difference that does not matter.
    `names`: of the two methods.

    >>> Comparison(-0.02, -0.05, 0.01, 0.95, "corrected t", p=0.17, names=("ridge", "k-nn"))
    ridge minus k-nn: -0.0200 (-0.0500 to 0.0100, 95% corrected t), p = 0.17
    >>> Comparison(-0.02, -0.05, 0.01, 0.95, "corrected t", p=0.17, names=("ridge", "k-nn")).to_dict()["p"]
    0.17
    """

    p: float | None = None
    se: float | None = None
    t: float | None = None
    df: float | None = None
    equivalence: float | None = None
    rope: float | None = None
    names: tuple[str, str] = ("a", "b")

    def __repr__(self) -> str:
        words = f"{self.names[0]} minus {self.names[1]}: {self._numbers()}"
        if self.p is not None:
            words += f", p = {self.p:.2g}"
        if self.equivalence is not None:
            words += f", {self.equivalence:.2g} that the difference is within {self.rope:g}"
        return words

    def to_dict(self) -> dict[str, Any]:
        """The comparison in plain values for JSON; what cannot be given is None."""
        return {
            **super().to_dict(),
            "p": plain_number(self.p),
            "se": plain_number(self.se),
            "t": plain_number(self.t),
            "df": self.df,
            "equivalence": plain_number(self.equivalence),
            "rope": self.rope,
            "names": list(self.names),
        }


@dataclass(frozen=True, repr=False)
class Belief(Comparison):
    """A comparison as probabilities: of a difference below -rope, within rope, and above it.

    `value`, `low`, `high`, `level`, `interval`, `target`, `train_rows`, `losses`, `fits`, `notes`, `details`, `p`,
    `se`, `t`, `df`, `equivalence`, `rope` and `names` are those of `Comparison`.
    `p_left`, `p_rope`, `p_right`: the three probabilities.

    >>> import foldwise as fw
    >>> fw.comparisons.correlated_bayes([0.02, 0.01, 0.03, 0.02], 1 / 3, rope=0.01)
    a minus b: 0.0200 (0.0002 to 0.0398, 95% Bayesian correlated t): below -0.01 0.0086, within 0.095, above 0.9
    """

    p_left: float = 0.0
    p_rope: float = 0.0
    p_right: float = 0.0

    def __repr__(self) -> str:
        words = f"below -{self.rope:g} {self.p_left:.2g}, within {self.p_rope:.2g}, above {self.p_right:.2g}"
        return f"{self.names[0]} minus {self.names[1]}: {self._numbers()}: {words}"

    def to_dict(self) -> dict[str, Any]:
        """The comparison in plain values for JSON."""
        return {**super().to_dict(), "p_left": self.p_left, "p_rope": self.p_rope, "p_right": self.p_right}


def paired(differences: Any, test_train_ratio: float, level: float = 0.95) -> Comparison:
    """The corrected t of the split differences of two methods on the same splits, [split] or [run, split].

    Approximate: test rows / training rows stands for the correlation of splits (Nadeau and Bengio, 2003).
    Repeated runs, which bring no new rows, count as fewer than 8.

    `differences`: the mean loss of the first method less that of the second, split by split.
    `test_train_ratio`: test rows / training rows of a split; 1 / (K - 1) for K folds.
    `level`: the coverage that the interval is made for.

    >>> paired([0.02, 0.01, 0.03, 0.02], 1 / 3)
    a minus b: 0.0200 (0.0002 to 0.0398, 95% corrected t), p = 0.049
    """
    test = _varied(differences, test_train_ratio, level)
    losses = np.asarray(differences, np.float64).ravel()
    ends = test.low, test.high, level, CORRECTED_T.name
    return Comparison(test.value, *ends, LEARNERS, losses=losses, p=test.p, se=test.se, t=test.t, df=test.df)


def correlated_bayes(differences: Any, test_train_ratio: float, rope: float, level: float = 0.95) -> Belief:
    """The Bayesian correlated t: how probable it is that the difference matters, given what does not (`rope`).

    Numerically the interval of `paired`; the probabilities are what it adds (Benavoli, Corani et al., 2017).

    `differences`: the mean loss of the first method less that of the second, split by split.
    `test_train_ratio`: test rows / training rows of a split; 1 / (K - 1) for K folds.
    `rope`: a difference that does not matter.
    `level`: the coverage that the interval is made for.

    >>> found = correlated_bayes([0.02, 0.01, 0.03, 0.02], 1 / 3, rope=0.01)
    >>> round(found.p_right, 3)
    0.896
    """
    from scipy import special

    reach = checked_rope(rope)
    test = _varied(differences, test_train_ratio, level)
    within = t_probability_within(test.value, test.se, test.df, reach=reach)
    left = right = 0.0
    if test.se > 0:
        left = float(special.stdtr(test.df, (-reach - test.value) / test.se))
        right = float(special.stdtr(test.df, (test.value - reach) / test.se))
    return Belief(
        test.value,
        test.low,
        test.high,
        level,
        "Bayesian correlated t",
        LEARNERS,
        losses=np.asarray(differences, np.float64).ravel(),
        se=test.se,
        df=test.df,
        equivalence=within,
        rope=reach,
        p_left=left,
        p_rope=within,
        p_right=right,
    )


def _varied(differences: Any, test_train_ratio: float, level: float) -> CorrectedT:
    """The corrected t of differences that are not the same in all splits, unless that is 0."""
    test = corrected_t_of_runs(differences, test_train_ratio=test_train_ratio, level=level)
    if test.se == 0 and test.value != 0:
        raise BadInterval(
            f"all splits have the same difference of {test.value:g}, so their spread says nothing about it",
            "Use more splits, or compare on a test set",
        )
    return test


def checked_rope(rope: Any) -> float:
    """The largest difference that does not matter."""
    try:
        reach = float(rope)
    except (TypeError, ValueError):
        reach = math.nan
    if not 0 <= reach < math.inf:
        raise BadInterval(f"rope is the largest difference that does not matter, at least 0, not {rope!r}")
    return reach
