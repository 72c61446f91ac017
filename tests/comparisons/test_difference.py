from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from foldwise.comparisons.difference import paired_difference
from foldwise.errors import BadInterval

# shared oracle corrected_resampled_t_10fold: paired scores of two methods on ten folds
A = np.array([0.812, 0.795, 0.833, 0.808, 0.79, 0.821, 0.799, 0.815, 0.826, 0.804])
B = np.array([0.801, 0.797, 0.815, 0.8, 0.795, 0.803, 0.801, 0.806, 0.811, 0.798])
TEN = {"repeats": 1, "folds": 10, "kind": "folds", "test_rows": [20] * 10, "train_rows": [180] * 10, "level": 0.95}


def test_the_difference_is_that_of_the_oracle():
    found = paired_difference(A, B, rope=0.01, names=("forest", "ridge"), **TEN)
    assert (found.value, found.low, found.high) == pytest.approx((0.0076, -0.001098916606, 0.01629891661), rel=1e-8)
    assert found.p == pytest.approx(0.07952117455, rel=1e-8)
    assert found.equivalence == pytest.approx(0.7253132953, rel=1e-8)
    assert (found.interval, found.level, found.train_rows) == ("corrected t", 0.95, 180)
    assert found.target == "the risk of forest minus that of ridge"


def test_no_equivalence_is_claimed_without_a_range_that_does_not_matter():
    found = paired_difference(A, B, **TEN)
    assert (found.equivalence, found.rope) == (None, None)


def test_a_comparison_prints_one_line_and_becomes_json():
    found = paired_difference(A, B, rope=0.01, names=("forest", "<ridge>"), **TEN)
    assert str(found) == (
        "forest minus <ridge>: 0.0076 (-0.0011 to 0.0163, 95% corrected t), p = 0.08, "
        "0.73 that the difference is within 0.01"
    )
    assert "<ridge>" not in found._repr_html_()
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["names"] == ["forest", "<ridge>"]
    assert len(plain["losses"]) == 10


@given(arrays(np.float64, (2, 10), elements=st.floats(0, 1)))
@settings(max_examples=50, deadline=None)
def test_turning_the_methods_round_turns_the_difference_round(losses):
    a, b = losses
    one, other = paired_difference(a, b, rope=0.1, **TEN), paired_difference(b, a, rope=0.1, **TEN)
    assert one.value == -other.value
    if one.low is not None:
        assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
        assert (one.p, one.equivalence) == pytest.approx((other.p, other.equivalence))


def test_identical_methods_are_a_tie_and_not_nan():
    found = paired_difference(A, A, rope=0.01, **TEN)
    assert (found.value, found.low, found.high, found.p, found.equivalence) == (0, 0, 0, 1, 1)


def test_a_constant_difference_does_not_claim_to_be_exact():
    found = paired_difference([0.5] * 10, [0.25] * 10, **TEN)
    assert (found.value, found.low, found.p) == (0.25, None, None)
    assert "all splits have the same difference" in found.notes[0][1]


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"kind": "time"}, "time-ordered"), ({"kind": "loo"}, "leave-one-out"), ({"kind": "pairs"}, "do not partition")],
)
def test_schemes_without_an_interval_give_the_difference_alone(changes, words):
    found = paired_difference(A, B, rope=0.01, **{**TEN, **changes})
    assert found.value == pytest.approx(0.0076)
    assert (found.low, found.high, found.interval, found.p, found.equivalence) == (None,) * 5
    assert words in found.notes[0][1]


def test_a_missing_loss_leaves_no_difference():
    found = paired_difference([math.nan, *A[1:]], B, **TEN)
    assert math.isnan(found.value)
    assert found.to_dict()["value"] is None
    assert found.low is None


def test_methods_on_different_splits_are_not_compared():
    with pytest.raises(BadInterval, match=r"a has 10 split losses and b has 9\. Compare methods on the same splits"):
        paired_difference(A, B[:9], **TEN)


def test_a_negative_rope_is_refused():
    with pytest.raises(BadInterval, match="at least 0, not -1"):
        paired_difference(A, B, rope=-1, **TEN)
