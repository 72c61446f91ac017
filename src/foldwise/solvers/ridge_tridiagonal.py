"""Symmetric systems solved for many penalties: by one reduction to tridiagonal form, or in a few Krylov steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from foldwise.arrays import AnyArray, FloatArray

SINGULAR = 1e12  # matrices of a larger condition have no answer to rely on
MOST = 500_000  # numbers of the matrices of all shifts that are held at one time, or one matrix
PROBES = 6  # shifts at which rounding is followed
EPSILON = float(np.finfo(np.float64).eps)
FEWEST = 150  # columns: with fewer a whole reduction is cheap
TALL = 4  # rows per column: with fewer, small eigenvalues make for many steps
SHARE = 4  # steps that pay: less than one in so many of the size


@dataclass(frozen=True, eq=False)
class Reduced:
    """A symmetric matrix as Q T Q', with T tridiagonal and Q kept as reflections."""

    diagonal: FloatArray
    beside: FloatArray
    reflections: FloatArray  # below the diagonal, without the first row and last column
    factors: FloatArray

    def turn(self, B: FloatArray, *, back: bool = False) -> FloatArray:
        """Q' B, or Q B on the way back."""
        from scipy.linalg import lapack

        turned = np.array(B, order="F")
        if len(self.diagonal) > 1:
            way = "N" if back else "T"
            work = max(turned.shape[1], 1) * 64
            rest = np.asfortranarray(turned[1:])
            turned[1:] = lapack.dormqr("L", way, self.reflections, self.factors, rest, work, overwrite_c=1)[0]
        return turned


def reduce_symmetric(A: FloatArray) -> Reduced:
    """The tridiagonal form of a symmetric matrix.

    >>> found = reduce_symmetric(np.array([[2.0, 1.0], [1.0, 3.0]]))
    >>> found.diagonal.tolist(), abs(found.beside).tolist()
    ([2.0, 3.0], [1.0])
    """
    from scipy.linalg import lapack

    size = len(A)
    if size == 1:
        return Reduced(A[0].copy(), np.empty(0), np.empty((0, 0)), np.empty(0))
    # LAPACK reads columns: a symmetric matrix is its own transpose, so no copy is turned around
    work = int(lapack.dsytrd_lwork(size, lower=1)[0])
    packed, diagonal, beside, factors, _ = lapack.dsytrd(A.T, lower=1, lwork=work)
    return Reduced(diagonal, beside, np.asfortranarray(packed[1:, :-1]), factors)


@dataclass(frozen=True, eq=False)
class Solved:
    """Solutions of one matrix for many shifts, and what becomes of rounding on the way."""

    values: FloatArray  # shifts x columns x size
    probes: FloatArray  # size x some shifts: what became of `signs`
    step: int  # the shift at place i is probed at i // step: at a smaller one, so that rounding is not understated

    def carried(self, table: FloatArray) -> FloatArray:
        """By shift: the largest of what a table makes of the probes."""
        return self._spread(np.abs(table @ self.probes).max(axis=0, initial=0.0))

    def moved(self, A: FloatArray, B: FloatArray) -> FloatArray:
        """By shift: how far the right sides are moved by the rounding of a reduction; infinite if A is singular."""
        largest, size = float(np.linalg.norm(A)), float(np.sqrt(np.einsum("ij,ij->j", B, B)).max(initial=0.0))
        longest = np.sqrt(np.einsum("lji,lji->lj", self.values, self.values)).max(axis=1, initial=0.0)
        is_singular = ~(largest * np.sqrt(np.einsum("il,il->l", self.probes, self.probes)) < SINGULAR)
        return np.where(self._spread(is_singular), np.inf, EPSILON * (largest * longest + size))

    def rounded(self, table: FloatArray) -> FloatArray:
        """By shift: the rounding of the products of a table with the solutions."""
        longest = np.sqrt(np.einsum("lji,lji->lj", self.values, self.values)).max(axis=1, initial=0.0)
        widest = np.sqrt(np.einsum("ij,ij->i", table, table).max(initial=0.0))
        return np.asarray(EPSILON * longest * widest)

    def _spread(self, probed: AnyArray) -> AnyArray:
        return np.repeat(probed, self.step)[: len(self.values)]


def solve_shifted(parts: Sequence[Reduced], sides: Sequence[FloatArray], shifts: FloatArray) -> list[Solved]:
    """Solutions of (A + shift) X = B for every matrix and shift; shifts ascend.

    All matrices have one size and all right sides one number of columns. Where A + shift is not positive definite
    the solutions are not finite.
    """
    step = -(-shifts.size // PROBES)
    size, columns = len(parts[0].diagonal), sides[0].shape[1]
    probe = signs(size)[:, None]
    turned = [part.turn(np.concatenate([side, probe], axis=1)) for part, side in zip(parts, sides, strict=True)]
    stacked = np.stack(turned, axis=1)
    diagonal = np.stack([part.diagonal for part in parts], axis=1)[:, :, None]
    beside = np.stack([part.beside for part in parts], axis=1)[:, :, None]
    values = _solve_tridiagonal(diagonal + shifts, beside, stacked[:, :, :-1])
    probes = _solve_tridiagonal(diagonal + shifts[::step], beside, stacked[:, :, -1:])
    found = []
    for at, part in enumerate(parts):
        both = np.concatenate([values[:, at].reshape(size, -1), probes[:, at, :, 0]], axis=1)
        back = part.turn(both, back=True)
        count = shifts.size * columns  # LAPACK leaves columns behind: its transpose lies in memory row by row
        found.append(Solved(back.T[:count].reshape(shifts.size, columns, size), back[:, count:], step))
    return found


def solve_equilibrated(A: FloatArray, B: FloatArray, shifts: FloatArray) -> FloatArray:
    """Solutions as of `solve_shifted`, one factorisation per shift: slower, but columns may differ in size."""
    step = max(MOST // A.size, 1)
    found = [_solve_few(A, B, shifts[start : start + step]) for start in range(0, shifts.size, step)]
    if any(one is None for one in found):
        return np.full((shifts.size, B.shape[1], len(A)), np.nan)
    return np.concatenate([one for one in found if one is not None])


def _solve_few(A: FloatArray, B: FloatArray, shifts: FloatArray) -> FloatArray | None:
    """The same for a few shifts, whose matrices are held at one time; None where one of them is singular."""
    size = len(A)
    stacked = shifts[:, None, None] * np.eye(size)
    stacked += A
    with np.errstate(all="ignore"):
        roots = 1.0 / np.sqrt(np.diagonal(stacked, axis1=1, axis2=2))[:, :, None]
        sides = np.concatenate([B * roots, np.broadcast_to(signs(size)[:, None], (shifts.size, size, 1))], axis=2)
        stacked *= roots
        stacked *= np.swapaxes(roots, 1, 2)
        try:
            solved = np.linalg.solve(stacked, sides)
        except np.linalg.LinAlgError:
            return None
        solved[np.abs(solved[:, :, -1]).max(axis=1) * size > SINGULAR] = np.nan
        return np.ascontiguousarray(np.swapaxes(solved[:, :, :-1] * roots, 1, 2))


def applied(table: FloatArray, coefficients: FloatArray) -> FloatArray:
    """Values of rows, as shifts x rows x columns, by coefficients that are shifts x columns x size."""
    shifts, columns, size = coefficients.shape
    flat = (coefficients.reshape(-1, size) @ table.T).reshape(shifts, columns, len(table))
    return np.ascontiguousarray(np.swapaxes(flat, 1, 2))


@lru_cache(maxsize=16)
def signs(size: int) -> FloatArray:
    """Numbers near 1 and -1 without a pattern: rounding, to be sent through a system to see how far it carries.

    >>> bool((abs(signs(5)) >= 0.5).all())
    True
    """
    rng = np.random.default_rng(size)
    found: FloatArray = rng.uniform(0.5, 1.5, size) * rng.choice([-1.0, 1.0], size)
    found.flags.writeable = False
    return found


def _solve_tridiagonal(pivots: FloatArray, beside: FloatArray, turned: FloatArray) -> FloatArray:
    """Elimination and substitution along the first axis, for all matrices and shifts at once; `pivots` are used up."""
    size = len(pivots)
    ratios, less = np.empty((max(size - 1, 0), *pivots.shape[1:])), np.empty(pivots.shape[1:])
    solved = np.empty((*pivots.shape, turned.shape[2]))
    solved[0] = turned[0][:, None]
    with np.errstate(all="ignore"):
        for i in range(size - 1):
            np.reciprocal(pivots[i], out=pivots[i])
            np.multiply(beside[i], pivots[i], out=ratios[i])
            np.multiply(ratios[i], beside[i], out=less)
            pivots[i + 1] -= less
            np.multiply(ratios[i][..., None], solved[i], out=solved[i + 1])
            np.subtract(turned[i + 1][:, None], solved[i + 1], out=solved[i + 1])
        np.reciprocal(pivots[-1], out=pivots[-1])
        solved[-1] *= pivots[-1][..., None]
        for i in range(size - 2, -1, -1):
            solved[i] *= pivots[i][..., None]
            solved[i] -= ratios[i][..., None] * solved[i + 1]
        is_positive = (pivots.min(axis=0) > 0) & (pivots.max(axis=0) < np.inf)
    solved[:, ~is_positive] = np.nan
    return solved


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
