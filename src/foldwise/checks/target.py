"""Columns that are the target, or give it away: alone, by bands or classes, together, or by what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.checks.check import Trap, check
from foldwise.checks.rows import unique_rows
from foldwise.checks.single_columns import Alone, some_of
from foldwise.checks.subject import Subject, quoted
from foldwise.data.equal_rows import in_deviations, spread_out
from foldwise.data.features import Feature

LEAST_ROWS, USUAL_ROWS = 12, 30  # between them a chance agreement must be excluded
LEAST_ODDS = 1000.0  # ways to give the classes to so few rows
LEAST_OTHERS = 40  # rows in which it can be said what all others can do
DETERMINED = 0.99  # of the variance, or of the errors, that one column takes away
RENAMED = 0.95  # of rows in which another word always stands for the same class
GOOD = 0.85  # from here on it is asked what all the others can do together
FEW_OTHERS, GOOD_BESIDE_FEW = 4, 0.95  # a law between two measured things leaves little to few others
BETTER = 4.0  # times more is left over by all the others together than by the one
TOLD_BY_MISSING = 0.5  # of the target
MOST_OTHERS = 1000  # rows to which a forest of the others is fitted
SURE = 30.0  # nats against chance
WRONG = 0.005  # of the rows may stand in another band
LEAST_CLASS, TOLD = 5, 0.98  # rows of a class, and how many of them an indicator of it says
EXACT, EXACT_OF_ALL = 0.999, 0.9999  # of the variance, by a sum of two columns and of several
LEAST_LENGTH = 1e-8  # of the longest, from where products of columns give the weights to eight digits
NEWS = 0.1  # of what the better one leaves may be left by both
MOST_COLUMNS, MOST_LEVELS, LEAST_IN_LEVEL = 60, 30, 8
FIRST_ROWS, HINT = 500, 0.9  # a quick look before all rows are judged
ADVICE = "Leave it out if it is made from the target, or is not known when a prediction is asked for"
ADVICE_ON_SEVERAL = "Leave them out if they are made from the target, or are not known when a prediction is asked for"


@check("FW201", "A feature is the target", severity="refuse")
def target_copies(subject: Subject) -> Iterator[Trap]:
    """A column has the very values of the target. Every learner that looks at it is perfect, and useless on new rows,
    where the target is not known. Leave the column out.
    """
    for name in subject.fact(_copies):
        yield Trap(
            f"the column {name!r} is the target in every row, so no number would mean anything",
            columns=[name],
            figures={"equal_rows": subject.data.rows},
            advice="Leave it out",
        )


@check("FW202", "A feature gives the target away", severity="warn")
def giveaways(subject: Subject) -> Iterator[Trap]:
    """One column alone, by a straight line, by ranks or by the rows with the next values, gives 99 % of the target's
    variance or of the errors that the commonest class makes; or its values are the classes under other words. So do
    columns whose values are bands of the target without overlap (grades, rounded values), a column that says of each
    row whether it is of one class (one of a one-hot set), and columns that do it only together: two columns whose sum,
    difference, product or ratio is the target, a sum of several, or a number within each value of another column (a
    square and its sign). Text such as "12 EUR" is judged by its numbers too. In 12 to 29 rows it is reported only if
    classes could be given to the rows in a thousand ways or more. In rows with time, a column that is only as good as
    the target one step before is no leak.
    """
    yield from subject.fact(_giveaways)


@check("FW203", "A feature is too good alone", severity="warn")
def too_good_alone(subject: Subject) -> Iterator[Trap]:
    """One column alone gives 85 % or more, and all others together (by a small forest) leave at least four times as
    much over. Beside fewer than four other columns it must be 95 %, and it is not reported in fewer than 40 rows: a law
    between two measured things is no leak. Such columns are often made from the target, or filled in later.
    """
    alone, shares = subject.fact(_alone), subject.fact(_strong)
    if not shares or subject.fact(_sure) or len(subject.fact(unique_rows)) < LEAST_OTHERS:
        return
    best = max(shares, key=shares.__getitem__)
    features = subject.fact(_features)
    if len(features) <= FEW_OTHERS and shares[best] < GOOD_BESIDE_FEW:
        return
    if any(best in trap.columns for trap in subject.fact(_giveaways)):
        return
    rest = _share_of_all([column for column in features if column.name != best], subject, alone.rows)
    if (1 - rest) >= BETTER * (1 - shares[best]):
        yield Trap(
            f"the column {best!r} alone gives {_percent(shares[best])} of {_what(subject)}, "
            f"and all others together {_percent(max(rest, 0.0))}",
            columns=[best],
            figures={"share": shares[best], "share_of_all_others": rest},
            advice=ADVICE,
        )


@check("FW208", "Missing values tell the target", severity="warn")
def telling_missing(subject: Subject) -> Iterator[Trap]:
    """Whether a column is missing gives half of the target or more: it is probably filled in after the outcome."""
    if subject.data.rows < USUAL_ROWS:
        return
    alone, shares = Alone(subject, some_of(np.arange(subject.data.rows))), {}
    for column in subject.columns:
        if column.missing.any() and not column.missing.all():
            share = alone.share(Feature(column.name, "boolean", column.missing.astype(np.float64)))
            if share >= TOLD_BY_MISSING:
                shares[column.name] = share
    if shares:
        best = max(shares, key=shares.__getitem__)
        yield Trap(
            f"whether {best!r} is missing gives {_percent(shares[best])} of {_what(subject)}",
            columns=sorted(shares, key=lambda name: -shares[name]),
            figures={"share": shares[best]},
            advice="Leave it out if it is filled in after the outcome",
        )


def _copies(subject: Subject) -> list[str]:
    """Names of the columns that are the target."""
    return [column.name for column in subject.columns if _is_target(column, subject)]


def _features(subject: Subject) -> list[Feature]:
    """The other columns that may say something."""
    return [column for column in subject.columns if column.distinct > 1 and column.name not in subject.fact(_copies)]


def _alone(subject: Subject) -> Alone:
    """What single columns give; a copy of a row tells its target by any column, so each row counts once."""
    return Alone(subject, some_of(subject.fact(unique_rows)))


def _strong(subject: Subject) -> dict[str, float]:
    """Columns that give much of the target alone, and how much; none in too few rows to say."""
    rows = len(subject.fact(unique_rows))
    if rows < LEAST_ROWS:
        return {}
    if rows < USUAL_ROWS:  # could a column hardly tell all these rows apart by chance?
        counts = np.unique(subject.target, return_counts=True)[1]
        if log_arrangements(counts) < np.log(LEAST_ODDS):
            return {}
    alone, least = subject.fact(_alone), max(GOOD, _persistence(subject))
    return {column.name: share for column in subject.fact(_features) if (share := alone.share(column)) >= least}


def _sure(subject: Subject) -> dict[str, float]:
    """Those that determine the target almost."""
    strong = subject.fact(_strong)
    renamed = {column.name for column in subject.columns if column.name in strong and _has_other_words(column, subject)}
    return {name: share for name, share in strong.items() if share >= DETERMINED or name in renamed}


def _giveaways(subject: Subject) -> list[Trap]:
    """Each column is named once."""
    traps, named = list[Trap](), set(subject.fact(_copies))
    for look in (_given_by_one, _given_by_bands, _given_together):
        traps += look([column for column in subject.columns if column.name not in named], subject)
        named |= {name for trap in traps for name in trap.columns}
    return traps


def _is_target(column: Feature, subject: Subject) -> bool:
    if column.distinct < 2 or column.missing.any():
        return False
    if column.is_number and np.array_equal(column.values, subject.target):
        return True
    classes = subject.data.classes
    if subject.is_regression or column.distinct != len(classes):
        return False
    if column.labels:  # the words of the classes
        words = np.array([str(label) for label in column.labels])[column.values.astype(np.int64)]
        return np.array_equal(words, np.array([str(label) for label in classes])[subject.codes])
    if not all(isinstance(label, int | float | np.number) for label in classes):
        return False
    return np.array_equal(column.values, np.array(classes, dtype=np.float64)[subject.codes])


def _has_other_words(column: Feature, subject: Subject) -> bool:
    """Has it one value for each of three classes or more, almost always: the classes under other words?"""
    classes = len(subject.data.classes)
    if column.distinct != classes or classes < 3 or column.missing.any():
        return False
    table = np.zeros((classes, classes), dtype=np.int64)
    np.add.at(table, (column.codes, subject.codes), 1)
    commonest = set(table.argmax(axis=1).tolist())
    return len(commonest) == classes and bool(table.max(axis=1).sum() >= RENAMED * table.sum())


def _persistence(subject: Subject) -> float:
    """What the target one step before gives, in rows with time: a feature as good as that gives nothing away."""
    time, target = subject.data.time, subject.target
    if time is None or not subject.is_regression:
        return 0.0
    ordered = target[np.argsort(time, kind="stable")]
    now, before = in_deviations(ordered[1:]), in_deviations(ordered[:-1])
    if now is None or before is None:
        return 0.0
    correlation = float(now @ before) / len(now)
    return 1 - (1 - max(correlation, 0.0) ** 2) / 2  # twice as good as that is news


def _share_of_all(columns: Sequence[Feature], subject: Subject, rows: IntArray) -> float:
    """What columns give together, by a small forest whose trees judge rows they have not seen."""
    import warnings

    from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor

    rows = rows if len(rows) <= MOST_OTHERS else rows[np.linspace(0, len(rows) - 1, MOST_OTHERS).astype(int)]
    if not columns:
        return 1.0
    points = spread_out([column.values[rows] for column in columns], [not column.is_number for column in columns])
    if not points.shape[1]:
        return 1.0
    target, kind = subject.target[rows], ExtraTreesRegressor if subject.is_regression else ExtraTreesClassifier
    forest = kind(30, bootstrap=True, oob_score=True, min_samples_leaf=2, max_features=0.5, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rows may be in every tree
        forest.fit(points, target)
    if subject.is_regression:
        return float(forest.oob_score_)
    most = np.unique(target, return_counts=True)[1].max() / len(target)
    return float((forest.oob_score_ - most) / (1 - most)) if most < 1 else 0.0


def _given_by_one(columns: Sequence[Feature], subject: Subject) -> Iterator[Trap]:
    """By columns that determine it almost."""
    shares = subject.fact(_sure)
    if shares:
        best = max(shares, key=shares.__getitem__)
        yield Trap(
            f"the column {best!r} alone gives {_percent(shares[best])} of {_what(subject)}",
            columns=sorted(shares, key=lambda name: -shares[name]),
            figures={"share": shares[best]},
            advice=ADVICE,
        )


def _given_by_bands(columns: Sequence[Feature], subject: Subject) -> Iterator[Trap]:
    """By columns whose values are bands of the target, or that say of each row whether it is of one class."""
    if subject.data.rows < USUAL_ROWS or not (subject.is_regression or len(subject.data.classes) > 2):
        return
    rows = some_of(np.arange(subject.data.rows))
    target, most = subject.target[rows], len(rows) / LEAST_IN_LEVEL if subject.is_regression else 2
    tells = _are_bands if subject.is_regression else _says_class
    levels = [column for column in columns if 2 <= column.distinct <= most and not column.missing.any()]
    names = [column.name for column in levels if tells(column.codes[rows], target)]
    if names:
        bands = f"the values of {quoted(names)} are bands of the target that do not overlap"
        says = f"{quoted(names)} says of almost every row whether it is of one class or not"
        advice = ADVICE if len(names) == 1 else ADVICE_ON_SEVERAL
        yield Trap(bands if subject.is_regression else says, columns=names, advice=advice)


def _are_bands(codes: IntArray, target: FloatArray) -> bool:
    """Do the targets of its values lie in ranges of their own, almost all, against all odds?"""
    counts = np.bincount(codes)
    means = np.bincount(codes, target) / np.maximum(counts, 1)
    ranks = np.argsort(np.argsort(np.where(counts > 0, means, np.inf)))[codes]
    in_order = ranks[np.lexsort((ranks, target))]
    return bool(np.mean(in_order != np.sort(ranks)) <= WRONG) and log_arrangements(counts[counts > 0]) >= SURE


def _says_class(codes: IntArray, target: FloatArray) -> bool:
    """Does one of its two values stand for one class, in this class and nowhere else?"""
    table = np.zeros((2, int(target.max()) + 1))
    np.add.at(table, (codes, target.astype(np.int64)), 1)
    sizes = table.sum(axis=0)
    right = table / np.maximum(sizes, 1)  # of each class, how many rows have this value
    wrong = (table.sum(axis=1)[:, None] - table) / np.maximum(len(codes) - sizes, 1)
    is_told = (right >= TOLD) & (wrong <= WRONG) & (sizes >= LEAST_CLASS)
    return bool(is_told.any()) and log_arrangements(np.bincount(codes)) >= SURE


def log_arrangements(counts: IntArray) -> float:
    """The log of the number of ways to give so many rows to each class.

    >>> round(np.exp(log_arrangements(np.array([2, 2]))))
    6
    """
    from scipy.special import gammaln

    return float(gammaln(counts.sum() + 1) - gammaln(counts + 1).sum())


def _given_together(columns: Sequence[Feature], subject: Subject) -> Iterator[Trap]:
    """By columns of which none gives it alone, but two do together, or a sum of several."""
    if len(subject.fact(unique_rows)) < USUAL_ROWS:
        return
    rows = subject.fact(_alone).rows
    numbers = [column for column in columns if column.is_number and column.distinct > 2]
    numbers = [column for column in numbers if not column.missing[rows].any()][:MOST_COLUMNS]
    numbers = [column for column in numbers if np.isfinite(column.values).all()]
    if subject.is_regression and (made_of := _in_sum_or_product(numbers, subject, rows)):
        how, names = made_of
        yield Trap(
            f"{how} of {quoted(names)} is the target up to a straight line", columns=names, advice=ADVICE_ON_SEVERAL
        )
    elif pair := _in_levels(numbers, columns, subject):
        yield Trap(
            f"{pair.number!r} within each value of {pair.level!r} gives {_percent(pair.share)} of {_what(subject)}",
            columns=[pair.number, pair.level],
            figures={"share": pair.share},
            advice=ADVICE_ON_SEVERAL,
        )


def _in_sum_or_product(numbers: Sequence[Feature], subject: Subject, rows: IntArray) -> tuple[str, list[str]] | None:
    """How columns make up the target, and their names."""
    target, columns = subject.target[rows], [column.values[rows] for column in numbers]
    if places := _in_sum(columns, target):
        return "a sum or difference", [numbers[place].name for place in places]
    positive = [place for place, column in enumerate(columns) if (column > 0).all()]
    if len(positive) >= 2 and (target > 0).all() and np.ptp(target) > 0:
        places = _in_sum([np.log(columns[place]) for place in positive], np.log(target))
        if len(places) == 2:
            return "a product or ratio", [numbers[positive[place]].name for place in places]
    return None


def _in_sum(columns: Sequence[FloatArray], target: FloatArray) -> list[int]:
    """The places of the shortest sum that is the target: two of all pairs, or those of the line through all."""
    deviations, outcome = [in_deviations(column) for column in columns], in_deviations(target)
    places = [place for place, column in enumerate(deviations) if column is not None]
    if len(places) < 2 or outcome is None:
        return []
    matrix = np.column_stack([column for column in deviations if column is not None])
    alike, with_target = matrix.T @ matrix / len(outcome), matrix.T @ outcome / len(outcome)
    apart = 1 - alike**2
    both = with_target[:, None] ** 2 + with_target**2 - 2 * np.outer(with_target, with_target) * alike
    shares = np.where(apart > 1e-6, both / np.maximum(apart, 1e-6), 0.0)
    first, second = divmod(int(shares.argmax()), len(places))
    best = float(shares.max())
    if best >= EXACT and 1 - best <= NEWS * (1 - max(with_target[first] ** 2, with_target[second] ** 2)):
        return sorted((places[first], places[second]))
    if len(outcome) < 4 * len(places) or max(with_target**2) >= DETERMINED:
        return []
    lengths = np.linalg.eigvalsh(alike)
    if lengths[0] > LEAST_LENGTH * lengths[-1]:
        weights = np.linalg.solve(alike, with_target)
    else:  # the products have lost what tells columns apart
        weights = np.linalg.lstsq(matrix, outcome, rcond=None)[0]
    if float(((outcome - matrix @ weights) ** 2).mean()) > 1 - EXACT_OF_ALL:
        return []
    return [place for place, weight in zip(places, weights, strict=True) if abs(weight) >= 0.01]


class _Pair(NamedTuple):
    """A column of few values, a number that gives the target within each of them, and what both give."""

    level: str
    number: str
    share: float


def _in_levels(numbers: Sequence[Feature], columns: Sequence[Feature], subject: Subject) -> _Pair | None:
    """The first such pair; on a few rows first."""
    alone = subject.fact(_alone)
    rows = alone.rows
    levels = [column for column in columns if 2 <= column.distinct <= min(MOST_LEVELS, len(rows) / LEAST_IN_LEVEL)]
    first = rows[np.linspace(0, len(rows) - 1, min(len(rows), FIRST_ROWS)).astype(np.int64)]
    table = np.stack([column.values[first] for column in numbers], axis=1) if numbers else np.zeros((len(first), 0))
    for level in levels[:MOST_COLUMNS]:
        shares = _shares_within(table, level.codes[first], subject, first)
        for number in (numbers[at] for at in np.flatnonzero(shares >= HINT).tolist()):
            if number.name == level.name:
                continue
            share = float(_shares_within(number.values[rows, None], level.codes[rows], subject, rows)[0])
            best = max(alone.share(number), alone.share(level))
            if share >= DETERMINED and 1 - share <= NEWS * (1 - best):
                return _Pair(level.name, number.name, share)
    return None


def _shares_within(table: FloatArray, codes: IntArray, subject: Subject, rows: IntArray) -> FloatArray:
    """What each column gives within the levels: rows are judged by those next in order in their level."""
    target = subject.target[rows]
    if table.shape[1] == 0 or (target == target[0]).all():
        return np.zeros(table.shape[1])
    mixed = np.random.default_rng(0).permutation(len(codes))
    table, codes, target = table[mixed], codes[mixed], target[mixed]
    by_value = np.argsort(table, axis=0, kind="stable")
    order = np.take_along_axis(by_value, np.argsort(codes[by_value], axis=0, kind="stable"), axis=0)
    values, targets = np.take_along_axis(table, order, axis=0), target[order]
    gaps = np.diff(values, axis=0, prepend=np.nan, append=np.nan)  # beside each row, from before the first
    edges = np.flatnonzero(np.diff(np.sort(codes))) + 1
    gaps[[0, *edges, -1]] = np.inf
    before, after = gaps[:-1], gaps[1:]
    down, up = np.roll(targets, 1, axis=0), np.roll(targets, -1, axis=0)
    if not subject.is_regression:
        guesses = np.where(after < before, up, down)
        most = np.unique(target, return_counts=True)[1].max()
        return np.asarray(((guesses == targets).sum(axis=0) - most) / (len(target) - most))
    is_inside = np.isfinite(before) & np.isfinite(after)
    share = before / np.where(is_inside & (before + after > 0), before + after, 1.0)
    between = np.where(is_inside, down + (up - down) * np.where(before + after > 0, share, 0.5), targets)
    lost = np.where(is_inside, (targets - between) ** 2, 0.0).sum(axis=0) / np.maximum(is_inside.sum(axis=0), 1)
    return np.asarray(1 - lost / target.var())


def _percent(share: float) -> str:
    """
    >>> _percent(0.9999), _percent(0.912)
    ('99.99 %', '91 %')
    """
    return f"{share:.0%}".replace("%", " %") if share < DETERMINED else f"{min(share, 0.9999):.2%}".replace("%", " %")


def _what(subject: Subject) -> str:
    return "the target's variance" if subject.is_regression else "the classes that are not the commonest"
