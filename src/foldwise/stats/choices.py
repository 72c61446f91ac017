"""Does it matter which method is taken? Probabilities and regrets from the joint law of risks on the same splits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.stats.array_checks import ROUNDING, checked_level, t_quantile
from foldwise.stats.comparison import Comparison

SAME = 1e-9  # of the largest difference or standard error: risks this close are one risk
POINTS = 16384  # of a law
CENTRAL = 0.999  # a p above it says nothing of the scale: the difference is next to 0
NO_INTERVAL = "two of the methods have no interval for their difference"


class Choices(NamedTuple):
    """Of each method: the probability to be the best, and what it costs to take it instead of the best.

    `regret_high` is not exceeded with the probability asked for; `within` is the probability of a regret of at most
    the margin, None where no margin is given. A law of 1 degree of freedom has no mean, and so no `expected_regret`.
    """

    p_best: FloatArray
    expected_regret: FloatArray
    regret_high: FloatArray
    within: FloatArray | None


@dataclass(frozen=True, eq=False)
class Contest:
    """Estimated risks of some methods, and the standard error of each difference: se[method, method].

    The risks follow a multivariate t around their estimates with `df` degrees of freedom: of two methods it is the
    Bayesian correlated t of Benavoli, Corani, Demsar and Zaffalon (2017), whose prior is flat, so that p is calibrated
    for risks spread widely and too sure for equal ones (docs/decide.md). Standard errors that no joint law has are
    widened until one has them.

    >>> found = Contest(np.array([0.30, 0.32]), np.array([[0.0, 0.02], [0.02, 0.0]]), df=12).choices()
    >>> [round(float(p), 2) for p in found.p_best], round(float(found.expected_regret[0]), 4)
    ([0.83, 0.17], 0.0021)
    """

    risks: FloatArray
    se: FloatArray
    df: float

    def choices(self, *, margin: float | None = None, level: float = 0.95) -> Choices:
        """Of each method, the probability to be the best and the regret of taking it.

        Numbers are means over fixed points, good to about 0.002.
        """
        level = checked_level(level)
        order = np.argsort(self.risks, kind="stable")
        back = np.argsort(order, kind="stable")
        regrets = _regrets(self.risks[order], self.se[np.ix_(order, order)], self.df)[:, back]
        is_best = regrets <= SAME * max(float(np.ptp(self.risks)), float(self.se.max()))
        has_mean = self.df > 1 or not self.se.any()
        return Choices(
            (is_best / is_best.sum(-1, keepdims=True)).mean(0),
            regrets.mean(0) if has_mean else np.full(len(self.risks), math.nan),
            np.quantile(regrets, level, axis=0),
            None if margin is None else (regrets <= margin).mean(0),
        )


def contest_of(risks: Sequence[float], pairs: Sequence[Comparison]) -> Contest | str:
    """The joint law that agrees with the printed interval of every pair (in the order of `combinations`).

    It has the fewest degrees of freedom of all pairs, infinitely many where every interval is normal or exact. A reason
    in words where some pair has no interval.
    """
    different = [pair for pair in pairs if not is_tie(pair)]
    if without := [pair for pair in different if pair.low is None]:
        return next((text for code, text in without[0].notes if code == "interval"), NO_INTERVAL)
    df = min(map(_df, different), default=math.inf)
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
    errors = [max(ends) / t_quantile(pair.level, df)]
    if pair.se is not None and _df(pair) == df:
        errors.append(pair.se)
    p = pair.details.get("mid_p", pair.p)  # McNemar's exact p of a few rows is larger than any law would have it
    if p is not None and p < CENTRAL:
        errors.append(abs(pair.value) / t_quantile(1 - p, df))
    return max(errors)


def is_tie(pair: Comparison) -> bool:
    """Two names of the same learner, or two methods with the same loss in every split."""
    return pair.value == 0 and pair.p == 1 and not pair.se and not pair.low and not pair.high


def _df(pair: Comparison) -> float:
    return math.inf if pair.df is None else pair.df


def joint_root(se: FloatArray) -> FloatArray:
    """The symmetric root of the covariance of risks, less their mean, whose differences have these standard errors.

    Where no covariance has them all, the nearest that widens some of them: clipped eigenvalues add to every difference.

    >>> root = joint_root(np.array([[0.0, 2.0], [2.0, 0.0]]))
    >>> round(float(((root[0] - root[1]) ** 2).sum()), 12)
    4.0
    """
    squares = se**2
    centred = squares - squares.mean(0) - squares.mean(1)[:, None] + squares.mean()
    return root_of(-centred / 2)


def root_of(covariance: FloatArray) -> FloatArray:
    """The symmetric root of a covariance; what makes a table of numbers none is clipped."""
    eigenvalues, vectors = np.linalg.eigh(covariance)
    clipped = np.where(eigenvalues > ROUNDING * np.abs(eigenvalues).max(), eigenvalues, 0.0)
    return np.asarray((vectors * np.sqrt(clipped)) @ vectors.T)


def _regrets(values: FloatArray, se: FloatArray, df: float) -> FloatArray:
    """regret[draw, method] of taking a method instead of the best."""
    normals, scales = even_points(len(values) - 1, float(df))
    moves = (normals @ _contrasts(len(values)) @ joint_root(se)) * scales[:, None]
    risks = values + np.concatenate([moves, -moves])
    return np.asarray(risks - risks.min(-1, keepdims=True))


def _contrasts(methods: int) -> FloatArray:
    """Each method against the mean of those before it: orthonormal rows of sum 0."""
    table = np.tril(np.ones((methods, methods)), -1) - np.diag(np.arange(methods))
    return np.asarray(table[1:] / np.linalg.norm(table[1:], axis=1, keepdims=True))


@lru_cache(maxsize=8)
def even_points(dimensions: int, df: float) -> tuple[FloatArray, FloatArray]:
    """Standard normals[point, dimension], and the scale of each point that makes a t of `df` degrees of freedom.

    Multiples, modulo 1, of the inverse powers of the root of x^(d + 1) = x + 1 above 1 (Roberts, 2018: the golden
    ratio's kin in d dimensions), folded so that their ends meet.

    >>> normals, scales = even_points(2, 9.0)
    >>> normals.shape, [round(float(abs(value)), 2) for value in normals.std(0)], round(float((scales**2).mean()), 2)
    ((16384, 2), [1.0, 1.0], 1.29)
    """
    from scipy import special

    root = 2.0
    for _ in range(60):
        root = (1 + root) ** (1 / (dimensions + 2))
    steps = root ** -np.arange(1.0, dimensions + 2)
    even = np.mod(0.5 + np.arange(1, POINTS + 1)[:, None] * steps, 1.0)
    even = np.clip(np.abs(2 * even - 1), 1e-12, 1 - 1e-12)
    scales = np.ones(POINTS) if np.isinf(df) else np.sqrt(df / (2 * special.gammaincinv(df / 2, even[:, 0])))
    return np.asarray(special.ndtri(even[:, 1:])), np.asarray(scales)
