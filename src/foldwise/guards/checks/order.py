"""Time in the data that nobody declared: in a column, or in the order of the rows."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.data.equal_rows import in_deviations
from foldwise.data.features import Feature
from foldwise.guards.checks.identifiers import holds_dates, is_row_number
from foldwise.guards.codes.rows import ALIKE_NEIGHBOURS, UNDECLARED_TIME
from foldwise.guards.residuals import MOST_ROWS, make_design
from foldwise.guards.subject import Subject
from foldwise.studies.finding import Finding

LEAST_ROWS, LEAST_VALUES = 40, 10
TIMES = re.compile(
    r"(^|[_\W])(date|datetime|time|timestamp|year|month|week|day|hour|quarter|period|epoch)([_\W]|$)", re.I
)
BIRTHS = re.compile(r"birth|born|dob", re.I)
LEAST_LIKENESS = 0.3  # correlation of residuals with those of the row before
LEAST_Z = 6.0
SORTED = 0.9  # steps in one direction, of a target that the rows are sorted by


def undeclared_time(subject: Subject) -> Iterator[Finding]:
    """Columns of dates, or that go up with the rows, while time is not declared."""
    if subject.data.time is not None or subject.data.groups is not None or subject.data.rows < LEAST_ROWS:
        return
    found = {one.name: reason for one in subject.columns if (reason := _reason(one, subject))}
    if found:
        name = next(iter(found))
        yield UNDECLARED_TIME.found(
            f"the column {name!r} {found[name]}, and time is not declared: "
            "rows are tested with models of rows that came later",
            columns=list(found),
            advice=f'If new rows come later, give time="{name}" (--time {name})',
        )


def alike_neighbours(subject: Subject) -> Iterator[Finding]:
    """Rows whose targets are like those of the row before, beyond what the features say."""
    if subject.data.time is not None or subject.data.groups is not None or subject.data.rows < LEAST_ROWS:
        return
    if subject.outer.is_ordered or _is_sorted_by_target(subject):
        return
    likeness = max(_likeness(one) for one in make_design(subject, slice(MOST_ROWS)).residuals())
    is_many = likeness * np.sqrt(min(subject.data.rows, MOST_ROWS)) >= LEAST_Z
    if likeness >= LEAST_LIKENESS and is_many and _are_features_alike(subject):
        yield ALIKE_NEIGHBOURS.found(
            "targets are like those of the row before, beyond what the features say "
            f"(correlation {likeness:.2f}): the rows seem to follow one another in time, or to stand in groups",
            figures={"correlation": likeness},
            advice="Give time or groups if there are any (--time, --groups); else mix the rows",
        )


def _reason(feature: Feature, subject: Subject) -> str:
    if feature.distinct < LEAST_VALUES or BIRTHS.search(feature.name):
        return ""
    if holds_dates(feature):
        return "holds dates"
    if not feature.is_number or not TIMES.search(feature.name) or is_row_number(feature):
        return ""
    steps = np.diff(feature.values)
    if not np.isnan(steps).any() and not (steps < 0).any():
        return "goes up with the rows"
    order = np.argsort(feature.values, kind="stable")[:MOST_ROWS]
    rest = max(_likeness(one) for one in make_design(subject, order).residuals(without=feature.name))
    is_many = rest * np.sqrt(len(order)) >= LEAST_Z
    return (
        f"orders rows so that neighbours have like targets ({rest:.2f})" if rest >= LEAST_LIKENESS and is_many else ""
    )


def _likeness(rest: FloatArray) -> float:
    """The correlation of each value with the one before."""
    gaps = rest - rest.mean()
    total = float(gaps @ gaps)
    return float(gaps[1:] @ gaps[:-1]) / total if total > 0 else 0.0


def _are_features_alike(subject: Subject) -> bool:
    """Are features like those of the row before, beyond what the target says? Rows sorted by the target have none."""
    rows = slice(MOST_ROWS)
    target = np.column_stack([np.ones(len(subject.target[rows])), *(one[rows] for one in subject.outcomes)])
    for one in subject.columns:
        scaled = in_deviations(one.values[rows]) if one.is_number and not one.missing[rows].any() else None
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
