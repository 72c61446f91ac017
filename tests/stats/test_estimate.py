from __future__ import annotations

import json
import math

import numpy as np
import pytest

from foldwise.stats.estimate import Estimate, percent, same_digits


def test_an_estimate_prints_one_line():
    estimate = Estimate(0.2341, 0.2012, 0.2668, 0.95, "corrected t", "the tuned learner", 408, np.array([0.2]), 12)
    assert str(estimate) == "0.234 (0.201 to 0.267, 95% corrected t): the tuned learner at 408 training rows"


def test_an_estimate_without_an_interval_says_so():
    assert str(Estimate(2934.27, target="the learner", train_rows=90)) == (
        "2934 (no interval): the learner at 90 training rows"
    )


def test_training_rows_are_said_once():
    assert str(Estimate(0.5, target="the learner at 90 training rows", train_rows=90)).count("training rows") == 1


def test_an_estimate_is_escaped_in_a_notebook():
    shown = Estimate(0.5, target="<script>alert(1)</script>")._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


def test_an_estimate_becomes_json_with_null_for_what_is_not_known():
    estimate = Estimate(math.nan, losses=np.array([0.5, math.nan]), notes=(("interval", "one test set"),))
    found = json.loads(json.dumps(estimate.to_dict(), allow_nan=False))
    assert (found["value"], found["low"], found["losses"]) == (None, None, [0.5, None])
    assert found["notes"] == [{"code": "interval", "text": "one test set"}]
    assert {"value", "low", "high", "level", "interval", "target", "train_rows", "losses", "fits"} <= set(found)


def test_an_estimate_is_a_value():
    one = Estimate(0.5, losses=np.array([0.4, 0.6]))
    assert one == Estimate(0.5, losses=np.array([0.4, 0.6]))
    assert float(one) == 0.5
    with pytest.raises(AttributeError):
        one.value = 0.4


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((0.0,), ("0",)),
        ((1234567.0, 1.0), ("1234567", "1")),
        ((1e-9, 2e-9), ("1e-09", "2e-09")),
        ((3e12,), ("3e+12",)),
        ((math.nan, 0.5), ("nan", "0.500")),
        ((0.999,), ("0.999",)),
    ],
)
def test_numbers_are_written_with_the_same_digits(values, expected):
    assert same_digits(*values) == expected


def test_levels_read_as_percent():
    assert [percent(level) for level in (0.9, 0.95, 0.999, 1 - 0.05 / 3)] == ["90%", "95%", "99.9%", "98.33%"]
