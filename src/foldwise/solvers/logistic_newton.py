"""A penalised logistic loss brought to its minimum by Newton's method, at penalty after penalty."""

from __future__ import annotations

import math

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.solvers.logistic_loss import Logistic, Point
from foldwise.solvers.logistic_warm_start import RegularizationPath

TOGETHER = 2.0  # coefficients that reach zero within so many times the way to the first are let go at once
MOST_EXCHANGES = 200
DECREMENT = 1e-9  # Newton decrement at which a minimum counts as found: half of it bounds the error of a probability
CLOSE = 1e-4  # decrement below which whole steps need no proof that the objective falls: rounding would hide it
ENOUGH = 1e-7  # where rounding stops the descent, this still gives six digits
SLACK = 1e-9  # share of the penalty by which a slope may exceed it
ROUNDING = 1e-13  # of the table's sums: what slopes cannot tell from zero
LIFT = 1e-10  # of the largest curvature: added where classes are so well apart that some directions have none
STEADY = 0.1  # decrement from which the Hessian of many coefficients does for the next steps too
MANY = 50
MOST_STEPS = 100
MOST_HALVINGS = 30


def step_within(
    hessian: FloatArray, slopes: FloatArray, here: FloatArray | None = None, signs: FloatArray | None = None
) -> tuple[FloatArray, bool]:
    """The step to the minimum where no coefficient passes zero (a sign of 0 lets it); were all of them kept?

    Those that would pass stop at zero, the ones that come to it first before the others.

    >>> H, g = np.eye(2), np.array([3.0, -1.0])
    >>> step_within(H, g, np.array([2.0, 0.0]), np.array([1.0, 1.0]))
    (array([-2.,  1.]), False)
    """
    moves = _solve(hessian, -slopes)
    if here is None or signs is None:
        return moves, True
    is_kept: AnyArray = np.ones(moves.size, dtype=bool)
    for _ in range(MOST_EXCHANGES):
        wrong = np.flatnonzero((here + moves) * signs < 0)
        if not wrong.size and (is_kept.all() or slopes @ moves < 0):
            return moves, bool(is_kept.all())
        if not wrong.size:
            break  # stopping so many at zero does not lead down
        ways = here[wrong] / moves[wrong]
        gone = wrong[ways >= TOGETHER * ways.max()] if ways.max() < 0 else wrong[ways >= 0]
        is_kept[gone] = False
        moves[~is_kept] = -here[~is_kept]
        moves[is_kept] = _solve(
            hessian[is_kept][:, is_kept], -slopes[is_kept] - hessian[is_kept][:, ~is_kept] @ moves[~is_kept]
        )
    return _to_first_zero(hessian, slopes, here, signs), False


def _to_first_zero(hessian: FloatArray, slopes: FloatArray, here: FloatArray, signs: FloatArray) -> FloatArray:
    """The way towards the minimum until the first coefficient is zero; those that are stay if they would go wrong."""
    moves, is_kept = np.zeros(here.size), np.ones(here.size, dtype=bool)
    while is_kept.any():
        moves[is_kept] = _solve(hessian[is_kept][:, is_kept], -slopes[is_kept])
        is_wrong = (here == 0) & (moves * signs < 0)
        if not is_wrong.any():
            break
        is_kept &= ~is_wrong
        moves[:] = 0.0
    passing = np.flatnonzero((here + moves) * signs < 0)
    if passing.size:
        ways = -here[passing] / moves[passing]
        moves *= ways.min()
        moves[passing[ways.argmin()]] = -here[passing[ways.argmin()]]
    return moves


def _solve(matrix: FloatArray, right: FloatArray) -> FloatArray:
    from scipy.linalg.lapack import dposv

    if not right.size:
        return right
    _, found, problem = dposv(matrix, right, lower=1)
    if problem:
        raise np.linalg.LinAlgError("the curvature is not positive")
    solved: FloatArray = found
    return solved


class Descent:
    """Minimises one loss at penalty after penalty, each from the last minima carried on.

    Beside the squares (at a rate), a penalty times the absolute value of every coefficient that is not free may be
    asked for. Newton's steps then move the coefficients in use, and those whose slope exceeds the penalty join them.
    """

    def __init__(self, loss: Logistic) -> None:
        self.loss, self.path = loss, RegularizationPath(loss.shape)
        self.is_bound: AnyArray = np.tile(loss.penalised != 0, loss.shape[0])  # by class and column
        self.rounding = ROUNDING * float(np.abs(loss.X).max(initial=0.0) * loss.weights.sum())
        self.last = np.zeros(loss.shape)
        self.kept: tuple[float, IntArray, FloatArray] | None = None
        self.steadiness = np.inf  # the last decrement

    def minimum(self, rate: float, penalty: float = 0.0) -> FloatArray | None:
        """The coefficients as classes x columns, or None where no minimum could be certified."""
        strength = rate + penalty
        point = self.loss.at(self._start(strength, is_sparse=penalty > 0), rate)
        for _ in range(MOST_STEPS):
            step, decrement, is_settled = (
                self._sparse(point, rate, penalty) if penalty > 0 else self._dense(point, rate)
            )
            if is_settled and decrement <= DECREMENT:
                return self._found(strength, point.coefficients + step)
            moved = self._go(point, step, rate, penalty, is_close=decrement <= CLOSE)
            if moved is None:
                return self._found(strength, point.coefficients) if is_settled and decrement <= ENOUGH else None
            point = moved
        return None

    def _start(self, strength: float, *, is_sparse: bool) -> FloatArray:
        start = self.path.extrapolate(strength)
        if is_sparse:  # beyond zero the model is another
            start[(start * self.last <= 0) & self.is_bound.reshape(start.shape)] = 0.0
        return start

    def _found(self, strength: float, coefficients: FloatArray) -> FloatArray:
        self.path.add(strength, coefficients)
        self.last = coefficients
        return coefficients

    def _dense(self, point: Point, rate: float) -> tuple[FloatArray, float, bool]:
        """The step to the minimum of the quadratic model, and its decrement."""
        hessian = self.loss.hessian(point.chances, rate)
        step = step_within(hessian, point.gradient.ravel())[0]
        return step.reshape(point.coefficients.shape), _length(step, hessian), True

    def _sparse(self, point: Point, rate: float, penalty: float) -> tuple[FloatArray, float, bool]:
        """The step of the coefficients in use, its decrement, and whether they are those of the minimum."""
        used, signs, is_settled = self._used(point, penalty)
        hessian = self._hessian(point, rate, used, signs)
        pull = point.gradient.ravel()[used] + penalty * signs
        here = point.coefficients.ravel()[used]
        try:
            moves, is_kept = step_within(hessian, pull, here, signs)
        except np.linalg.LinAlgError:  # a proximal step has the same minimum, and goes far where there is no curvature
            hessian = hessian + LIFT * hessian.diagonal().max() * np.eye(used.size)
            moves, is_kept = step_within(hessian, pull, here, signs)
        step = np.zeros(point.coefficients.shape)
        step.ravel()[used] = moves
        decrement = _length(moves, hessian)
        is_falling = self.kept is None or hessian is not self.kept[2] or decrement < 0.25 * self.steadiness
        self.steadiness = decrement
        self.kept = (rate, used, hessian) if is_falling and decrement <= STEADY and used.size >= MANY else None
        return step, decrement, is_settled and is_kept

    def _hessian(self, point: Point, rate: float, used: IntArray, signs: FloatArray) -> FloatArray:
        """The Hessian here, or the last one where a short step led here."""
        if self.kept is not None and self.kept[0] == rate and np.array_equal(self.kept[1], used):
            return self.kept[2]
        return self.loss.hessian(point.chances, rate, used, None if rate > 0 else self._flat(used, signs))

    def _flat(self, used: IntArray, signs: FloatArray) -> IntArray:
        """Columns used by every class with as many of either sign: the same added to each changes nothing."""
        classes, width = self.loss.shape
        columns = used % width
        counts, balance = np.bincount(columns, minlength=width), np.bincount(columns, signs, minlength=width)
        return np.flatnonzero((counts == classes) & (balance == 0))

    def _used(self, point: Point, penalty: float) -> tuple[IntArray, FloatArray, bool]:
        """Free coefficients, those in use and those wanted, with their signs (0 of free ones); were none new?"""
        here, slopes = point.coefficients.ravel(), point.gradient.ravel()
        is_wanted = (here == 0) & (np.abs(slopes) > penalty * (1 + SLACK) + self.rounding) & self.is_bound
        signs = np.sign(here)
        signs[is_wanted] = -np.sign(slopes[is_wanted])
        signs *= self.is_bound
        used = np.flatnonzero((signs != 0) | ~self.is_bound)
        return used, signs[used], not is_wanted.any()

    def _go(self, point: Point, step: FloatArray, rate: float, penalty: float, *, is_close: bool) -> Point | None:
        """Goes by the step, halved until the objective falls; None where nothing helps."""
        value = self._objective(point, penalty)
        for halvings in range(MOST_HALVINGS):
            moved = self.loss.at(point.coefficients + 0.5**halvings * step, rate)
            reached = self._objective(moved, penalty)
            if reached < value or (is_close and math.isfinite(reached)):
                return moved
        return None

    def _objective(self, point: Point, penalty: float) -> float:
        if not penalty:
            return point.value
        return point.value + penalty * float(np.abs(point.coefficients.ravel()) @ self.is_bound)


def _length(step: FloatArray, hessian: FloatArray) -> float:
    return math.sqrt(max(float(step @ hessian @ step), 0.0))
