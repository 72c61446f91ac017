"""Every scheme of the design (questions/method.py) equals naive loops on the same splits."""

from __future__ import annotations

import math
from typing import Any

import naive
import numpy as np
import pytest
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

import foldwise as fw

K_NN, KS = KNeighborsRegressor(), [1, 2, 4, 8]
CANDIDATES = [{"n_neighbors": k} for k in KS]


def compare(curved: Any, **words: Any) -> Any:
    return fw.compare(
        {"k-nn": fw.tune(K_NN, n_neighbors=KS), "tree": DecisionTreeRegressor(random_state=0)}, *curved, jobs=1, **words
    )


def assert_nested(result: Any, curved: Any, outer: Any, inner: Any, final: Any) -> None:
    loops = naive.Loops(*curved, naive.squared)
    naive.assert_same(result, "k-nn", loops.nested(K_NN, CANDIDATES, outer, inner, final))
    assert_plain(result, "tree", loops.plain(DecisionTreeRegressor(random_state=0), outer))


def assert_plain(result: Any, name: str, losses: list[float]) -> None:
    method = next(method for method in result.to_dict()["methods"] if method["name"] == name)
    np.testing.assert_allclose([fold["loss"] for fold in method["folds"]], losses, rtol=1e-10)
    assert method["risk"] == pytest.approx(np.mean(losses), rel=1e-10)
    assert [fold["candidate"] for fold in method["folds"]] == [{}] * len(losses)


def assert_cut(pairs: Any, rows: Any, folds: int) -> None:
    """Test parts cut the rows into `folds` parts whose sizes differ by at most one; the rest trains."""
    sizes = [len(test) for _, test in pairs]
    assert len(pairs) == folds
    assert max(sizes) - min(sizes) <= 1
    assert sorted(np.concatenate([test for _, test in pairs])) == sorted(rows)
    for train, test in pairs:
        assert sorted([*train, *test]) == sorted(rows)


def assert_held_out(pairs: Any, rows: Any, count: int) -> None:
    (train, test), *more = pairs
    assert not more
    assert len(test) == count
    assert sorted([*train, *test]) == sorted(rows)


def test_train_validation_test(curved: Any) -> None:
    result = compare(curved, outer=0.2, inner=0.25)
    outer, inner, final = naive.splits_of(result)
    assert_held_out(outer, range(78), math.ceil(0.2 * 78))
    assert_held_out(inner[0], outer[0][0], math.ceil(0.25 * len(outer[0][0])))
    assert_nested(result, curved, outer, inner, final)


def test_tuning_by_ten_folds_with_one_test_set(curved: Any) -> None:
    result = compare(curved, outer=0.2, inner=10)
    outer, inner, final = naive.splits_of(result)
    assert_held_out(outer, range(78), math.ceil(0.2 * 78))
    assert_cut(inner[0], outer[0][0], 10)
    assert_cut(final, range(78), 10)
    assert_nested(result, curved, outer, inner, final)


def test_plain_ten_fold_cross_validation_of_an_untuned_learner(curved: Any) -> None:
    estimate = fw.risk(K_NN, *curved, outer=10, jobs=1)
    result = fw.compare({"k-nn": K_NN}, *curved, outer=10, jobs=1)
    outer, inner, _ = naive.splits_of(result)
    assert_cut(outer, range(78), 10)
    assert inner == []
    losses = naive.Loops(*curved, naive.squared).plain(K_NN, outer)
    assert_plain(result, "k-nn", losses)
    assert estimate.value == pytest.approx(np.mean(losses), rel=1e-10)
    np.testing.assert_allclose(estimate.losses, losses, rtol=1e-10)


def test_leave_one_out_of_an_untuned_learner(curved: Any) -> None:
    result = fw.compare({"k-nn": K_NN}, *curved, outer="loo", jobs=1)
    rows = np.arange(78)
    assert_plain(result, "k-nn", naive.Loops(*curved, naive.squared).plain(K_NN, naive.folds(rows)))


def test_leave_one_out_of_a_tuned_learner(curved: Any) -> None:
    few = curved[0][:17], curved[1][:17]
    result = compare(few, outer="loo", inner=5)
    outer, inner, final = naive.splits_of(result)
    assert [test.tolist() for _, test in outer] == [[row] for row in range(17)]
    for (train, _), own in zip(outer, inner, strict=True):
        assert_cut(own, train, 5)
    assert_nested(result, few, outer, inner, final)


def test_nested_eight_by_five(curved: Any) -> None:
    result = compare(curved, outer=8, inner=5)
    outer, inner, final = naive.splits_of(result)
    assert_cut(outer, range(78), 8)
    for (train, _), own in zip(outer, inner, strict=True):
        assert_cut(own, train, 5)
    assert_cut(final, range(78), 5)
    assert_nested(result, curved, outer, inner, final)


def test_the_cheap_variant_tunes_on_one_outer_folds_worth_of_rows(curved: Any) -> None:
    result = compare(curved, outer=10, inner="dev")
    outer, inner, final = naive.splits_of(result)
    assert_cut(outer, range(78), 10)
    for (train, _), own in zip(outer, inner, strict=True):
        assert_held_out(own, train, 8)
    assert_held_out(final, range(78), 8)
    assert_nested(result, curved, outer, inner, final)


@pytest.mark.few(1)
@pytest.mark.parametrize("folds", [10, 13])
def test_aligned_folds_drawn_at_random(curved: Any, folds: int) -> None:
    result = compare(curved, outer=folds, inner="aligned")
    outer, *_ = naive.splits_of(result)
    assert_cut(outer, range(78), folds)
    assert_nested(result, curved, outer, *naive.aligned(naive.labels_of(outer, 78)))


def test_the_default_study_is_thirteen_folds_on_lines(curved: Any) -> None:
    result = compare(curved)
    outer, *_ = naive.splits_of(result)
    assert_cut(outer, range(78), 13)
    assert_nested(result, curved, outer, *naive.aligned(naive.labels_of(outer, 78)))


def test_repeats_are_independent_partitions_averaged(curved: Any) -> None:
    result = compare(curved, outer=5, inner="pairs", repeats=2)
    outer, *_ = naive.splits_of(result)
    halves = [naive.labels_of(outer[:5], 78), naive.labels_of(outer[5:], 78)]
    assert not np.array_equal(*halves)
    schemes = [naive.aligned(labels) for labels in halves]
    assert_nested(result, curved, outer, schemes[0][0] + schemes[1][0], schemes[0][1] + schemes[1][1])


def test_inner_splits_by_a_scikit_learn_splitter(curved: Any) -> None:
    labels, splitter = np.arange(78) % 6, KFold(4, shuffle=True, random_state=3)
    result = compare(curved, outer=labels, inner=splitter)
    outer = naive.folds(labels)
    inner = [naive.inside(splitter, train, curved[0]) for train, _ in outer]
    assert_nested(result, curved, outer, inner, naive.inside(splitter, np.arange(78), curved[0]))


def test_inner_splits_by_labels_of_their_own(curved: Any) -> None:
    labels, own = np.arange(78) % 6, np.arange(78) // 26
    result = compare(curved, outer=labels, inner=own)
    outer = naive.folds(labels)
    inner = [[(train[own[train] != label], train[own[train] == label]) for label in range(3)] for train, _ in outer]
    assert_nested(result, curved, outer, inner, naive.folds(own))


@pytest.mark.parametrize("has_final", [True, False])
def test_inner_splits_as_lists_of_index_pairs(curved: Any, has_final: bool) -> None:
    labels, draw = np.arange(78) % 5, ShuffleSplit(2, test_size=9, train_size=30, random_state=1)
    outer = naive.folds(labels)
    inner = [naive.inside(draw, train, curved[0]) for train, _ in outer]
    final = naive.inside(draw, np.arange(78), curved[0]) if has_final else None
    result = compare(curved, outer=labels, inner=[*inner, final] if has_final else inner)
    assert_nested(result, curved, outer, inner, final)
    method = result.to_dict()["methods"][0]
    assert (method["selection_score"] is not None) is has_final


def test_outer_splits_as_index_pairs_in_any_order(curved: Any) -> None:
    rng = np.random.default_rng(0)
    orders = [rng.permutation(78) for _ in range(3)]
    pairs = [(order[:50], order[50:70]) for order in orders]
    result = compare(curved, outer=pairs, inner=3)
    outer, inner, final = naive.splits_of(result)
    assert [(sorted(train), sorted(test)) for train, test in pairs] == [(list(a), list(b)) for a, b in outer]
    assert_nested(result, curved, outer, inner, final)


def test_a_tuned_learner_keeps_its_own_inner_splits(curved: Any) -> None:
    labels, own = np.arange(78) % 7, KFold(3)
    learners = {"own": fw.tune(K_NN, n_neighbors=KS, inner=own), "shared": fw.tune(K_NN, n_neighbors=KS)}
    result = fw.compare(learners, *curved, outer=labels, jobs=1)
    loops, outer = naive.Loops(*curved, naive.squared), naive.folds(labels)
    inner = [naive.inside(own, train, curved[0]) for train, _ in outer]
    final = naive.inside(own, np.arange(78), curved[0])
    naive.assert_same(result, "own", loops.nested(K_NN, CANDIDATES, outer, inner, final))
    naive.assert_same(result, "shared", loops.nested(K_NN, CANDIDATES, outer, *naive.aligned(labels)))


def test_risk_of_a_tuned_learner_is_nested_cross_validation(curved: Any) -> None:
    labels = np.arange(78) % 8
    estimate = fw.risk(fw.tune(K_NN, n_neighbors=KS, inner=KFold(5)), *curved, outer=labels, jobs=1)
    outer = naive.folds(labels)
    inner = [naive.inside(KFold(5), train, curved[0]) for train, _ in outer]
    answer = naive.Loops(*curved, naive.squared).nested(K_NN, CANDIDATES, outer, inner)
    np.testing.assert_allclose(estimate.losses, answer.losses, rtol=1e-10)


def test_the_mean_over_rows_is_another_number_than_the_mean_over_folds(curved: Any) -> None:
    labels = np.repeat([0, 1, 2], [10, 20, 48])
    result = fw.compare({"k-nn": K_NN}, *curved, outer=labels, jobs=1)
    parts = naive.Loops(*curved, naive.squared).plain(K_NN, naive.folds(labels))
    table = result.table(mean="rows").set_index("method")
    assert table.loc["k-nn", "risk"] == pytest.approx(np.average(parts, weights=[10, 20, 48]), rel=1e-10)
    assert result.table().set_index("method").loc["k-nn", "risk"] == pytest.approx(np.mean(parts), rel=1e-10)


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        (fw.MonteCarlo(3, share=0.3), fw.MonteCarlo(2, share=0.2)),
        (fw.Bootstrap(3), 3),
        (4, fw.Bootstrap(2)),
        (fw.KFold(4, folds="ceiling"), fw.KFold(3, folds="ceiling")),
        (fw.Repeated(fw.KFold(3), 2), "pairs"),
        (RepeatedKFold(n_splits=3, n_repeats=2, random_state=0), "aligned"),
        (fw.TimeOrdered(2), fw.TimeOrdered(2)),
    ],
    ids=lambda value: str(value)[:24],
)
def test_other_splitters_at_both_levels(curved: Any, outer: Any, inner: Any) -> None:
    result = compare(curved, outer=outer, inner=inner)
    splits = naive.splits_of(result)
    loops = naive.Loops(*curved, naive.squared)
    answer = loops.nested(K_NN, CANDIDATES, *splits)
    # The training error is that of the distinct training rows, however often a bootstrap has them.
    pairs = zip(answer.chosen, splits[0], strict=True)
    answer.training = [loops.loss(loops.fit(K_NN, chosen, train), np.unique(train)) for chosen, (train, _) in pairs]
    naive.assert_same(result, "k-nn", answer)
