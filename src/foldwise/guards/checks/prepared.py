"""Signs in the table itself that it was prepared before it was split: scaled, turned, encoded or selected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.data.features import Feature
from foldwise.guards.codes.procedure import COMPONENTS, SCALED, SELECTED
from foldwise.guards.subject import Subject
from foldwise.studies.finding import Finding

LEAST_ROWS = 20
EXACT = 1e-5  # of a standard deviation: the mean of prepared columns
SAME = 1e-6  # relative: their scales
LEAST_SHARE = 0.6  # of the number columns that are scaled alike
UNCORRELATED = 1e-5
MOST_COLUMNS = 300
MOST_ROWS = 20_000
LEAST_SELECTED = 10
MOST_ALIKE = 0.3
LEAST_T, MOST_SPREAD = 2.2, 1.0  # of t values that a threshold has cut


def scaled_columns(subject: Subject) -> Iterator[Finding]:
    """Columns with exactly one mean or range over all rows, and principal components."""
    columns = _continuous(subject)
    if subject.data.rows < LEAST_ROWS or len(columns) < 2:
        return
    table = np.column_stack([one.values for one in columns])
    with np.errstate(all="ignore"):
        means, widths = np.nanmean(table, axis=0), np.nanstd(table, axis=0)
        centred = np.abs(means) <= EXACT * widths
    turned = _components(table[:, centred]) if not np.isnan(table).any() else False
    if turned:
        names = [one.name for one, is_centred in zip(columns, centred, strict=True) if is_centred]
        yield COMPONENTS.found(
            f"{len(names)} columns have mean 0 and no correlation over all rows, as principal components have",
            columns=names,
            figures={"columns": len(names)},
            advice="If they were made of these rows, give the columns before and put PCA into a pipeline",
        )
        return
    for kind, is_so in _kinds(table, widths, centred).items():
        if is_so.sum() >= 2 and is_so.mean() >= LEAST_SHARE:
            names = [one.name for one, flag in zip(columns, is_so, strict=True) if flag]
            yield SCALED.found(
                f"{len(names)} columns have {kind} over all rows: they were scaled before the splits were made",
                columns=names,
                figures={"columns": len(names)},
                advice="It hardly moves the risk; give the columns as they were, since built-in learners scale inside",
            )
            return


def selected_columns(subject: Subject) -> Iterator[Finding]:
    """Columns that are all related to the target, just beyond a threshold and no more: the best of many."""
    columns = [one for one in _continuous(subject) if not one.missing.any()][:MOST_COLUMNS]
    if len(columns) < LEAST_SELECTED or subject.data.rows < LEAST_ROWS:
        return
    if len(columns) < 0.8 * len(subject.columns):
        return
    strength = np.array([_strength(one.values, subject) for one in columns])
    least = float(strength.min())
    if least >= LEAST_T and float(np.mean(strength - least)) <= MOST_SPREAD and not _are_one(columns):
        yield SELECTED.found(
            f"all {len(columns)} columns are related to the target, and all about equally (t from {least:.1f} to "
            f"{strength.max():.1f}): so look the best of many columns, selected by the target over all rows",
            columns=[one.name for one in columns],
            figures={"least_t": least, "largest_t": strength.max()},
            advice="Give all columns and select inside a pipeline (SelectKBest), so that each fold selects for itself",
        )


def _are_one(columns: Sequence[Feature]) -> bool:
    """Do they say the same: half of them correlate by 0.3 or more? Columns of noise do not."""
    correlations = np.atleast_2d(np.corrcoef(np.column_stack([one.values for one in columns]), rowvar=False))
    return bool(np.median(np.abs(correlations[np.triu_indices(len(columns), 1)])) > MOST_ALIKE)


def _continuous(subject: Subject) -> list[Feature]:
    """Columns of numbers with more than two values."""
    found = (one for one in subject.columns if one.kind == "number" and one.distinct > 2)
    return [one for one in found if np.isfinite(one.values[~one.missing]).all()][:MOST_COLUMNS]


def _kinds(table: FloatArray, widths: FloatArray, centred: AnyArray) -> dict[str, AnyArray]:
    """Which columns are scaled, by the ways to scale."""
    low, high = np.nanmin(table, axis=0), np.nanmax(table, axis=0)
    usual = np.median(widths[centred]) if centred.any() else 0.0
    same = centred & (np.abs(widths - usual) <= SAME * usual)
    same |= _are_standard(table)
    quarters = np.nanpercentile(table[:MOST_ROWS], [25, 50, 75], axis=0) if len(table) <= MOST_ROWS else None
    kinds = {
        "mean 0 and one standard deviation": same,
        "exactly the range from 0 to 1": (low == 0) & (np.abs(high - 1) <= 1e-12) & ~_on_grid(table),
    }
    if quarters is not None:
        kinds["median 0 and one interquartile range"] = (np.abs(quarters[1]) <= 1e-12) & (
            np.abs(quarters[2] - quarters[0] - 1) <= 1e-9
        )
    return kinds


def _are_standard(table: FloatArray) -> AnyArray:
    """Columns with mean 0 and standard deviation 1, by either divisor, as far as their digits go: three or more."""
    found = np.zeros(table.shape[1], dtype=bool)
    for at, column in enumerate(table.T):
        known = column[~np.isnan(column)]
        digits = next((digits for digits in (3, 4, 5, 6) if np.all(np.abs(np.round(known, digits) - known) < 1e-9)), 7)
        near = 0.6 * 10.0**-digits
        if len(known) > 2 and abs(known.mean()) <= near:
            found[at] = any(abs(known.std(ddof=lost) - 1) <= near for lost in (0, 1))
    return found


def _on_grid(table: FloatArray) -> AnyArray:
    """Columns of shares with two or three digits, which may well go from 0 to 1."""
    thousandths = 1000 * table[:1000]
    return np.asarray(np.all(np.isnan(table[:1000]) | (np.abs(thousandths - np.round(thousandths)) < 1e-9), axis=0))


def _components(table: FloatArray) -> bool:
    """Are these columns uncorrelated, all of them, and finer than a design?"""
    rows, columns = table.shape
    if columns < 3 or rows <= 2 * columns:
        return False
    scaled = table / table.std(axis=0)
    correlations = scaled.T @ scaled / rows - np.eye(columns)
    is_fine = all(len(np.unique(column[:1000])) > 0.5 * min(rows, 1000) for column in table.T[:3])
    return bool(np.abs(correlations).max() <= UNCORRELATED) and is_fine


def _strength(values: FloatArray, subject: Subject) -> float:
    """The largest t of its correlation with the target, or with one of the classes."""
    rows = len(values)
    scaled = (values - values.mean()) / values.std()
    best = 0.0
    for outcome in subject.outcomes:
        r = abs(float(scaled @ (outcome - outcome.mean())) / rows / max(float(outcome.std()), 1e-300))
        best = max(best, r * np.sqrt((rows - 2) / max(1e-12, 1 - r * r)))
    return best
