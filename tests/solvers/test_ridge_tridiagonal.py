"""Systems solved for many penalties at once."""

from __future__ import annotations

import numpy as np
import pytest

from foldwise.solvers import ridge_tridiagonal


@pytest.mark.parametrize("columns", [1, 3, 40])
def test_penalties_solved_a_few_at_a_time_have_the_bits_of_all_at_once(columns, monkeypatch):
    rng = np.random.default_rng(0)
    tall, shifts = rng.normal(size=(60, columns)) * 10.0 ** rng.integers(-1, 2, columns), np.logspace(-3, 3, 7)
    A, side = tall.T @ tall, rng.normal(size=(columns, 2))
    whole = ridge_tridiagonal.solve_equilibrated(A, side, shifts)
    for most in (1, 2 * columns**2, 3 * columns**2 + 1):
        monkeypatch.setattr(ridge_tridiagonal, "MOST", most)
        assert ridge_tridiagonal.solve_equilibrated(A, side, shifts).tobytes() == whole.tobytes()
        singular = ridge_tridiagonal.solve_equilibrated(np.ones((2, 2)), np.ones((2, 1)), np.array([1.0, 0.0]))
        assert np.isnan(singular).all()
    expected = [np.linalg.solve(A + shift * np.eye(columns), side).T for shift in shifts]
    np.testing.assert_allclose(whole, expected, rtol=1e-9)
