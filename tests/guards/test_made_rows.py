"""Rows made from other rows; holds guards/checks/made_rows.py."""

from __future__ import annotations

import numpy as np
import pytest

import foldwise as fw
from foldwise.data.equal_rows import nearest
from foldwise.guards.checks.made_rows import NEIGHBOURS, STRAIGHT, _are_between

RNG = np.random.default_rng(3)


def by_all_angles(points: np.ndarray, row: int) -> bool:
    """Has a row two neighbours in opposite directions, not at parts of a line where whole numbers stand?"""
    near = nearest(points, np.array([row]), NEIGHBOURS)[1][0]
    arrows = points[near] - points[row]
    lengths = np.linalg.norm(arrows, axis=1)
    for one in range(NEIGHBOURS):
        for other in range(NEIGHBOURS):
            if min(lengths[one], lengths[other]) < 1e-9 or lengths[one] > lengths[other]:
                continue
            parts = lengths[one] / lengths[other] * np.arange(1, 7)
            cosine = arrows[one] @ arrows[other] / lengths[one] / lengths[other]
            if cosine <= STRAIGHT - 1 and (np.abs(parts - np.round(parts)) > 1e-5).all():
                return True
    return False


@pytest.mark.parametrize("columns", [3, 8, 30])
def test_rows_between_two_others_are_found_by_the_angle_of_their_neighbours(columns):
    points = RNG.normal(size=(200, columns))
    pairs = nearest(points, np.arange(50), 3)[1]
    made = points[:50] + RNG.random((50, 1)) * (points[pairs[:, 0]] - points[:50])
    made[25:] = np.round(made[25:], 5)  # which are on the line to five digits
    points = np.vstack([points, made, made[:5], np.round(points[:5])])  # copies, and rows of whole numbers

    rows = np.arange(len(points))
    found = _are_between(points, rows, *nearest(points, rows, NEIGHBOURS))

    assert found.tolist() == [by_all_angles(points, row) for row in range(len(points))]
    assert found.sum() >= 30


@pytest.mark.parametrize("copies", [0, 40])
def test_rows_between_others_are_found_beside_numbers_too(copies):
    """With copies the neighbours that near copies were told by are others, and are looked for again."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 4))
    one = rng.integers(0, 300, 200)
    other = nearest(X, np.arange(300), 5)[1][one, rng.integers(0, 5, 200)]
    made = X[one] + rng.random((200, 1)) * (X[other] - X[one])
    table = np.vstack([X, made, X[:copies]])

    found = [
        finding for finding in fw.check(table, table[:, 0] + rng.normal(size=len(table))) if finding.code == "FW108"
    ]

    assert len(found) == 1
    assert np.isin(found[0].rows, np.arange(500, 500 + copies), invert=True).mean() > 0.9
    assert found[0].figures["rows"] > 150
