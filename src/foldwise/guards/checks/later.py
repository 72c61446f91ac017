"""Features that come from after the time of their row."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from foldwise.arrays import IntArray
from foldwise.guards.codes.columns import LATER
from foldwise.guards.subject import Subject
from foldwise.studies.finding import Finding

LEAST_SHARE = 0.2  # of the rows
LEAST_VALUES = 10
SAME, MOST_LEAD = 0.9, 30  # of the rows; places that are tried
DATES_FROM = 1e14  # microseconds, as dates have; other times are of units that nobody knows


def later_features(subject: Subject) -> Iterator[Finding]:
    """Dates after the time of their row, and columns that hold a later target."""
    time = subject.data.time
    if time is None:
        dates = next((one for one in subject.columns if one.kind == "date" and not one.missing.any()), None)
        order = np.arange(subject.data.rows) if dates is None else np.argsort(dates.values, kind="stable")
        yield from _later_targets(subject, order, is_time=dates is not None)
        return
    if np.abs(time).max() > DATES_FROM:
        for one in subject.columns:
            after = one.values > time if one.kind == "date" else np.zeros(1, dtype=bool)
            if after.mean() >= LEAST_SHARE:
                yield LATER.found(
                    f"the dates of {one.name!r} are after the time of their row in {after.mean():.0%} of rows",
                    rows=np.flatnonzero(after),
                    columns=[one.name],
                    figures={"share": after.mean()},
                    advice="Leave it out if it is not known yet when a prediction is asked for",
                )
    yield from _later_targets(subject, np.argsort(time, kind="stable"), is_time=True)


def _later_targets(subject: Subject, order: IntArray, *, is_time: bool) -> Iterator[Finding]:
    """Columns that have the target of a later row in this order."""
    ordered = subject.target[order]
    if not subject.is_regression or len(np.unique(ordered)) < LEAST_VALUES:
        return
    rows, leads = len(ordered), min(MOST_LEAD, len(ordered) // 3)
    later = sliding_window_view(np.r_[ordered, np.full(leads, np.nan)], rows)  # later[lead], as a column would have it
    counts = rows - np.arange(leads + 1)
    for one in subject.columns:
        if not one.is_number or one.distinct < LEAST_VALUES:
            continue
        shares = np.count_nonzero(later == one.values[order], axis=1) / counts
        found = np.flatnonzero(shares >= SAME)
        if len(found) and found[0] > 0:  # else it is the target of the row itself
            lead = int(found[0])
            which = "the next row" if lead == 1 else f"the row {lead} places later"
            yield LATER.found(
                f"the column {one.name!r} is the target of {which} in {'time' if is_time else 'the table'} "
                f"in {shares[lead]:.0%} of rows",
                columns=[one.name],
                figures={"share": shares[lead], "rows_later": lead},
                advice="Leave it out: it is not known yet when a prediction is asked for"
                + ("" if is_time else " (unless the rows go back in time)"),
            )
