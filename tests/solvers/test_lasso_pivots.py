"""The lasso path by pivots, against the conditions of the optimum and the path by exact solves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldwise.solvers import lasso_pivots
from foldwise.solvers.lasso_active_set import Gram, lasso_path
from foldwise.solvers.lasso_pivots import Tableau, pivot_path


def problem_of(seed: int, rows: int, columns: int, *, scales: float = 0.0) -> Gram:
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(rows, columns)) + rng.normal(size=(rows, 1))) * 10 ** (scales * rng.uniform(-1, 1, columns))
    y = X[:, ::3] @ rng.normal(size=len(range(0, columns, 3))) + rng.normal(size=rows)
    return Gram(X.T @ X, X.T @ y, float(y @ y))


def assert_optimal(problem: Gram, coefficients: np.ndarray, penalty: float, *, positive: bool = False) -> None:
    """Rests are at the penalty where a coefficient is used, and not above it where none is."""
    rest, is_used = problem.linear - problem.gram @ coefficients, coefficients != 0
    size = 1e-9 * np.abs(problem.linear).max()
    np.testing.assert_allclose(rest[is_used], penalty * np.sign(coefficients[is_used]), rtol=0, atol=size)
    assert ((rest if positive else np.abs(rest)) <= penalty + size).all()
    assert not positive or (coefficients >= 0).all()


@given(seed=st.integers(0, 999), columns=st.integers(1, 40), scales=st.sampled_from([0.0, 2.0]), positive=st.booleans())
def test_every_penalty_ends_at_the_optimum(seed, columns, scales, positive):
    problem = problem_of(seed, 60, columns, scales=scales)
    top = np.abs(problem.linear).max()
    penalties = [top * share for share in (1e-3, 2.0, 0.9, 0.5, 0.1, 0.1, 1e-5)]
    for coefficients, penalty in zip(pivot_path(problem, penalties, positive=positive), penalties, strict=True):
        assert coefficients is not None
        assert_optimal(problem, coefficients, penalty, positive=positive)


def test_the_path_by_exact_solves_is_the_same():
    problem = problem_of(1, 300, 150)
    penalties = list(np.abs(problem.linear).max() * np.logspace(0.1, -5, 40))
    expected = lasso_path(problem, penalties)
    for found, solved in zip(pivot_path(problem, penalties), expected, strict=True):
        np.testing.assert_allclose(found, solved, rtol=0, atol=1e-10 * np.abs(solved).max(initial=1.0))


def test_a_pivot_and_its_return_leave_the_tableau_as_it_was(monkeypatch):
    monkeypatch.setattr(lasso_pivots, "TOGETHER", 4)
    problem = problem_of(2, 50, 12)
    tableau = Tableau(problem)
    tableau.grow(np.arange(8))
    before = tableau.lines.copy()
    tableau.pivot(np.array([1, 4, 5]), np.array([1.0, -1.0, 1.0]))
    used, rest = np.array([1, 4, 5]), problem.linear - 0.7 * np.eye(12)[[1, 4, 5]].T @ [1.0, -1.0, 1.0]
    solved = np.linalg.solve(problem.gram[used[:, None], used], rest[used])
    np.testing.assert_allclose((tableau.at(0.7) * tableau.unit)[used], solved, rtol=1e-9)
    tableau.grow(np.arange(8, 12))
    left = (problem.linear - problem.gram[:, used] @ solved)[8:]
    np.testing.assert_allclose(tableau.at(0.7)[8:] / tableau.unit[8:], left, rtol=1e-9)
    tableau.pivot(np.array([0, 4]), np.array([1.0, 0.0]))  # one comes, one goes
    tableau.pivot(np.array([0, 1, 5]), np.zeros(3))
    assert not tableau.signs.any()
    np.testing.assert_allclose(tableau.lines[:, :8], before, atol=1e-10 * np.abs(before).max())


def test_few_columns_at_a_time_give_the_same_path(monkeypatch):
    problem = problem_of(3, 200, 90)
    penalties = list(np.abs(problem.linear).max() * np.logspace(0, -4, 20))
    expected = pivot_path(problem, penalties)
    for name, value in (("FIRST", 3), ("MORE", 0.1), ("TOGETHER", 2)):
        monkeypatch.setattr(lasso_pivots, name, value)
    for found, other in zip(pivot_path(problem, penalties), expected, strict=True):
        np.testing.assert_allclose(found, other, rtol=0, atol=1e-10)


@pytest.mark.parametrize("twin", [1.0, 1.0 + 1e-9], ids=["equal", "nearly equal"])
def test_columns_that_are_mixtures_of_others_are_left_to_exact_solves(twin, monkeypatch):
    asked = []
    monkeypatch.setattr(lasso_pivots, "lasso_path", lambda *a, **k: asked.append(a[1]) or lasso_path(*a, **k))
    rng = np.random.default_rng(4)
    X = rng.normal(size=(50, 6))
    X[:, 5] = X[:, :5].sum(axis=1) * twin
    y = X @ rng.normal(size=6) + rng.normal(size=50)
    problem = Gram(X.T @ X, X.T @ y, float(y @ y))
    penalties = [float(np.abs(problem.linear).max() * share) for share in (0.5, 1e-3, 1e-6)]
    found = pivot_path(problem, penalties)
    assert asked
    for coefficients, penalty in zip(found, penalties, strict=True):
        assert coefficients is None or assert_optimal(problem, coefficients, penalty) is None


def test_columns_of_zeros_and_no_signal_give_zeros():
    problem = Gram(np.diag([1.0, 0.0, 2.0]), np.array([1.0, 0.0, 0.0]), 1.0)
    assert [b.tolist() for b in pivot_path(problem, [0.5, 3.0])] == [[0.5, 0.0, 0.0], [0.0, 0.0, 0.0]]
    nothing = Gram(np.eye(2), np.zeros(2), 1.0)
    assert [b.tolist() for b in pivot_path(nothing, [0.1])] == [[0.0, 0.0]]
