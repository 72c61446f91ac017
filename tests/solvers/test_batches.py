"""Fits put together by what they share."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from foldwise.solvers.batches import any_of, by_shared, by_split, has_repeats
from foldwise.solvers.solver import FitRequest

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
