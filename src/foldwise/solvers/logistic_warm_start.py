"""Minima of a logistic loss at penalty after penalty, each training set started from those of all rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.solvers.logistic_loss import Logistic, Point

FAR = 2.5  # logarithm of the ratio of penalties from which earlier points tell nothing
DECREMENT = 1e-8  # Newton decrement at which a minimum counts as found
CLOSE = 1e-4  # decrement below which whole steps need no proof that the objective falls: rounding would hide it
ROUGH = 0.1  # share of the gradient the first steps may leave
MOST_STEPS = 60
MOST_PRODUCTS = 300  # of the Hessian with a vector, in one step
MOST_HALVINGS = 30
SINGLE = 1e-5  # ratio of penalty to curvature above which seven digits are enough inside a step
PER_DECADE = 2  # minima of all rows
MOST_BYTES = 10**8  # of the roots kept over eight decades: with more coefficients, neighbouring minima share one


class RegularizationPath:
    """The last three points of a curve over the logarithm of the penalty."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape
        self.points: list[tuple[float, FloatArray]] = []

    def extrapolate(self, rate: float) -> FloatArray:
        """Where a parabola through them leads; zero where they are far off."""
        at = math.log(rate)
        near = [point for point in self.points if abs(point[0] - at) <= FAR]
        return interpolate(near, at) if near else np.zeros(self.shape)

    def add(self, rate: float, point: FloatArray) -> None:
        at = math.log(rate)
        self.points = [*(known for known in self.points[-2:] if known[0] != at), (at, point)]


def interpolate(points: list[tuple[float, FloatArray]], at: float) -> FloatArray:
    """The polynomial through the points.

    >>> interpolate([(0.0, np.array([1.0])), (1.0, np.array([3.0]))], 2.0).tolist()
    [5.0]
    """
    shares = [math.prod((at - other) / (here - other) for other, _ in points if other != here) for here, _ in points]
    found: FloatArray = shares[0] * points[0][1]
    for share, (_, value) in zip(shares[1:], points[1:], strict=True):
        found += share * value
    return found


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


class WarmStart:
    """What the minima of all rows tell about those of most rows: about where they are, and about the curvature there.

    Only the way to a minimum depends on it, not the minimum: held-out rows have no say in what is found. The minima
    stand at fixed penalties and are set up from the largest down as they are needed, so that they do not depend on
    what was asked before.
    """

    def __init__(self, loss: Logistic) -> None:
        self.whole, self.weight = loss, float(loss.weights.sum())
        self.every = int(np.ceil(8 * PER_DECADE * 4 * (loss.shape[0] * loss.shape[1]) ** 2 / MOST_BYTES))
        start = self.whole.at(np.zeros(self.whole.shape), 0.0)
        steepest = self.whole.steepest(start.chances) * loss.shape[0]  # no direction bends more
        self.highest = int(np.ceil(PER_DECADE * np.log10(steepest + 1e-300)))
        self.minima: list[FloatArray] = []
        self.factors: list[Factor] = []
        self.path, self.is_lost = RegularizationPath(loss.shape), False

    def near(self, rate: float) -> tuple[FloatArray, Factor]:
        """About where the minimum at this penalty is, and a factor for the way there."""
        place = self.highest - PER_DECADE * np.log10(rate)
        nearest = max(int(np.rint(place)), 0)
        last = max(int(np.ceil(place)), 2)
        self._set_up_to(last)
        near = [(float(at), self.minima[at]) for at in range(last - 2, last + 1)]
        if place < 0:  # the coefficients vanish as the inverse of the penalty
            return self.minima[0] * 10 ** (place / PER_DECADE), self.factors[0]
        return interpolate(near, place), self.factors[nearest]

    def _set_up_to(self, last: int) -> None:
        while len(self.minima) <= last:
            if self.is_lost:
                raise np.linalg.LinAlgError("a minimum of all rows was not found")
            self.is_lost = True  # also where setting up raises
            self.is_lost = not self._set_up(len(self.minima))

    def _set_up(self, place: int) -> bool:
        rate = float(10 ** ((self.highest - place) / PER_DECADE))
        start = self.path.extrapolate(rate)
        factor = self.factors[-1] if self.factors else Factor(self.whole, self.whole.at(start, rate), rate)
        point = minimum(self.whole, start, rate, factor)
        if point is None:
            return False
        self.path.add(rate, point.coefficients)
        self.minima.append(point.coefficients)
        self.factors.append(Factor(self.whole, point, rate) if place % self.every == 0 else factor)
        return True


def minima_along(loss: Logistic, warm: WarmStart, rates: FloatArray) -> list[FloatArray | None]:
    """The minima of a training set at falling penalties, None where one is not found."""
    share = min(2.0 ** np.ceil(np.log2(loss.weights.sum() / warm.weight)), 1.0)  # most parts have most of the rows
    part, path = loss.weighted(1 / share), RegularizationPath(loss.shape)
    found: list[FloatArray | None] = []
    for rate in (rates / share).tolist():
        point = _minimum_near(part, warm, path, rate)
        found.append(None if point is None else point.coefficients)
    return found


def _minimum_near(part: Logistic, warm: WarmStart, path: RegularizationPath, rate: float) -> Point | None:
    try:
        about, factor = warm.near(rate)
    except np.linalg.LinAlgError:
        return None
    point = minimum(part, about + path.extrapolate(rate), rate, factor)
    if point is not None:
        path.add(rate, point.coefficients - about)
    return point
