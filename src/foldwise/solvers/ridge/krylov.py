"""Well-conditioned symmetric systems for many penalties: a few steps of Lanczos answer them all."""

from __future__ import annotations

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.solvers.ridge.tridiagonal import EPSILON, Solved, signs

FEWEST = 150  # columns: with fewer a whole reduction is cheap
TALL = 4  # rows per column: with fewer, small eigenvalues make for many steps
SHARE = 4  # steps that pay: less than one in so many of the size


def solve_by_steps(A: FloatArray, b: FloatArray, shifts: FloatArray) -> Solved | None:
    """Solutions of (A + shift) x = b for every shift (they ascend); None where that takes too many steps.

    The steps end when the residual of the smallest shift is less than rounding; larger shifts need fewer of them. How
    far rounding carries is looked at in the smallest shift alone, where it carries furthest.
    """
    from scipy.linalg import lapack

    probes = _probed(A, float(shifts[0]))
    steps = None if probes is None else _steps(A, b, float(shifts[0]))
    if probes is None or steps is None:
        return None
    basis, diagonal, beside = steps
    values, vectors, trouble = lapack.dstev(diagonal, beside)
    if trouble or values[0] + shifts[0] <= 0:
        return None
    weights = np.sqrt(b @ b) * vectors[0] / (values + shifts[:, None])
    return Solved(((weights @ vectors.T) @ basis)[:, None, :], probes, shifts.size)


def is_worth_it(rows: int, columns: int, shifts: int) -> bool:
    """Would steps be cheaper than a reduction of the products of the columns?

    >>> is_worth_it(2000, 300, 20), is_worth_it(800, 400, 20)
    (True, False)
    """
    return columns >= FEWEST and rows >= TALL * columns and shifts > 1


def _steps(A: FloatArray, b: FloatArray, shift: float) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """An orthonormal basis (by row) of the first powers of A on b, and A in that basis, which is tridiagonal."""
    most = len(A) // SHARE
    basis, diagonal, beside = np.empty((most + 1, len(A))), np.empty(most), np.empty(most)
    size = float(np.sqrt(b @ b))
    if not 0 < size < np.inf:
        return None
    basis[0], left, pivot, before = b / size, 1.0, 1.0, 0.0
    for j in range(most):
        found, new = basis[: j + 1], A @ basis[j]
        along = float(basis[j] @ new)
        new -= along * basis[j]
        if j:
            new -= before * basis[j - 1]
        new -= (found @ new) @ found  # rounding leaves a little of the old directions
        left, pivot = -left * before / pivot if j else left, along + shift - before**2 / pivot
        before = float(np.sqrt(new @ new))
        diagonal[j], beside[j] = along, before
        if not pivot > 0:
            return None
        if before * abs(left) <= EPSILON / 8 * pivot:
            return found, diagonal[: j + 1], beside[:j]
        np.divide(new, before, out=basis[j + 1])
    return None


def _probed(A: FloatArray, shift: float) -> FloatArray | None:
    """What becomes of `signs` in A + shift; None where that is not positive definite."""
    from scipy.linalg import lapack

    shifted = A.copy()
    shifted.flat[:: len(A) + 1] += shift
    factor, trouble = lapack.dpotrf(shifted.T, lower=1, overwrite_a=1)
    return None if trouble else np.asarray(lapack.dpotrs(factor, signs(len(A))[:, None], lower=1)[0])
