"""Spaces, their grids, draws (spaces/draw.py)."""

from __future__ import annotations

import copy
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.compose import TransformedTargetRegressor
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.model_selection import ParameterGrid
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from foldwise.errors import BadSpace
from foldwise.spaces.parameter import float_range, int_range, log_range
from foldwise.spaces.space import Space, make_space, space_from_json
from foldwise.tuners.budget import read_budget
from foldwise.tuners.random import Random
from foldwise.tuners.registry import make_tuner
from foldwise.tuners.tuner import Tuner

lists = st.lists(st.integers(-9, 9), min_size=1, max_size=5, unique=True)
blocks = st.dictionaries(st.sampled_from("abc"), lists, min_size=1, max_size=3)


def as_set(candidates):
    return {tuple(sorted(candidate.items())) for candidate in candidates}


@given(st.lists(blocks, min_size=1, max_size=3))
def test_the_grid_is_the_product_of_every_block_without_repetitions(written):
    space = make_space(written)
    grid = space.grid()

    assert as_set(grid) == as_set(ParameterGrid(written))
    assert len(grid) == len(as_set(grid)) == space.size


def test_the_last_parameter_varies_fastest_and_order_is_the_declared_one():
    space = make_space({"b": [2, 1], "a": ["x", "y"]})
    assert space.grid() == [{"b": 2, "a": "x"}, {"b": 2, "a": "y"}, {"b": 1, "a": "x"}, {"b": 1, "a": "y"}]
    assert list(space.grid()[0]) == ["b", "a"]


def test_blocks_follow_one_another_and_a_shared_candidate_keeps_its_first_place():
    space = make_space([{"k": [1, 2]}, {"k": [2, 3]}])
    assert space.grid() == [{"k": 1}, {"k": 2}, {"k": 3}]
    assert space.size == 3


def test_keywords_join_every_block():
    space = make_space([{"kernel": ["linear"]}, {"kernel": ["rbf"], "gamma": [1, 2]}], {"C": [5]})
    assert [candidate["C"] for candidate in space.grid()] == [5, 5, 5]
    assert space.names == ("kernel", "C", "gamma")


@given(blocks, st.integers(1, 40), st.integers(0, 5))
def test_a_draw_gives_distinct_candidates_of_the_space(written, n, seed):
    space = make_space(written)
    drawn = space.draw(n, seed)

    assert len(drawn) == len(as_set(drawn)) == min(n, space.size)
    assert as_set(drawn) <= as_set(space.grid())
    assert drawn == space.draw(n, seed)


def test_a_draw_of_all_choices_is_the_grid_in_its_order():
    space = make_space({"a": [3, 1, 2], "b": [True, False]})
    assert space.draw(6, seed=1) == space.grid() == space.draw(100, seed=2)


def test_a_longer_draw_extends_the_shorter_one():
    space = make_space({"alpha": log_range(1e-3, 1e3), "k": int_range(1, 30), "w": ["u", "d"]})
    assert space.draw(50, seed=3)[:20] == space.draw(20, seed=3) != space.draw(20, seed=4)


def test_a_draw_covers_a_range_more_evenly_than_chance():
    """Of 64 scrambled Sobol points exactly one falls into each 64th."""
    drawn = make_space({"x": float_range(0, 64)}).draw(64, seed=0)
    assert sorted(int(candidate["x"]) for candidate in drawn) == list(range(64))


def test_conditional_blocks_share_a_draw_by_their_size():
    space = make_space([{"k": [1]}, {"alpha": log_range(1, 10)}, {"beta": log_range(1, 10)}])
    drawn = space.draw(21, seed=0)
    assert [sum(name in candidate for candidate in drawn) for name in ("k", "alpha", "beta")] == [1, 10, 10]


def test_a_draw_of_few_whole_numbers_gives_them_all_and_no_more():
    assert sorted(c["k"] for c in make_space({"k": int_range(1, 25)}).draw(60, seed=0)) == list(range(1, 26))
    assert sorted(c["k"] for c in make_space({"k": stats.randint(1, 4)}).draw(60, seed=0)) == [1, 2, 3]


def candidates(space, tuner, budget, seed):
    """The list of a study that names this tuner."""
    lister = make_tuner(tuner) if tuner is not None else Random() if space.is_drawn_from else Tuner()
    return lister.candidates(space, read_budget(budget).candidates, seed)


def test_distributions_make_a_space_infinite_and_are_drawn_from():
    space = make_space({"alpha": stats.loguniform(1e-3, 1e3)})
    assert space.size == math.inf
    assert len(candidates(space, None, None, 0)) == 60
    assert len(candidates(space, "random", 7, 0)) == 7
    assert len(candidates(space, "grid", None, 0)) == 10
    assert candidates(space, "grid", 14, 0) == space.grid()
    with pytest.raises(BadSpace, match="the grid has 10 candidates, but the budget is 9"):
        candidates(space, "grid", 9, 0)


def test_a_space_within_its_budget_is_searched_in_full_and_drawn_from_otherwise():
    space = make_space({"k": range(1, 31)})
    assert candidates(space, None, None, 0) == candidates(space, None, 30, 0) == space.grid()
    assert candidates(space, None, 10, 0) == space.draw(10, 0) == candidates(space, "random", 10, 0)
    assert candidates(space, "random", None, 0) == space.grid()


@pytest.mark.parametrize(
    ("tuner", "budget", "words"),
    [
        ("gird", None, "the tuner 'gird' is not known. Did you mean 'grid'?"),
        ("grid", 10, "the grid has 30 candidates, but the budget is 10. Raise the budget to 30"),
        (None, 0, "the budget is 0"),
        (None, 2.5, "the budget is 2.5"),
    ],
)
def test_a_tuner_that_cannot_be_had_is_refused(tuner, budget, words):
    with pytest.raises(BadSpace, match=words.replace("?", r"\?")):
        candidates(make_space({"k": range(1, 31)}), tuner, budget, 0)


def test_an_immense_grid_is_refused_but_can_be_drawn_from():
    space = make_space({name: range(100) for name in "abcd"})
    with pytest.raises(BadSpace, match=r"the grid has 100000000 candidates. Give a budget"):
        space.grid()
    assert len(candidates(space, None, 30, 0)) == 30


def test_candidates_hold_plain_python_values():
    candidate = make_space({"k": np.arange(1, 3), "a": np.array([0.5])}).grid()[0]
    assert [type(value) for value in candidate.values()] == [int, float]


PIPELINE = make_pipeline(StandardScaler(), TransformedTargetRegressor(Ridge(), transformer=StandardScaler()))


@pytest.mark.parametrize(
    ("estimator", "name", "full"),
    [
        (Ridge(), "alpha", "alpha"),
        (make_pipeline(StandardScaler(), Ridge()), "alpha", "ridge__alpha"),
        (make_pipeline(StandardScaler(), Ridge()), "ridge__alpha", "ridge__alpha"),
        (PIPELINE, "alpha", "transformedtargetregressor__regressor__alpha"),
        (PIPELINE, "regressor__alpha", "transformedtargetregressor__regressor__alpha"),
        (make_pipeline(StandardScaler(), Ridge()), "memory", "memory"),
        (make_pipeline(StandardScaler(), Ridge()), "ridge", "ridge"),
    ],
)
def test_a_name_is_found_wherever_it_is_unique(estimator, name, full):
    assert make_space({name: [1]}, None, estimator).resolve(estimator) == {name: full}


def test_an_exact_name_wins_over_one_further_inside():
    estimator = TransformedTargetRegressor(regressor=TransformedTargetRegressor(Ridge()))
    assert make_space({"check_inverse": [False]}).resolve(estimator) == {"check_inverse": "check_inverse"}


def test_a_name_of_two_steps_must_be_written_in_full():
    estimator = make_pipeline(StandardScaler(), StandardScaler(), Lasso())
    with pytest.raises(BadSpace, match="'with_mean' could be standardscaler-1__with_mean or standardscaler-2__with_m"):
        make_space({"with_mean": [True]}, None, estimator)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("n_neighbours", "the learner has no parameter 'n_neighbours'. Did you mean 'n_neighbors'?"),
        ("kneighborsregressor__n_neighbor", "Did you mean 'kneighborsregressor__n_neighbors'?"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest_one(name, words):
    with pytest.raises(BadSpace, match=words.replace("?", r"\?")):
        make_space({name: [1]}, None, make_pipeline(StandardScaler(), KNeighborsRegressor()))


def test_one_parameter_under_two_names_is_refused():
    with pytest.raises(BadSpace, match="'alpha' and 'ridge__alpha' are both 'ridge__alpha'"):
        make_space({"alpha": [1], "ridge__alpha": [2]}, None, make_pipeline(Ridge()))


def test_parameters_of_a_chosen_step_are_known():
    estimator = make_pipeline(StandardScaler(), LogisticRegression()).set_params(steps=[("clf", LogisticRegression())])
    blocks = [{"clf": [SVC()], "clf__gamma": [1, 2]}, {"clf": [LogisticRegression()], "clf__C": [1]}]
    space = make_space(blocks, None, estimator)
    assert space.resolve(estimator)["clf__gamma"] == "clf__gamma"
    with pytest.raises(BadSpace, match="no parameter 'clf__gama'"):
        make_space({"clf": [SVC()], "clf__gama": [1]}, None, estimator)


@pytest.mark.parametrize(
    ("space", "parameters", "words"),
    [
        (None, None, "the space is empty"),
        ({}, {}, "the space is empty"),
        ([], None, "the space is empty"),
        ([{}], None, "the space is empty"),
        ({"alpha": []}, None, "parameter 'alpha'"),
        ({"alpha": 3}, None, r"parameter 'alpha': 3 is one value, not a list of values. Write \[3\]"),
        ({"alpha": {"log_range": [0, 1]}}, None, "parameter 'alpha': log_range.0, 1. starts at 0"),
        ({"alpha": [1]}, {"alpha": [2]}, "the parameter 'alpha' is given twice"),
        ("alpha", None, "a space cannot be a str"),
        ({3: [1]}, None, "the parameter name 3 is not text"),
    ],
)
def test_a_space_that_makes_no_sense_is_refused_by_name(space, parameters, words):
    with pytest.raises(BadSpace, match=words):
        make_space(space, parameters)


def test_an_empty_block_beside_others_means_the_learner_as_it_is():
    assert make_space([{}, {"k": [1]}]).grid() == [{}, {"k": 1}]
    assert {} in make_space([{}, {"k": log_range(1, 2)}]).draw(5, seed=0)


def test_simplicity_is_ordered_parameter_by_parameter_and_none_is_the_most_complex():
    space = make_space({"depth": [None, 2, 4], "leaf": [1, 5]}, simpler={"depth": "low", "leaf": "high"})
    grid = space.grid()
    ranks = space.simplicity_order(grid)

    ordered = [grid[i] for i in np.argsort(ranks)]
    assert [(c["depth"], c["leaf"]) for c in ordered] == [(2, 5), (2, 1), (4, 5), (4, 1), (None, 5), (None, 1)]


def test_a_list_orders_values_that_are_not_numbers():
    space = make_space({"kernel": ["rbf", "linear"]}, simpler={"kernel": ["linear", "rbf"]})
    assert space.simplicity_order(space.grid()) == [1, 0]


def test_a_parameter_that_does_not_vary_needs_no_direction():
    space = make_space({"alpha": [1, 2], "solver": ["svd"]}, simpler={"alpha": "high"})
    assert space.simplicity_order(space.grid()) == [1, 0]


@pytest.mark.parametrize(
    ("space", "simpler", "words"),
    [
        ({"a": [1, 2]}, {}, "the parameter 'a' has no direction of simplicity. Declare it, for example simpler="),
        ({"a": ["x", 2]}, {"a": "low"}, "the direction 'low' of 'a' does not order the value 'x'"),
        ({"a": ["x", "y"]}, {"a": ["x"]}, "the order of 'a' leaves out 'y'"),
        ([{"a": [1]}, {"b": [1]}], {}, "candidates with different parameters"),
    ],
)
def test_simplicity_is_refused_where_it_is_not_declared(space, simpler, words):
    made = make_space(space, simpler=simpler)
    with pytest.raises(BadSpace, match=words):
        made.simplicity_order(made.grid())


def test_a_direction_must_name_a_tuned_parameter_and_a_way():
    with pytest.raises(BadSpace, match=r"simpler names 'alpah', which is not tuned. Did you mean 'alpha'"):
        make_space({"alpha": [1]}, simpler={"alpah": "low"})
    with pytest.raises(BadSpace, match="the direction of 'alpha' is 'up'"):
        make_space({"alpha": [1]}, simpler={"alpha": "up"})


def test_a_space_can_be_written_down_and_read_back():
    written = [{"alpha": log_range(1e-4, 1e4, 9), "k": [1, None, (2, 3)]}, {"s": stats.norm(0, 2)}]
    space = make_space(written, simpler={"alpha": "high"})
    again = space_from_json(json.loads(json.dumps(space.to_json())))

    assert again == space
    assert again.simpler == {"alpha": "high"}
    assert again.draw(9, seed=0) == space.draw(9, seed=0)


def test_spaces_are_equal_by_value_and_survive_a_copy():
    space = make_space({"alpha": log_range(1, 2), "k": [1, 2]})
    assert copy.deepcopy(space) == space == make_space(space)
    assert hash(copy.deepcopy(space)) == hash(space)
    assert space != make_space({"k": [1, 2], "alpha": log_range(1, 2)}), "the declared order matters for ties"
    assert isinstance(space, Space)
    assert repr(space) == "Space(alpha=log_range(1.0, 2.0), k=[1, 2]: 20 candidates)"
