"""Differences over folds and random splits: stats/differences.py."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from foldwise.errors import BadInterval
from foldwise.losses.loss import Loss
from foldwise.stats.differences import difference
from foldwise.stats.error_rates import tango
from foldwise.stats.evidence import Evidence

# shared oracle corrected_resampled_t_10fold: paired scores of two methods on ten folds
A = np.array([0.812, 0.795, 0.833, 0.808, 0.79, 0.821, 0.799, 0.815, 0.826, 0.804])
B = np.array([0.801, 0.797, 0.815, 0.8, 0.795, 0.803, 0.801, 0.806, 0.811, 0.798])


ZERO_ONE = Loss("zero_one", np.not_equal, bounds=(0.0, 1.0))


def folds(losses, kind) -> Evidence:
    """Ten folds of 200 rows."""
    return Evidence(
        fold_losses=np.array(losses, float),
        row_losses=None,
        test_rows=tuple(np.arange(200).reshape(10, 20)),
        train_counts=(180,) * 10,
        kind=kind,
        is_partition=kind != "pairs",
        repeats=1,
        folds=10,
        loss=Loss("squared", np.subtract),
        rows=200,
    )


def compared(a, b, *, kind="folds", names=("a", "b"), rope=None):
    return difference(folds(a, kind), folds(b, kind), names=names, rope=rope)


def test_the_difference_is_that_of_the_oracle():
    found = compared(A, B, rope=0.01, names=("forest", "ridge"))
    assert (found.value, found.low, found.high) == pytest.approx((0.0076, -0.001098916606, 0.01629891661), rel=1e-8)
    assert found.p == pytest.approx(0.07952117455, rel=1e-8)
    assert found.equivalence == pytest.approx(0.7253132953, rel=1e-8)
    assert (found.interval, found.level, found.train_rows) == ("corrected t", 0.95, 180)
    assert found.target == "the risk of forest minus that of ridge"


def test_no_equivalence_is_claimed_without_a_range_that_does_not_matter():
    found = compared(A, B)
    assert (found.equivalence, found.rope) == (None, None)


def test_a_comparison_prints_one_line_and_becomes_json():
    found = compared(A, B, rope=0.01, names=("forest", "<ridge>"))
    assert str(found) == (
        "forest minus <ridge>: 0.0076 (-0.0011 to 0.0163, 95% corrected t), p = 0.08, "
        "0.73 that the difference is within 0.01"
    )
    assert "<ridge>" not in found._repr_html_()
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["names"] == ["forest", "<ridge>"]
    assert len(plain["losses"]) == 10


@given(arrays(np.float64, (2, 10), elements=st.floats(0, 1)))
def test_turning_the_methods_round_turns_the_difference_round(losses):
    a, b = losses
    one, other = compared(a, b, rope=0.1), compared(b, a, rope=0.1)
    assert one.value == -other.value
    if one.low is not None:
        assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
        assert (one.p, one.equivalence) == pytest.approx((other.p, other.equivalence))


def test_identical_methods_are_a_tie_and_not_nan():
    found = compared(A, A, rope=0.01)
    assert (found.value, found.p) == (0, 1)
    assert (found.low, found.high, found.equivalence) == (None, None, None)  # equal on these rows proves nothing
    assert "the same difference" in found.notes[0][1]


def test_equal_errors_are_no_surer_than_as_many_independent_rows():
    one = replace(folds(np.zeros(10), "folds"), row_losses=(np.zeros(20),) * 10, loss=ZERO_ONE)
    found = difference(one, one, names=("a", "b"), rope=0.01)
    low, high = tango(0, 0, 200, level=0.95)
    assert (found.low, found.high, found.p) == (pytest.approx(low), pytest.approx(high), 1)
    assert 0.4 < found.equivalence < 0.9


def test_a_constant_difference_does_not_claim_to_be_exact():
    found = compared([0.5] * 10, [0.25] * 10)
    assert (found.value, found.low, found.p) == (0.25, None, None)
    assert "all splits have the same difference" in found.notes[0][1]


@pytest.mark.parametrize(
    ("kind", "words"),
    [("loo", "leave-one-out"), ("pairs", "do not partition")],
)
def test_schemes_without_an_interval_give_the_difference_alone(kind, words):
    found = compared(A, B, rope=0.01, kind=kind)
    assert found.value == pytest.approx(0.0076)
    assert (found.low, found.high, found.interval, found.p, found.equivalence) == (None,) * 5
    assert words in found.notes[0][1]


def test_a_missing_loss_leaves_no_difference():
    found = compared([math.nan, *A[1:]], B)
    assert math.isnan(found.value)
    assert found.to_dict()["value"] is None
    assert found.low is None


def test_methods_on_different_splits_are_not_compared():
    other = replace(folds(B, "folds"), train_counts=(170,) * 10)
    with pytest.raises(BadInterval, match=r"a and b were not judged on the same splits.*Compare them in one study"):
        difference(folds(A, "folds"), other, names=("a", "b"))


def test_a_negative_rope_is_refused():
    with pytest.raises(BadInterval, match="at least 0, not -1"):
        compared(A, B, rope=-1)
