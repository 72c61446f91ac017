"""Two methods on the same splits, compared split by split."""

from __future__ import annotations

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.comparisons.comparison import Comparison
from foldwise.errors import BadInterval
from foldwise.estimates.cross_validated import CORRECTED_T
from foldwise.estimates.evidence import Evidence
from foldwise.estimates.interval_method import NONE_VALID
from foldwise.formulas.corrected_t import CorrectedT, corrected_t_of_runs, t_probability_within
from foldwise.formulas.pairs import checked_rope


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
    # a repeated single split is one run of random splits
    runs = differences.reshape(one.repeats if one.folds > 1 else 1, -1)
    found, reason = None, _reason_against(one, differences)
    if reason is None:
        reason = _reason_for(one, *runs.shape)
        found = corrected_t_of_runs(runs, test_train_ratio=one.test_train_ratio, level=level)
        if found.se == 0 and found.value != 0:
            found, reason = None, "all splits have the same difference, so their spread says nothing about it"
    return Comparison(
        value=float(differences.mean()),
        low=found.low if found else None,
        high=found.high if found else None,
        level=level,
        interval=CORRECTED_T.name if found else None,
        target=f"the risk of {names[0]} minus that of {names[1]}",
        train_rows=one.mean_train_rows,
        losses=differences,
        notes=(("interval", reason),),
        p=found.p if found else None,
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


def _reason_for(one: Evidence, repeats: int, folds: int) -> str:
    is_grouped = one.kind == "grouped"
    what = "random splits" if one.scheme == "random splits" else "folds of whole groups" if is_grouped else "folds"
    times = f"{repeats} x {folds}" if repeats > 1 else f"{folds}"
    words = f"corrected t over {times} {what}: widened by test rows / training rows, as splits share training rows"
    words += "; the group is the unit" if is_grouped else ""
    return words + ("; never narrower than one run" if repeats > 1 else "")


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
