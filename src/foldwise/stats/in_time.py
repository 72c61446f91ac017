"""The interval for forecasts, whose losses follow each other in time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from foldwise.stats.cross_validated import tail_cautions
from foldwise.stats.evidence import IN_TIME, Evidence
from foldwise.stats.held_out import no_surer_than_units
from foldwise.stats.interval_method import Ends, IntervalMethod, Note
from foldwise.stats.long_run import mean_loss, too_short

MORE = "; test more of the series: more folds, or a longer horizon"


def _no_series(evidence: Evidence) -> str | None:
    if evidence.scheme not in IN_TIME:
        return f"it is for test rows in the order of time, not {evidence.scheme}"
    if evidence.row_losses is None or evidence.series is None:
        return f"{evidence.loss.name} is a measure of a whole fold and has no loss per time"
    reason = too_short(evidence.series, steps=evidence.steps)
    if reason is not None:
        return reason + MORE
    if not evidence.is_zero_one and np.ptp(evidence.series) == 0:
        return "all test times have the same loss, so their spread says nothing about the risk"
    return None


def _hac(evidence: Evidence, level: float) -> Ends:
    found = mean_loss(evidence.series, steps=evidence.steps, level=level)
    details = {"se": found.se, "df": found.df, "autocorrelation": found.autocorrelation, "steps": evidence.steps}
    return no_surer_than_units(Ends(found.low, found.high, found.value, details), evidence, level)


def _cautions(evidence: Evidence, details: Mapping[str, Any]) -> list[Note]:
    return tail_cautions(evidence)


HAC = IntervalMethod(
    "HAC",
    _hac,
    _no_series,
    covers="these forecasts",
    assumes="a period without a trend or a break in the mean loss, whose losses correlate less and less with the time "
    "between them; approximate, never surer than independent times, and not about the learner at other times",
    coverage="0.92 to 0.99 for the mean loss of normal and heavy-tailed errors that correlate by up to 0.8, with 50 to "
    "500 test times; 0.91 to 0.96 where their variance changes, and 0.79 to 0.92 where it comes in long bursts",
    reference="Lazarus E., Lewis D. J., Stock J. H., Watson M. W. (2018). HAR inference: recommendations for practice. "
    "Journal of Business and Economic Statistics 36, 541-559.",
    aliases=("Diebold-Mariano", "long-run variance", "heteroscedasticity and autocorrelation consistent"),
    default_for=IN_TIME,
    cautions=_cautions,
    ignores_order=False,
    is_affine=False,  # losses that are never negative have a 0
)
ROWS = (HAC,)
