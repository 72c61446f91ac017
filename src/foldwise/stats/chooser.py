"""Which interval a risk gets: the requested one, or the default by scheme and loss; with a reason for every refusal."""

from __future__ import annotations

import numpy as np

from foldwise.stats.evidence import Evidence
from foldwise.stats.interval_method import NONE_VALID, Ends, IntervalMethod
from foldwise.stats.interval_table import INTERVALS, is_built_in


def choose(evidence: Evidence, asked: IntervalMethod | None = None) -> tuple[IntervalMethod | None, str]:
    """The interval for this evidence, and why, in a sentence; a requested one that is not valid here is refused."""
    if not np.isfinite(evidence.fold_losses).all():
        missing = int((~np.isfinite(evidence.fold_losses)).sum())
        return None, f"{missing} of {len(evidence.fold_losses)} splits have no finite loss"
    if evidence.stand_ins:
        return None, no_interval_of_stand_ins(evidence.stand_ins, len(evidence.fold_losses))
    if asked is not None:
        if reason := refusal(asked, evidence):
            return None, f"{asked.name} is not valid here: {reason}"
        return asked, f"asked for by name; {asked.assumes}"
    reasons = []
    for row in (row for row in INTERVALS.values() if evidence.scheme in row.default_for):
        if (reason := row.refuse(evidence)) is None:
            return row, f"the default for {evidence.scheme}; {row.assumes}"
        reasons.append(reason)
    return None, reasons[-1] if reasons else NONE_VALID[evidence.scheme]


def refusal(asked: IntervalMethod, evidence: Evidence) -> str | None:
    """Why an interval is not valid here, or None; a user's own that raises is refused, not trusted."""
    try:
        return asked.refuse(evidence)
    except Exception as error:
        if is_built_in(asked):
            raise
        return f"its own check failed: {type(error).__name__}: {error}"


def no_interval_of_stand_ins(stand_ins: int, splits: int) -> str:
    """Why there is none: so few splits hardly show how often fits fail."""
    return f"on {stand_ins} of {splits} splits the baseline answers for a failed fit, which no interval here allows for"


def work_out(
    evidence: Evidence, asked: IntervalMethod | None, level: float
) -> tuple[IntervalMethod | None, str, Ends | None]:
    """The interval for this evidence with its ends, or None and the reason; zero width would claim too much.

    Its middle is the mean loss over splits, and its ends are possible ones.
    """
    row, reason = choose(evidence, asked)
    if row is None:
        return None, reason, None
    try:
        found = row.ends(evidence, level)
    except Exception as error:  # of a user's own: the fits are done, and their risks are worth having
        if is_built_in(row):
            raise
        return None, f"{row.name} could not be computed: {type(error).__name__}: {error}", None
    if not found.low <= found.high:
        return None, f"{row.name} gave the ends {found.low:g} and {found.high:g}, which is no interval", None
    if found.low == found.high:
        return None, "the losses have no spread, so an interval of no width would claim too much", None
    value = float(evidence.fold_losses.mean())
    shift = 0.0 if found.value is None else value - found.value
    low, high, details = cut(value, found.low + shift, found.high + shift, evidence.loss.possible)
    return row, reason, Ends(low, high, value, {**found.details, **details}, found.notes)


def cut(value: float, low: float, high: float, possible: tuple[float, float]) -> tuple[float, float, dict[str, float]]:
    """The ends within what is possible; an end that the formula puts elsewhere is kept beside them.

    >>> cut(0.1, -0.2, 0.4, (0.0, 1.0))
    (0.0, 0.4, {'formula_low': -0.2})
    """
    cut_low, cut_high = max(low, min(value, possible[0])), min(high, max(value, possible[1]))
    details = {"formula_low": low} if cut_low != low else {}
    return cut_low, cut_high, details | ({"formula_high": high} if cut_high != high else {})
