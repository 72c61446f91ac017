"""Rows that are equal, or nearly so, and stand on both sides of a split."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from foldwise.arrays import AnyArray, BoolArray, FloatArray, IntArray
from foldwise.checks.check import Trap, check
from foldwise.checks.columns import identifiers
from foldwise.checks.subject import Subject
from foldwise.data.equal_rows import NEIGHBOURS, NearCopies, hash_column, is_fine, spread_out
from foldwise.data.features import Feature
from foldwise.splits.split import Splits

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
LEAST_COLUMNS, LEAST_ROWS, MOST_CELLS = 4, 40, 10_000_000  # of a table whose copies may have one column changed


@check("FW101", "Equal rows in training and test", severity="warn")
def equal_rows(subject: Subject) -> Iterator[Trap]:
    """At least 2 % of the rows are copies of others, in all features and in the target, and copies stand on both sides
    of outer splits: a learner that remembers rows looks better than it is. Tables of few values have equal rows by
    chance, and these are not counted: of the pairs that are equal in all other columns, chance makes a share equal in
    the last one too. Identifiers are left out. `groups="duplicates"` (`--groups duplicates`) keeps rows that are equal
    or nearly so together, in the outer splits, the inner splits and early stopping. If a column has that name, the
    column is used, and a note says so.
    """
    rows = subject.data.rows
    if rows < 2 * NEIGHBOURS or len(subject.fact(unique_rows)) == rows:
        return
    codes = subject.fact(row_codes)
    copies = rows - len(subject.fact(unique_rows))
    crossing = np.flatnonzero(_crossing_rows(subject.outer, codes))
    if len(crossing) >= LEAST_COPIES:
        share = len(crossing) / len(subject.outer.rows)
        yield Trap(
            f"{copies} of {rows} rows are copies of others, "
            f"and {share:.0%} of the rows that are tested have a copy among the training rows",
            rows=crossing,
            figures={"copies": copies, "tested_with_copy": len(crossing), "share": share},
            advice=_advice(subject),
        )


@check("FW107", "Equal rows with other classes", severity="note")
def conflicts(subject: Subject) -> Iterator[Trap]:
    """Rows that are equal in every feature have different classes, so that no method can be right on all of them. The
    text has the least possible error on these rows.
    """
    rows = subject.data.rows
    if subject.is_regression or rows < 2 * NEIGHBOURS or not subject.fact(telling_columns):
        return
    codes = subject.fact(row_codes)
    if _are_few(rows - int(codes.max()) - 1, rows) or _share_of_copies(subject) < BY_CHANCE:
        return
    table = np.zeros((int(codes.max()) + 1, int(subject.codes.max()) + 1), dtype=np.int64)
    np.add.at(table, (codes, subject.codes), 1)
    lost = int(table.sum() - table.max(axis=1).sum())
    if not _are_few(lost, rows):
        yield Trap(
            f"{lost} rows have another class than most rows equal to them, "
            f"so no method can be right on more than {1 - lost / rows:.1%} of these rows",
            rows=np.flatnonzero(subject.codes != table.argmax(axis=1)[codes]),
            figures={"rows": lost, "share": lost / rows},
            advice="Look for mistakes in the classes, or for features that are missing",
        )


@check("FW102", "Nearly equal rows in training and test", severity="warn")
def nearly_equal_rows(subject: Subject) -> Iterator[Trap]:
    """At least 4 % of the rows are much nearer to one row than to their tenth neighbour: at most a fifth of that
    distance, and so near that chance has one row in 200 there, as the distances to farther neighbours tell (Levina and
    Bickel, 2004). Numbers count in standard deviations, another category as 1. Rounded or noisy copies and repeated
    measurements look like this. Where every row has several copies, they are told by the jump from the last of them to
    the next row, in the columns of fine numbers. If there are none of these, rows that are equal to another in the
    target and in all columns but one are reported. In tables of categories and few numbers the nearest row is often one
    of the same categories, by chance: of the pairs that are near in all other columns, chance makes a share near in
    this one too, and those are not counted, by the column that best tells rows apart. Near copies are not looked for
    where time is declared. Remedy: as FW101; near copies are kept together up to 20,000 rows.
    """
    traps = list(_near_rows(subject))
    yield from traps or _changed_rows(subject)


def telling_columns(subject: Subject) -> list[Feature]:
    """The columns that may be equal at all: no identifier, and more than one value."""
    if subject.data.is_series:
        return list(subject.columns)
    named = subject.fact(identifiers)
    return [column for column in subject.columns if column.distinct > 1 and column not in named]


def row_hashes(subject: Subject) -> AnyArray:
    """A number for every row, the sum of those of its cells."""
    total = np.zeros(subject.data.rows, dtype=np.uint64)
    for cells in _hashes(subject.fact(telling_columns)):
        total += cells
    return total


def row_codes(subject: Subject) -> IntArray:
    """Codes 0, 1, ... of the rows, equal where rows are equal in all features."""
    return np.asarray(np.unique(subject.fact(row_hashes), return_inverse=True)[1], dtype=np.int64)


def unique_rows(subject: Subject) -> IntArray:
    """All rows but the copies of others in features and target, where there are more of these than chance gives."""
    columns, every = subject.fact(telling_columns), np.arange(subject.data.rows)
    if not columns or (len(columns) == 1 and not subject.is_regression):
        return every
    target = hash_column(subject.target, len(columns))
    first = np.unique(subject.fact(row_hashes) + target, return_index=True)[1]
    if _are_few(len(every) - len(first), len(every)) or _share_of_copies(subject, target) < BY_CHANCE:
        return every
    return np.sort(first)


def _are_few(copies: int, rows: int) -> bool:
    return copies < max(LEAST_COPIES, LEAST_SHARE * rows)


def _near_rows(subject: Subject) -> Iterator[Trap]:
    """Rows much nearer to another than to a third, more of them than chance gives, on both sides of a split."""
    columns = subject.fact(telling_columns)
    if not columns or subject.data.time is not None:
        return
    first = np.unique(subject.fact(row_hashes), return_index=True)[1]  # each row once
    if len(first) < 4 * NEIGHBOURS:
        return
    count = min(len(first), max(100, CELLS // len(first)))  # of a large table the neighbours of some rows
    sample = np.sort(np.random.default_rng(0).choice(len(first), count, replace=False))
    near = NearCopies(
        [column.values for column in columns], [not column.is_number for column in columns], sample, first
    )
    place, neighbour = near.links(is_sure=True)
    pairs = np.column_stack([first[sample[place]], first[neighbour]])
    crossing = _crossing_pairs(subject.outer, pairs, subject.data.rows)
    close, pairs = np.unique(place[crossing]), pairs[crossing]
    least = max(2 * LEAST_COPIES, 2 * LEAST_SHARE * len(sample))
    if len(close) < least:
        return
    copied = _share_of_near_copies(columns, near)
    if _are_told_apart([column.values[first] for column in columns if column.is_number]):
        is_chance = copied < CLEARLY_CHANCE
    else:
        is_chance = copied < LEAST_COPIED or copied * len(close) < least
    if is_chance:
        return
    share = len(close) / len(sample)
    yield Trap(
        f"about {share:.0%} of the rows are nearly equal to one on the other side of a split, "
        "many times nearer to it than chance lets rows be",
        rows=np.unique(pairs),
        figures={"rows_looked_at": len(sample), "near_copies": len(close), "share": share},
        advice=_advice(subject),
    )


def _changed_rows(subject: Subject) -> Iterator[Trap]:
    """Rows equal to another in all columns but one, and in the target, more of them than chance gives."""
    columns, rows = subject.fact(telling_columns), subject.data.rows
    if len(columns) < LEAST_COLUMNS or rows < LEAST_ROWS or rows * len(columns) > MOST_CELLS:
        return
    if not _are_told_apart([*(column.values for column in columns), subject.target]):
        return  # categories agree for many reasons
    hashes = [*_hashes(columns), hash_column(subject.target, len(columns))]
    total: AnyArray = np.asarray(np.sum(hashes, axis=0, dtype=np.uint64))
    equal, by_chance = _count_pairs(total), [_count_pairs(cells) for cells in hashes]
    is_changed = np.zeros(rows, dtype=bool)
    for at, cells in enumerate(hashes[:-1]):
        rest = total - cells
        if _count_pairs(rest) - equal < 1:
            continue
        teller = min((place for place in range(len(hashes)) if place != at), key=by_chance.__getitem__)
        if _share_of_copies_by(rest, hashes[teller]) < BY_CHANCE:
            continue
        codes = np.unique(rest, return_inverse=True)[1]
        _, whole, counts = np.unique(total, return_inverse=True, return_counts=True)
        is_changed |= (np.bincount(codes)[codes] > counts[whole]) & _crossing_rows(subject.outer, codes)
    count = int(is_changed.sum())
    if count >= max(2 * LEAST_COPIES, 2 * LEAST_SHARE * rows):
        yield Trap(
            f"{count} rows are equal in the target and all features but one to rows on the other side of a split",
            rows=np.flatnonzero(is_changed),
            figures={"rows": count, "share": count / rows},
            advice=_advice(subject),
        )


def _hashes(columns: Sequence[Feature]) -> Iterator[AnyArray]:
    """A number for every cell, column by column; rows without any value are no copies of each other."""
    empty = np.flatnonzero(np.logical_and.reduce([column.missing for column in columns]))
    for at, column in enumerate(columns):
        cells = hash_column(column.values, at)
        if at == 0:
            cells[empty] = hash_column(empty.astype(np.float64), len(columns) + 1)
        yield cells


def _share_of_copies(subject: Subject, target: AnyArray | None = None) -> float:
    """How many of the equal pairs are copies, not chance: what the column that best tells rows apart says.

    Of the pairs equal in all other features, chance makes a share equal in this one too: the sum of its squared
    frequencies. Copies are equal in any case. The target comes last, to which all features belong.
    """
    columns, total = subject.fact(telling_columns), subject.fact(row_hashes)
    step = max(1, len(columns) // MOST_COLUMNS)
    every = enumerate(_hashes(columns)) if len(columns) > 1 else ()
    shares = [_share_of_copies_by(total, cells) for at, cells in every if at % step == 0]
    shares += [] if target is None else [_share_of_copies_by(total + target, target)]
    return min(shares, default=0.0)  # of one feature alone nobody knows


def _share_of_copies_by(total: AnyArray, cells: AnyArray) -> float:
    equal, chance = _count_pairs(total), 2 * _count_pairs(cells) / (len(total) * (len(total) - 1))
    if equal == 0 or chance == 1:
        return float(equal > 0)
    expected = chance * (_count_pairs(total - cells) - equal) / (1 - chance)
    return float(1 - (expected + 3 * np.sqrt(expected)) / equal)


def _count_pairs(hashes: AnyArray) -> int:
    ordered = np.sort(hashes)
    counts = np.diff(np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1], True])).astype(np.int64)
    return int((counts * (counts - 1) // 2).sum())


def _share_of_near_copies(columns: Sequence[Feature], near: NearCopies) -> float:
    """How many of the near pairs are copies, not chance: as `_share_of_copies`, with nearness for equality.

    In a table of categories and few fine numbers the nearest row is one of the same categories, and all others are
    far. But then these categories are the same by chance, as they are in pairs that are near in all other columns.
    """
    sample = near.sample
    points = [spread_out([column.values], [not column.is_number], near.rows) for column in columns]
    limits, diagonal = near.reach[:, None] ** 2, (np.arange(len(sample)), sample)
    gaps = _squared_distances(np.hstack(points), sample)
    gaps[diagonal] = np.inf
    count = int((gaps < limits).sum())
    shares = []
    for part in points[:: max(1, len(points) // SOME_COLUMNS)]:
        apart = _squared_distances(part, sample)
        chance = float((apart < limits).mean())
        if chance <= MOST_CHANCE and count:
            rest = gaps - apart
            rest[diagonal] = np.inf
            expected = chance / (1 - chance) * max(int((rest < limits).sum()) - count, 0)
            shares.append(1 - (expected + 3 * np.sqrt(expected)) / count)
    return min(shares, default=1.0)  # of very many columns each is near in most pairs, and all together in none


def _squared_distances(points: FloatArray, sample: IntArray) -> FloatArray:
    """Squared distances[sample, row]."""
    squares = np.einsum("ij,ij->i", points, points)
    return np.asarray(squares[sample, None] + squares - 2 * (points[sample] @ points.T))


def _are_told_apart(columns: Sequence[AnyArray]) -> bool:
    """Have they values fine enough that rows are hardly near each other by chance?"""
    is_many = sum(len(np.unique(values)) > MANY_VALUES for values in columns) >= MANY_COLUMNS
    return is_many or sum(is_fine(values) for values in columns) >= FINE_COLUMNS


def _crossing_rows(outer: Splits, codes: IntArray) -> BoolArray:
    """Which rows are tested while a row of the same code is trained on?"""
    is_crossing = np.zeros(len(codes), dtype=bool)
    for split in outer.splits[:MOST_SPLITS]:
        is_trained = np.zeros(int(codes.max()) + 1, dtype=bool)
        is_trained[codes[split.train]] = True
        is_crossing[split.test] |= is_trained[codes[split.test]]
    return is_crossing


def _crossing_pairs(outer: Splits, pairs: IntArray, rows: int) -> BoolArray:
    """Which pairs have one row in the test and the other in the training rows of some split?"""
    is_crossing = np.zeros(len(pairs), dtype=bool)
    for split in outer.splits[:MOST_SPLITS]:
        side = np.zeros(rows, dtype=np.int8)
        side[split.train] = 1
        side[split.test] = 2
        sides = np.sort(side[pairs], axis=1)
        is_crossing |= (sides == [1, 2]).all(axis=1)
    return is_crossing


def _advice(subject: Subject) -> str:
    if subject.data.groups is None and subject.data.time is None:
        return 'Keep them together with groups="duplicates" (--groups duplicates), or leave copies out'
    return "Leave copies out"
