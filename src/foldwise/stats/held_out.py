"""Intervals for the risk of one predictor from its losses on rows it has not seen: formulas, and their rows.

They hold for independent rows and a predictor that was not refitted on them afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadInterval
from foldwise.stats.array_checks import (
    checked_bounded,
    checked_count,
    checked_level,
    checked_losses,
    fold_codes,
    has_no_spread,
    mean_within,
    t_quantile,
)
from foldwise.stats.evidence import Evidence
from foldwise.stats.interval_method import NONE_VALID, Ends, IntervalMethod, Note, ends_around

FEW_ROWS, HEAVY_SHARE = 50, 0.1  # test rows, and the share of one row in the sum, that the t interval is short for
ONE = ("one test set",)
INDEPENDENT = "independent test rows that chose nothing"
EVERY_SIZE = f"{INDEPENDENT}; holds for every number of them"


def hoeffding(losses: Any, bounds: tuple[float, float] | None = (0, 1), level: float = 0.95) -> Ends:
    """The textbook interval for losses in known bounds on rows the predictor has not seen.

    Mean -+ (high - low) sqrt(ln(2 / alpha) / 2n): holds for every number of independent rows; wide, as it is blind to
    the variance (Hoeffding, 1963).

    `losses`: one per row that the predictor has not seen.
    `bounds`: the smallest and the largest possible loss.
    `level`: the coverage that the interval is made for.

    >>> found = hoeffding([0.1, 0.3, 0.2, 0.4] * 25)
    >>> round(found.low, 3), round(found.high, 3)
    (0.114, 0.386)
    """
    losses, low, high = checked_bounded(losses, bounds, method="Hoeffding's interval")
    alpha = 1 - checked_level(level)
    return ends_around(float(losses.mean()), (high - low) * math.sqrt(math.log(2 / alpha) / (2 * len(losses))))


def clopper_pearson(failures: int, rows: int, level: float = 0.95) -> Ends:
    """The exact interval of a share of wrong answers on rows the predictor has not seen (0-1 loss).

    Never covers less than its level on independent rows (Clopper and Pearson, 1934).

    `failures`: how many rows were answered wrongly.
    `rows`: how many rows there were.
    `level`: the coverage that the interval is made for.

    >>> round(clopper_pearson(0, 20).high, 4)
    0.1684
    """
    n, k = checked_count("rows", rows), checked_count("failures", failures, at_least=0)
    if k > n:
        raise BadInterval(f"{k} failures cannot be among {n} rows")
    return exact_share(k / n, n, level=level)._replace(details={"failures": k, "rows": n})


def exact_share(share: float, units: float, *, level: float) -> Ends:
    """The interval of Clopper and Pearson where neither errors nor units need to be whole numbers.

    Errors averaged over repeats, and units of unequal weight, are not; between whole numbers the ends rise steadily.

    >>> round(exact_share(0.0, 20, level=0.95).high, 4)
    0.1684
    """
    from scipy import special

    errors, half = share * units, (1 - checked_level(level)) / 2
    low = float(special.betaincinv(errors, units - errors + 1, half)) if errors > 0 else 0.0
    high = float(special.betainccinv(errors + 1, units - errors, half)) if share < 1 else 1.0
    return Ends(low, high, share)


def betting(losses: Any, bounds: tuple[float, float] | None = (0, 1), level: float = 0.95, *, cap: str = "one") -> Ends:
    """The betting interval for losses in known bounds: holds for every number of rows, and short.

    The means that no gambler betting against them could have grown rich on (Waudby-Smith and Ramdas, 2024): the hedged
    capital max(K+, K-) / 2, K+- = prod(1 +- lambda_i (loss_i - m)), exceeds 1 / alpha for the true mean with
    probability at most alpha. The bets lambda_i look only at earlier rows. So rows are taken in the order given, and
    that order must be fixed before the losses are seen.

    `losses`: one per row that the predictor has not seen.
    `bounds`: the smallest and the largest possible loss.
    `level`: the coverage that the interval is made for.
    `cap`: how bold the bets may be; "one", or "paper" as published: at most 1 / 2m upwards and 1 / 2(1 - m) downwards.

    >>> found = betting([0.1, 0.3, 0.2, 0.4] * 25)
    >>> round(found.low, 3), round(found.high, 3)
    (0.207, 0.294)
    """
    losses, low, high = checked_bounded(losses, bounds, method="the betting interval")
    if cap not in ("one", "paper"):
        raise BadInterval(f"bets are capped at 'one' or by the 'paper', not by {cap!r}")
    alpha, x = 1 - checked_level(level), (losses - low) / (high - low)
    bets = _bets(x, alpha)
    # a bet that losses are smaller is one that 1 - losses are larger
    least, most = _ruled_out_below(x, bets, alpha, cap), 1 - _ruled_out_below(1 - x, bets, alpha, cap)
    return Ends(low + (high - low) * least, low + (high - low) * most, float(losses.mean()))


def empirical_bernstein(losses: Any, bounds: tuple[float, float] | None = (0, 1), level: float = 0.95) -> Ends:
    """Like Hoeffding's with the observed variance: short from hundreds of rows on (Maurer and Pontil, 2009).

    `losses`: one per row that the predictor has not seen.
    `bounds`: the smallest and the largest possible loss.
    `level`: the coverage that the interval is made for.

    >>> found = empirical_bernstein([0.1, 0.3, 0.2, 0.4] * 250)
    >>> round(found.low, 3), round(found.high, 3)
    (0.229, 0.271)
    """
    losses, low, high = checked_bounded(losses, bounds, method="the empirical Bernstein interval", at_least=2)
    n, log = len(losses), math.log(4 / (1 - checked_level(level)))
    reach = math.sqrt(2 * losses.var(ddof=1) * log / n) + (high - low) * 7 * log / (3 * (n - 1))
    return ends_around(float(losses.mean()), reach)


def holdout_t(losses: Any, level: float = 0.95, *, groups: Any = None) -> Ends:
    """Student's t interval on rows the predictor has not seen: for unbounded losses, approximate.

    Short for few rows, and where one loss outweighs the others: notes say so. With `groups` the group is the unit: the
    residuals of a group are summed before they are squared, on groups - 1 degrees of freedom.

    `losses`: one per row that the predictor has not seen.
    `level`: the coverage that the interval is made for.
    `groups`: the group of each row, if rows hang together.

    >>> found = holdout_t([1.0, 3.0, 2.0, 4.0] * 25)
    >>> round(found.low, 2), round(found.high, 2)
    (2.28, 2.72)
    """
    losses = checked_losses(losses, method="the t interval")
    level, value = checked_level(level), mean_within(losses)
    rows = units = len(losses)
    residuals, means = losses - value, losses
    if groups is not None:
        codes, units = fold_codes(groups, rows=rows)
        if units < 2:
            raise BadInterval("the t interval needs at least 2 groups, not 1", "Test on more groups")
        residuals = np.bincount(codes, weights=residuals)
        means = residuals / np.bincount(codes)
    sizes = np.abs(losses)
    se = math.sqrt(residuals @ residuals * units / (units - 1)) / rows
    se = 0.0 if has_no_spread(means, size=float(sizes.max())) else se
    share, notes = float(sizes.max() / sizes.sum()) if sizes.any() else 0.0, list[Note]()
    if units < FEW_ROWS or share > max(HEAVY_SHARE, 3 / rows):  # of few equal losses each is a large part
        what = "rows" if groups is None else "groups"
        text = f"{units} test {what}, the largest loss {share:.0%} of the sum: the t interval may be short"
        notes = [("tail", text)]
    ends = ends_around(value, t_quantile(level, units - 1) * se, se=se, df=units - 1)
    return ends._replace(notes=notes)


def _ruled_out_below(x: FloatArray, bets: FloatArray, alpha: float, cap: str) -> float:
    """The smallest mean that the bets on larger values do not rule out."""
    from scipy import optimize

    goal = math.log(2 / alpha)

    def wealth(m: float) -> float:
        # falls as m grows, because each bet does
        most = 1.0 if cap == "one" else 0.5 / m
        return float(np.log1p(np.minimum(bets, most) * (x - m)).sum()) - goal

    nothing = 1e-15
    if wealth(nothing) <= 0:
        return 0.0
    # against a mean of 1 no bet on larger values wins
    return float(optimize.brentq(wealth, nothing, 1 - nothing, xtol=1e-15, rtol=1e-14))


def _bets(x: FloatArray, alpha: float) -> FloatArray:
    """The bet of each row: sqrt(2 ln(2 / alpha) / (n variance of the rows before))."""
    so_far = np.arange(1, x.size + 1)
    mean = (0.5 + np.cumsum(x)) / (so_far + 1)
    variance = (0.25 + np.cumsum((x - mean) ** 2)) / (so_far + 1)
    variance_before = np.append(0.25, variance[:-1])
    return np.sqrt(2 * math.log(2 / alpha) / (x.size * variance_before))


def no_row_losses(evidence: Evidence) -> str | None:
    """Why there is no single test set with a loss for every row."""
    if evidence.scheme != "one test set":
        many = f"it is for one test set, and there are {len(evidence.fold_losses)} splits"
        return many if len(evidence.fold_losses) > 1 else NONE_VALID[evidence.scheme]
    if evidence.row_losses is None:
        return f"{evidence.loss.name} is a measure of the whole test set and has no loss per row"
    if evidence.is_weighted:
        return "rows have weights, which no interval for one test set allows for"
    return None


def _not_independent(evidence: Evidence) -> str | None:
    reason = no_row_losses(evidence)
    if reason is None and evidence.groups is not None:
        return "rows of a group are not independent: the group is the unit"
    return reason


def _not_zero_one(evidence: Evidence) -> str | None:
    reason = _not_independent(evidence)
    if reason is None and not evidence.is_zero_one:
        return f"it is for the 0-1 loss, not {evidence.loss.name}"
    return reason


def _not_bounded(evidence: Evidence) -> str | None:
    if reason := _not_independent(evidence):
        return reason
    if evidence.loss.bounds is None:
        return f"it needs a loss with a stated range, and {evidence.loss.name} has none"
    losses, (low, high) = _losses(evidence), evidence.loss.bounds
    if losses.min() < low or losses.max() > high:
        return f"losses from {losses.min():g} to {losses.max():g} leave the stated range"
    return None


def _not_bounded_or_one_row(evidence: Evidence) -> str | None:
    reason = _not_bounded(evidence)
    return "one test row has no spread" if reason is None and len(evidence.test_rows[0]) < 2 else reason


def _no_spread(evidence: Evidence) -> str | None:
    if reason := no_row_losses(evidence):
        return reason
    if len(_losses(evidence)) < 2:
        return "one test row has no spread"
    if np.ptp(_losses(evidence)) == 0 and not evidence.is_zero_one:
        return "all test rows have the same loss, so their spread says nothing about the risk"
    if evidence.groups is not None and len(np.unique(evidence.groups[evidence.test_rows[0]])) < 2:
        return "the test rows are of one group, and the group is the unit"
    return None


def _losses(evidence: Evidence) -> FloatArray:
    assert evidence.row_losses is not None
    return evidence.row_losses[0]


def _ordered(evidence: Evidence) -> FloatArray:
    """Test losses in an order that the seed fixed before they were seen."""
    losses = _losses(evidence)
    return losses[np.random.default_rng([evidence.seed, 0xBE7]).permutation(len(losses))]


def _clopper_pearson(evidence: Evidence, level: float) -> Ends:
    losses = _losses(evidence)
    return clopper_pearson(int(losses.sum()), len(losses), level)


def _on_bounded(formula: Callable[..., Ends], evidence: Evidence, level: float) -> Ends:
    return formula(_ordered(evidence), evidence.loss.bounds, level)


def _t(evidence: Evidence, level: float) -> Ends:
    groups = None if evidence.groups is None else evidence.groups[evidence.test_rows[0]]
    if evidence.is_zero_one and np.ptp(_losses(evidence)) == 0:
        value = float(evidence.fold_losses[0])
        return no_surer_than_units(Ends(value, value, value), evidence, level)
    return no_surer_than_units(holdout_t(_losses(evidence), level, groups=groups), evidence, level)


def no_surer_than_units(ends: Ends, evidence: Evidence, level: float) -> Ends:
    """The interval of an error rate, at least that of Clopper and Pearson for as many rows or groups.

    With few errors the spread of 0-1 losses says little.
    """
    if not evidence.is_zero_one:
        return ends
    assert ends.value is not None
    exact = exact_share(ends.value, 1 / float((evidence.unit_weights**2).sum()), level=level)
    return ends._replace(low=min(ends.low, exact.low), high=max(ends.high, exact.high))


CLOPPER_PEARSON = IntervalMethod(
    "Clopper-Pearson",
    _clopper_pearson,
    _not_zero_one,
    covers="predictor",
    assumes=EVERY_SIZE,
    coverage="0.95 to 0.97, and never less than 0.95 in theory",
    reference="Clopper C. J., Pearson E. S. (1934). The use of confidence or fiducial limits illustrated in the case "
    "of the binomial. Biometrika 26, 404-413.",
    default_for=ONE,
    is_affine=False,
)
BETTING = IntervalMethod(
    "betting",
    partial(_on_bounded, betting),
    _not_bounded,
    covers="predictor",
    assumes=f"{EVERY_SIZE}; their order is fixed by the seed",
    coverage="0.99 to 1.00, and never less than 0.95 in theory",
    reference="Waudby-Smith I., Ramdas A. (2024). Estimating means of bounded random variables by betting. Journal of "
    "the Royal Statistical Society B 86, 1-27.",
    aliases=("hedged betting",),
    default_for=ONE,
    ignores_order=False,
)
HOEFFDING = IntervalMethod(
    "Hoeffding",
    partial(_on_bounded, hoeffding),
    _not_bounded,
    covers="predictor",
    assumes=EVERY_SIZE,
    coverage="more than 0.99, and never less than 0.95 in theory",
    reference="Hoeffding W. (1963). Probability inequalities for sums of bounded random variables. Journal of the "
    "American Statistical Association 58, 13-30.",
)
EMPIRICAL_BERNSTEIN = IntervalMethod(
    "empirical Bernstein",
    partial(_on_bounded, empirical_bernstein),
    _not_bounded_or_one_row,
    covers="predictor",
    assumes=EVERY_SIZE,
    coverage="more than 0.99, and never less than 0.95 in theory",
    reference="Maurer A., Pontil M. (2009). Empirical Bernstein bounds and sample-variance penalization. Proceedings "
    "of COLT.",
)
T = IntervalMethod(
    "t",
    _t,
    _no_spread,
    covers="predictor",
    assumes="independent test rows (or groups) that chose nothing; approximate",
    coverage="0.91 to 0.95 on ordinary problems with 50 to 500 test rows, 0.70 to 0.75 with heavy tails",
    reference="Student (1908). The probable error of a mean. Biometrika 6, 1-25.",
    aliases=("holdout t", "Student t"),
    default_for=ONE,
)
ROWS = (CLOPPER_PEARSON, BETTING, HOEFFDING, EMPIRICAL_BERNSTEIN, T)
