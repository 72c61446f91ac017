"""Two methods on the same splits, compared split by split."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadInterval
from foldwise.stats.array_checks import t_quantile
from foldwise.stats.chooser import cut
from foldwise.stats.comparison import Comparison
from foldwise.stats.cross_validated import (
    CORRECTED_T,
    RUNS_OF_DIFFERENCE,
    CorrectedT,
    corrected_t,
    independent_se,
    t_probability_within,
)
from foldwise.stats.evidence import Evidence
from foldwise.stats.interval_method import NONE_VALID
from foldwise.stats.long_run import LongRun
from foldwise.stats.pairs import checked_rope, score_p, tango

Found = TypeVar("Found", CorrectedT, LongRun)


def paired_difference(
    one: Evidence, other: Evidence, *, names: tuple[str, str], level: float = 0.95, rope: float | None = None
) -> Comparison:
    """The difference of two risks with the corrected t of the split differences, where the splits allow it.

    With a `rope`, also the probability that the difference is at most that: the Bayesian view of the same t
    (Benavoli, Corani et al., 2017), whose correlation test rows / all rows gives the same scale.
    """
    if rope is not None:
        checked_rope(rope)
    differences = _differences(one.fold_losses, other.fold_losses, names)
    found, tied, reason = None, None, _reason_against(one, differences)
    if reason is None:
        reason = _reason_for(one)
        found = corrected_t(
            differences,
            test_train_ratio=one.test_train_ratio,
            level=level,
            most_runs=RUNS_OF_DIFFERENCE,
            least_se=_least_se(one, other),
        )
        found = with_few_errors(one, other, found, level)
        if found.se == 0:
            tied = found.p if found.value == 0 else None
            found, reason = None, "all splits have the same difference, so their spread says nothing about it"
    value = float(differences.mean())
    low, high, details = _ends(one, value, found) if found else (None, None, {})
    return Comparison(
        value=value,
        low=low,
        high=high,
        level=level,
        interval=CORRECTED_T.name if found else None,
        target=f"the risk of {names[0]} minus that of {names[1]}",
        train_rows=one.mean_train_rows,
        losses=differences,
        notes=(("interval", reason),),
        details=details,
        p=found.p if found else tied,
        se=found.se if found else None,
        t=found.t if found else None,
        df=found.df if found else None,
        equivalence=_equivalence(found, rope),
        rope=rope,
        names=names,
    )


def _reason_against(one: Evidence, differences: FloatArray) -> str | None:
    """Why the splits allow no corrected t."""
    is_by_row = one.is_partition and max(map(len, one.test_rows)) == 1
    if reason := NONE_VALID.get("leave-one-out" if is_by_row else one.scheme):
        return reason
    missing = np.count_nonzero(~np.isfinite(differences))
    return f"{missing} of {differences.size} splits have no finite loss" if missing else None


def _ends(one: Evidence, value: float, found: CorrectedT) -> tuple[float, float, dict[str, float]]:
    smallest, largest = one.loss.possible
    return cut(value, found.low, found.high, (smallest - largest, largest - smallest))


def with_few_errors(one: Evidence, other: Evidence, found: Found, level: float) -> Found:
    """No surer than Tango's interval of as many independent rows: where few rows differ their spread says little."""
    if not one.is_zero_one or one.unit_deviations is None or other.unit_deviations is None:
        return found
    terms = one.unit_deviations - other.unit_deviations + found.value * one.unit_weights
    units = 1 / float((one.unit_weights**2).sum())
    first, second = units * float(terms.clip(0).sum()), units * float((-terms).clip(0).sum())
    low, high = tango(first, second, units, level=level)
    low, high = min(found.low, low), max(found.high, high)
    se = max(found.se, (high - low) / 2 / t_quantile(level, found.df))
    return found._replace(low=low, high=high, se=se, p=max(found.p, score_p(first, second)))


def _least_se(one: Evidence, other: Evidence) -> float:
    """The standard error of the difference if all rows (or groups) were independent."""
    if one.unit_deviations is None or other.unit_deviations is None:
        return 0.0
    return float(independent_se(one.unit_deviations - other.unit_deviations))


def _reason_for(one: Evidence) -> str:
    repeats, folds = (one.repeats, one.folds) if one.folds > 1 else (1, len(one.fold_losses))
    is_grouped = one.kind == "grouped"
    what = "random splits" if one.scheme == "random splits" else "folds of whole groups" if is_grouped else "folds"
    times = f"{repeats} x {folds}" if repeats > 1 else f"{folds}"
    words = f"corrected t over {times} {what}: widened by test rows / training rows, as splits share training rows"
    words += "; the group is the unit" if is_grouped else ""
    return words + ("; repeats bring no new rows and count less than runs of their own" if repeats > 1 else "")


def _differences(a: FloatArray, b: FloatArray, names: tuple[str, str]) -> FloatArray:
    if a.shape != b.shape:
        raise BadInterval(
            f"{names[0]} has {a.size} split losses and {names[1]} has {b.size}", "Compare methods on the same splits"
        )
    return np.asarray(a - b, np.float64)


def _equivalence(found: CorrectedT | None, rope: float | None) -> float | None:
    if found is None or rope is None:
        return None
    return t_probability_within(found.value, found.se, found.df, reach=rope)
