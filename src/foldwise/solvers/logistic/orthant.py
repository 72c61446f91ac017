"""The minimum of a quadratic model among coefficients whose signs are given."""

from __future__ import annotations

import numpy as np

from foldwise.arrays import AnyArray, FloatArray

TOGETHER = 2.0  # coefficients that reach zero within so many times the way to the first are let go at once
MOST_EXCHANGES = 200


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
