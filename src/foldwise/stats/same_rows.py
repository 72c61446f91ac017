"""Two methods on the same rows: which test the splits and the loss allow."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadInterval
from foldwise.stats import held_out
from foldwise.stats.chooser import no_interval_of_stand_ins
from foldwise.stats.comparison import Comparison
from foldwise.stats.difference import paired_difference
from foldwise.stats.evidence import Evidence
from foldwise.stats.forecasts import forecast_difference
from foldwise.stats.two import delong, mcnemar

# Intervals over rows, or over blocks of rows, covered 3 to 93% of the differences of similar learners.
LEAVE_ONE_OUT = (
    "leave-one-out cannot tell methods apart: its models share all rows but one, so their losses do not show how far a "
    "difference varies with the training rows; compare over 13 folds (outer=13, --outer 13)"
)


def difference(
    one: Evidence,
    other: Evidence,
    *,
    names: tuple[str, str],
    level: float = 0.95,
    rope: float | None = None,
    is_same: bool = False,
) -> Comparison:
    """The first risk less the second.

    One test set: exact McNemar with Tango's interval (0-1 loss), DeLong (AUC), betting (bounded losses), t (others).
    Folds and random splits: corrected t. Test rows in the order of time: Diebold-Mariano. Else the
    difference alone, with the reason. Two names of the same learner (`is_same`) do not differ at all.
    """
    _check_same_rows(one, other, names)
    target = f"the risk of {names[0]} minus that of {names[1]}"
    differences = one.fold_losses - other.fold_losses
    if reason := _reason_against(one, other, differences):
        plain = Comparison(float(differences.mean()), level=level, target=target, train_rows=one.mean_train_rows)
        return replace(plain, losses=differences, names=names, rope=rope, notes=(("interval", reason),))
    if is_same:
        return Comparison(0.0, 0.0, 0.0, level, "none needed", f"{target}: the same learner", names=names, p=1.0)
    if one.scheme == "one test set":
        return _on_one_test_set(one, other, names, level)
    if one.is_ordered:
        plain = Comparison(float(differences.mean()), level=level, target=f"{target} in this period", rope=rope)
        return forecast_difference(one, other, replace(plain, names=names, train_rows=one.mean_train_rows))
    return paired_difference(one, other, names=names, level=level, rope=rope)


def _reason_against(one: Evidence, other: Evidence, differences: FloatArray) -> str | None:
    """Why no interval is valid: a missing risk, one that is partly the baseline's, or splits of one row."""
    if not np.isfinite(differences).all():
        return "one of the two has no risk"
    if one.is_partition and len(differences) > 1 and max(map(len, one.test_rows)) == 1:
        return LEAVE_ONE_OUT
    stand_ins = max(one.stand_ins, other.stand_ins)
    return no_interval_of_stand_ins(stand_ins, len(differences)) if stand_ins else None


def _check_same_rows(one: Evidence, other: Evidence, names: tuple[str, str]) -> None:
    same = len(one.test_rows) == len(other.test_rows) and one.train_counts == other.train_counts
    if not same or any(not np.array_equal(a, b) for a, b in zip(one.test_rows, other.test_rows, strict=True)):
        raise BadInterval(
            f"{names[0]} and {names[1]} were not judged on the same splits, so their losses are not paired",
            "Compare them in one study, or with the same outer splits and seed",
        )


def _on_one_test_set(one: Evidence, other: Evidence, names: tuple[str, str], level: float) -> Comparison:
    target = f"the risk of {names[0]} minus that of {names[1]}, as trained on these rows"
    value = float(one.fold_losses[0] - other.fold_losses[0])
    plain = Comparison(value, level=level, target=target, train_rows=one.mean_train_rows, names=names)
    if one.is_weighted:
        return replace(plain, notes=(("interval", "rows have weights, which no paired test here allows for"),))
    if one.is_auc and one.groups is None and _has_both_classes(one):
        return _by_delong(one, other, plain)
    if one.row_losses is None or other.row_losses is None:
        return replace(plain, notes=(("interval", f"{one.loss.name} has no loss per row to pair"),))
    if one.groups is None and one.is_zero_one:
        found = mcnemar(one.row_losses[0], other.row_losses[0], level)
        return replace(plain, low=found.low, high=found.high, interval=found.interval, p=found.p, details=found.details)
    return _by_rows(one, other, plain)


def _has_both_classes(one: Evidence) -> bool:
    """DeLong's variance needs 2 rows of each class."""
    assert one.truth is not None
    return bool(np.bincount(one.truth[one.test_rows[0]], minlength=2).min() >= 2)


def _by_delong(one: Evidence, other: Evidence, plain: Comparison) -> Comparison:
    assert one.truth is not None
    assert one.scores is not None
    assert other.scores is not None
    found = delong(one.truth[one.test_rows[0]], one.scores[0], other.scores[0], plain.level)
    if found.low is None or found.high is None or (found.low == found.high and found.value != 0):
        return replace(plain, notes=(("interval", "neither ranking varies, which says nothing about other rows"),))
    return replace(plain, low=-found.high, high=-found.low, interval="DeLong", p=found.p, se=found.se)


def _by_rows(one: Evidence, other: Evidence, plain: Comparison) -> Comparison:
    """Paired losses row by row: betting where they are bounded, else t; whole groups where there are any."""
    assert one.row_losses is not None
    assert other.row_losses is not None
    differences = one.row_losses[0] - other.row_losses[0]
    reach = one.loss.bounds[1] - one.loss.bounds[0] if one.loss.bounds is not None else 0.0
    if one.groups is None and reach > 0 and np.abs(differences).max() <= reach:
        order = np.random.default_rng([one.seed, 0xBE7]).permutation(len(differences))
        bet = held_out.betting(differences[order], bounds=(-reach, reach), level=plain.level)
        return replace(plain, low=bet.low, high=bet.high, interval="betting")
    groups = None if one.groups is None else one.groups[one.test_rows[0]]
    if np.ptp(differences) <= 1e-12 * np.abs(differences).max():
        reason = "all rows have the same difference, so their spread says nothing about it"
        return replace(plain, p=None if differences[0] else 1.0, notes=(("interval", reason),))
    if len(differences) < 2 or (groups is not None and len(np.unique(groups)) < 2):
        return replace(plain, notes=(("interval", "there are too few independent test rows"),))
    found = held_out.holdout_t(differences, level=plain.level, groups=groups)
    if found.details["se"] == 0:
        return replace(plain, notes=(("interval", "all groups have the same difference"),))
    units = len(differences) if groups is None else len(np.unique(groups))
    return replace(plain, low=found.low, high=found.high, interval="t", se=found.details["se"], df=units - 1)
