"""Lasso and elastic net to the optimum: the active columns are guessed, and put right by exact solves."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Protocol

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray

SLACK = 1e-10  # by this share of the penalty an optimality condition may be missed
ROUNDING = 1e-13  # of the largest correlation: what sums of products cannot tell from zero
DEPENDENT = 1e-9  # share of a column's length left beside the active ones, below which it is one of their mixtures
SAFE_STRETCH = 1e5  # how nearly a column mixes others: beyond it, letting go of it would leave rounding behind
ROOM = 64  # columns by which the room for active ones grows
MOST_ROUNDS = 12  # guesses at one penalty
LONGEST_STEP = 0.6  # ratio of a penalty to the last: farther off, the guess of the active columns is poor
MOST_HALVINGS = 30  # near a knot of the path the guess holds only very close by
GAP = 1e-13  # duality gap as a share of the target's square
MOST_SWEEPS = 2000  # an ill-conditioned table would need more than exact solves cost


class Quadratic(Protocol):
    """Half of b'Gb minus c'b, with G as it suits the shape of the table."""

    @property
    def linear(self) -> FloatArray:
        """The vector c."""

    def block(self, some: IntArray, others: IntArray) -> FloatArray:
        """The entries of G in these rows and columns."""

    def products(self, coefficients: FloatArray) -> FloatArray:
        """G times the coefficients."""


class Gram:
    """G held as a matrix: for tables with more rows than columns."""

    def __init__(self, gram: FloatArray, linear: FloatArray, square: float = 0.0) -> None:
        self.gram, self.linear, self.square = gram, linear, square

    def block(self, some: IntArray, others: IntArray) -> FloatArray:
        return self.gram[some[:, None], others]

    def products(self, coefficients: FloatArray) -> FloatArray:
        used = np.flatnonzero(coefficients)
        if 3 * used.size < coefficients.size:
            return coefficients[used] @ self.gram[used]
        return self.gram @ coefficients


class Rows:
    """G = X'X, never made whole: for tables with more columns than rows."""

    def __init__(self, table: FloatArray, target: FloatArray) -> None:
        self.table, self.target, self.linear = table, target, table.T @ target

    def block(self, some: IntArray, others: IntArray) -> FloatArray:
        return self.table[:, some].T @ self.table[:, others]

    def products(self, coefficients: FloatArray) -> FloatArray:
        used = np.flatnonzero(coefficients)
        return self.table.T @ (self.table[:, used] @ coefficients[used])


class ActiveSet:
    """The columns in use, their signs, and the inverse of their block of G, kept up as columns come and go."""

    def __init__(self, problem: Quadratic) -> None:
        self.problem = problem
        self.size = 0
        self._columns: IntArray = np.empty(ROOM, dtype=np.int64)
        self._inverse: FloatArray = np.zeros((ROOM, ROOM), order="F")
        self._lengths: FloatArray = np.zeros(problem.linear.size)
        self.signs: FloatArray = np.zeros(problem.linear.size)

    @property
    def columns(self) -> IntArray:
        return self._columns[: self.size]

    @property
    def inverse(self) -> FloatArray:
        return self._inverse[: self.size, : self.size]

    def add(self, columns: IntArray, signs: FloatArray) -> IntArray:
        """Takes in these columns; gives back those that are mixtures of the others and stay out."""
        block = self.problem.block(columns, self.columns)
        through = block @ self.inverse
        own = self.problem.block(columns, columns)
        rest = own - through @ block.T
        is_kept = _independent(rest, own.diagonal())
        self._lengths[columns] = own.diagonal()
        out = columns[~is_kept]
        if out.size:
            columns, signs, through = columns[is_kept], signs[is_kept], through[is_kept]
            rest = rest[is_kept][:, is_kept]
        if columns.size:
            self._border(columns, through, np.linalg.inv(rest))
            self.signs[columns] = signs
        return out

    def drop(self, places: IntArray) -> None:
        """Lets go of the columns at these places."""
        stretch = self.inverse.diagonal()[places] * self._lengths[self.columns[places]]
        self.signs[self.columns[places]] = 0.0
        if stretch.max() > SAFE_STRETCH:
            rest = np.delete(self.columns, places)
            return self.restart(rest, self.signs[rest])
        left = self.size - places.size
        self._move_last(places, left)
        beside, own = self._inverse[:left, left : self.size], self._inverse[left : self.size, left : self.size]
        self.size = left
        self._subtract(beside, np.linalg.solve(own, beside.T))

    def restart(self, columns: IntArray, signs: FloatArray) -> None:
        """These columns and no others, with an inverse free of earlier rounding."""
        self.size = 0
        self.signs[:] = 0.0
        if columns.size:
            self.add(columns, signs)

    def _border(self, columns: IntArray, through: FloatArray, own: AnyArray) -> None:
        size, grown = self.size, self.size + columns.size
        self._reserve(grown)
        weighted = own @ through
        self._subtract(through.T, -weighted)
        self._inverse[size:grown, :size] = -weighted
        self._inverse[:size, size:grown] = -weighted.T
        self._inverse[size:grown, size:grown] = own
        self._columns[size:grown] = columns
        self.size = grown

    def _subtract(self, left: AnyArray, right: AnyArray) -> None:
        """Takes a product off the inverse in place: with few columns at a time, most of the work is moving memory."""
        from scipy.linalg.blas import dgemm

        if not self.size:
            return
        padded = np.zeros((len(self._inverse), left.shape[1]), order="F")
        padded[: self.size] = left
        dgemm(-1.0, padded, right, beta=1.0, c=self._inverse[:, : self.size], overwrite_c=1)

    def _reserve(self, size: int) -> None:
        if size <= self._columns.size:
            return
        room = size + ROOM - size % ROOM + 8  # columns a power of two apart would share their place in the cache
        columns, inverse = self.columns, self.inverse
        self._columns, self._inverse = np.empty(room, dtype=np.int64), np.zeros((room, room), order="F")
        self._columns[: self.size] = columns
        self._inverse[: self.size, : self.size] = inverse

    def _move_last(self, places: IntArray, left: int) -> None:
        """Swaps the columns at these places with the last ones that stay."""
        stays = np.ones(self.size, dtype=bool)
        stays[places] = False
        holes, movers = np.flatnonzero(~stays[:left]), left + np.flatnonzero(stays[left:])
        source, goal = np.concatenate([holes, movers]), np.concatenate([movers, holes])
        whole = self.inverse
        whole[goal] = whole[source]
        whole[:, goal] = whole[:, source]
        self._columns[goal] = self._columns[source]


def lasso_path(problem: Quadratic, penalties: Sequence[float], *, positive: bool = False) -> list[FloatArray | None]:
    """The minimum of half b'Gb - c'b + penalty |b|_1 at each penalty; None where it could not be certified.

    >>> G, c = np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([4.0, -0.5])
    >>> [b.tolist() for b in lasso_path(Gram(G, c), [1.0, 0.25])]
    [[1.5, 0.0], [1.875, -0.25]]
    """
    walk = _LassoWalk(problem, positive=positive)
    path: list[FloatArray | None] = [None] * len(penalties)
    for place in np.argsort(-np.asarray(penalties, dtype=np.float64), kind="stable"):
        path[place] = walk.down_to(float(penalties[place]))
    return path


class _LassoWalk:
    """A walk down the penalties: where it stands, and the active columns there."""

    def __init__(self, problem: Quadratic, *, positive: bool) -> None:
        self.problem, self.positive = problem, positive
        self.active = ActiveSet(problem)
        linear = problem.linear if positive else np.abs(problem.linear)
        self.largest = float(np.abs(problem.linear).max(initial=0.0))
        self.penalty = float(linear.max(initial=0.0))
        self.is_lost = False

    def down_to(self, penalty: float) -> FloatArray | None:
        """The coefficients at this penalty, which is not above the last one."""
        if penalty >= self.penalty and not self.active.size:
            return np.zeros(self.problem.linear.size)
        while not self.is_lost:
            step = max(penalty, LONGEST_STEP * self.penalty)
            coefficients = self._step(step)
            if coefficients is not None and self.penalty <= penalty:
                return coefficients
        return None

    def _step(self, goal: float) -> FloatArray | None:
        """Goes to the goal, or as far towards it as the guess of the active columns holds."""
        columns, signs = self.active.columns.copy(), self.active.signs.copy()
        for _ in range(MOST_HALVINGS):
            coefficients = settle(self.problem, self.active, goal, positive=self.positive)
            if coefficients is not None:
                self.penalty = goal
                return coefficients
            self.active.restart(columns, signs[columns])
            goal = float(np.sqrt(goal * self.penalty))
        self.is_lost = True
        return None


def settle(problem: Quadratic, active: ActiveSet, penalty: float, *, positive: bool) -> FloatArray | None:
    """Exchanges active columns until all optimality conditions hold; gives the coefficients, or None if they do not."""
    slack = SLACK * penalty + ROUNDING * float(np.abs(problem.linear).max(initial=0.0))
    mixtures: AnyArray = np.zeros(problem.linear.size, dtype=bool)
    with suppress(np.linalg.LinAlgError):
        for _ in range(MOST_ROUNDS):
            coefficients, rest = _solve(problem, active, penalty, slack)
            columns, signs = active.columns, active.signs[active.columns]
            wrong = np.flatnonzero(coefficients[columns] * signs < 0)
            above = (rest if positive else np.abs(rest)) > penalty + slack
            above[columns] = False
            entering = np.flatnonzero(above & ~mixtures)
            if not wrong.size and not entering.size:
                missed = np.abs(rest[columns] - penalty * signs).max(initial=0.0)
                return None if above.any() or missed > 100 * slack else coefficients
            if wrong.size:
                active.drop(wrong)
                mixtures[:] = False
            if entering.size:
                entering = entering[np.argsort(-np.abs(rest[entering]), kind="stable")]  # the most wanted first
                mixtures[active.add(entering, np.sign(rest[entering]))] = True
    return None


def _solve(problem: Quadratic, active: ActiveSet, penalty: float, slack: float) -> tuple[FloatArray, FloatArray]:
    """The coefficients for these columns and signs, and what is left of c."""
    columns = active.columns
    coefficients = np.zeros(problem.linear.size)
    wanted = penalty * active.signs[columns]
    coefficients[columns] = active.inverse @ (problem.linear[columns] - wanted)
    rest = problem.linear - problem.products(coefficients)
    if columns.size and np.abs(rest[columns] - wanted).max() > slack:
        coefficients[columns] += active.inverse @ (rest[columns] - wanted)
        rest = problem.linear - problem.products(coefficients)
    return coefficients, rest


def _independent(rest: FloatArray, lengths: FloatArray) -> AnyArray:
    """Which columns keep a length of their own beside the active ones and those before them?"""
    from scipy.linalg.lapack import dpstrf

    scale = np.sqrt(np.where(lengths > 0, lengths, 1.0))
    shape = rest / (scale[:, None] * scale)
    if shape.diagonal().min() > DEPENDENT and dpstrf(shape, tol=DEPENDENT, lower=1)[2] == lengths.size:
        return np.ones(lengths.size, dtype=bool)
    is_kept: AnyArray = np.zeros(len(shape), dtype=bool)  # by elimination in the order given: some must stay out
    for at in range(len(shape)):
        own = shape[at, at]
        if own > DEPENDENT:
            is_kept[at] = True
            shape = shape - np.outer(shape[:, at], shape[at]) / own
    return is_kept


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
    walk = _ElasticWalk(problem, share, positive=positive)
    path: list[FloatArray | None] = [None] * len(penalties)
    for place, coefficients in zip(order, descended, strict=True):
        path[place] = walk.down_to(float(penalties[place])) if coefficients is None else coefficients
    return path


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


class _ElasticWalk:
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
