"""What R packages are told of a task."""

from __future__ import annotations

import numpy as np
from r_peers import _labels, _penalty, _values
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from tasks import Method

from foldwise.splits.split import Split


def test_a_row_has_the_number_of_the_split_that_tests_it():
    splits = [Split(np.array([2]), np.array([0])), Split(np.array([0]), np.array([2]))]
    np.testing.assert_equal(_labels(splits, 3), [0, np.nan, 1])


def test_no_limit_of_depth_is_zero():
    method = Method(None, {"max_depth": [5, None], "max_features": [0.3]})
    np.testing.assert_equal(_values(method), [[5, 0.3], [0, 0.3]])


def test_penalties_keep_their_unit():
    told = [_penalty(Method(learner, {})) for learner in (Ridge(), Lasso(), LogisticRegression(l1_ratio=1.0))]
    assert [one["penalty"] for one in told] == ["sum", "per_row", "inverse"]
    assert [one["share"] for one in told] == [0, 1, 1]
