"""Rows that are equal, or nearly so, and stand on both sides of a split."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.data.equal_rows import NEIGHBOURS, NearRows, hash_column, is_fine, spread_out
from foldwise.data.features import Feature
from foldwise.guards.checks.identifiers import is_identifier
from foldwise.guards.codes.rows import CONFLICTS, DUPLICATES, NEAR_DUPLICATES
from foldwise.guards.subject import Subject
from foldwise.splits.split import Splits
from foldwise.studies.finding import Finding

LEAST_SHARE = 0.02  # of rows that are copies of others before anyone is told
LEAST_COPIES = 3
BY_CHANCE = 0.5  # of the equal pairs may be so because the table is coarse
MOST_COLUMNS = 60  # that are left out in turn, to see what is chance
MOST_CHANCE = 0.5  # that two rows are near in a column: beyond, it tells nothing
CLEARLY_CHANCE = 0.05  # of the near pairs are copies, or fewer
LEAST_COPIED = 0.2  # of them in coarse tables
SOME_COLUMNS = 20  # that are left out in turn of distances
MOST_SPLITS = 30  # that are looked at
FINE_COLUMNS = 2  # of fine numbers, or so many of so many values, in which rows are told apart
MANY_COLUMNS, MANY_VALUES = 6, 30
CELLS = 2_000_000  # distances that are worked out


def equal_rows(subject: Subject) -> Iterator[Finding]:
    """Rows equal in all features and the target, more of them than chance gives, on both sides of a split."""
    features = subject.once(telling_features)
    if not features or subject.data.rows < 2 * NEIGHBOURS:
        return
    hashes = subject.once(_row_hashes)
    codes = np.unique(hashes, return_inverse=True)[1]
    copies = len(codes) - int(codes.max()) - 1
    if copies < max(LEAST_COPIES, LEAST_SHARE * len(codes)):
        return
    if not subject.is_regression and _share_of_copies(subject) >= BY_CHANCE:
        yield from _conflicts(subject, codes)
    target = hash_column(subject.target, len(features))
    copies = len(codes) - len(np.unique(hashes + target))
    if copies < max(LEAST_COPIES, LEAST_SHARE * len(codes)) or (len(features) == 1 and not subject.is_regression):
        return
    if _share_of_copies(subject, target) < BY_CHANCE:
        return
    crossing = crossing_rows(subject.outer, codes)
    if len(crossing) >= LEAST_COPIES:
        share = len(crossing) / len(subject.outer.rows)
        yield DUPLICATES.found(
            f"{copies} of {len(codes)} rows are copies of others, "
            f"and {share:.0%} of the rows that are tested have a copy among the training rows",
            rows=crossing,
            figures={"copies": copies, "tested_with_copy": len(crossing), "share": share},
            advice=advice_on_copies(subject),
        )


def without_copies(subject: Subject) -> IntArray:
    """All rows but the copies of others, where there are more of these than chance gives."""
    features = subject.once(telling_features)
    every = np.arange(subject.data.rows)
    if not features or (len(features) == 1 and not subject.is_regression):
        return every
    target = hash_column(subject.target, len(features))
    first = np.unique(subject.once(_row_hashes) + target, return_index=True)[1]
    is_few = len(every) - len(first) < max(LEAST_COPIES, LEAST_SHARE * len(every))
    return every if is_few or _share_of_copies(subject, target) < BY_CHANCE else np.sort(first)


def near_rows(subject: Subject) -> Iterator[Finding]:
    """Rows much nearer to another than to a third, more of them than chance gives, on both sides of a split."""
    near = subject.once(neighbours)
    if near is None:
        return
    features, first, asked = subject.once(telling_features), near.rows, near.asked
    one, other = near.links(is_sure=True)
    pairs = np.column_stack([first[asked[one]], first[other]])
    crossing = _crosses(subject.outer, pairs, subject.data.rows)
    close, pairs = np.unique(one[crossing]), pairs[crossing]
    least = max(2 * LEAST_COPIES, 2 * LEAST_SHARE * len(asked))
    if len(close) < least:
        return
    copies = _share_of_near_copies(features, first, asked, near.reach)
    if are_told_apart([one.values[first] for one in features if one.is_number]):
        is_chance = copies < CLEARLY_CHANCE
    else:
        is_chance = copies < LEAST_COPIED or copies * len(close) < least
    if is_chance:
        return
    share = len(close) / len(asked)
    yield NEAR_DUPLICATES.found(
        f"about {share:.0%} of the rows are nearly equal to one on the other side of a split, "
        "many times nearer to it than chance lets rows be",
        rows=np.unique(pairs),
        figures={"rows_looked_at": len(asked), "near_copies": len(close), "share": share},
        advice=advice_on_copies(subject),
    )


def neighbours(subject: Subject) -> NearRows | None:
    """The nearest rows of some rows, each of which is there once; None where near copies are not looked for."""
    features = subject.once(telling_features)
    if not features or subject.data.time is not None:
        return None
    first = np.unique(subject.once(_row_hashes), return_index=True)[1]
    if len(first) < 4 * NEIGHBOURS:
        return None
    return NearRows(
        [one.values for one in features], [not one.is_number for one in features], _asked(len(first)), first
    )


def _conflicts(subject: Subject, codes: IntArray) -> Iterator[Finding]:
    """Rows of a class that is not the commonest among those equal to them: no method gets all of them right."""
    classes = subject.target.astype(np.int64)
    table = np.zeros((int(codes.max()) + 1, int(classes.max()) + 1), dtype=np.int64)
    np.add.at(table, (codes, classes), 1)
    wrong = classes != table.argmax(axis=1)[codes]
    lost = int(table.sum() - table.max(axis=1).sum())
    if lost >= max(LEAST_COPIES, LEAST_SHARE * len(codes)):
        share = lost / len(codes)
        yield CONFLICTS.found(
            f"{lost} rows have another class than most rows equal to them, "
            f"so no method can be right on more than {1 - share:.1%} of these rows",
            rows=np.flatnonzero(wrong),
            figures={"rows": lost, "share": share},
            advice="Look for mistakes in the classes, or for features that are missing",
        )


def crossing_rows(outer: Splits, codes: IntArray) -> IntArray:
    """Rows that are tested while a row of the same code is trained on."""
    found = np.zeros(len(codes), dtype=bool)
    for split in outer.splits[:MOST_SPLITS]:
        is_trained = np.zeros(int(codes.max()) + 1, dtype=bool)
        is_trained[codes[split.train]] = True
        found[split.test] |= is_trained[codes[split.test]]
    return np.flatnonzero(found)


def telling_features(subject: Subject) -> list[Feature]:
    """The features that may be equal at all: no identifier, and more than one value."""
    if subject.data.is_series:
        return list(subject.columns)
    return [one for one in subject.columns if one.distinct > 1 and not is_identifier(one)]


def hashes_of(features: Sequence[Feature]) -> Iterator[AnyArray]:
    """A number for every cell, column by column; rows without any value are no copies of each other."""
    empty = np.flatnonzero(np.logical_and.reduce([one.missing for one in features]))
    for at, one in enumerate(features):
        cells = hash_column(one.values, at)
        if at == 0:
            cells[empty] = hash_column(empty.astype(np.float64), len(features) + 1)
        yield cells


def _row_hashes(subject: Subject) -> AnyArray:
    """A number for every row, the sum of those of its cells."""
    features = subject.once(telling_features)
    total = np.zeros(len(features[0].values), dtype=np.uint64)
    for cells in hashes_of(features):
        total += cells
    return total


def _share_of_near_copies(features: Sequence[Feature], rows: IntArray, asked: IntArray, reach: FloatArray) -> float:
    """How many of the near pairs are copies, not chance: as `_share_of_copies`, with nearness for equality.

    In a table of categories and few fine numbers the nearest row is one of the same categories, and all others are
    far. But then these categories are the same by chance, as they are in pairs that are near in all other columns.
    """
    columns = [spread_out([one.values], [not one.is_number], rows) for one in features]
    limits, own = reach[:, None] ** 2, (np.arange(len(asked)), asked)
    gaps = _squares(np.hstack(columns), asked)
    gaps[own] = np.inf
    near = int((gaps < limits).sum())
    shares = []
    for one in columns[:: max(1, len(columns) // SOME_COLUMNS)]:
        apart = _squares(one, asked)
        chance = float((apart < limits).mean())
        if chance <= MOST_CHANCE and near:
            rest = gaps - apart
            rest[own] = np.inf
            expected = chance / (1 - chance) * max(int((rest < limits).sum()) - near, 0)
            shares.append(1 - (expected + 3 * np.sqrt(expected)) / near)
    return min(shares, default=1.0)  # of very many columns each is near in most pairs, and all together in none


def _squares(points: FloatArray, asked: IntArray) -> FloatArray:
    """Squared distances of the rows asked to all."""
    squares = np.einsum("ij,ij->i", points, points)
    found: FloatArray = squares[asked, None] + squares - 2 * (points[asked] @ points.T)
    return found


def _share_of_copies(subject: Subject, target: AnyArray | None = None) -> float:
    """How many of the equal pairs are copies, not chance: what the column that best tells rows apart says.

    Of the pairs equal in all other features, chance makes a share equal in this one too: the sum of its squared
    frequencies. Copies are equal in any case. The target comes last, to which all features belong.
    """
    features, total = subject.once(telling_features), subject.once(_row_hashes)
    step = max(1, len(features) // MOST_COLUMNS)
    every = enumerate(hashes_of(features)) if len(features) > 1 else ()
    shares = [share_of_copies_by(total, cells) for at, cells in every if at % step == 0]
    shares += [] if target is None else [share_of_copies_by(total + target, target)]
    return min(shares, default=0.0)  # of one feature alone nobody knows


def share_of_copies_by(total: AnyArray, column: AnyArray) -> float:
    equal, chance = count_pairs(total), 2 * count_pairs(column) / (len(total) * (len(total) - 1))
    if equal == 0 or chance == 1:
        return float(equal > 0)
    expected = chance * (count_pairs(total - column) - equal) / (1 - chance)
    return float(1 - (expected + 3 * np.sqrt(expected)) / equal)


def count_pairs(hashes: AnyArray) -> int:
    ordered = np.sort(hashes)
    counts = np.diff(np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1], True])).astype(np.int64)
    return int((counts * (counts - 1) // 2).sum())


def _asked(rows: int) -> IntArray:
    """Rows whose neighbours are looked up: all of a small table, some of a large one."""
    count = min(rows, max(100, CELLS // rows))
    return np.sort(np.random.default_rng(0).choice(rows, count, replace=False))


def _crosses(outer: Splits, pairs: IntArray, rows: int) -> AnyArray:
    """Which pairs have one row in the test and the other in the training rows of some split?"""
    found = np.zeros(len(pairs), dtype=bool)
    for split in outer.splits[:MOST_SPLITS]:
        side = np.zeros(rows, dtype=np.int8)
        side[split.train] = 1
        side[split.test] = 2
        found |= side[pairs].sum(axis=1) * (side[pairs[:, 0]] != side[pairs[:, 1]]) == 3
    return found


def are_told_apart(columns: Sequence[AnyArray]) -> bool:
    """Have they values fine enough that rows are hardly near each other by chance?"""
    is_many = sum(len(np.unique(one)) > MANY_VALUES for one in columns) >= MANY_COLUMNS
    return is_many or sum(is_fine(one) for one in columns) >= FINE_COLUMNS


def advice_on_copies(subject: Subject) -> str:
    if subject.data.groups is None and subject.data.time is None:
        return 'Keep them together with groups="duplicates" (--groups duplicates), or leave copies out'
    return "Leave copies out"
