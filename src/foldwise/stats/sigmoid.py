"""The sigmoid that turns decision values into probabilities."""

from __future__ import annotations

import numpy as np

from foldwise.arrays import AnyArray, FloatArray

STEPS = 100  # of Newton's method; ten are usual
TINY = 1e-12


def platt(values: FloatArray, is_class: AnyArray, weights: FloatArray | None = None) -> tuple[float, float]:
    """Slope and offset of the sigmoid with the smallest log loss against Platt's smoothed targets.

    With n rows of the class the target of each is (n + 1) / (n + 2), and with m others theirs is 1 / (m + 2), so that
    classes which are told apart leave a finite slope (Platt, 1999; Newton's method of Lin, Lin and Weng, 2007).

    >>> slope, offset = platt(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([False, False, True, True]))
    >>> round(slope, 3), round(offset, 3) + 0.0
    (0.674, 0.0)
    """
    is_class = np.asarray(is_class, bool)
    rows = np.ones(len(values)) if weights is None else np.asarray(weights, np.float64)
    of_class, others = float(rows[is_class].sum()), float(rows[~is_class].sum())
    aims = np.where(is_class, (of_class + 1) / (of_class + 2), 1 / (others + 2))
    middle, reach = float(values.mean()), float(values.std()) or 1.0
    columns = np.column_stack([(values - middle) / reach, np.ones(len(values))])
    slope, offset = _newton(columns, aims, rows, np.array([0.0, np.log((of_class + 1) / (others + 1))]))
    return slope / reach, offset - slope * middle / reach


def sigmoid(values: FloatArray) -> FloatArray:
    """
    >>> sigmoid(np.array([0.0, 1000.0, -1000.0])).tolist()
    [0.5, 1.0, 0.0]
    """
    small = np.exp(-np.abs(values))
    return np.asarray(np.where(values >= 0, 1.0, small) / (1.0 + small))


def _newton(columns: FloatArray, aims: FloatArray, rows: FloatArray, start: FloatArray) -> tuple[float, float]:
    point, loss = start, _loss(columns @ start, aims, rows)
    for _ in range(STEPS):
        chances = sigmoid(columns @ point)
        gradient = columns.T @ (rows * (chances - aims))
        curvature = columns.T @ (columns * (rows * chances * (1 - chances))[:, None]) + TINY * np.eye(2)
        step, share = np.linalg.solve(curvature, gradient), 1.0
        while (less := _loss(columns @ (point - share * step), aims, rows)) > loss and share > TINY:
            share /= 2
        if less > loss or np.abs(share * step).max() < TINY:
            break
        point, loss = point - share * step, less
    return float(point[0]), float(point[1])


def _loss(values: FloatArray, aims: FloatArray, rows: FloatArray) -> float:
    return float(rows @ (np.logaddexp(0.0, values) - aims * values))
