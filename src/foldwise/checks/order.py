"""Time and order: not declared, not kept by the splits, or columns from after the time of their row."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from foldwise.arrays import FloatArray, IntArray
from foldwise.checks.check import Trap, check
from foldwise.checks.columns import holds_dates, is_row_number
from foldwise.checks.subject import Subject, make_design
from foldwise.data.equal_rows import in_deviations
from foldwise.data.features import Feature

LEAST_ROWS, LEAST_VALUES = 40, 10
MOST_ROWS = 20_000  # to which a line is fitted
TIMES = re.compile(
    r"(^|[_\W])(date|datetime|time|timestamp|year|month|week|day|hour|quarter|period|epoch)([_\W]|$)", re.I
)
BIRTHS = re.compile(r"birth|born|dob", re.I)
LEAST_LIKENESS = 0.3  # correlation of residuals with those of the row before
LEAST_Z = 6.0
SORTED = 0.9  # steps in one direction, of a target that the rows are sorted by
LEAST_LATER = 0.2  # of the rows have a date after their time
SAME, MOST_LEAD = 0.9, 30  # of the rows have the target of a later row; places that are tried
DATES_FROM = 1e14  # microseconds, as dates have; other times are of units that nobody knows


@check("FW105", "Time that is not declared", severity="warn")
def undeclared_time(subject: Subject) -> Iterator[Trap]:
    """A column holds dates, or is named as a time and goes up with the rows or orders them so that neighbours have like
    targets. Random folds then test on rows with models that know later ones. Dates of birth are not meant.
    """
    if subject.data.time is not None or subject.data.groups is not None or subject.data.rows < LEAST_ROWS:
        return
    reasons = {column.name: reason for column in subject.columns if (reason := _reason(column, subject))}
    if reasons:
        name = next(iter(reasons))
        yield Trap(
            f"the column {name!r} {reasons[name]}, and time is not declared: "
            "rows are tested with models of rows that came later",
            columns=list(reasons),
            advice=f'If new rows come later, give time="{name}" (--time {name})',
        )


@check("FW106", "Rows are like those before them", severity="warn")
def alike_neighbours(subject: Subject) -> Iterator[Trap]:
    """The part of the target that a straight line does not explain correlates (0.3 or more) with that of the row
    before, and so does a feature: rows seem to follow one another in time or to stand in groups, and nothing is
    declared. Silent where rows are sorted by the target.
    """
    if subject.data.time is not None or subject.data.groups is not None or subject.data.rows < LEAST_ROWS:
        return
    if subject.outer.is_ordered or _is_sorted_by_target(subject):
        return
    likeness = _likeness_of_targets(subject, np.arange(min(subject.data.rows, MOST_ROWS)))
    if likeness and _are_features_alike(subject):
        yield Trap(
            "targets are like those of the row before, beyond what the features say "
            f"(correlation {likeness:.2f}): the rows seem to follow one another in time, or to stand in groups",
            figures={"correlation": likeness},
            advice="Give time or groups if there are any (--time, --groups); else mix the rows",
        )


@check("FW209", "A feature from after the outcome", severity="warn")
def later_columns(subject: Subject) -> Iterator[Trap]:
    """In rows with time: a column's dates are after the time of their row in 20 % of the rows or more, or it holds the
    target of one of the 30 next rows. Without time, rows are taken in the order of a column of dates, or as they stand.
    """
    time = subject.data.time
    if time is None:
        dates = next((c for c in subject.columns if c.kind == "date" and not c.missing.any()), None)
        order = np.arange(subject.data.rows) if dates is None else np.argsort(dates.values, kind="stable")
        yield from _later_targets(subject, order, is_time=dates is not None)
        return
    for column in subject.columns if np.abs(time).max() > DATES_FROM else ():
        is_after = column.values > time if column.kind == "date" else np.zeros(1, dtype=bool)
        if is_after.mean() >= LEAST_LATER:
            yield Trap(
                f"the dates of {column.name!r} are after the time of their row in {is_after.mean():.0%} of rows",
                rows=np.flatnonzero(is_after),
                columns=[column.name],
                figures={"share": is_after.mean()},
                advice="Leave it out if it is not known yet when a prediction is asked for",
            )
    yield from _later_targets(subject, np.argsort(time, kind="stable"), is_time=True)


@check("FW303", "Test rows from before training rows", severity="warn")
def row_order(subject: Subject) -> Iterator[Trap]:
    """The splits take the order of the rows for time, but a column of dates has another order. (Where `time` is given,
    such splits are refused.)
    """
    if not subject.outer.is_ordered or subject.data.time is not None:
        return
    for column in subject.columns:
        if column.kind == "date" and not column.missing.any():
            dates, steps = column.values, np.diff(column.values)
            earlier = sum(int((dates[split.test] < dates[split.train].max()).sum()) for split in subject.outer)
            if (steps < 0).any() and earlier:
                yield Trap(
                    f"the splits take the order of the rows for time, but by {column.name!r} "
                    f"{earlier} test rows come before training rows",
                    rows=np.flatnonzero(steps < 0) + 1,
                    columns=[column.name],
                    figures={"test_rows_before": earlier},
                    advice=f'Give time="{column.name}" (--time {column.name})',
                )


def _reason(column: Feature, subject: Subject) -> str:
    """Why a column is time; empty where nothing speaks for it."""
    if column.distinct < LEAST_VALUES or BIRTHS.search(column.name):
        return ""
    if holds_dates(column):
        return "holds dates"
    if not column.is_number or not TIMES.search(column.name) or is_row_number(column):
        return ""
    steps = np.diff(column.values)
    if not np.isnan(steps).any() and not (steps < 0).any():
        return "goes up with the rows"
    order = np.argsort(column.values, kind="stable")[:MOST_ROWS]
    likeness = _likeness_of_targets(subject, order, without=column.name)
    return f"orders rows so that neighbours have like targets ({likeness:.2f})" if likeness else ""


def _likeness_of_targets(subject: Subject, order: IntArray, *, without: str = "") -> float:
    """How targets correlate with that of the row before, beyond what features say; 0 where it may be chance."""
    residuals = make_design(subject, order).residuals(without=without)
    likeness = max(_likeness(rest) for rest in residuals)
    return likeness if likeness >= LEAST_LIKENESS and likeness * np.sqrt(len(order)) >= LEAST_Z else 0.0


def _likeness(residuals: FloatArray) -> float:
    """The correlation of each value with the one before."""
    gaps = residuals - residuals.mean()
    total = float(gaps @ gaps)
    return float(gaps[1:] @ gaps[:-1]) / total if total > 0 else 0.0


def _are_features_alike(subject: Subject) -> bool:
    """Are features like those of the row before, beyond what the target says? Rows sorted by the target have none."""
    rows = slice(MOST_ROWS)
    target = np.column_stack([np.ones(len(subject.target[rows])), *(outcome[rows] for outcome in subject.outcomes)])
    for column in subject.columns:
        if not column.is_number or column.missing[rows].any():
            continue
        scaled = in_deviations(column.values[rows])
        if scaled is not None:
            rest = scaled - target @ np.linalg.lstsq(target, scaled, rcond=None)[0]
            if _likeness(rest) >= LEAST_LIKENESS:
                return True
    return False


def _is_sorted_by_target(subject: Subject) -> bool:
    """Do the rows come class by class, or up or down with the target? Then neighbours are alike for that reason."""
    steps = np.diff(subject.target)
    if not subject.is_regression:
        return int(np.count_nonzero(steps)) < 2 * len(subject.data.classes)
    return not 1 - SORTED < np.mean(steps >= 0) < SORTED or not 1 - SORTED < np.mean(steps > 0) < SORTED


def _later_targets(subject: Subject, order: IntArray, *, is_time: bool) -> Iterator[Trap]:
    """Columns that have the target of a later row in this order."""
    ordered = subject.target[order]
    if not subject.is_regression or len(np.unique(ordered)) < LEAST_VALUES:
        return
    rows, leads = len(ordered), min(MOST_LEAD, len(ordered) // 3)
    later = sliding_window_view(np.r_[ordered, np.full(leads, np.nan)], rows)  # later[lead], as a column would have it
    counts = rows - np.arange(leads + 1)
    for column in subject.columns:
        if not column.is_number or column.distinct < LEAST_VALUES:
            continue
        shares = np.count_nonzero(later == column.values[order], axis=1) / counts
        lead = int(np.argmax(shares >= SAME))  # 0 too where it is the target of the row itself
        if lead:
            which = "the next row" if lead == 1 else f"the row {lead} places later"
            yield Trap(
                f"the column {column.name!r} is the target of {which} in {'time' if is_time else 'the table'} "
                f"in {shares[lead]:.0%} of rows",
                columns=[column.name],
                figures={"share": shares[lead], "rows_later": lead},
                advice="Leave it out: it is not known yet when a prediction is asked for"
                + ("" if is_time else " (unless the rows go back in time)"),
            )
