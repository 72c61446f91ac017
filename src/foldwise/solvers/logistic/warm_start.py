"""Minima of a loss at penalty after penalty, each training set started from those of all rows."""

from __future__ import annotations

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.solvers.logistic.logistic_loss import Logistic, Point
from foldwise.solvers.logistic.regularization_path import RegularizationPath, interpolate
from foldwise.solvers.logistic.truncated_newton import Factor, minimum

PER_DECADE = 2  # minima of all rows
MOST_BYTES = 10**8  # of the roots kept over eight decades: with more coefficients, neighbouring minima share one


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
