"""The chooser's table, row by row: the default, what may be asked for, and the words of every refusal."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from foldwise import intervals
from foldwise.errors import BadInterval
from foldwise.losses.loss import Loss
from foldwise.stats import chooser
from foldwise.stats.chooser import INTERVALS, find
from foldwise.stats.evidence import Evidence
from foldwise.stats.held_out import exact_share

SQUARED = Loss("squared", lambda y, p: (y - p) ** 2)
BRIER = Loss("brier", lambda y, p: (y - p) ** 2, bounds=(0.0, 1.0))
ZERO_ONE = Loss("zero_one", lambda y, p: y != p, bounds=(0.0, 1.0))
AUC = Loss("roc_auc", lambda y, p, w: 0.5, bounds=(0.0, 1.0), is_per_row=False)
R2 = Loss("r2", lambda y, p, w: 0.5, is_per_row=False)
RNG = np.random.default_rng(3)


def evidence(
    loss: Loss, *, kind: str = "folds", folds: int = 5, rows: int = 40, repeats: int = 1, **changes
) -> Evidence:
    """Evidence of a made-up method on folds in the order of the rows, or on one test set."""
    tests = [np.array(part) for part in np.array_split(np.arange(rows), folds)] * repeats
    if loss is ZERO_ONE:
        losses = [(RNG.random(len(test)) < 0.3).astype(float) for test in tests]
        losses[0][:2] = 0, 1
    else:
        losses = [RNG.random(len(test)) for test in tests]
    facts = {
        "fold_losses": np.array([part.mean() for part in losses]),
        "row_losses": tuple(losses) if loss.is_per_row else None,
        "test_rows": tuple(tests),
        "train_counts": tuple(rows - len(test) for test in tests) if folds > 1 else (100,),
        "kind": kind,
        "is_partition": kind in ("folds", "grouped", "loo"),
        "repeats": repeats,
        "folds": folds,
        "loss": loss,
        "rows": rows,
        "truth": np.arange(rows) % 2,
        "scores": tuple(RNG.random(len(test)) for test in tests) if loss is AUC else None,
    }
    return Evidence(**(facts | changes))


def choose(found: Evidence, asked: str | None = None):
    return chooser.choose(found, None if asked is None else find(asked))


def work_out(found: Evidence, asked: str | None, level: float):
    return chooser.work_out(found, None if asked is None else find(asked), level)


def one_test_set(loss: Loss, rows: int = 40, *, kind: str = "holdout", **changes) -> Evidence:
    return evidence(loss, kind=kind, folds=1, rows=rows, **changes)


GROUPS, WEIGHTS = np.arange(40) // 4, np.linspace(0.5, 1.5, 40)
BOUNDED = {"Hoeffding", "empirical Bernstein", "t"}

# splits and loss, the default, and all that may be asked for by name
TABLE = [
    ("one test set, 0-1", one_test_set(ZERO_ONE), "Clopper-Pearson", {"betting", *BOUNDED}),
    ("one test set, bounded", one_test_set(BRIER), "betting", BOUNDED),
    ("one test set, unbounded", one_test_set(SQUARED), "t", set()),
    ("one test set, AUC", one_test_set(AUC), "DeLong", set()),
    ("one test set, a measure", one_test_set(R2), None, set()),
    ("one test set, groups, 0-1", one_test_set(ZERO_ONE, groups=GROUPS), "t", set()),
    ("one test set, groups, unbounded", one_test_set(SQUARED, groups=GROUPS), "t", set()),
    ("one test set, groups, AUC", one_test_set(AUC, groups=GROUPS), None, set()),
    ("one test set, weights", one_test_set(SQUARED, weights=WEIGHTS), None, set()),
    ("one test set in time", one_test_set(ZERO_ONE, kind="time_holdout", rows=60), "HAC", set()),
    ("one short test set in time", one_test_set(ZERO_ONE, kind="time_holdout"), None, set()),
    ("folds, per row", evidence(SQUARED), "corrected t", {"Bayle"}),
    ("folds, 0-1", evidence(ZERO_ONE), "corrected t", {"Bayle"}),
    ("folds, a measure", evidence(R2), "corrected t", set()),
    ("folds, AUC", evidence(AUC), "corrected t", {"AUC influence curve"}),
    ("folds of whole groups", evidence(SQUARED, kind="grouped", groups=GROUPS), "corrected t", set()),
    ("folds of whole groups, AUC", evidence(AUC, kind="grouped", groups=GROUPS), "corrected t", set()),
    ("folds, weights", evidence(SQUARED, weights=WEIGHTS), "corrected t", set()),
    ("repeated folds", evidence(SQUARED, repeats=2), "corrected t", {"Bayle"}),
    ("random splits", evidence(SQUARED, kind="monte_carlo"), "corrected t", set()),
    ("leave-one-out", evidence(SQUARED, kind="loo", folds=40), None, {"Bayle"}),
    ("time-ordered", evidence(SQUARED, kind="time", rows=60), "HAC", set()),
    ("time-ordered, weights", evidence(SQUARED, kind="time", rows=60, weights=np.arange(1.0, 61)), "HAC", set()),
    ("time-ordered, a short series", evidence(SQUARED, kind="time"), None, set()),
    ("time-ordered, a measure", evidence(AUC, kind="time", rows=60), None, set()),
    ("bootstrap", evidence(SQUARED, kind="bootstrap"), None, set()),
    ("given splits", evidence(SQUARED, kind="pairs"), None, set()),
]  # fmt: skip


@pytest.mark.parametrize(("found", "default", "others"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_each_row_of_the_table_has_its_default_and_takes_these_requests_alone(found, default, others):
    method, reason = choose(found)
    assert (method.name if method else None) == default
    assert reason
    allowed = {name for name in INTERVALS if choose(found, name)[0] is not None}
    assert allowed == others | ({default} - {None})


@pytest.mark.parametrize(("found", "default"), [row[1:3] for row in TABLE], ids=[row[0] for row in TABLE])
def test_every_interval_that_is_offered_can_be_worked_out_and_has_a_width(found, default):
    for name in INTERVALS:
        if choose(found, name)[0] is not None:
            method, _, numbers = work_out(found, name, 0.9)
            assert method.name == name
            assert numbers.low < numbers.high
            assert numbers.low <= numbers.value <= numbers.high


@pytest.mark.parametrize(
    ("found", "asked", "words"),
    [
        (evidence(SQUARED), "t", "it is for one test set, and there are 5 splits"),
        (one_test_set(SQUARED), "Hoeffding", "and squared has none"),
        (one_test_set(SQUARED), "betting", "it needs a loss with a stated range, and squared has none"),
        (one_test_set(BRIER), "Clopper-Pearson", "it is for the 0-1 loss, not brier"),
        (one_test_set(R2), "t", "r2 is a measure of the whole test set and has no loss per row"),
        (one_test_set(ZERO_ONE, groups=GROUPS), "betting", "rows of a group are not independent: the group"),
        (one_test_set(SQUARED, groups=np.zeros(40, int)), "t", "the test rows are of one group"),
        (one_test_set(SQUARED, weights=WEIGHTS), "t", "rows have weights, which no interval for one test"),
        (one_test_set(SQUARED, rows=1), "t", "one test row has no spread"),
        (one_test_set(BRIER, rows=1), "empirical Bernstein", "one test row has no spread"),
        (one_test_set(ZERO_ONE, kind="time_holdout"), "betting", "rows that follow each other in time are not"),
        (one_test_set(SQUARED), "DeLong", "it is for the AUC of one test set"),
        (one_test_set(AUC, weights=WEIGHTS), "DeLong", "it needs independent rows of equal weight"),
        (one_test_set(AUC, truth=np.eye(40, dtype=int)[0]), "DeLong", "at least 2 test rows of each class"),
        (evidence(AUC), "Bayle", "roc_auc is a measure"),
        (evidence(SQUARED, groups=GROUPS), "Bayle", "rows of a group are not independent: the group is the unit"),
        (evidence(SQUARED, weights=WEIGHTS), "Bayle", "rows have weights, which it does not allow for"),
        (evidence(SQUARED, kind="time"), "Bayle", "it is for folds, not time-ordered"),
        (evidence(SQUARED), "AUC influence curve", "it is for the AUC over folds"),
        (evidence(AUC, weights=WEIGHTS), "AUC influence curve", "it needs independent rows of equal weight"),
        (evidence(SQUARED, kind="time"), "corrected t", "time-ordered folds are neither exchangeable nor trained"),
        (evidence(SQUARED), "HAC", "it is for test rows in the order of time, not folds"),
        (evidence(AUC, kind="time", rows=60), "HAC", "roc_auc is a measure"),
        (evidence(SQUARED, kind="time"), "HAC", "40 test times"),
        (evidence(SQUARED, kind="time", rows=60, steps=20), "HAC", "at least 80 are needed, with forecasts of 20"),
        (evidence(SQUARED, kind="bootstrap"), "corrected t", "bootstrap training sets repeat rows"),
        (evidence(SQUARED, kind="pairs"), "corrected t", "the given splits do not partition the rows"),
        (evidence(SQUARED, kind="loo", folds=40), "corrected t", "leave-one-out folds of one row have no means"),
        (one_test_set(SQUARED), "corrected t", "it is for folds and random splits, not one test set"),
    ],
)  # fmt: skip
def test_a_request_that_is_not_valid_is_refused_with_the_reason(found, asked, words):
    method, reason = choose(found, asked)
    assert method is None
    assert reason.startswith(f"{asked} is not valid here: ")
    assert words in reason


def test_a_loss_that_leaves_its_stated_range_gets_no_bounded_interval():
    found = one_test_set(BRIER, row_losses=(np.array([0.5, 1.5] * 20),))
    assert choose(found)[0].name == "t"
    assert "losses from 0.5 to 1.5 leave the stated range" in choose(found, "betting")[1]


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("CV-CLT", "Bayle"), ("holdout t", "t"), ("CORRECTED T", "corrected t"),
        ("influence_curve", "AUC influence curve"), ("auc", "AUC influence curve"),
        ("Clopper_Pearson", "Clopper-Pearson"), ("clopper-pearson", "Clopper-Pearson"),
    ],
)  # fmt: skip
def test_an_interval_goes_by_its_aliases(asked, name):
    assert find(asked).name == name


def test_an_unknown_interval_is_refused_with_the_nearest():
    with pytest.raises(BadInterval, match=re.escape("there is no interval 'bayl'") + ".*Bayle"):
        find("bayl")


def test_the_bates_interval_is_had_from_its_formula():
    with pytest.raises(BadInterval, match=r"no study makes the fits that .* Give their losses to fw\.intervals\.bates"):
        find("Bates")


@pytest.mark.parametrize(
    ("found", "asked"),
    [
        (evidence(SQUARED, fold_losses=np.full(5, 0.25), row_losses=(np.full(8, 0.25),) * 5), None),
        (one_test_set(SQUARED, row_losses=(np.full(40, 0.25),)), None),
        (one_test_set(AUC, scores=(np.arange(40) % 2.0,)), None),
        (evidence(SQUARED, row_losses=(np.full(8, 0.25),) * 5), "Bayle"),
        (evidence(AUC, scores=tuple((np.arange(8) + 8 * k) % 2.0 for k in range(5))), "AUC influence curve"),
    ],
    ids=["folds", "test set", "perfect AUC", "Bayle", "perfect AUC of folds"],
)
def test_losses_without_spread_have_no_interval_rather_than_one_of_no_width(found, asked):
    method, reason, numbers = work_out(found, asked, 0.95)
    assert (method, numbers) == (None, None)
    assert "spread" in reason


def test_no_errors_at_all_still_have_an_upper_bound_above_zero():
    none = one_test_set(ZERO_ONE, row_losses=(np.zeros(40),), fold_losses=np.zeros(1))
    _, _, found = work_out(none, None, 0.95)
    assert (found.value, found.low) == (0, 0)
    assert found.high == pytest.approx(1 - 0.025 ** (1 / 40))


def test_a_missing_fold_leaves_no_interval():
    found = evidence(SQUARED)
    losses = found.fold_losses.copy()
    losses[2] = np.nan
    method, reason = choose(replace(found, fold_losses=losses), "Bayle")
    assert method is None
    assert reason == "1 of 5 splits have no finite loss"


# The same numbers from the public functions, on the losses themselves.


def ends(numbers) -> tuple[float, float, float]:
    return numbers.value, numbers.low, numbers.high


def public(estimate) -> tuple[float, float, float]:
    return estimate.value, estimate.low, estimate.high


def test_one_test_set_has_the_numbers_of_the_public_functions():
    zero_one, brier = one_test_set(ZERO_ONE), one_test_set(BRIER, seed=5)
    failures = int(zero_one.row_losses[0].sum())
    order = np.random.default_rng([5, 0xBE7]).permutation(40)
    losses = brier.row_losses[0]
    expected = {
        "Clopper-Pearson": (zero_one, intervals.clopper_pearson(failures, 40, 0.9)),
        "betting": (brier, intervals.betting(losses[order], level=0.9)),
        "Hoeffding": (brier, intervals.hoeffding(losses, level=0.9)),
        "empirical Bernstein": (brier, intervals.empirical_bernstein(losses, level=0.9)),
        "t": (brier, intervals.holdout_t(losses, level=0.9)),
    }
    for name, (found, estimate) in expected.items():
        assert ends(work_out(found, name, 0.9)[2]) == pytest.approx(public(estimate), rel=1e-12), name


def test_the_order_of_betting_is_fixed_by_the_seed_alone():
    found = one_test_set(BRIER)
    first, again, other = (work_out(replace(found, seed=seed), None, 0.95)[2] for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_groups_are_the_unit_of_the_t_interval():
    found = one_test_set(SQUARED, groups=GROUPS)
    estimate = intervals.holdout_t(found.row_losses[0], 0.9, groups=GROUPS)
    assert ends(work_out(found, None, 0.9)[2]) == pytest.approx(public(estimate), rel=1e-12)


def test_folds_have_the_numbers_of_the_public_functions():
    rows = tuple(RNG.random(8) + fold for fold in range(5))  # so far apart that the floor of the rows is below
    found = evidence(SQUARED, row_losses=rows, fold_losses=np.array([part.mean() for part in rows]))
    losses, labels = np.concatenate(found.row_losses), np.repeat(np.arange(5), 8)
    expected = {
        "corrected t": intervals.corrected_t(found.fold_losses, 1 / 4, 0.9),
        "Bayle": intervals.cv_clt(losses, labels, level=0.9),
    }
    for name, estimate in expected.items():
        _, _, numbers = work_out(found, name, 0.9)
        assert ends(numbers) == pytest.approx(public(estimate), rel=1e-12), name
        assert numbers.details["se"] == pytest.approx(estimate.details["se"]), name


def test_repeats_have_the_numbers_of_the_public_function():
    found = evidence(SQUARED, repeats=4)
    expected = intervals.corrected_t(found.fold_losses.reshape(4, 5), 1 / 4)
    assert ends(work_out(found, None, 0.95)[2]) == pytest.approx(public(expected))


def test_folds_of_equal_losses_are_no_surer_than_independent_rows():
    # two errors in every fold of eight, as stratified folds may have them
    losses = (np.array([1.0, 1, 0, 0, 0, 0, 0, 0]),) * 5
    found = evidence(SQUARED, row_losses=losses, fold_losses=np.full(5, 0.25))
    numbers = work_out(found, None, 0.95)[2]
    sd = np.concatenate(losses).std(ddof=1)
    assert numbers.details["se"] == pytest.approx(sd / np.sqrt(40))
    assert numbers.high - numbers.value == pytest.approx(stats.t.ppf(0.975, 4) * sd / np.sqrt(40))


def test_the_interval_of_an_error_rate_is_no_shorter_than_that_of_independent_rows():
    perfect = evidence(ZERO_ONE, row_losses=(np.zeros(8),) * 5, fold_losses=np.zeros(5))
    numbers = work_out(perfect, None, 0.95)[2]
    assert (numbers.low, numbers.high) == (0, pytest.approx(1 - 0.025 ** (1 / 40)))
    one_error = (np.eye(8)[0], *(np.zeros(8),) * 4)
    few = evidence(ZERO_ONE, row_losses=one_error, fold_losses=np.array([1 / 8, 0, 0, 0, 0]))
    exact = intervals.clopper_pearson(1, 40)
    found = work_out(few, None, 0.95)[2]
    assert found.low <= exact.low + 1e-12
    assert found.high >= exact.high - 1e-12


@pytest.mark.parametrize("name", ["corrected t", "Bayle", "t"])
def test_no_interval_of_an_error_rate_is_surer_than_as_many_units(name):
    errors = np.zeros(40)
    errors[[3, 12]] = 1
    rows = tuple(np.split(errors, 5))
    found = evidence(ZERO_ONE, row_losses=rows, fold_losses=np.array([part.mean() for part in rows]))
    if name == "t":
        found = one_test_set(ZERO_ONE, row_losses=(errors,), fold_losses=errors[None].mean(-1), groups=GROUPS)
    units = 10 if name == "t" else 40
    exact = exact_share(0.05, units, level=0.95)
    numbers = work_out(found, name, 0.95)[2]
    assert numbers.low <= exact.low + 1e-9
    assert numbers.high >= exact.high - 1e-9


def test_ends_that_cannot_be_are_cut_and_kept():
    found = evidence(BRIER, fold_losses=np.array([0.0, 0.9, 0.0, 0.9, 0.0]))
    numbers = work_out(found, None, 0.95)[2]
    assert (numbers.low, numbers.high) == (0, 1)
    assert numbers.details["formula_low"] < 0
    assert numbers.details["formula_high"] > 1
    inside = work_out(evidence(SQUARED), None, 0.95)[2]
    assert not {"formula_low", "formula_high"} & set(inside.details)


@pytest.mark.parametrize(("largest", "is_told"), [(1.0, False), (40.0, True)])
def test_a_loss_that_is_a_large_part_of_the_sum_is_told(largest, is_told):
    losses = np.ones(100)
    losses[7] = largest
    rows = tuple(np.split(losses, 5))
    found = evidence(SQUARED, rows=100, row_losses=rows, fold_losses=np.array([part.mean() for part in rows]))
    told = find("corrected t").ends(found, 0.95).notes
    assert [code for code, _ in told] == (["tail"] if is_told else [])
    if is_told:
        assert "one row has 29% of the sum of all losses" in told[0][1]


@pytest.mark.parametrize(
    ("groups", "is_told"), [(None, False), (np.arange(40) // 2, True), (np.arange(40) // 1.5, False)]
)
def test_few_groups_are_told(groups, is_told):
    told = find("corrected t").ends(evidence(SQUARED, kind="grouped", groups=groups), 0.95).notes
    assert [text.startswith("20 groups are few") for _, text in told] == [True] * is_told


@pytest.mark.parametrize(
    ("loss", "is_stratified", "is_told"),
    [(R2, True, True), (R2, False, False), (AUC, True, False), (ZERO_ONE, True, False)],
)
def test_a_measure_that_may_change_with_the_class_shares_is_told(loss, is_stratified, is_told):
    told = find("corrected t").ends(evidence(loss, is_stratified=is_stratified), 0.95).notes
    assert [code for code, _ in told] == (["strata"] if is_told else [])


def test_random_splits_are_one_run():
    found = evidence(SQUARED, kind="monte_carlo")
    corrected = intervals.corrected_t(found.fold_losses, found.test_train_ratio)
    assert ends(work_out(found, None, 0.95)[2]) == pytest.approx(public(corrected))


def test_an_area_under_the_curve_is_told_as_a_loss():
    one, many = one_test_set(AUC), evidence(AUC)
    area = intervals.auc(one.truth, one.scores[0], 0.9, method="delong")
    one = replace(one, fold_losses=np.array([1 - area.value]))
    assert ends(work_out(one, None, 0.9)[2]) == pytest.approx((1 - area.value, 1 - area.high, 1 - area.low))
    areas = intervals.auc(many.truth, np.concatenate(many.scores), 0.9, folds=np.repeat(np.arange(5), 8))
    many = replace(many, fold_losses=np.full(5, 1 - areas.value))
    found = ends(work_out(many, "influence curve", 0.9)[2])
    assert found == pytest.approx((1 - areas.value, max(0, 1 - areas.high), min(1, 1 - areas.low)))


def test_a_higher_level_is_wider_for_every_interval():
    for _, found, _, _ in TABLE:
        for name in INTERVALS:
            if choose(found, name)[0] is not None:
                narrow, wide = work_out(found, name, 0.8)[2], work_out(found, name, 0.99)[2]
                assert wide.low <= narrow.low
                assert narrow.high <= wide.high
