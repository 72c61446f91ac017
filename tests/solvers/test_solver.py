"""Requests put together by what their estimators share."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from foldwise.solvers.solver import FitRequest, any_of, grouped_parts, has_repeats

sorted_rows = st.lists(st.integers(0, 30), max_size=20).map(lambda rows: np.array(sorted(rows), dtype=np.int64))


@given(sorted_rows)
def test_repeats_are_found(rows):
    assert has_repeats(rows) == (len(set(rows.tolist())) < len(rows))


@given(st.lists(sorted_rows, max_size=4))
def test_rows_of_any_are_those_of_their_union(many):
    assert any_of(many).tolist() == sorted({row for rows in many for row in rows.tolist()})


def test_a_request_is_divided_by_what_its_estimators_share():
    requests = [
        FitRequest(("x", "z", "y"), np.arange(3), np.arange(3, 5), ("predict",)),
        FitRequest(("z",), np.arange(2), np.arange(2, 5), ("predict",)),
    ]
    groups = grouped_parts(requests, lambda estimator: estimator in "xy")
    assert [[(part.number, part.request.estimators, list(part.places)) for part in parts] for parts in groups] == [
        [(0, ("x", "y"), [0, 2])],
        [(0, ("z",), [1]), (1, ("z",), [0])],
    ]
    assert groups[1][1].request is requests[1]
