"""A logistic loss in many coefficients brought to its minimum: Newton's steps, each by few conjugate gradients."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.solvers.logistic.logistic_loss import Logistic, Point

DECREMENT = 1e-8  # Newton decrement at which a minimum counts as found
CLOSE = 1e-4  # decrement below which whole steps need no proof that the objective falls: rounding would hide it
ROUGH = 0.1  # share of the gradient the first steps may leave
MOST_STEPS = 60
MOST_PRODUCTS = 300  # of the Hessian with a vector, in one step
MOST_HALVINGS = 30
SINGLE = 1e-5  # ratio of penalty to curvature above which seven digits are enough inside a step


class Factor:
    """The inverse of a triangular root of a Hessian: what makes conjugate gradients take few turns."""

    def __init__(self, loss: Logistic, point: Point, rate: float) -> None:
        self.kind: Any = np.float32 if rate > SINGLE * loss.steepest(point.chances) else np.float64
        inverse = _inverse_root(loss.hessian(point.chances, rate, kind=self.kind))
        if inverse is None and self.kind is np.float32:
            self.kind, inverse = np.float64, _inverse_root(loss.hessian(point.chances, rate))
        if inverse is None:
            raise np.linalg.LinAlgError("the Hessian is not positive definite")
        self._inverse = inverse

    def solve(self, gradient: FloatArray) -> FloatArray:
        """The inverse Hessian times a gradient."""
        flat = self._inverse @ gradient.ravel()
        solved: FloatArray = (flat @ self._inverse).reshape(gradient.shape)
        return solved


def _inverse_root(hessian: FloatArray) -> FloatArray | None:
    from scipy.linalg import lapack

    is_single = hessian.dtype == np.float32
    factor, invert = (lapack.spotrf, lapack.strtri) if is_single else (lapack.dpotrf, lapack.dtrtri)
    root, problem = factor(hessian.T, lower=1, clean=1, overwrite_a=1)
    return None if problem else np.ascontiguousarray(invert(root, lower=1, overwrite_c=1)[0])


def minimum(loss: Logistic, start: FloatArray, rate: float, factor: Factor) -> Point | None:
    """The point at which the decrement vanishes, or None where none could be certified."""
    point = loss.at(start, rate)
    for _ in range(MOST_STEPS):
        step, decrement = newton_step(loss, point, rate, factor)
        if not decrement > DECREMENT:
            return point if decrement >= 0 else None
        moved = _go(loss, point, step, rate, is_close=decrement <= CLOSE)
        if moved is None:
            return None
        point = moved
    return None


def newton_step(loss: Logistic, point: Point, rate: float, factor: Factor) -> tuple[FloatArray, float]:
    """The step to about the minimum of the quadratic model, and the decrement there was (NaN where all went wrong)."""
    product = loss.curvature(point.chances, rate, factor.kind)
    left = -point.gradient.astype(factor.kind)
    step = np.zeros_like(left)
    eased = factor.solve(left)
    size = float(np.vdot(left, eased))
    decrement = math.sqrt(size) if size >= 0 else math.nan
    if not decrement > DECREMENT:
        return step, decrement
    goal = size * max(min(ROUGH, decrement), 0.3 * DECREMENT / decrement) ** 2
    direction = eased
    for _ in range(MOST_PRODUCTS):
        bent = product(direction)
        curvature = float(np.vdot(direction, bent))
        if not curvature > 0:
            break
        length = size / curvature
        step += length * direction
        left -= length * bent
        eased = factor.solve(left)
        last, size = size, float(np.vdot(left, eased))
        if not size > goal:
            break
        direction = eased + (size / last) * direction
    return step.astype(np.float64), decrement


def _go(loss: Logistic, point: Point, step: FloatArray, rate: float, *, is_close: bool) -> Point | None:
    """Goes by the step, halved until the objective falls; None where nothing helps."""
    for halvings in range(MOST_HALVINGS):
        moved = loss.at(point.coefficients + 0.5**halvings * step, rate)
        if moved.value < point.value or (is_close and math.isfinite(moved.value)):
            return moved
    return None
