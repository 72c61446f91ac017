"""Rows made from other rows: copies with one column changed, and rows on a line between two others (SMOTE)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import is_ as _is

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.data.equal_rows import NearRows, hash_column, is_fine, nearest, spread_out
from foldwise.data.features import Feature
from foldwise.guards.checks.duplicates import (
    BY_CHANCE,
    LEAST_COPIES,
    LEAST_SHARE,
    advice_on_copies,
    are_told_apart,
    count_pairs,
    crossing_rows,
    hashes_of,
    near_rows,
    neighbours,
    share_of_copies_by,
    telling_features,
)
from foldwise.guards.codes.rows import BETWEEN, NEAR_DUPLICATES
from foldwise.guards.subject import Subject
from foldwise.studies.finding import Finding

LEAST_COLUMNS, MOST_CELLS = 4, 10_000_000
FINE_COLUMNS = 3  # columns of fine numbers, in which no three rows are in one line by chance
NEIGHBOURS, MOST_ASKED = 20, 600
LEAST_ASKED, MOST_PAIRS = 100, 60_000_000  # of a very large table fewer: each is held against all rows
PARTS = np.arange(1, 7)  # of a line, at which rows of whole numbers stand
STRAIGHT = 5e-9  # of the cosine: within a ten-thousandth of a right line, so that rounded numbers are found too
SOME_COLUMNS, CELLS = 8, 2_000_000  # that are looked at first; differences at a time
LEAST_BETWEEN = 0.04  # of the rows looked at


def nearly_copied_rows(subject: Subject) -> Iterator[Finding]:
    """Near copies of rows, or else copies with one column changed."""
    near = list(near_rows(subject))
    yield from near or changed_rows(subject)


def changed_rows(subject: Subject) -> Iterator[Finding]:
    """Rows equal to another in all columns but one, and in the target, more of them than chance gives."""
    features = subject.once(telling_features)
    rows = subject.data.rows
    if len(features) < LEAST_COLUMNS or rows < 2 * NEIGHBOURS or rows * len(features) > MOST_CELLS:
        return
    if not are_told_apart([*(one.values for one in features), subject.target]):  # categories agree for many reasons
        return
    hashes = [*hashes_of(features), hash_column(subject.target, len(features))]
    total: AnyArray = np.asarray(np.sum(hashes, axis=0, dtype=np.uint64))
    equal, chances = count_pairs(total), [count_pairs(one) for one in hashes]
    found = np.zeros(rows, dtype=bool)
    for at, column in enumerate(hashes[:-1]):
        rest = total - column
        if count_pairs(rest) - equal < 1:
            continue
        teller = min((place for place in range(len(hashes)) if place != at), key=chances.__getitem__)
        if share_of_copies_by(rest, hashes[teller]) < BY_CHANCE:
            continue
        codes = np.unique(rest, return_inverse=True)[1]
        is_other = np.bincount(codes)[codes] > np.unique(total, return_counts=True)[1][_codes(total)]
        crossing = np.zeros(rows, dtype=bool)
        crossing[crossing_rows(subject.outer, codes)] = True
        found |= is_other & crossing
    count = int(found.sum())
    if count >= max(2 * LEAST_COPIES, 2 * LEAST_SHARE * rows):
        yield NEAR_DUPLICATES.found(
            f"{count} rows are equal in the target and all features but one to rows on the other side of a split",
            rows=np.flatnonzero(found),
            figures={"rows": count, "share": count / rows},
            advice=advice_on_copies(subject),
        )


def rows_between(subject: Subject) -> Iterator[Finding]:
    """Rows exactly on the line between two of their neighbours, as oversampling before the split makes them."""
    fine = [one for one in subject.columns if one.is_number and not one.missing.any() and is_fine(one.values)]
    if len(fine) < FINE_COLUMNS:
        return
    points = spread_out([one.values for one in fine], [False] * len(fine))
    kinds = np.zeros(subject.data.rows) if subject.is_regression else subject.target
    looked, found = 0, []
    rng = np.random.default_rng(0)
    for kind in np.unique(kinds):
        own = np.flatnonzero(kinds == kind)
        if len(own) < NEIGHBOURS:
            continue
        share = max(NEIGHBOURS, MOST_ASKED * len(own) // len(kinds))
        share = min(share, max(LEAST_ASKED, MOST_PAIRS // len(own)))
        if (known := subject.once(neighbours)) is not None and _is_of(known, fine, own, share):
            some = np.sort(rng.choice(len(known.asked), min(len(known.asked), share), replace=False))
            asked, (distances, near) = known.rows[known.asked[some]], known.in_fine_columns
            near = known.rows[near[some, :NEIGHBOURS]]
            is_between = _are_between(points, asked, distances[some, :NEIGHBOURS], near)
        else:
            asked = np.sort(rng.choice(len(own), min(len(own), share), replace=False))
            places = points if len(own) == len(points) else points[own]  # it may be large
            is_between = _are_between(places, asked, *nearest(places, asked, NEIGHBOURS))
        looked += len(asked)
        found.append(own[asked[is_between]])
    rows = np.concatenate(found) if found else np.zeros(0, np.int64)
    if len(rows) >= max(2 * LEAST_COPIES, LEAST_BETWEEN * looked):
        yield BETWEEN.found(
            f"{len(rows)} of {looked} rows lie exactly on the line between two of their neighbours: "
            "they were made from these (as SMOTE does), which now stand on the other side of splits",
            rows=np.sort(rows),
            figures={"rows": len(rows), "rows_looked_at": looked},
            advice="Give the rows as they were measured, and oversample inside a pipeline, in training rows alone",
        )


def _is_of(known: NearRows, fine: Sequence[Feature], rows: IntArray, share: int) -> bool:
    """Were these neighbours looked for among these rows, in these columns, and of as many rows?"""
    if len(known.asked) < min(len(rows), share):
        return False
    same = len(known.fine_columns) == len(fine) and all(map(_is, known.fine_columns, (one.values for one in fine)))
    return same and len(known.rows) == len(rows) and known.in_fine_columns[0].shape[1] >= NEIGHBOURS


def _are_between(points: FloatArray, asked: IntArray, distances: FloatArray, near: IntArray) -> AnyArray:
    """Do two of these neighbours of a row lie in exactly opposite directions?"""
    found = np.zeros(len(asked), dtype=bool)
    # in some columns first: opposite directions are opposite in each of them
    at = np.unique(_opposite(points[:, :SOME_COLUMNS], asked, distances, near)[0])
    step = max(1, CELLS // max(1, NEIGHBOURS * points.shape[1]))
    for part in (at[start : start + step] for start in range(0, len(at), step)):
        row, one, other = _opposite(points, asked[part], distances[part], near[part])
        first, second = distances[part[row], one], distances[part[row], other]
        parts = (first / second)[:, None] * PARTS
        is_drawn = (np.abs(parts - np.round(parts)) > 1e-5).all(axis=1)
        found[part[row[is_drawn & (first <= second)]]] = True
    return found


def _opposite(
    points: FloatArray, asked: IntArray, distances: FloatArray, near: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Rows, and two of their neighbours by rank, whose directions from the row add up to nothing in these columns."""
    arrows = (points[near] - points[asked, None]) / np.maximum(distances, 1e-300)[:, :, None]
    lengths = np.einsum("ijk,ijk->ij", arrows, arrows)
    sums = lengths[:, :, None] + lengths[:, None, :] + 2 * (arrows @ arrows.transpose(0, 2, 1))
    is_apart = distances >= 1e-9  # copies lie in no direction
    row, one, other = np.nonzero((sums <= 2 * STRAIGHT) & is_apart[:, :, None] & is_apart[:, None, :])
    return row, one, other


def _codes(values: AnyArray) -> IntArray:
    return np.asarray(np.unique(values, return_inverse=True)[1], dtype=np.int64)
