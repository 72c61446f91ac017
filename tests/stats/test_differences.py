"""Two methods on the same rows: which test the splits and the loss allow, and when none is valid."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from foldwise import comparisons, intervals
from foldwise.errors import BadInterval
from foldwise.losses.loss import Loss
from foldwise.stats.differences import difference
from foldwise.stats.evidence import Evidence

SQUARED = Loss("squared", lambda y, p: (y - p) ** 2)
BRIER = Loss("brier", lambda y, p: (y - p) ** 2, bounds=(0.0, 1.0))
ZERO_ONE = Loss("zero_one", lambda y, p: y != p, bounds=(0.0, 1.0))
AUC = Loss("roc_auc", lambda y, p, w: 0.5, is_per_row=False)
R2 = Loss("r2", lambda y, p, w: 0.5, is_per_row=False)
NAMES = ("ridge", "k-nn")


def held_out(loss: Loss, losses, **changes) -> Evidence:
    losses = np.asarray(losses, dtype=float)
    facts = {
        "fold_losses": np.array([losses.mean()]),
        "row_losses": (losses,) if loss.is_per_row else None,
        "test_rows": (np.arange(len(losses)),),
        "train_counts": (90,),
        "kind": "holdout",
        "is_partition": False,
        "repeats": 1,
        "folds": 1,
        "loss": loss,
        "rows": len(losses),
        "truth": np.arange(len(losses)) % 2,
        "scores": (losses,) if loss is AUC else None,
    }
    return Evidence(**(facts | changes))


def folds(losses, **changes) -> Evidence:
    losses = np.asarray(losses, dtype=float)
    tests = tuple(np.arange(len(losses) * 4).reshape(len(losses), 4))
    facts = {
        "fold_losses": losses,
        "row_losses": None,
        "test_rows": tests,
        "train_counts": (4 * len(losses) - 4,) * len(losses),
        "kind": "folds",
        "is_partition": True,
        "repeats": 1,
        "folds": len(losses),
        "loss": SQUARED,
        "rows": 4 * len(losses),
    }
    return Evidence(**(facts | changes))


@pytest.fixture
def pair():
    rng = np.random.default_rng(0)
    return rng.random(30), rng.random(30)


def reason(found) -> str:
    return dict(found.notes)["interval"]


def test_zero_one_losses_go_to_mcnemar(pair):
    one, other = (losses > 0.6 for losses in pair)
    found = difference(held_out(ZERO_ONE, one), held_out(ZERO_ONE, other), names=NAMES, level=0.9)
    assert found.p == pytest.approx(comparisons.mcnemar(one.astype(int), other.astype(int), 0.9).p)
    only = [int((a & ~b).sum()) for a, b in ((one, other), (other, one))]
    truth = comparisons.mcnemar(*only, 0.9, rows=30)
    assert (found.value, found.low, found.high) == pytest.approx((truth.value, truth.low, truth.high))
    assert found.interval == "Tango"
    assert found.target == "the risk of ridge minus that of k-nn, as trained on these rows"


def test_bounded_losses_go_to_betting_on_differences_in_twice_the_range(pair):
    one, other = pair
    found = difference(held_out(BRIER, one, seed=3), held_out(BRIER, other, seed=3), names=NAMES)
    order = np.random.default_rng([3, 0xBE7]).permutation(30)
    truth = intervals.betting((one - other)[order], (-1, 1))
    assert (found.low, found.high) == pytest.approx((truth.low, truth.high))
    assert found.interval == "betting"
    assert found.p is None


def test_unbounded_losses_go_to_t(pair):
    one, other = pair
    found = difference(held_out(SQUARED, one), held_out(SQUARED, other), names=NAMES)
    truth = intervals.holdout_t(one - other)
    assert (found.low, found.high) == pytest.approx((truth.low, truth.high))
    assert found.interval == "t"


@pytest.mark.parametrize("loss", [SQUARED, BRIER, ZERO_ONE])
def test_groups_are_the_unit_whatever_the_loss(pair, loss):
    groups = np.arange(30) // 3
    one, other = ((losses > 0.5).astype(float) if loss is ZERO_ONE else losses for losses in pair)
    sides = (held_out(loss, losses, groups=groups) for losses in (one, other))
    found = difference(*sides, names=NAMES)
    truth = intervals.holdout_t(one - other, groups=groups)
    assert (found.low, found.high) == pytest.approx((truth.low, truth.high))
    assert found.interval == "t"


def test_areas_go_to_delong_told_as_losses(pair):
    one, other = pair
    found = difference(held_out(AUC, one), held_out(AUC, other), names=NAMES)
    truth = comparisons.delong(np.arange(30) % 2, one, other)
    assert (found.low, found.high, found.p) == pytest.approx((-truth.high, -truth.low, truth.p))


@pytest.mark.parametrize("loss", [ZERO_ONE, BRIER, SQUARED, AUC])
def test_identical_methods_are_a_tie(pair, loss):
    losses = (pair[0] > 0.5).astype(float) if loss is ZERO_ONE else pair[0]
    found = difference(held_out(loss, losses), held_out(loss, losses), names=NAMES, is_same=True)
    assert (found.value, found.low, found.high, found.p) == (0, 0, 0, 1)


def test_different_models_with_the_same_errors_are_not_said_to_be_equal(pair):
    losses = (pair[0] > 0.5).astype(float)
    found = difference(held_out(ZERO_ONE, losses), held_out(ZERO_ONE, losses), names=NAMES)
    assert found.low < 0 < found.high


@pytest.mark.parametrize(("first", "second"), [(0.0, 0.2), (0.01, 0.25), (0.1, 0.1)])
def test_the_interval_of_a_difference_of_error_rates_covers_it(first, second):
    rng, held = np.random.default_rng(0), 0
    for _ in range(300):
        draw = rng.random(100)
        one, other = draw < first, (draw >= first) & (draw < first + second)
        found = difference(held_out(ZERO_ONE, one), held_out(ZERO_ONE, other), names=NAMES)
        held += found.low <= first - second <= found.high
    assert held >= 0.93 * 300


def test_losses_that_leave_their_range_are_compared_by_t(pair):
    found = difference(held_out(BRIER, 9 * pair[0]), held_out(BRIER, pair[1]), names=NAMES)
    assert found.interval == "t"


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        (held_out(R2, np.ones(5)), held_out(R2, np.zeros(5)), "r2 has no loss per row to pair"),
        (
            held_out(SQUARED, np.arange(5), weights=np.ones(5)),
            held_out(SQUARED, np.zeros(5), weights=np.ones(5)),
            "rows have weights, which no paired test here allows for",
        ),
        (
            held_out(SQUARED, np.arange(4), groups=np.zeros(4, int)),
            held_out(SQUARED, np.zeros(4), groups=np.zeros(4, int)),
            "there are too few independent test rows",
        ),
        (
            held_out(SQUARED, [1, -1, 1, -1], groups=np.array([0, 0, 1, 1])),
            held_out(SQUARED, np.zeros(4), groups=np.array([0, 0, 1, 1])),
            "all groups have the same difference",
        ),
        (
            held_out(AUC, np.arange(30) % 2),
            held_out(AUC, np.zeros(30)),
            "neither ranking varies, which says nothing about other rows",
        ),
        (
            held_out(AUC, np.arange(4), truth=np.array([0, 0, 0, 1])),
            held_out(AUC, np.zeros(4), truth=np.array([0, 0, 0, 1])),
            "roc_auc has no loss per row to pair",
        ),
        (held_out(SQUARED, [np.nan, 1]), held_out(SQUARED, [1, 1]), "one of the two has no risk"),
    ],
    ids=["a measure", "weights", "one group", "equal groups", "perfect and constant", "one positive", "no risk"],
)
def test_where_no_test_is_valid_there_is_the_difference_alone(one, other, words):
    found = difference(one, other, names=NAMES)
    assert (found.low, found.high, found.interval, found.p) == (None, None, None, None)
    assert reason(found) == words


def test_a_constant_gap_has_no_interval_of_no_width():
    found = difference(held_out(SQUARED, np.ones(5)), held_out(SQUARED, np.zeros(5)), names=NAMES)
    assert (found.value, found.low, found.high, found.p) == (1, None, None, None)


def test_folds_go_to_the_corrected_t_of_their_differences():
    rng = np.random.default_rng(1)
    one, other = rng.random(5), rng.random(5)
    found = difference(folds(one), folds(other), names=NAMES, level=0.9, rope=0.1)
    truth = comparisons.paired(one - other, 1 / 4, 0.9)
    assert (found.value, found.low, found.high, found.p) == pytest.approx((truth.value, truth.low, truth.high, truth.p))
    assert found.equivalence == pytest.approx(comparisons.correlated_bayes(one - other, 1 / 4, 0.1).p_rope)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("time", "squared is a measure"),
        ("bootstrap", "bootstrap"),
        ("time_holdout", "2 test times"),
    ],
)
def test_schemes_without_an_interval_give_the_reason(kind, words):
    one, other = folds([0.1, 0.2, 0.4], kind=kind), folds([0.3, 0.1, 0.2], kind=kind)
    if kind == "time_holdout":
        one, other = (held_out(SQUARED, losses, kind=kind) for losses in ([0.1, 0.5], [0.2, 0.2]))
    found = difference(one, other, names=NAMES)
    assert found.interval is None
    assert words in reason(found)


@pytest.mark.parametrize("kind", ["loo", "folds", "grouped"])
def test_folds_of_one_row_are_not_compared_and_13_folds_are_named(kind):
    """Whoever cut them: leave-one-out, as many folds as rows, or groups of one row each."""
    one, other = (
        folds(losses, kind=kind, test_rows=tuple(np.arange(3).reshape(3, 1)), train_counts=(2,) * 3, rows=3)
        for losses in ([0.1, 0.2, 0.4], [0.3, 0.1, 0.2])
    )
    found = difference(one, other, names=NAMES)
    assert (found.interval, found.p) == (None, None)
    assert "share all rows but one" in reason(found)
    assert "13 folds" in reason(found)


@pytest.mark.parametrize(
    "changes",
    [
        {"test_rows": tuple(np.arange(12).reshape(3, 4)[::-1])},
        {"train_counts": (7, 8, 8)},
        {"test_rows": tuple(np.arange(12).reshape(4, 3)), "train_counts": (9,) * 4},
    ],
    ids=["other rows", "other training sizes", "more splits"],
)
def test_methods_on_other_splits_are_refused(changes):
    one = folds([0.1, 0.2, 0.4])
    message = r"ridge and k-nn were not judged on the same splits, so their losses are not paired\. Compare them in one"
    with pytest.raises(BadInterval, match=message):
        difference(one, replace(one, **changes), names=NAMES)
