"""Features that give the target away by their bands, class by class, or only two or more of them together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.data.equal_rows import in_deviations
from foldwise.data.features import Feature
from foldwise.guards.alone import Alone, some_rows
from foldwise.guards.checks.copies import DETERMINED, log_arrangements, target_copies, telling_columns
from foldwise.guards.checks.duplicates import without_copies
from foldwise.guards.checks.identifiers import quoted
from foldwise.guards.codes.columns import GIVEN_AWAY, TOO_GOOD
from foldwise.guards.subject import Subject
from foldwise.studies.finding import Finding

LEAST_ROWS = 30
SURE = 30.0  # nats against chance
WRONG = 0.005  # of the rows may stand in another band
LEAST_CLASS, TOLD = 5, 0.98  # rows of a class, and how many of them an indicator of it says
EXACT, EXACT_OF_ALL = 0.999, 0.9999  # of the variance, by a sum of two columns and of several
LEAST_LENGTH = 1e-8  # of the longest, from where products of columns give the weights to eight digits
NEWS = 0.1  # of what the better one leaves may be left by both
MOST_COLUMNS, MOST_LEVELS, LEAST_IN_LEVEL = 60, 30, 8
FIRST_ROWS, HINT = 500, 0.9  # a quick look before all rows are asked
ADVICE = "Leave them out if they are made from the target, or are not known when a prediction is asked for"


def given_away(subject: Subject) -> Iterator[Finding]:
    """Features that are the target, give it away alone, by bands or together; none is named twice."""
    told: set[str] = set()
    all_found = []
    for check in (target_copies, telling_columns, cut_targets, telling_together):
        kept = tuple(one for one in subject.columns if one.name not in told)
        found = list(check(subject.with_columns(kept)))
        told |= {name for one in found if one.code != TOO_GOOD.name for name in one.columns}
        all_found += found
    yield from (one for one in all_found if one.code != TOO_GOOD.name or not told & set(one.columns))


def cut_targets(subject: Subject) -> Iterator[Finding]:
    """Columns whose values are bands of the target, or that say of each row whether it is of one class."""
    if subject.data.rows < LEAST_ROWS:
        return
    rows = some_rows(subject.data.rows)
    few = [one for one in subject.columns if 2 <= one.distinct <= len(rows) / LEAST_IN_LEVEL and not one.missing.any()]
    if subject.is_regression:
        names = [one.name for one in few if _are_bands(one.codes[rows], subject.target[rows])]
        says = "the values of {} are bands of the target that do not overlap"
    elif len(subject.data.classes) > 2:
        names = [one.name for one in few if one.distinct == 2 and _says_class(one.codes[rows], subject.target[rows])]
        says = "{} says of almost every row whether it is of one class or not"
    else:
        return
    if names:
        yield GIVEN_AWAY.found(says.format(quoted(names)), columns=names, advice=ADVICE.replace("them", "it", 1))


def telling_together(subject: Subject) -> Iterator[Finding]:
    """Columns of which none gives the target alone, but two do together, or a sum of several."""
    kept = without_copies(subject)
    if len(kept) < LEAST_ROWS:
        return
    rows = kept[some_rows(len(kept))]
    numbers = [one for one in subject.columns if one.is_number and one.distinct > 2 and not one.missing[rows].any()]
    numbers = [one for one in numbers[:MOST_COLUMNS] if np.isfinite(one.values).all()]
    if subject.is_regression and (found := _in_sum(numbers, subject, rows)):
        names, how = found
        yield GIVEN_AWAY.found(
            f"{how} of {quoted(names)} is the target up to a straight line", columns=names, advice=ADVICE
        )
        return
    pair = _in_levels(numbers, subject, rows)
    if pair:
        level, number, share = pair
        what = "the target's variance" if subject.is_regression else "the classes that are not the commonest"
        yield GIVEN_AWAY.found(
            f"{number!r} within each value of {level!r} gives {min(share, 0.9999):.2%} of {what}".replace("%", " %"),
            columns=[number, level],
            figures={"share": share},
            advice=ADVICE,
        )


def _are_bands(codes: IntArray, target: FloatArray) -> bool:
    """Do the targets of its values lie in ranges of their own, almost all, against all odds?"""
    counts = np.bincount(codes)
    means = np.bincount(codes, target) / np.maximum(counts, 1)
    ranks = np.argsort(np.argsort(np.where(counts > 0, means, np.inf)))[codes]
    by_target = np.sort(ranks)
    in_order = ranks[np.lexsort((ranks, target))]
    return bool(np.mean(in_order != by_target) <= WRONG) and log_arrangements(counts[counts > 0]) >= SURE


def _says_class(codes: IntArray, target: FloatArray) -> bool:
    """Does one of its two values stand for one class, in this class and nowhere else?"""
    table = np.zeros((2, int(target.max()) + 1))
    np.add.at(table, (codes, target.astype(np.int64)), 1)
    sizes = table.sum(axis=0)
    right = table / np.maximum(sizes, 1)  # of each class, how many rows have this value
    wrong = (table.sum(axis=1)[:, None] - table) / np.maximum(len(codes) - sizes, 1)
    told = (right >= TOLD) & (wrong <= WRONG) & (sizes >= LEAST_CLASS)
    return bool(told.any()) and log_arrangements(np.bincount(codes)) >= SURE


def _in_sum(numbers: Sequence[Feature], subject: Subject, rows: IntArray) -> tuple[list[str], str] | None:
    """Two columns, or several, whose sum or product is the target, and what it is called."""
    target = subject.target[rows]
    table = np.column_stack([one.values[rows] for one in numbers]) if numbers else np.zeros((len(rows), 0))
    names = [one.name for one in numbers]
    if found := _terms(table, target):
        return [names[at] for at in found], "a sum or difference"
    is_positive = (table > 0).all(axis=0)
    if (target > 0).all() and is_positive.sum() >= 2 and np.ptp(target) > 0:
        kept = np.flatnonzero(is_positive)
        if (found := _terms(np.log(table[:, kept]), np.log(target))) and len(found) == 2:
            return [names[kept[at]] for at in found], "a product or ratio"
    return None


def _terms(table: FloatArray, target: FloatArray) -> list[int]:
    """The columns of the shortest sum that is the target: two of all pairs, or those of the line through all."""
    scaled, one = [in_deviations(column) for column in table.T], in_deviations(target)
    at = [place for place, column in enumerate(scaled) if column is not None]
    if len(at) < 2 or one is None:
        return []
    matrix = np.column_stack([column for column in scaled if column is not None])
    alike, own = matrix.T @ matrix / len(one), matrix.T @ one / len(one)
    apart = 1 - alike**2
    both = own[:, None] ** 2 + own**2 - 2 * np.outer(own, own) * alike
    shares = np.where(apart > 1e-6, both / np.maximum(apart, 1e-6), 0.0)
    first, second = divmod(int(shares.argmax()), len(at))
    best = float(shares.max())
    if best >= EXACT and 1 - best <= NEWS * (1 - max(own[first] ** 2, own[second] ** 2)):
        return sorted((at[first], at[second]))
    if len(one) < 4 * len(at) or max(own**2) >= DETERMINED:
        return []
    lengths = np.linalg.eigvalsh(alike)
    is_clear = lengths[0] > LEAST_LENGTH * lengths[-1]  # else the products have lost what tells columns apart
    weights = np.linalg.solve(alike, own) if is_clear else np.linalg.lstsq(matrix, one, rcond=None)[0]
    if float(((one - matrix @ weights) ** 2).mean()) > 1 - EXACT_OF_ALL:
        return []
    return [place for place, weight in zip(at, weights, strict=True) if abs(weight) >= 0.01]


def _in_levels(numbers: Sequence[Feature], subject: Subject, rows: IntArray) -> tuple[str, str, float] | None:
    """A column of few values, and a number that gives the target within each of them; what they give together."""
    levels = [one for one in subject.columns if 2 <= one.distinct <= min(MOST_LEVELS, len(rows) / LEAST_IN_LEVEL)]
    some = rows[np.linspace(0, len(rows) - 1, min(len(rows), FIRST_ROWS)).astype(np.int64)]
    table = np.column_stack([one.values[some] for one in numbers]) if numbers else np.zeros((len(some), 0))
    alone = Alone(subject, rows)
    for level in levels[:MOST_COLUMNS]:
        shares = _within(table, level.codes[some], subject, some)
        for at in np.flatnonzero(shares >= HINT):
            number = numbers[int(at)]
            if number.name == level.name:
                continue
            share = float(_within(number.values[rows, None], level.codes[rows], subject, rows)[0])
            best = max(alone.share(number), alone.share(level))
            if share >= DETERMINED and 1 - share <= NEWS * (1 - best):
                return level.name, number.name, share
    return None


def _within(table: FloatArray, codes: IntArray, subject: Subject, rows: IntArray) -> FloatArray:
    """What each column gives within the levels: rows are judged by those next in order in their level."""
    target = subject.target[rows]
    if table.shape[1] == 0 or (target == target[0]).all():
        return np.zeros(table.shape[1])
    mixed = np.random.default_rng(0).permutation(len(codes))
    table, codes, target = table[mixed], codes[mixed], target[mixed]
    by_value = np.argsort(table, axis=0, kind="stable")
    order = np.take_along_axis(by_value, np.argsort(codes[by_value], axis=0, kind="stable"), axis=0)
    values, targets = np.take_along_axis(table, order, axis=0), target[order]
    edges = np.flatnonzero(np.diff(np.sort(codes))) + 1
    gaps = np.diff(values, axis=0)
    gaps[edges - 1] = np.inf
    before, after = (
        np.pad(gaps, ((1, 0), (0, 0)), constant_values=np.inf),
        np.pad(gaps, ((0, 1), (0, 0)), constant_values=np.inf),
    )
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
