"""Budgets as users write them."""

from __future__ import annotations

import pytest

from foldwise.errors import BadSpace
from foldwise.tuners.budget import Budget, read_budget


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (None, Budget()),
        (7, Budget(7)),
        ("60", Budget(60)),
        ("90 s", Budget(None, 90.0)),
        ("10 min", Budget(None, 600.0)),
        ("1.5h", Budget(None, 5400.0)),
        ("2 Hours", Budget(None, 7200.0)),
        ("3 minutes", Budget(None, 180.0)),
    ],
)
def test_a_budget_is_a_number_of_candidates_or_a_time(written, read):
    assert read_budget(written) == read


@pytest.mark.parametrize("written", [0, -1, True, 2.5, "ten min", "5 days", "0 s", "-3 s", "", "1.5", [3]])
def test_other_budgets_are_refused_with_an_example(written):
    with pytest.raises(BadSpace, match="whole number of candidates, at least 1, or a time such as '10 min'"):
        read_budget(written)
