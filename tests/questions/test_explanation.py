"""Which number of an answer means what."""

from __future__ import annotations

import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

import foldwise as fw
from foldwise.errors import FitsFailed


def test_every_method_has_its_interval_and_each_interval_its_coverage_once(numbers):
    result = fw.compare({"line": LinearRegression()}, *numbers, outer=4, jobs=1)
    lines = result.explain().splitlines()
    assert lines[0].startswith("The study: 42 rows, regression, outer splits: 4 folds")
    assert sum(line.startswith("Measured coverage of the corrected t interval (folds)") for line in lines) == 1
    assert [line.split(":")[0] for line in lines if "Interval: " in line] == ["line", "baseline"]
    assert [line for line in lines if line.startswith("Note: ")] == [f"Note: {text}." for text in result.notes]


def test_balanced_error_needs_no_probabilities(classes):
    text = fw.compare({"logit": LogisticRegression()}, *classes, outer=2, jobs=1).explain()
    assert "Brier needs probabilities, the AUC probabilities or a decision function" in text


class Picky(LinearRegression):
    def fit(self, X, y):
        if X[0, 0] > 0:
            raise ValueError("not these rows")
        return super().fit(X, y)


def test_without_a_risk_the_reason_is_given(numbers):
    with pytest.raises(FitsFailed) as failed:
        fw.compare({"picky": Picky()}, *numbers, outer=3, jobs=1)
    assert "picky: no risk (failed): " in failed.value.result.explain()
