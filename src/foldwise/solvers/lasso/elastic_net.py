"""The elastic net path: a lasso whose Gram matrix grows with the penalty, so that no inverse can be kept along it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.solvers.lasso.active_set import LONGEST_STEP, MOST_HALVINGS, ActiveSet, Gram, Quadratic, Rows, settle

GAP = 1e-13  # duality gap as a share of the target's square
MOST_SWEEPS = 2000  # an ill-conditioned table would need more than exact solves cost


class Shifted:
    """A quadratic with a multiple of the identity added to G."""

    def __init__(self, problem: Quadratic, shift: float) -> None:
        self.problem, self.shift, self.linear = problem, shift, problem.linear

    def block(self, some: IntArray, others: IntArray) -> FloatArray:
        block = self.problem.block(some, others)
        block[some[:, None] == others] += self.shift
        return block

    def products(self, coefficients: FloatArray) -> FloatArray:
        return self.problem.products(coefficients) + self.shift * coefficients


def elastic_path(
    problem: Gram | Rows, penalties: Sequence[float], *, share: float, positive: bool = False
) -> list[FloatArray | None]:
    """The minimum of half b'Gb - c'b + penalty (share |b|_1 + (1 - share) / 2 |b|^2) at each penalty.

    >>> gram, linear = np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([4.0, -0.5])
    >>> [b.round(6).tolist() for b in elastic_path(Gram(gram, linear, 8.0), [2.0, 4.0], share=0.5)]
    [[1.0, -0.0], [0.5, -0.0]]
    """
    order = np.argsort(-np.asarray(penalties, dtype=np.float64), kind="stable")
    descended = _descend(problem, np.asarray(penalties, dtype=np.float64)[order], share, positive=positive)
    walk = _Walk(problem, share, positive=positive)
    found: list[FloatArray | None] = [None] * len(penalties)
    for place, coefficients in zip(order, descended, strict=True):
        found[place] = walk.down_to(float(penalties[place])) if coefficients is None else coefficients
    return found


def _descend(problem: Gram | Rows, penalties: FloatArray, share: float, *, positive: bool) -> list[FloatArray | None]:
    """Coordinate descent along the path; None where the duality gap did not close."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import enet_path

    options = {"l1_ratio": share, "positive": positive, "tol": GAP, "max_iter": MOST_SWEEPS, "check_input": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        if isinstance(problem, Gram):
            # with sums of products given, of the table only the number of rows is read, and of the target its square
            table, target = np.zeros((1, problem.linear.size), order="F"), np.array([np.sqrt(problem.square)])
            given: dict[str, Any] = {"precompute": problem.gram, "Xy": problem.linear}
        else:
            table, target = np.asfortranarray(problem.table), np.ascontiguousarray(problem.target)
            given = {"precompute": False}
        _, path, gaps = enet_path(table, target, alphas=penalties / len(table), **options, **given)
    is_closed = gaps * len(table) <= 2 * GAP * float(target @ target)
    return [path[:, at].copy() if is_closed[at] else None for at in range(len(penalties))]


class _Walk:
    """A walk down the penalties, with the columns and signs in use where it stands."""

    def __init__(self, problem: Quadratic, share: float, *, positive: bool) -> None:
        self.problem, self.share, self.positive = problem, share, positive
        linear = problem.linear if positive else np.abs(problem.linear)
        self.penalty = max(float(linear.max(initial=0.0)), 0.0) / share
        self.columns: IntArray = np.empty(0, dtype=np.int64)
        self.signs: FloatArray = np.empty(0)
        self.is_lost = False

    def down_to(self, penalty: float) -> FloatArray | None:
        """The coefficients at this penalty, which is not above the last one."""
        if penalty >= self.penalty and not self.columns.size:
            return np.zeros(self.problem.linear.size)
        while not self.is_lost:
            coefficients = self._step(max(penalty, LONGEST_STEP * self.penalty))
            if coefficients is not None and self.penalty <= penalty:
                return coefficients
        return None

    def _step(self, goal: float) -> FloatArray | None:
        for _ in range(MOST_HALVINGS):
            shifted = Shifted(self.problem, goal * (1 - self.share))
            active = ActiveSet(shifted)
            active.restart(self.columns, self.signs)
            coefficients = settle(shifted, active, goal * self.share, positive=self.positive)
            if coefficients is not None:
                self.penalty, self.columns, self.signs = goal, active.columns.copy(), active.signs[active.columns]
                return coefficients
            goal = float(np.sqrt(goal * self.penalty))
        self.is_lost = True
        return None
