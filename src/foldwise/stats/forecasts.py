"""Two forecasts of the same times, compared by their losses in the order of time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from foldwise.errors import BadInterval
from foldwise.stats.array_checks import checked_losses, has_no_spread
from foldwise.stats.chooser import cut
from foldwise.stats.comparison import Comparison
from foldwise.stats.cross_validated import t_probability_within
from foldwise.stats.difference import with_few_errors
from foldwise.stats.evidence import Evidence
from foldwise.stats.long_run import MORE, LongRun, long_run, too_short
from foldwise.stats.pairs import checked_rope

DIEBOLD_MARIANO = "Diebold-Mariano"
FORECASTS = "the mean loss of the first forecasts minus that of the second, in this period"


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
    return _with(plain, long_run(series, steps=steps, level=level))


def forecast_difference(one: Evidence, other: Evidence, plain: Comparison) -> Comparison:
    """The difference of two methods on the same test times, or the reason why it has no interval."""
    if plain.rope is not None:
        checked_rope(plain.rope)
    plain = replace(plain, losses=one.fold_losses - other.fold_losses)
    if one.series is None or other.series is None:
        reason: str | None = f"{one.loss.name} is a measure of a whole fold and has no loss per time to pair"
    else:
        series = one.series - other.series
        reason = too_short(series, steps=one.steps)
        reason = None if reason is None else reason + MORE
        if has_no_spread(series, size=float(np.abs(one.series).max())):
            p = 1.0 if plain.value == 0 else None
            plain, reason = replace(plain, p=p), "all times have the same difference, so their spread says nothing"
    if reason is not None:
        return replace(plain, notes=(("interval", reason),))
    found = with_few_errors(one, other, long_run(series, steps=one.steps, level=plain.level), plain.level)
    smallest, largest = one.loss.possible
    low, high, details = cut(plain.value, found.low, found.high, (smallest - largest, largest - smallest))
    compared = _with(plain, found._replace(low=low, high=high))
    why = (
        f"Diebold-Mariano over {len(series)} test times, {_steps(one.steps)} ahead, with the correction of Harvey, "
        "Leybourne and Newbold, and no surer than the low frequencies of the differences"
    )
    return replace(compared, notes=(("interval", why),), details=compared.details | details)


def _steps(steps: int) -> str:
    return f"{steps} step{'' if steps == 1 else 's'}"


def _with(plain: Comparison, found: LongRun) -> Comparison:
    within = None if plain.rope is None else t_probability_within(found.value, found.se, found.df, reach=plain.rope)
    return replace(
        plain,
        low=found.low,
        high=found.high,
        interval=DIEBOLD_MARIANO,
        p=found.p,
        se=found.se,
        t=found.t,
        df=found.df,
        equivalence=within,
        details={"hln_t": found.hln_t, "hln_p": found.hln_p, "autocorrelation": found.autocorrelation},
    )
