"""Which number of an answer means what."""

from __future__ import annotations

import pytest
from sklearn.linear_model import LinearRegression

import foldwise as fw
from foldwise.errors import FitsFailed


def test_every_method_has_its_interval_and_each_interval_its_coverage_once(numbers):
    result = fw.compare({"line": LinearRegression()}, *numbers, outer=4, jobs=1)
    text = " ".join(result.explain().split())
    assert text.count("Measured coverage of the corrected t interval (folds)") == 1
    assert text.count(" Interval: ") == 2
    assert all(f"{note}." in text for note in result.notes)


class Picky(LinearRegression):
    def fit(self, X, y):
        if X[0, 0] > 0:
            raise ValueError("not these rows")
        return super().fit(X, y)


def test_without_a_risk_the_reason_is_given(numbers):
    with pytest.raises(FitsFailed) as failed:
        fw.compare({"picky": Picky()}, *numbers, outer=3, jobs=1)
    assert "picky: no risk (failed): " in " ".join(failed.value.result.explain().split())
