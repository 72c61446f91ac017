"""Steps of Lanczos, against plain solves."""

from __future__ import annotations

import numpy as np
import pytest

from foldwise.solvers import ridge_primal
from foldwise.solvers.ridge_primal import CrossProductTable
from foldwise.solvers.ridge_tridiagonal import solve_by_steps


def test_steps_give_the_solutions_of_a_plain_solve_or_none():
    rng = np.random.default_rng(0)
    tall, b, shifts = rng.normal(size=(1200, 160)), rng.normal(size=160), np.array([0.0, 1.0, 1e4])
    A = tall.T @ tall
    found = solve_by_steps(A, b, shifts)
    expected = [np.linalg.solve(A + shift * np.eye(160), b) for shift in shifts]
    np.testing.assert_allclose(found.values[:, 0], expected, rtol=1e-12, atol=1e-16)
    bad = tall[:165].T @ tall[:165]  # hardly more rows than columns: many steps
    for matrix, side in ((bad, b), (-A, b), (A, 0 * b)):
        assert solve_by_steps(matrix, side, shifts) is None


@pytest.mark.parametrize(("rows", "columns", "is_tried"), [(800, 160, True), (400, 200, False), (800, 100, False)])
def test_steps_are_tried_for_tall_tables_of_many_columns_alone(monkeypatch, rows, columns, is_tried):
    """With two rows per column they took up to 1.5 times as long as one reduction of the products."""
    tried = []
    monkeypatch.setattr(ridge_primal, "solve_by_steps", lambda *given: tried.append(given) and None)
    X = np.random.default_rng(0).normal(size=(rows, columns))
    cross = CrossProductTable(X, X[:, :1], None)
    parts = [(np.arange(rows - 9), np.arange(rows - 9, rows))]
    ridge_primal.primal_answers(
        cross, ridge_primal.Form(intercept=True, means=False, spreads=False), parts, np.array([1.0, 9.0])
    )
    assert bool(tried) == is_tried
