"""Columns that were made with the target of all rows: categories as target means, and gaps filled class by class."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.data.features import Feature
from foldwise.guards.checks.identifiers import quoted
from foldwise.guards.codes.procedure import FILLED, TARGET_MEANS
from foldwise.guards.subject import Subject
from foldwise.studies.finding import Finding

LEAST_LEVELS, MANY_LEVELS = 3, 8
FEW_SHARED = 0.75  # of the rows have values of their own: at most half of the rows share one
LEAST_SHARED = 0.6  # of the rows have a value that others have too
TOO_EXACT = 1e-6  # chance of means that agree so well with the values of a column
SLOPES = (0.5, 5.0)  # of means drawn to the overall mean
MOST_SIZE, LEAST_COVERED = 400, 0.3  # rows of a category; rows in categories that are found
LEAST_ROWS, LEAST_SHARE, LEAST_PEAK = 40, 0.04, 3.0  # of the rows of a class that were filled; times the next value


def target_means(subject: Subject) -> Iterator[Finding]:
    """Columns that have, for each of their values, the mean of the target in the rows with it, or with it but one."""
    outcomes = _outcomes(subject)
    numbers = [one for one in subject.columns if one.is_number and one.distinct >= LEAST_LEVELS]
    plain = [one.name for one in numbers if any(_are_means(one, values) for values in outcomes)]
    but_one = [
        one.name for one in numbers if one.name not in plain and any(_leave_one_out(one, values) for values in outcomes)
    ]
    if plain:
        yield TARGET_MEANS.found(
            f"each value of {plain[0]!r} is the mean of the target in the rows that have it: "
            "a category was replaced by means over all rows, those of the test included",
            columns=plain,
            advice="Give the category itself, or encode it inside a pipeline (TargetEncoder)",
        )
    if but_one:
        yield TARGET_MEANS.found(
            f"each value of {but_one[0]!r} is the mean of the target in the other rows of a category "
            "(leave-one-out), from which the row's own target can be read",
            columns=but_one,
            advice="Give the category itself, or encode it inside a pipeline (TargetEncoder)",
        )


def filled_by_class(subject: Subject) -> Iterator[Finding]:
    """Columns whose commonest value in each class is its mean or median: missing values were filled so."""
    if subject.is_regression or subject.data.rows < LEAST_ROWS:
        return
    classes = subject.target.astype(np.int64)
    names = [one.name for one in subject.columns if one.is_number and one.distinct > 10 and _is_filled(one, classes)]
    if names:
        yield FILLED.found(
            f"the commonest values of {quoted(names)} are the means or medians of single classes: "
            "missing values were filled in by the target",
            columns=names,
            advice="Leave them missing (built-in learners fill them in inside), or fill them in inside a pipeline",
        )


def _outcomes(subject: Subject) -> list[FloatArray]:
    if subject.is_regression:
        return [subject.target]
    return [*subject.outcomes, *([1 - subject.outcomes[0]] if len(subject.data.classes) == 2 else [subject.target])]


def _are_means(feature: Feature, outcome: FloatArray) -> bool:
    """Are its values means of the outcome, exactly, or far nearer to them than chance lets means of rows be?"""
    known = ~feature.missing
    if feature.distinct > FEW_SHARED * known.sum():  # codes are kept, of every column that is asked
        return False
    codes, outcome = feature.codes[known], outcome[known]  # missing values have the last code
    sizes = np.bincount(codes)
    if sizes[sizes > 1].sum() < 0.5 * len(outcome) or np.sum(sizes > 1) < LEAST_LEVELS:
        return False
    means = np.bincount(codes, outcome) / sizes
    values = np.empty(len(sizes))
    values[codes] = feature.values[known]
    width = outcome.std()
    if width == 0 or np.ptp(means) <= 1e-9 * width or abs(values.mean() - means.mean()) > 3 * width:
        return False
    if _are_shrunk(values, means, sizes, outcome):
        return True
    if np.sum(sizes > 1) < MANY_LEVELS or sizes[sizes > 1].sum() < LEAST_SHARED * len(outcome):
        return False
    if abs(float(np.average(values, weights=sizes)) - outcome.mean()) > 0.1 * width:
        return False
    return _are_too_exact(values, means, sizes, float((outcome**2).sum()))


def _are_shrunk(values: FloatArray, means: FloatArray, sizes: AnyArray, outcome: FloatArray) -> bool:
    """value = (n mean + m prior) / (n + m) for one m of at least 0 and all values, those of single rows not counted."""
    gaps, pulls = sizes * (values - means), outcome.mean() - values
    shrink = max(0.0, float(gaps @ pulls) / max(float(pulls @ pulls), 1e-300))
    return bool(np.abs(gaps - shrink * pulls).max() <= 1e-6 * outcome.std() * max(1.0, shrink))


def _are_too_exact(values: FloatArray, means: FloatArray, sizes: AnyArray, squares: float) -> bool:
    """Do means of rows lie nearer to a line through the values than the noise of the rows lets them?

    A feature that is known before the target leaves means with the noise of their rows: chi-squared about the number
    of its values. An encoder saw that noise, however it drew the means together.
    """
    from scipy import stats

    spare = sizes.sum() - len(sizes)
    noise = (squares - float(sizes @ means**2)) / max(spare, 1)
    centre = np.average(values, weights=sizes)
    spread = float(sizes @ (values - centre) ** 2)
    if noise <= 0 or spread == 0 or spare < len(sizes):
        return False
    middle = np.average(means, weights=sizes)
    slope = float(sizes @ ((values - centre) * (means - middle))) / spread
    if not SLOPES[0] <= slope <= SLOPES[1]:
        return False
    several = sizes > 1
    left = float((sizes * (means - middle - slope * (values - centre)) ** 2)[several].sum()) / noise
    return bool(stats.chi2.cdf(left, several.sum() - 2) <= TOO_EXACT)


def _leave_one_out(feature: Feature, outcome: FloatArray) -> bool:
    """Is value = (sum - own outcome) / (rows - 1) in categories of that many rows, which must then have one sum?"""
    width = float(outcome.std())
    known = ~feature.missing & (np.abs(feature.values - outcome.mean()) > 1e-9 * width)  # single rows may be filled
    values, outcome = feature.values[known], outcome[known]
    if width == 0 or len(values) < 12 or np.ptp(values) == 0:
        return False
    if abs(values.mean() - outcome.mean()) > 1e-5 * width:  # each outcome is in as many means as make up one
        return False
    found = 0
    for others in range(2, min(MOST_SIZE, len(values) // LEAST_LEVELS)):
        sums = values * others + outcome
        order = np.argsort(sums)
        sums, near = sums[order], 1e-8 * others * width
        starts = np.flatnonzero(np.r_[True, np.diff(sums) > near])
        runs = np.diff(np.r_[starts, len(sums)])
        own = np.add.reduceat(outcome[order], starts) / np.maximum(runs / (others + 1), 1)
        found += int(runs[(runs % (others + 1) == 0) & (np.abs(own - sums[starts]) <= 2 * near)].sum())
        if found >= LEAST_COVERED * len(values):
            return True
    return False


def _is_filled(feature: Feature, classes: AnyArray) -> bool:
    """Have two classes or more a value of their own, far commoner than others, that is their mean or median?"""
    peaks = set()
    for code in range(int(classes.max()) + 1):
        own = feature.values[(classes == code) & ~feature.missing]
        values, counts = np.unique(own, return_counts=True)
        if len(values) < 5:
            continue
        at = int(counts.argmax())
        rest = own[own != values[at]]
        next_one = int(np.delete(counts, at).max())
        if counts[at] < max(4, LEAST_SHARE * len(own)) or counts[at] < LEAST_PEAK * next_one:
            continue
        near = 1e-6 * (rest.std() + 1e-300)
        step = float(np.diff(values).min()) if (values == np.round(values, 6)).all() else 0.0
        if abs(values[at] - rest.mean()) <= max(near, 0.5 * step) or abs(values[at] - np.median(rest)) <= max(
            near, step
        ):
            peaks.add(float(values[at]))
    return len(peaks) >= 2
