"""Two methods or predictors, compared from arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from foldwise.errors import BadInterval
from foldwise.stats import auc as auc_formulas
from foldwise.stats import pairs as formulas
from foldwise.stats.comparison import Comparison
from foldwise.stats.cross_validated import CORRECTED_T, corrected_t_of_runs

LEARNERS = "the risk of the first learner minus that of the second, averaged over training sets of this size"
PREDICTORS = "the risk of this first predictor minus that of this second one"


@dataclass(frozen=True, repr=False)
class Belief(Comparison):
    """A comparison as probabilities: of a difference below -rope, within rope, and above it.

    `value`: the difference.
    `low`, `high`: the ends of its interval, or None where none is valid.
    `level`: the coverage that the interval is made for.
    `interval`: the name of the interval.
    `target`: which risk it is, in words.
    `train_rows`: how many rows the models were trained on.
    `losses`: those that it was computed from.
    `fits`: how many fits it rests on.
    `notes`: pairs of a code and a sentence.
    `details`: further results of the method.
    `p`: of the test that the difference is 0.
    `se`, `t`, `df`: standard error, statistic and degrees of freedom.
    `equivalence`: the probability that the difference is at most `rope` in size.
    `rope`: a difference that does not matter.
    `names`: of the two methods.
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
    found = formulas.varied(corrected_t_of_runs(differences, test_train_ratio=test_train_ratio, level=level))
    return Comparison(
        found.value,
        found.low,
        found.high,
        level,
        CORRECTED_T.name,
        LEARNERS,
        losses=np.asarray(differences, np.float64).ravel(),
        p=found.p,
        se=found.se,
        t=found.t,
        df=found.df,
    )


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
    found = formulas.correlated_bayes(differences, test_train_ratio=test_train_ratio, rope=rope, level=level)
    return Belief(
        found.value,
        found.low,
        found.high,
        level,
        "Bayesian correlated t",
        LEARNERS,
        losses=np.asarray(differences, np.float64).ravel(),
        se=found.se,
        df=found.df,
        equivalence=found.p_rope,
        rope=float(rope),
        p_left=found.p_left,
        p_rope=found.p_rope,
        p_right=found.p_right,
    )


def mcnemar(a: Any, b: Any, level: float = 0.95, *, rows: int | None = None, mid_p: bool = False) -> Comparison:
    """The exact test of two predictors on one test set under 0-1 loss (McNemar, 1947).

    `a` and `b` are their 0-1 losses row by row, or two numbers: rows only the first gets wrong, and only the second.
    The p is that of the exact test, and decides whether 0 lies in the interval, which is Tango's (1998) for the
    difference of the two error rates. Not for pooled cross-validation, whose models differ from fold to fold.

    `a`, `b`: two arrays, or two numbers.
    `level`: the coverage that the interval is made for.
    `rows`: how many rows there were, where `a` and `b` are numbers; without it the interval is about the rows where
    exactly one errs.
    `mid_p`: the less strict mid-p test.

    >>> round(mcnemar(10, 3).p, 4)
    0.0923
    """
    if np.ndim(a) == 0 and np.ndim(b) == 0:
        first, second = a, b
    else:
        first, second, rows = _discordant(a, b)
    found = formulas.mcnemar(first, second, rows=rows, level=level, mid_p=mid_p)
    among = "" if rows is not None else ", among the rows where exactly one errs"
    return Comparison(
        found.value,
        found.low,
        found.high,
        level,
        "Tango" if rows is not None else "Clopper-Pearson",
        PREDICTORS + among,
        p=found.mid_p if mid_p else found.p,
        details={"only_first": int(first), "only_second": int(second), **found._asdict(), "exact_p": found.p},
    )


def delong(target: Any, score_a: Any, score_b: Any, level: float = 0.95) -> Comparison:
    """The AUC of the first scores minus that of the second, on one test set (DeLong et al., 1988).

    Above 0 the first ranks better: an AUC is not a loss. The larger of the two labels is the positive class.

    `target`: the class of each row, of two.
    `score_a`, `score_b`: how sure the two predictors are of the positive class.
    `level`: the coverage that the interval is made for.

    >>> round(delong([1, 1, 0, 0, 1, 0], [9, 8, 3, 2, 4, 5], [1, 9, 3, 2, 4, 5]).value, 3)
    0.333
    """
    found = auc_formulas.delong(target, score_a, score_b, level=level)
    has_interval = not math.isnan(found.p)
    return Comparison(
        found.value,
        found.low if has_interval else None,
        found.high if has_interval else None,
        level,
        "DeLong" if has_interval else None,
        "the AUC of this first predictor minus that of this second one",
        notes=() if has_interval else (("interval", "neither ranking varies, which says nothing about other rows"),),
        p=found.p if has_interval else None,
        se=found.se,
        t=found.z if has_interval else None,
        details={
            "auc_a": found.auc_a,
            "auc_b": found.auc_b,
            "variance": found.se**2,
            "z": found.z if has_interval else None,
        },
    )


def _discordant(a: Any, b: Any) -> tuple[int, int, int]:
    """Rows that only the first, and only the second, gets wrong, and all rows."""
    first, second = np.asarray(a), np.asarray(b)
    if first.ndim != 1 or first.shape != second.shape:
        raise BadInterval(
            f"McNemar's test needs two lists of 0-1 losses on the same rows, not {first.size} and {second.size}"
        )
    for losses in (first, second):
        odd = np.flatnonzero((losses != 0) & (losses != 1))
        if odd.size:
            raise BadInterval(
                f"McNemar's test needs losses of 0 or 1, and row {int(odd[0])} has {losses[odd[0]]}",
                "For other losses use the paired differences with intervals.holdout_t",
            )
    return int(((first == 1) & (second == 0)).sum()), int(((first == 0) & (second == 1)).sum()), first.size
