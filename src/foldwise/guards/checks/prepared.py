"""Signs in the table itself that it was prepared before it was split: scaled, turned, encoded or selected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.data.features import Feature
from foldwise.guards.codes.procedure import COMPONENTS, SCALED, SELECTED
from foldwise.guards.subject import Subject
from foldwise.studies.finding import Finding

LEAST_ROWS = 20
EXACT = 1e-5  # of a standard deviation: the mean of prepared columns
NEAR = 0.6  # of the last digit: a rounded number
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
    scales = [_scale_of(one) for one in columns]
    centred = [one for one, scale in zip(columns, scales, strict=True) if scale.is_centred]
    if not any(one.missing.any() for one in columns) and _are_components(centred):
        names = [one.name for one in centred]
        yield COMPONENTS.found(
            f"{len(names)} columns have mean 0 and no correlation over all rows, as principal components have",
            columns=names,
            figures={"columns": len(names)},
            advice="If they were made of these rows, give the columns before and put PCA into a pipeline",
        )
        return
    for kind, is_so in _kinds(columns, scales).items():
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


class _Scale(NamedTuple):
    """Where a column lies, and how wide."""

    mean: float
    width: float
    low: float
    high: float

    @property
    def is_centred(self) -> bool:
        return abs(self.mean) <= EXACT * self.width


def _scale_of(feature: Feature) -> _Scale:
    known = _known(feature)
    return _Scale(float(known.mean()), float(known.std()), float(known.min()), float(known.max()))


def _known(feature: Feature) -> FloatArray:
    return feature.values[~feature.missing] if feature.missing.any() else feature.values


def _kinds(columns: Sequence[Feature], scales: Sequence[_Scale]) -> dict[str, AnyArray]:
    """Which columns are scaled, by the ways to scale; one column at a time, since a table may be large."""
    widths = [scale.width for scale in scales if scale.is_centred]
    usual = np.median(widths) if widths else 0.0
    pairs = list(zip(columns, scales, strict=True))
    kinds = {
        "mean 0 and one standard deviation": [
            (scale.is_centred and abs(scale.width - usual) <= SAME * usual) or _is_standard(one, scale)
            for one, scale in pairs
        ],
        "exactly the range from 0 to 1": [
            scale.low == 0 and abs(scale.high - 1) <= 1e-12 and not _is_on_grid(one) for one, scale in pairs
        ],
    }
    if len(columns[0].values) <= MOST_ROWS:
        kinds["median 0 and one interquartile range"] = [_has_one_quarter_range(one) for one in columns]
    return {kind: np.array(flags) for kind, flags in kinds.items()}


def _is_standard(feature: Feature, scale: _Scale) -> bool:
    """Has it mean 0 and standard deviation 1, by either divisor, as far as its digits go: three or more?"""
    if abs(scale.mean) > NEAR * 10.0**-3:
        return False
    known = _known(feature)
    digits = next((digits for digits in (3, 4, 5, 6) if np.all(np.abs(np.round(known, digits) - known) < 1e-9)), 7)
    near = NEAR * 10.0**-digits
    if len(known) <= 2 or abs(scale.mean) > near:
        return False
    return any(abs(float(known.std(ddof=lost)) - 1) <= near for lost in (0, 1))


def _has_one_quarter_range(feature: Feature) -> bool:
    low, middle, high = np.percentile(_known(feature), [25, 50, 75])
    return bool(abs(middle) <= 1e-12 and abs(high - low - 1) <= 1e-9)


def _is_on_grid(feature: Feature) -> bool:
    """Has it shares with two or three digits, which may well go from 0 to 1?"""
    thousandths = 1000 * _known(feature)[:1000]
    return bool(np.all(np.abs(thousandths - np.round(thousandths)) < 1e-9))


def _are_components(columns: Sequence[Feature]) -> bool:
    """Are these columns of mean 0 uncorrelated, all of them, and finer than a design?"""
    rows = len(columns[0].values) if columns else 0
    if len(columns) < 3 or rows <= 2 * len(columns):
        return False
    if not all(len(np.unique(one.values[:1000])) > 0.5 * min(rows, 1000) for one in columns[:3]):
        return False
    products = np.zeros((len(columns), len(columns)))
    for start in range(0, rows, MOST_ROWS):
        part = np.column_stack([one.values[start : start + MOST_ROWS] for one in columns])
        products += part.T @ part
    widths = np.array([one.values.std() for one in columns])
    correlations = products / np.outer(widths, widths) / rows - np.eye(len(columns))
    return bool(np.abs(correlations).max() <= UNCORRELATED)


def _strength(values: FloatArray, subject: Subject) -> float:
    """The largest t of its correlation with the target, or with one of the classes."""
    rows = len(values)
    scaled = (values - values.mean()) / values.std()
    best = 0.0
    for outcome in subject.outcomes:
        r = abs(float(scaled @ (outcome - outcome.mean())) / rows / max(float(outcome.std()), 1e-300))
        best = max(best, r * np.sqrt((rows - 2) / max(1e-12, 1 - r * r)))
    return best
