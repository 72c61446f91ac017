"""Two methods on the same rows: which test the splits and the loss allow, and its difference."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadInterval
from foldwise.stats.array_checks import checked_losses, has_no_spread, t_quantile
from foldwise.stats.auc import delong
from foldwise.stats.chooser import cut, no_interval_of_stand_ins
from foldwise.stats.comparison import Comparison, checked_rope
from foldwise.stats.cross_validated import (
    CORRECTED_T,
    RUNS_OF_DIFFERENCE,
    CorrectedT,
    corrected_t,
    independent_se,
    t_probability_within,
)
from foldwise.stats.error_rates import mcnemar, score_p, tango
from foldwise.stats.evidence import Evidence
from foldwise.stats.held_out import betting, holdout_t
from foldwise.stats.interval_method import NONE_VALID
from foldwise.stats.long_run import MORE, LongRun, long_run, too_short

Tested = TypeVar("Tested", CorrectedT, LongRun)
DIEBOLD_MARIANO = "Diebold-Mariano"
FORECASTS = "the mean loss of the first forecasts minus that of the second, in this period"
# Intervals over rows, or over blocks of rows, covered 3 to 93% of the differences of similar learners.
LEAVE_ONE_OUT = (
    "leave-one-out cannot tell methods apart: its models share all rows but one, so their losses do not show how far a "
    "difference varies with the training rows; compare over 13 folds (outer=13, --outer 13)"
)


def difference(
    first: Evidence,
    second: Evidence,
    *,
    names: tuple[str, str],
    level: float = 0.95,
    rope: float | None = None,
    is_same: bool = False,
) -> Comparison:
    """The first risk less the second.

    One test set: exact McNemar with Tango's interval (0-1 loss), DeLong (AUC), betting (bounded losses), t (others).
    Folds and random splits: corrected t. Test rows in the order of time: Diebold-Mariano. Else the
    difference alone, with the reason. Two names of the same learner (`is_same`) do not differ at all. With a `rope`,
    also the probability that the difference is at most that: the Bayesian view of the same t (Benavoli, Corani et al.,
    2017), whose correlation test rows / all rows gives the same scale.
    """
    same = len(first.test_rows) == len(second.test_rows) and first.train_counts == second.train_counts
    if not same or any(not np.array_equal(a, b) for a, b in zip(first.test_rows, second.test_rows, strict=True)):
        raise BadInterval(
            f"{names[0]} and {names[1]} were not judged on the same splits, so their losses are not paired",
            "Compare them in one study, or with the same outer splits and seed",
        )
    if rope is not None:
        checked_rope(rope)
    losses = first.fold_losses - second.fold_losses
    plain = Comparison(
        float(losses.mean()),
        level=level,
        target=f"the risk of {names[0]} minus that of {names[1]}",
        train_rows=first.mean_train_rows,
        losses=losses,
        rope=rope,
        names=names,
    )
    stand_ins = max(first.stand_ins, second.stand_ins)
    if not np.isfinite(losses).all():
        return _without(plain, "one of the two has no risk")
    if first.is_partition and len(losses) > 1 and max(map(len, first.test_rows)) == 1:
        return _without(plain, LEAVE_ONE_OUT)
    if stand_ins:
        return _without(plain, no_interval_of_stand_ins(stand_ins, len(losses)))
    if is_same:
        target = f"{plain.target}: the same learner"
        return Comparison(0.0, 0.0, 0.0, level, "none needed", target, names=names, p=1.0)
    if first.scheme == "one test set":
        target = f"{plain.target}, as trained on these rows"
        return _on_one_test_set(first, second, replace(plain, target=target, losses=None, rope=None))
    if first.is_ordered:
        return _of_forecasts(first, second, replace(plain, target=f"{plain.target} in this period"))
    return _over_splits(first, second, plain)


def _without(plain: Comparison, reason: str, p: float | None = None) -> Comparison:
    """The difference alone, with the reason why it has no interval."""
    return replace(plain, p=p, notes=(("interval", reason),))


def _over_splits(first: Evidence, second: Evidence, plain: Comparison) -> Comparison:
    """With the corrected t of the split differences, where the splits allow it."""
    if reason := NONE_VALID.get(first.scheme):
        return _without(plain, reason)
    independent = 0.0  # the standard error of the difference if all rows (or groups) were independent
    if first.unit_deviations is not None and second.unit_deviations is not None:
        independent = float(independent_se(first.unit_deviations - second.unit_deviations))
    test = corrected_t(
        plain.losses,
        test_train_ratio=first.test_train_ratio,
        level=plain.level,
        most_runs=RUNS_OF_DIFFERENCE,
        least_se=independent,
    )
    test = _with_few_errors(first, second, test, plain.level)
    if test.se == 0:
        reason = "all splits have the same difference, so their spread says nothing about it"
        return _without(plain, reason, test.p if test.value == 0 else None)
    repeats, folds = (first.repeats, first.folds) if first.folds > 1 else (1, len(first.fold_losses))
    is_grouped = first.kind == "grouped"
    what = "random splits" if first.scheme == "random splits" else "folds of whole groups" if is_grouped else "folds"
    times = f"{repeats} x {folds}" if repeats > 1 else f"{folds}"
    why = f"corrected t over {times} {what}: widened by test rows / training rows, as splits share training rows"
    why += "; the group is the unit" if is_grouped else ""
    why += "; repeats bring no new rows and count less than runs of their own" if repeats > 1 else ""
    return _with_interval(first, plain, test, CORRECTED_T.name, why)


def _with_interval(first: Evidence, plain: Comparison, test: Tested, interval: str, why: str) -> Comparison:
    """The difference with what a test test; ends that cannot be are cut."""
    smallest, largest = first.loss.possible
    low, high, uncut = cut(plain.value, test.low, test.high, (smallest - largest, largest - smallest))
    compared = _with_test(plain, test._replace(low=low, high=high), interval)
    return replace(compared, notes=(("interval", why),), details={**compared.details, **uncut})


def _with_test(plain: Comparison, test: Tested, interval: str) -> Comparison:
    within = None if plain.rope is None else t_probability_within(test.value, test.se, test.df, reach=plain.rope)
    details: dict[str, Any] = {}
    if isinstance(test, LongRun):
        details = {"hln_t": test.hln_t, "hln_p": test.hln_p, "autocorrelation": test.autocorrelation}
    return replace(
        plain,
        low=test.low,
        high=test.high,
        interval=interval,
        p=test.p,
        se=test.se,
        t=test.t,
        df=test.df,
        equivalence=within,
        details=details,
    )


def _with_few_errors(first: Evidence, second: Evidence, test: Tested, level: float) -> Tested:
    """No surer than Tango's interval of as many independent rows: where few rows differ their spread says little."""
    if not first.is_zero_one or first.unit_deviations is None or second.unit_deviations is None:
        return test
    terms = first.unit_deviations - second.unit_deviations + test.value * first.unit_weights
    units = 1 / float((first.unit_weights**2).sum())
    only_first, only_second = units * float(terms.clip(0).sum()), units * float((-terms).clip(0).sum())
    low, high = tango(only_first, only_second, units, level=level)
    low, high = min(test.low, low), max(test.high, high)
    se = max(test.se, (high - low) / 2 / t_quantile(level, test.df))
    return test._replace(low=low, high=high, se=se, p=max(test.p, score_p(only_first, only_second)))


def _of_forecasts(first: Evidence, second: Evidence, plain: Comparison) -> Comparison:
    """With Diebold and Mariano's test of the same test times, where the series allows it."""
    if first.series is None or second.series is None:
        return _without(plain, f"{first.loss.name} is a measure of a whole fold and has no loss per time to pair")
    series = first.series - second.series
    if has_no_spread(series, size=float(np.abs(first.series).max())):
        reason = "all times have the same difference, so their spread says nothing"
        return _without(plain, reason, 1.0 if plain.value == 0 else None)
    if too_few := too_short(series, steps=first.steps):
        return _without(plain, too_few + MORE)
    test = _with_few_errors(first, second, long_run(series, steps=first.steps, level=plain.level), plain.level)
    steps = f"{first.steps} step{'' if first.steps == 1 else 's'}"
    why = (
        f"Diebold-Mariano over {len(series)} test times, {steps} ahead, with the correction of Harvey, Leybourne and "
        "Newbold, and no surer than the low frequencies of the differences"
    )
    return _with_interval(first, plain, test, DIEBOLD_MARIANO, why)


def _on_one_test_set(first: Evidence, second: Evidence, plain: Comparison) -> Comparison:
    if first.is_weighted:
        return _without(plain, "rows have weights, which no paired test here allows for")
    if first.is_auc and first.groups is None:
        assert first.truth is not None
        assert first.scores is not None
        assert second.scores is not None
        truth = first.truth[first.test_rows[0]]
        if np.bincount(truth, minlength=2).min() >= 2:  # DeLong's variance needs 2 rows of each class
            areas = delong(truth, first.scores[0], second.scores[0], plain.level)
            if areas.low is None or areas.high is None or (areas.low == areas.high and areas.value != 0):
                return _without(plain, "neither ranking varies, which says nothing about other rows")
            return replace(plain, low=-areas.high, high=-areas.low, interval="DeLong", p=areas.p, se=areas.se)
    if first.row_losses is None or second.row_losses is None:
        return _without(plain, f"{first.loss.name} has no loss per row to pair")
    if first.groups is None and first.is_zero_one:
        test = mcnemar(first.row_losses[0], second.row_losses[0], plain.level)
        return replace(plain, low=test.low, high=test.high, interval=test.interval, p=test.p, details=test.details)
    return _by_rows(first, plain, first.row_losses[0] - second.row_losses[0])


def _by_rows(first: Evidence, plain: Comparison, differences: FloatArray) -> Comparison:
    """Paired losses row by row: betting where they are bounded, else t; whole groups where there are any."""
    reach = first.loss.bounds[1] - first.loss.bounds[0] if first.loss.bounds is not None else 0.0
    if first.groups is None and reach > 0 and np.abs(differences).max() <= reach:
        order = np.random.default_rng([first.seed, 0xBE7]).permutation(len(differences))
        bet = betting(differences[order], (-reach, reach), plain.level)
        return replace(plain, low=bet.low, high=bet.high, interval="betting")
    groups = None if first.groups is None else first.groups[first.test_rows[0]]
    if has_no_spread(differences):
        reason = "all rows have the same difference, so their spread says nothing about it"
        return _without(plain, reason, None if differences[0] else 1.0)
    if len(differences) < 2 or (groups is not None and len(np.unique(groups)) < 2):
        return _without(plain, "there are too few independent test rows")
    t = holdout_t(differences, plain.level, groups=groups)
    if t.details["se"] == 0:
        return _without(plain, "all groups have the same difference")
    return replace(plain, low=t.low, high=t.high, interval="t", se=t.details["se"], df=t.details["df"])


def diebold_mariano(a: Any, b: Any, level: float = 0.95, *, steps: int = 1) -> Comparison:
    """The mean loss of one forecaster less that of another, from their losses time by time (Diebold and Mariano, 1995).

    `steps` is how far ahead they forecast. The interval is the wider, and p the larger, of two: the one that Harvey,
    Leybourne and Newbold (1997) corrected for short series (`details` has it alone), and the one from low frequencies,
    which holds where losses hang together longer than that (Coroneo and Iacone, 2020). Assumes a period without a
    trend or a break in the mean difference; short series are refused.

    `a`, `b`: the losses of the two, in the order of time.
    `level`: the coverage that the interval is made for.
    `steps`: how far ahead was forecast.

    >>> rng = np.random.default_rng(0)
    >>> diebold_mariano(rng.normal(0.5, 1, 200) ** 2, rng.normal(0, 1, 200) ** 2, steps=3)
    a minus b: 0.130 (-0.240 to 0.501, 95% Diebold-Mariano), p = 0.43
    """
    first, second = (checked_losses(losses, method="the Diebold-Mariano test") for losses in (a, b))
    if first.ndim != 1 or first.shape != second.shape:
        raise BadInterval(
            f"the Diebold-Mariano test needs two lists of losses at the same times, not {first.size} and {second.size}"
        )
    series = first - second
    if has_no_spread(series, size=float(np.abs(first).max())):
        raise BadInterval("all times have the same difference, so their spread says nothing about it")
    plain = Comparison(float(series.mean()), level=level, target=FORECASTS, losses=series)
    return _with_test(plain, long_run(series, steps=steps, level=level), DIEBOLD_MARIANO)
