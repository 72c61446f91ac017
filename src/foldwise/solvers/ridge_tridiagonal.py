"""Symmetric systems solved for many penalties: one reduction to tridiagonal form answers them all."""

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
    solutions = []
    for at, part in enumerate(parts):
        both = np.concatenate([values[:, at].reshape(size, -1), probes[:, at, :, 0]], axis=1)
        back = part.turn(both, back=True)
        count = shifts.size * columns  # LAPACK leaves columns behind: its transpose lies in memory row by row
        solutions.append(Solved(back.T[:count].reshape(shifts.size, columns, size), back[:, count:], step))
    return solutions


def solve_equilibrated(A: FloatArray, B: FloatArray, shifts: FloatArray) -> FloatArray:
    """Solutions as of `solve_shifted`, one factorisation per shift: slower, but columns may differ in size."""
    step = max(MOST // A.size, 1)
    solutions: list[FloatArray] = []
    for start in range(0, shifts.size, step):
        some = _solve_few(A, B, shifts[start : start + step])
        if some is None:
            return np.full((shifts.size, B.shape[1], len(A)), np.nan)
        solutions.append(some)
    return np.concatenate(solutions)


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
    probe: FloatArray = rng.uniform(0.5, 1.5, size) * rng.choice([-1.0, 1.0], size)
    probe.flags.writeable = False
    return probe


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
