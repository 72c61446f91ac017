"""Limits of parts that do not know their own."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, Matern

import foldwise as fw
from foldwise.errors import BadSpace
from foldwise.learners.limits import LIMITS, Limit, beyond


@pytest.mark.parametrize(
    ("limit", "taken", "refused", "words"),
    [
        (Limit(0, is_open=True), [1e-9, 5, np.float64(2)], [0, -1, True, "1", float("nan")], "a number above 0"),
        (Limit(0, 1, is_open=True), [0.5, 1], [0, 1.5], "a number above 0 to 1"),
        (Limit(2, is_whole=True), [2, np.int64(7)], [1, 2.0, None], "a whole number from 2 on"),
        (Limit(0), [0, 0.0, 3], [-1e-9], "a number from 0 on"),
    ],
)
def test_a_limit_tells_numbers_inside_from_what_is_not(limit, taken, refused, words):
    assert [limit.refuses(value) for value in taken] == [""] * len(taken)
    assert [limit.refuses(value) for value in refused] == [words] * len(refused)


def test_parts_without_known_limits_and_lists_of_lengths_are_left_alone():
    assert beyond(object(), "nu", -1) == ""
    assert beyond(Matern(), "length_scale_bounds", "fixed") == ""
    assert beyond(RBF(), "length_scale", [0.5, 1.0]) == ""
    assert beyond(Matern(), "nu", float("inf")) == ""  # the Gaussian kernel
    assert set(LIMITS["Matern"]) <= set(Matern().get_params())


@pytest.mark.parametrize("values", [{"nu": [-1.0, 1.5]}, {"length_scale": [0.0]}, {"length_scale": 0.0}])
def test_kernels_that_cannot_be_are_refused_before_any_fit(values):
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30.0)
    with pytest.raises(BadSpace, match=f"learner 'gaussian-process' refuses {next(iter(values))}=.*a number above 0"):
        fw.compare([fw.learner("gaussian-process", **values)], X, y, outer=2, inner=2, jobs=1)
