"""Signs in the table itself that it was prepared before it was split: scaled, encoded or selected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from foldwise.arrays import BoolArray, FloatArray, IntArray
from foldwise.checks.check import Trap, check
from foldwise.checks.subject import Subject
from foldwise.data.features import Feature

LEAST_ROWS = 20
EXACT = 1e-5  # of a standard deviation: the mean of scaled columns
NEAR = 0.6  # of the last digit: a rounded number
SAME = 1e-6  # relative: their scales
LEAST_SCALED = 0.6  # of the number columns are scaled alike
MOST_COLUMNS = 300
MOST_ROWS = 20_000  # of which quartiles are taken
LEAST_SELECTED = 10
MOST_ALIKE = 0.3
LEAST_T, MOST_SPREAD = 2.2, 1.0  # of t values that a threshold has cut
LEAST_LEVELS, MANY_LEVELS = 3, 8
FEW_SHARED = 0.75  # of the rows have values of their own: at most half of the rows share one
LEAST_SHARED = 0.6  # of the rows have a value that others have too
TOO_EXACT = 1e-6  # chance of means that agree so well with the values of a column
SLOPES = (0.5, 5.0)  # of means drawn to the overall mean
MOST_SIZE, LEAST_COVERED = 400, 0.3  # rows of a category; rows in categories that are found


@check("FW401", "Columns scaled before the splits", severity="note")
def scaled_columns(subject: Subject) -> Iterator[Trap]:
    """Most number columns have exactly mean 0 and one standard deviation, median 0 and one interquartile range, or the
    range from 0 to 1, over all rows; rounded values count as far as their digits go. Test rows had a say in it, which
    hardly moves the risk; published data come so (diabetes).
    """
    columns = subject.fact(_continuous)
    if subject.data.rows < LEAST_ROWS or len(columns) < 2:
        return
    for scale, is_scaled in _scales(columns):
        if is_scaled.sum() >= 2 and is_scaled.mean() >= LEAST_SCALED:
            names = [column.name for column, flag in zip(columns, is_scaled, strict=True) if flag]
            yield Trap(
                f"{len(names)} columns have {scale} over all rows: they were scaled before the splits were made",
                columns=names,
                figures={"columns": len(names)},
                advice="It hardly moves the risk; give the columns as they were, since built-in learners scale inside",
            )
            return


@check("FW403", "Target means made before the splits", severity="warn")
def target_means(subject: Subject) -> Iterator[Trap]:
    """Each value of a column is the mean of the target in the rows that have it, plain or drawn to the overall mean; or
    it is nearer to these means than the noise of the rows would let a feature be that was known before (chi-squared, p
    below 1e-6); or each row has the mean of the other rows of a category (leave-one-out), from which its own target can
    be read. The target of test rows is in it.
    """
    outcomes = [subject.target] if subject.is_regression else [*subject.outcomes]
    if not subject.is_regression:
        outcomes.append(1 - outcomes[0] if len(subject.data.classes) == 2 else subject.target)
    numbers = [column for column in subject.columns if column.is_number and column.distinct >= LEAST_LEVELS]
    means = [column.name for column in numbers if any(_are_means(column, outcome) for outcome in outcomes)]
    rest = [column for column in numbers if column.name not in means]
    others = [column.name for column in rest if any(_are_means_of_others(column, outcome) for outcome in outcomes)]
    advice = "Give the category itself, or encode it inside a pipeline (TargetEncoder)"
    if means:
        yield Trap(
            f"each value of {means[0]!r} is the mean of the target in the rows that have it: "
            "a category was replaced by means over all rows, those of the test included",
            columns=means,
            advice=advice,
        )
    if others:
        yield Trap(
            f"each value of {others[0]!r} is the mean of the target in the other rows of a category "
            "(leave-one-out), from which the row's own target can be read",
            columns=others,
            advice=advice,
        )


@check("FW404", "Columns selected by the target before the splits", severity="warn")
def selected_columns(subject: Subject) -> Iterator[Trap]:
    """Ten columns or more are all related to the target, just beyond a threshold and hardly more. The best of many
    columns of noise look like this, and cross-validation then finds a relation where there is none (Ambroise and
    McLachlan, 2002).
    """
    columns = [column for column in subject.fact(_continuous) if not column.missing.any()]
    if len(columns) < max(LEAST_SELECTED, 0.8 * len(subject.columns)) or subject.data.rows < LEAST_ROWS:
        return
    t = np.array([_largest_t(column.values, subject.outcomes) for column in columns])
    least = float(t.min())
    if least < LEAST_T or float(np.mean(t - least)) > MOST_SPREAD:
        return
    correlations: FloatArray = np.asarray(
        np.corrcoef(np.column_stack([column.values for column in columns]), rowvar=False)
    )
    if np.median(np.abs(correlations[np.triu_indices(len(columns), 1)])) > MOST_ALIKE:
        return  # they say the same, as columns of noise do not
    yield Trap(
        f"all {len(columns)} columns are related to the target, and all about equally (t from {least:.1f} to "
        f"{t.max():.1f}): so look the best of many columns, selected by the target over all rows",
        columns=[column.name for column in columns],
        figures={"least_t": least, "largest_t": t.max()},
        advice="Give all columns and select inside a pipeline (SelectKBest), so that each fold selects for itself",
    )


def _continuous(subject: Subject) -> list[Feature]:
    """Columns of numbers with more than two values."""
    numbers = (column for column in subject.columns if column.kind == "number" and column.distinct > 2)
    return [column for column in numbers if np.isfinite(column.values[~column.missing]).all()][:MOST_COLUMNS]


def _known(column: Feature) -> FloatArray:
    return column.values[~column.missing] if column.missing.any() else column.values


def _scales(columns: Sequence[Feature]) -> Iterator[tuple[str, BoolArray]]:
    """The ways to scale, and which columns are scaled so; one column at a time, since a table may be large."""
    means, widths = np.array([[values.mean(), values.std()] for values in map(_known, columns)]).T
    is_centred = np.abs(means) <= EXACT * widths
    usual = np.median(widths[is_centred]) if is_centred.any() else 0.0
    is_alike = is_centred & (np.abs(widths - usual) <= SAME * usual)
    is_near = ~is_alike & (np.abs(means) <= NEAR * 10.0**-3)
    is_standard = [near and _is_standard(_known(column)) for column, near in zip(columns, is_near, strict=True)]
    yield "mean 0 and one standard deviation", is_alike | is_standard
    yield "exactly the range from 0 to 1", np.array([_is_in_unit_range(_known(column)) for column in columns])
    if len(columns[0].values) <= MOST_ROWS:
        low, middle, high = np.array([np.percentile(_known(column), [25, 50, 75]) for column in columns]).T
        is_robust = (np.abs(middle) <= 1e-12) & (np.abs(high - low - 1) <= 1e-9)
        yield "median 0 and one interquartile range", is_robust


def _is_standard(values: FloatArray) -> bool:
    """Has it mean 0 and standard deviation 1, by either divisor, as far as its digits go: three or more?"""
    digits = next((digits for digits in (3, 4, 5, 6) if np.all(np.abs(np.round(values, digits) - values) < 1e-9)), 7)
    near = NEAR * 10.0**-digits
    is_wide = len(values) > 2 and any(abs(float(values.std(ddof=lost)) - 1) <= near for lost in (0, 1))
    return is_wide and abs(float(values.mean())) <= near


def _is_in_unit_range(values: FloatArray) -> bool:
    """Does it go from 0 to 1, and holds no shares with two or three digits, which may well do so?"""
    thousandths = 1000 * values[:1000]
    is_exact = values.min() == 0 and abs(values.max() - 1) <= 1e-12
    return bool(is_exact and np.any(np.abs(thousandths - np.round(thousandths)) >= 1e-9))


def _largest_t(values: FloatArray, outcomes: Sequence[FloatArray]) -> float:
    """Of a column's correlation with the target, or with one of the classes."""
    rows, t = len(values), 0.0
    scaled = (values - values.mean()) / values.std()
    for outcome in outcomes:
        r = abs(float(scaled @ (outcome - outcome.mean())) / rows / max(float(outcome.std()), 1e-300))
        t = max(t, r * np.sqrt((rows - 2) / max(1e-12, 1 - r * r)))
    return t


def _are_means(column: Feature, outcome: FloatArray) -> bool:
    """Are its values means of the outcome, exactly, or far nearer to them than chance lets means of rows be?"""
    known = ~column.missing
    if column.distinct > FEW_SHARED * known.sum():  # before the codes, which are kept
        return False
    codes, outcome = column.codes[known], outcome[known]  # missing values have the last code
    sizes = np.bincount(codes)
    shared, shared_rows = np.sum(sizes > 1), sizes[sizes > 1].sum()
    if shared_rows < 0.5 * len(outcome) or shared < LEAST_LEVELS:
        return False
    means, values = np.bincount(codes, outcome) / sizes, np.empty(len(sizes))
    values[codes] = column.values[known]
    width = outcome.std()
    if width == 0 or np.ptp(means) <= 1e-9 * width or abs(values.mean() - means.mean()) > 3 * width:
        return False
    # value = (n mean + m prior) / (n + m) for one m of at least 0 and all values, those of single rows not counted
    gaps, pulls = sizes * (values - means), outcome.mean() - values
    prior = max(0.0, float(gaps @ pulls) / max(float(pulls @ pulls), 1e-300))
    if np.abs(gaps - prior * pulls).max() <= 1e-6 * width * max(1.0, prior):
        return True
    if shared < MANY_LEVELS or shared_rows < LEAST_SHARED * len(outcome):
        return False
    is_centred = abs(float(np.average(values, weights=sizes)) - outcome.mean()) <= 0.1 * width
    return is_centred and _are_too_exact(values, means, sizes, float((outcome**2).sum()))


def _are_too_exact(values: FloatArray, means: FloatArray, sizes: IntArray, squares: float) -> bool:
    """Do means of rows lie nearer to a line through the values than the noise of the rows lets them?

    A feature that is known before the target leaves means with the noise of their rows: chi-squared about the number
    of its values. An encoder saw that noise, however it drew the means together.
    """
    from scipy import stats

    spare = sizes.sum() - len(sizes)
    noise = (squares - float(sizes @ means**2)) / max(spare, 1)
    deviations = values - np.average(values, weights=sizes)
    gaps = means - np.average(means, weights=sizes)
    spread = float(sizes @ deviations**2)
    if noise <= 0 or spread == 0 or spare < len(sizes):
        return False
    slope = float(sizes @ (deviations * gaps)) / spread
    if not SLOPES[0] <= slope <= SLOPES[1]:
        return False
    is_shared = sizes > 1
    statistic = float((sizes * (gaps - slope * deviations) ** 2)[is_shared].sum()) / noise
    return bool(stats.chi2.cdf(statistic, is_shared.sum() - 2) <= TOO_EXACT)


def _are_means_of_others(column: Feature, outcome: FloatArray) -> bool:
    """Is value = (sum - own outcome) / (rows - 1) in categories of that many rows, which must then have one sum?"""
    width = float(outcome.std())
    known = ~column.missing & (np.abs(column.values - outcome.mean()) > 1e-9 * width)  # single rows may be filled
    values, outcome = column.values[known], outcome[known]
    if width == 0 or len(values) < 12 or np.ptp(values) == 0:
        return False
    if abs(values.mean() - outcome.mean()) > 1e-5 * width:  # each outcome is in as many means as make up one
        return False
    covered = 0
    for others in range(2, min(MOST_SIZE, len(values) // LEAST_LEVELS)):
        sums = values * others + outcome
        order = np.argsort(sums)
        sums, near = sums[order], 1e-8 * others * width
        starts = np.flatnonzero(np.r_[True, np.diff(sums) > near])
        runs = np.diff(np.r_[starts, len(sums)])
        of_run = np.add.reduceat(outcome[order], starts) / np.maximum(runs / (others + 1), 1)
        covered += int(runs[(runs % (others + 1) == 0) & (np.abs(of_run - sums[starts]) <= 2 * near)].sum())
        if covered >= LEAST_COVERED * len(values):
            return True
    return False
