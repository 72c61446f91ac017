"""Weights on the simplex: against every set of members tried one by one, and against a general optimiser."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from foldwise.stats.simplex import least_squares, mixture, quantile


def by_subsets(columns: np.ndarray, target: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """The best weights, by solving for every set of members that may have some and keeping the best that is allowed."""
    each = np.ones(len(target)) if weights is None else weights
    members, best, found = columns.shape[1], np.inf, None
    for size in range(1, members + 1):
        for used in combinations(range(members), size):
            part = columns[:, used]
            left = np.block(
                [[part.T @ (each[:, None] * part), np.ones((size, 1))], [np.ones((1, size)), np.zeros((1, 1))]]
            )
            solved = np.linalg.lstsq(left, np.append(part.T @ (each * target), 1.0), rcond=None)[0][:size]
            loss = (each * (part @ solved - target) ** 2).sum()
            if solved.min() >= -1e-12 and loss < best - 1e-12:
                best, found = loss, np.zeros(members)
                found[list(used)] = solved
    assert found is not None
    return found


def by_descent(loss, members: int) -> np.ndarray:
    found = minimize(
        loss,
        np.full(members, 1 / members),
        bounds=[(0, 1)] * members,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 500},
    )
    return found.x


@given(seed=st.integers(0, 2**32 - 1), members=st.integers(1, 5), is_weighted=st.booleans())
def test_least_squares_are_those_of_the_best_set_of_members(seed, members, is_weighted):
    rng = np.random.default_rng(seed)
    target = rng.normal(size=30)
    columns = target[:, None] * rng.uniform(0, 1, members) + rng.normal(size=(30, members))
    weights = rng.uniform(0.1, 3, 30) if is_weighted else None

    found = least_squares(columns, target, weights)

    assert found.min() >= 0
    assert found.sum() == pytest.approx(1, abs=1e-14)
    np.testing.assert_allclose(found, by_subsets(columns, target, weights), atol=1e-9)


def test_a_member_without_any_error_has_all_the_weight():
    target = np.linspace(0, 1, 9)
    assert least_squares(np.stack([target + 1, target, target * 2], axis=1), target).tolist() == [0, 1, 0]


def test_fewer_rows_than_members_are_enough():
    found = least_squares(np.array([[1.0, 2.0, 5.0]]), np.array([4.0]))
    assert found.min() >= 0
    assert found @ [1.0, 2.0, 5.0] == pytest.approx(4.0)


@given(seed=st.integers(0, 2**32 - 1), members=st.integers(2, 4))
def test_no_mixture_has_a_smaller_log_loss(seed, members):
    rng = np.random.default_rng(seed)
    chances = rng.beta(2, 1, size=(40, members))
    each = rng.uniform(0.5, 2, 40)

    found = mixture(chances, each)

    def loss(w):
        return -(each @ np.log(np.maximum(chances @ w, 1e-300)))

    assert found.min() >= 0
    assert found.sum() == pytest.approx(1, abs=1e-12)
    assert loss(found) <= loss(by_descent(loss, members)) + 1e-7
    slopes = -(each / (chances @ found)) @ chances  # all equal where there is weight, no smaller elsewhere
    np.testing.assert_allclose(slopes[found > 1e-9], slopes.min(), rtol=1e-6)


def test_chances_of_nothing_are_no_end_of_the_mixture():
    found = mixture(np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.5]]))
    assert np.isfinite(found).all()
    assert found.sum() == pytest.approx(1)


@pytest.mark.parametrize("q", [0.2, 0.5])
def test_no_weights_have_a_smaller_pinball_loss(q):
    rng = np.random.default_rng(3)
    target = rng.normal(size=25)
    columns = target[:, None] + rng.normal(size=(25, 3))

    def loss(w):
        left = target - columns @ w
        return np.maximum(q * left, (q - 1) * left).sum()

    found = quantile(columns, target, q)

    grid = np.stack(np.meshgrid(np.linspace(0, 1, 60), np.linspace(0, 1, 60)), axis=-1).reshape(-1, 2)
    grid = np.column_stack([grid, 1 - grid.sum(axis=1)])
    assert loss(found) <= min(map(loss, grid[grid[:, 2] >= 0])) + 1e-9
