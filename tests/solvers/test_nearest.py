"""k-NN against scikit-learn (solvers/nearest_votes.py, solvers/nearest_training_sets.py), fit by fit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from twin import assert_same_fit, assert_twins, bootstraps, fits_of, folds, pairs, plain, solve

import foldwise as fw
from foldwise.data.dataset import make_dataset
from foldwise.learners.catalogue import builtin
from foldwise.learners.estimators.nearest import NearestClassifier, NearestRegressor
from foldwise.solvers import nearest
from foldwise.solvers.nearest import NeighboursSolver
from foldwise.solvers.nearest_lists import Index
from foldwise.solvers.nearest_votes import make_target, running_answers

SOLVER = NeighboursSolver()
BOTH = ("predict", "predict_proba")


def rows(n: int, d: int, seed: int = 0, *, is_grid: bool = False):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(n, d)).astype(float) if is_grid else rng.normal(size=(n, d))
    return X, X[:, 0] + rng.normal(size=n)


def labels(y, classes: int = 3):
    return np.array(["b", "c", "a", "d"], dtype=object)[np.digitize(y, np.linspace(-1, 1, classes - 1))]


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("columns", [1, 5, 20])
def test_every_k_on_every_training_part_equals_the_plain_loop(columns, weights):
    data = make_dataset(*rows(90, columns))
    learners = [KNeighborsRegressor(k, weights=weights) for k in (1, 2, 7, 20)]
    assert_twins(SOLVER, learners, data, [*folds(90, 5), *pairs(90, 4)])


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("columns", [3, 20])
def test_classes_and_probabilities_equal_the_plain_loop(columns, weights):
    X, y = rows(90, columns)
    data = make_dataset(X, labels(y))
    assert_twins(SOLVER, [KNeighborsClassifier(k, weights=weights) for k in (1, 4, 9)], data, folds(90, 5), BOTH)


@pytest.mark.few(4)
@pytest.mark.parametrize("columns", [3, 12, 20])
def test_scaling_inside_the_folds_equals_the_plain_loop(columns):
    X, y = rows(120, columns)
    X[:, 0] *= 1000
    X[:30, 1] += 20
    data = make_dataset(X, y)
    learners = [make_pipeline(StandardScaler(), KNeighborsRegressor(k)) for k in (1, 3, 15)]
    assert_twins(SOLVER, learners, data, [*folds(120, 4), (np.arange(30, 120), np.arange(30))])


def test_the_built_in_learner_is_answered():
    data = make_dataset(*rows(60, 4))
    made = builtin("k-nn", data)
    learners = [made.estimator.set_params(learner__n_neighbors=3)]
    assert_twins(SOLVER, learners, data, folds(60, 5))


@pytest.mark.parametrize("parameters", [{"p": 1}, {"metric": "chebyshev"}, {"p": 3}, {"metric": "l1"}])
@pytest.mark.parametrize("columns", [3, 17])
def test_other_distances_equal_the_plain_loop(parameters, columns):
    data = make_dataset(*rows(60, columns))
    assert_twins(SOLVER, [KNeighborsRegressor(k, **parameters) for k in (1, 5)], data, folds(60, 3))


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
def test_every_algorithm_equals_the_plain_loop(algorithm):
    data = make_dataset(*rows(60, 4))
    assert_twins(SOLVER, [KNeighborsRegressor(k, algorithm=algorithm) for k in (1, 5)], data, folds(60, 3))


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_tied_distances_are_broken_as_scikit_learns_tree_breaks_them(weights):
    X, y = rows(150, 2, is_grid=True)
    data = make_dataset(X, y)
    assert_twins(SOLVER, [KNeighborsRegressor(k, weights=weights) for k in (1, 3, 8)], data, folds(150, 4))


def test_tied_distances_of_a_brute_search_are_left_to_the_plain_loop():
    X, y = rows(80, 2, is_grid=True)
    learners = [KNeighborsRegressor(3, algorithm="brute")]
    answers = solve(SOLVER, fits_of(learners, folds(80, 4), ("predict",)), make_dataset(X, y))
    assert answers == [None] * 4


def test_tied_rows_of_one_target_need_no_second_look():
    X = np.repeat(np.random.default_rng(0).normal(size=(20, 17)), 4, axis=0)
    y = np.repeat(np.arange(20.0), 4)
    label = np.arange(80) % 4
    splits = [(np.flatnonzero(label != k), np.flatnonzero(label == k)) for k in range(4)]
    assert_twins(SOLVER, [KNeighborsRegressor(k) for k in (1, 2, 3)], make_dataset(X, y), splits)


def built_in(data, ks, **parameters):
    return [builtin("k-nn", data, overrides={"n_neighbors": k, **parameters}).estimator for k in ks]


@pytest.mark.few(2)
@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("columns", [2, 17])
@pytest.mark.parametrize("is_frame", [False, True])
def test_tied_distances_of_the_built_in_learner_follow_the_order_of_rows(columns, weights, is_frame):
    X, y = rows(150, columns, is_grid=True)
    X = pd.DataFrame(X).add_prefix("x") if is_frame else X
    data = make_dataset(X, y)
    learners = built_in(data, (1, 3, 30), weights=weights)
    assert_twins(SOLVER, learners, data, [*folds(150, 4)[:2], *pairs(150, 4)[:1], *bootstraps(150, 1)], tolerance=1e-13)


@pytest.mark.few(1)
@pytest.mark.parametrize("columns", [2, 12, 18])
def test_unscaled_ties_by_row_equal_a_plain_sort(columns):
    X, y = rows(120, columns, is_grid=True)
    X[60:] = X[:60]
    data, splits, ks = make_dataset(X, y), folds(120, 4), (1, 2, 5, 40)
    answers = iter(solve(SOLVER, fits_of([NearestRegressor(k) for k in ks], splits, ("predict",)), data))
    for k in ks:
        for train, held in splits:
            gaps = [[sum((a - b) ** 2 for a, b in zip(X[t], X[i], strict=True)) for t in train] for i in held]
            first = [sorted(range(train.size), key=lambda at, gap=gap: (gap[at], at))[:k] for gap in gaps]
            expected = [np.mean(y[train[places]]) for places in first]
            np.testing.assert_allclose(next(answers)["predict"], expected, rtol=0, atol=1e-13)


def test_tied_votes_and_classes_by_row_equal_the_plain_loop():
    X, y = rows(140, 3, is_grid=True)
    data = make_dataset(X, labels(y, 4))
    learners = [NearestClassifier(k) for k in (1, 2, 5, 10)] + built_in(data, (3, 6))
    assert_twins(SOLVER, learners, data, [*folds(140, 4), *bootstraps(140, 2)], BOTH)


def test_rows_that_are_all_alike_are_their_neighbours_in_order():
    X, y = np.ones((400, 2)), np.arange(400.0) ** 2
    answers = assert_twins(SOLVER, [NearestRegressor(k) for k in (1, 3)], make_dataset(X, y), folds(400, 5))
    assert answers[0]["predict"][0] in (0.0, 1.0)


@pytest.mark.few(2)
def test_leave_one_out_equals_the_plain_loop():
    data = make_dataset(*rows(40, 3))
    assert_twins(SOLVER, [KNeighborsRegressor(k) for k in (1, 6, 39)], data, folds(40, 40))


@pytest.mark.parametrize("parameters", [{"p": 1}, {"p": 2}])
@pytest.mark.parametrize("is_grid", [False, True], ids=["numbers", "grid"])
def test_training_sets_that_scale_in_their_own_way_equal_the_plain_loop(parameters, is_grid):
    """Ties, groups far from the others and columns whose spread hangs on few rows included."""
    X, y = rows(130, 3, is_grid=is_grid)
    X[:8, 1] += 40
    X[60:64] += 1000.0
    data = make_dataset(X, y)
    learners = [
        one for name in ("uniform", "distance") for one in built_in(data, (1, 5, 30), weights=name, **parameters)
    ]
    splits = [*folds(130, 5), (np.arange(70), np.arange(70, 130)), *bootstraps(130, 1), *folds(130, 3, 1)]
    assert_twins(SOLVER, learners, data, splits, tolerance=1e-13)


@pytest.mark.parametrize("make", [KNeighborsClassifier, NearestClassifier])
@pytest.mark.parametrize("answers", [1, 2_000, 10**9], ids=["one by one", "some at a time", "all at once"])
def test_lists_of_some_rows_at_a_time_and_answers_in_portions_have_the_same_bits(make, answers, monkeypatch):
    X, y = rows(130, 3)
    data = make_dataset(X, labels(y))
    learners = [make(k, weights=weights) for weights in ("uniform", "distance") for k in (9, 1, 4)]
    learners += [make(k) for k in (2, 3)]
    splits = [*folds(130, 5), *pairs(130, 4), *bootstraps(130, 1)]
    wanted = assert_twins(SOLVER, learners, data, splits, BOTH)
    monkeypatch.setattr(nearest, "BLOCK", 300)
    monkeypatch.setattr(nearest, "ANSWERS", answers)
    found = solve(SOLVER, fits_of(learners, splits, BOTH), make_dataset(X, labels(y)))
    for one, other in zip(found, wanted, strict=True):
        assert one.keys() == other.keys()
        assert all(one[name].tobytes() == other[name].tobytes() for name in BOTH)


@pytest.mark.parametrize("count", [3, 63, 64, 200])
def test_running_sums_have_the_bits_of_sums_one_after_the_other(count):
    X, y = rows(400, 1)
    target, rng = make_target(make_dataset(X, y * 1e6)), np.random.default_rng(0)
    near, distance, ks = rng.integers(0, 400, (30, count)), rng.random((30, count)), np.array([1, 2, 17, 30])
    for weighting in ("uniform", "distance"):
        found = running_answers(target, near, distance, weighting, ("predict",), ks)[0]["predict"]
        for place, k in enumerate(ks):
            for row in range(count):
                total, whole = 0.0, 0.0
                for other, gap in zip(near[:k, row], distance[:k, row], strict=True):
                    weight = 1.0 if weighting == "uniform" else 1.0 / gap
                    total, whole = total + target.values[other] * weight, whole + weight
                assert found[place, row] == total / whole


def test_training_sets_that_ask_for_different_things_get_what_they_ask_for():
    X, y = rows(60, 3)
    data = make_dataset(X, labels(y))
    learners = [KNeighborsClassifier(k, weights=weights) for k in (5, 2) for weights in ("uniform", "distance")]
    first, second, third = folds(60, 3)
    fits = fits_of(learners, [first, second], BOTH) + fits_of(learners[::-1], [third], ("predict",))
    fits += fits_of(learners[1:2], [third], BOTH)
    for fit, answer in zip(fits, solve(SOLVER, fits, data), strict=True):
        assert answer is not None
        assert_same_fit(answer, plain(fit, data), fit, 1e-10)


def test_repeated_rows_of_a_bootstrap_equal_the_plain_loop():
    data = make_dataset(*rows(60, 3))
    assert_twins(SOLVER, [KNeighborsRegressor(k) for k in (1, 4, 10)], data, bootstraps(60, 3))


def test_training_rows_are_their_own_neighbours():
    data = make_dataset(*rows(50, 3))
    train = np.arange(0, 50, 2)
    assert_twins(SOLVER, [KNeighborsRegressor(k) for k in (1, 4)], data, [(train, np.arange(50))])


def test_groups_far_from_all_others_are_searched_again():
    X, y = rows(120, 3)
    X[:40] += 100
    assert_twins(SOLVER, [KNeighborsRegressor(5)], make_dataset(X, y), [(np.arange(40, 120), np.arange(40))])


def test_a_class_missing_from_the_training_rows_keeps_its_column():
    X, y = rows(60, 3)
    label = labels(y)
    train = np.flatnonzero(label != "a")
    data = make_dataset(X, label, positive=None)
    assert_twins(SOLVER, [KNeighborsClassifier(4)], data, [(train, np.arange(60))], BOTH)


def test_votes_are_counted_in_the_order_of_the_labels_whatever_the_positive_class():
    X, y = rows(80, 3)
    data = make_dataset(X, np.where(y > 0, "yes", "no"), positive="no")
    assert_twins(SOLVER, [KNeighborsClassifier(k) for k in (2, 4)], data, folds(80, 4), BOTH)


def test_more_neighbours_than_training_rows_are_left_to_the_plain_loop():
    data = make_dataset(*rows(20, 2))
    answers = solve(SOLVER, fits_of([KNeighborsRegressor(k) for k in (3, 18)], folds(20, 4), ("predict",)), data)
    assert [answer is None for answer in answers] == [False] * 4 + [True] * 4


@given(
    n=st.integers(12, 70),
    d=st.integers(1, 18),
    count=st.integers(2, 6),
    is_grid=st.booleans(),
    is_scaled=st.booleans(),
    is_by_row=st.booleans(),
    weights=st.sampled_from(["uniform", "distance"]),
    seed=st.integers(0, 99),
)
def test_any_shape_equals_the_plain_loop(n, d, count, is_grid, is_scaled, is_by_row, weights, seed):
    X, y = rows(n, d, seed, is_grid=is_grid)
    X[:, 1:2] = 1.0  # a column that says nothing
    bare = [(NearestRegressor if is_by_row else KNeighborsRegressor)(k, weights=weights) for k in (1, 2, 5)]
    learners = [make_pipeline(StandardScaler(), learner) for learner in bare] if is_scaled else bare
    # where scikit-learn searches by force, it weighs the smallest distances by their rounding: left to it
    may_leave = not is_by_row and (is_grid or weights == "distance")
    assert_twins(SOLVER, learners, make_dataset(X, y), folds(n, count, seed), allow_none=may_leave)


@given(
    n=st.integers(12, 60),
    classes=st.integers(2, 4),
    is_grid=st.booleans(),
    weights=st.sampled_from(["uniform", "distance"]),
    seed=st.integers(0, 99),
)
def test_any_classes_equal_the_plain_loop(n, classes, is_grid, weights, seed):
    X, y = rows(n, 2, seed, is_grid=is_grid)
    y[0], y[1] = -9, 9
    data = make_dataset(X, labels(y, classes))
    learners = [KNeighborsClassifier(k, weights=weights) for k in (1, 2, 3, 4)]
    assert_twins(SOLVER, learners, data, folds(n, 3, seed), BOTH, allow_none=is_grid)


@pytest.mark.parametrize(
    "learner",
    [
        KNeighborsRegressor(weights=lambda distance: distance),
        KNeighborsRegressor(metric="cosine"),
        KNeighborsRegressor(metric_params={"w": [1, 2]}),
        KNeighborsClassifier(),
        type("Own", (KNeighborsRegressor,), {})(),
        type("NearestOwn", (NearestRegressor,), {})(),
    ],
)
def test_what_it_does_not_know_it_does_not_take(learner):
    assert not SOLVER.takes(learner, make_dataset(*rows(20, 2)))


@pytest.mark.parametrize("outer", [4, 0.25], ids=["folds", "one test set"])
def test_one_search_serves_the_tuning_and_the_fits_of_what_was_chosen(outer, monkeypatch):
    """Also a learner that is not tuned is not asked itself: that would take longer."""
    searched, plain = [], Index.search
    monkeypatch.setattr(Index, "search", lambda index, asked, count: searched.append(1) or plain(index, asked, count))
    monkeypatch.setattr(KNeighborsRegressor, "predict", lambda *_: pytest.fail("a model was asked"))
    X, y = rows(200, 3)
    tuned = fw.tune(KNeighborsRegressor(), n_neighbors=range(1, 11))
    fw.compare({"tuned": tuned}, X, y, outer=outer, inner=3, jobs=1)
    assert len(searched) == 1
    fw.compare({"bare": KNeighborsRegressor()}, X, y, outer=outer, jobs=1)
    assert len(searched) == 2


@pytest.mark.parametrize("columns", [1, 3, 9])
@pytest.mark.parametrize("is_scaled", [False, True])
def test_rows_with_more_copies_than_a_list_is_long_equal_the_plain_loop(columns, is_scaled):
    rng = np.random.default_rng(columns)
    table = np.repeat(rng.integers(0, 3, size=(4, columns)), 150, axis=0)[rng.permutation(600)].astype(float)
    data = make_dataset(table, table[:, 0] + rng.normal(size=600))
    learners = [NearestRegressor(n_neighbors=k) for k in (1, 5, 20)]
    learners = [make_pipeline(StandardScaler(), one) for one in learners] if is_scaled else learners

    assert_twins(SOLVER, learners, data, folds(600, 4))
