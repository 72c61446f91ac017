"""Features that come from after the time of their row."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from foldwise.guards.codes.columns import LATER
from foldwise.guards.subject import Subject
from foldwise.studies.finding import Finding

LEAST_SHARE = 0.2  # of the rows
LEAST_VALUES = 10
DATES_FROM = 1e14  # microseconds, as dates have; other times are of units that nobody knows


def later_features(subject: Subject) -> Iterator[Finding]:
    """Dates after the time of their row, and columns that hold the next target."""
    time = subject.data.time
    if time is None:
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
    yield from _next_targets(subject)


def _next_targets(subject: Subject) -> Iterator[Finding]:
    """Columns that have the target of the next row in time."""
    time = subject.data.time
    assert time is not None
    order = np.argsort(time, kind="stable")
    ordered = subject.target[order]
    if not subject.is_regression or len(np.unique(ordered)) < LEAST_VALUES:
        return
    for one in subject.columns:
        values = one.values[order] if one.is_number else np.full(len(order), np.nan)
        share = np.mean(values[:-1] == ordered[1:])
        if share >= 0.9 and np.mean(values[1:] == ordered[1:]) < 0.9:
            yield LATER.found(
                f"the column {one.name!r} is the target of the next row in time in {share:.0%} of rows",
                columns=[one.name],
                figures={"share": share},
                advice="Leave it out: it is not known yet when a prediction is asked for",
            )
