"""Risks that are known exactly, by enumeration."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from designs.exact import majority_cv_mse, ols_risk

from foldwise.errors import BadInterval


@pytest.mark.parametrize(("rows", "folds"), [(6, 2), (6, 3), (8, 4), (9, 3), (10, 10)])
def test_majority_votes_by_enumeration(rows, folds):
    """Every label vector, every fold refitted."""
    fold = [i * folds // rows for i in range(rows)]
    total = Fraction(0)
    for labels in itertools.product((0, 1), repeat=rows):
        wrong = 0
        for k in range(folds):
            train = [label for label, f in zip(labels, fold, strict=True) if f != k]
            vote = int(2 * sum(train) > len(train))
            wrong += sum(label != vote for label, f in zip(labels, fold, strict=True) if f == k)
        total += (Fraction(wrong, rows) - Fraction(1, 2)) ** 2
    assert majority_cv_mse(rows, folds) == total / 2**rows


def test_what_has_no_exact_risk_is_refused():
    with pytest.raises(BadInterval, match="no finite risk at 20 rows"):
        ols_risk(20, 20)
    with pytest.raises(BadInterval, match="7 rows do not make 3 equal folds"):
        majority_cv_mse(7, 3)
