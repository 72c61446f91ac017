"""Where a curve over the penalties leads."""

from __future__ import annotations

import math

import numpy as np

from foldwise.arrays import FloatArray

FAR = 2.5  # logarithm of the ratio of penalties from which earlier points tell nothing


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
