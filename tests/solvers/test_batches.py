"""Fits put together by what they share."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from foldwise.solvers.batches import any_of, by_estimator, by_shared, by_split, has_repeats, in_blocks
from foldwise.solvers.solver import FitRequest, RequestBlock, Requests

sorted_rows = st.lists(st.integers(0, 30), max_size=20).map(lambda rows: np.array(sorted(rows), dtype=np.int64))


def fit(train, rows, estimator="a"):
    return FitRequest(estimator, np.array(train), np.array(rows), ("predict",))


def test_fits_of_equal_rows_are_together_also_where_the_arrays_are_others():
    fits = [fit([0, 1], [2]), fit([0, 2], [1]), fit([0, 1], [2]), fit([0, 1], [3])]
    fits.append(FitRequest("b", fits[1].train, fits[1].rows, ("predict",)))
    found = by_split(fits, range(5))
    assert [split.fits for split in found] == [[0, 2], [1, 4], [3]]
    assert found[1].train.tolist() == [0, 2]
    assert [split.fits for split in by_split(fits, [4, 2])] == [[4], [2]]


def test_estimators_of_equal_shares_are_answered_together():
    solver = SimpleNamespace(shares=lambda estimator: estimator[0])
    fits = [fit([0], [1], estimator) for estimator in ("ab", "xy", "ac")]
    assert by_shared(solver, fits) == [("ab", [0, 2]), ("xy", [1])]


@given(sorted_rows)
def test_repeats_are_found(rows):
    assert has_repeats(rows) == (len(set(rows.tolist())) < len(rows))


@given(st.lists(sorted_rows, max_size=4))
def test_rows_of_any_are_those_of_their_union(many):
    assert any_of(many).tolist() == sorted({row for rows in many for row in rows.tolist()})


def test_requests_in_blocks_are_the_requests_one_by_one():
    blocks = [
        RequestBlock(("x", "y"), np.arange(3), np.arange(3, 5), ("predict",)),
        RequestBlock(("y",), np.arange(2), np.arange(2, 5), ("predict",)),
        RequestBlock(("z",), np.arange(3), np.arange(3, 5), ("predict",)),
    ]
    fits = Requests(blocks)
    assert [fit.estimator for fit in fits] == [fits[at].estimator for at in range(len(fits))] == list("xyyz")
    found = by_split(fits, range(4))
    assert [split.fits for split in found] == [[0, 1, 3], [2]]
    assert [split.fits for split in by_split(list(fits), range(4))] == [[0, 1, 3], [2]]
    assert [(block.estimators, places) for block, places in in_blocks(list(fits))] == [
        (("x", "y", "z"), [0, 1, 3]),
        (("y",), [2]),
    ]


def test_a_block_is_divided_by_what_its_estimators_share():
    solver = type("By", (), {"shares": lambda self, estimator: estimator in "xy"})()
    block = RequestBlock(("x", "z", "y"), np.arange(3), np.arange(3, 5), ("predict",))
    groups = by_estimator(solver, [block, RequestBlock(("z",), np.arange(2), np.arange(2, 5), ("predict",))])
    assert [[(part.number, part.block.estimators, list(part.places)) for part in parts] for parts in groups] == [
        [(0, ("x", "y"), [0, 2])],
        [(0, ("z",), [1]), (1, ("z",), [0])],
    ]
