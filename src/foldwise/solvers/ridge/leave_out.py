"""Left-out predictions of kernel ridge from a fit of all rows, with a bound on what rounding does to them.

With P the inverse of the products of all rows plus penalty, the residuals without the rows A, at those rows, are the
solution of P_AA e_A = (P Y)_A. A change D of the products moves them by H D c, where H = P_AA^-1 P_A: are the weights
of the rows in the prediction, and c = P Y - P_:A e_A are the coefficients of the fit without A.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.solvers.ridge.penalties import Found

FEW = 6  # penalties up to which an inverse each is cheaper than the axes of the products
EPSILON = float(np.finfo(float).eps)
STEPS = 8  # of the power iteration that measures a matrix

LeftOut = tuple[IntArray, IntArray]  # rows left out, rows asked of them


def leave_out(products: FloatArray, Y: FloatArray, penalties: FloatArray, parts: Sequence[LeftOut]) -> list[Found]:
    """Predictions for every part at every penalty, and how wrong they may be."""
    found = [np.zeros((penalties.size, rows.size, Y.shape[1])) for _, rows in parts]
    wrong = np.full((len(parts), penalties.size), np.inf)
    ones = np.array([at for at, (rest, _) in enumerate(parts) if rest.size == 1], np.int64)
    single = np.array([parts[at][0][0] for at in ones], np.int64)
    units = EPSILON / 4 * (_largest(products) + penalties)  # the bound is far from met: rounding errors differ in sign
    for place, inverse in enumerate(_inverses(products, Y, penalties, needs_whole=ones.size < len(parts))):
        if inverse is None:
            continue
        residuals, lengths = inverse.alone(single)
        wrong[ones, place] = units[place] * lengths
        for at, values in zip(ones.tolist(), Y[single] - residuals, strict=True):
            found[at][place] = values
        for at, (rest, rows) in enumerate(parts):
            if rest.size > 1:
                residuals, length = inverse.together(rest)
                found[at][place] = Y[rows] - residuals[np.searchsorted(rest, rows)]
                wrong[at, place] = units[place] * length
    return list(zip(found, wrong, strict=True))


def leave_out_cost(rows: int, penalties: int, parts: Sequence[int]) -> float:
    """Multiplications it takes to leave out parts of these sizes."""
    many = [size for size in parts if size > 1]
    base = 10.0 * rows**3 if not many and penalties > FEW else 1.5 * penalties * rows**3
    return base + penalties * sum(2.0 * rows * size**2 + size**3 for size in many)


@dataclass(frozen=True, eq=False)
class _Inverse:
    """What is needed of the inverse P at one penalty."""

    whole: FloatArray | None
    corners: FloatArray  # diagonal of P
    squares: FloatArray  # diagonal of P P
    dual: FloatArray  # P Y
    twice: FloatArray  # P P Y

    def alone(self, rows: IntArray) -> tuple[FloatArray, FloatArray]:
        """Residuals of rows left out one at a time, and the lengths of weights times coefficients."""
        corners = self.corners[rows, None]
        residuals = self.dual[rows] / corners
        squares = self.squares[rows, None]
        left = (self.dual**2).sum(axis=0) - residuals * (2 * self.twice[rows] - residuals * squares)
        left = np.maximum(left, EPSILON * (self.dual**2).sum(axis=0))
        return residuals, np.max(np.sqrt(squares * left) / corners, axis=1)

    def together(self, rows: IntArray) -> tuple[FloatArray, float]:
        """Residuals of rows left out together, and the largest length of weights times coefficients."""
        assert self.whole is not None
        across = self.whole[rows]
        try:
            solved = np.linalg.solve(across[:, rows], np.concatenate([across, self.dual[rows]], axis=1))
        except np.linalg.LinAlgError:
            return np.zeros_like(self.dual[rows]), np.inf
        weights, residuals = solved[:, : len(self.whole)], solved[:, len(self.whole) :]
        left = np.linalg.norm(self.dual - across.T @ residuals, axis=0)
        return residuals, float(np.linalg.norm(weights, axis=1).max() * left.max())


def _inverses(
    products: FloatArray, Y: FloatArray, penalties: FloatArray, *, needs_whole: bool
) -> Iterator[_Inverse | None]:
    """The inverse at every penalty; none where the products are not positive.

    For single rows at many penalties the axes of the products give all that is needed without any inverse.
    """
    if needs_whole or penalties.size <= FEW:
        for penalty in penalties:
            P = _inverse(products, float(penalty))
            yield None if P is None else _Inverse(P, np.diagonal(P), (P**2).sum(axis=1), P @ Y, P @ (P @ Y))
        return
    values, vectors = np.linalg.eigh(products)
    squares, turned = vectors**2, vectors.T @ Y
    for penalty in penalties:
        if values[0] + penalty <= 0:
            yield None
            continue
        shares = 1 / (values + penalty)
        once, twice = vectors @ (turned * shares[:, None]), vectors @ (turned * shares[:, None] ** 2)
        yield _Inverse(None, squares @ shares, squares @ shares**2, once, twice)


def _inverse(products: FloatArray, penalty: float) -> FloatArray | None:
    from scipy.linalg.lapack import dpotrf, dpotri

    shifted = np.array(products, order="F")
    shifted.flat[:: len(products) + 1] += penalty
    factor, failed = dpotrf(shifted, lower=1, overwrite_a=1)
    if failed:
        return None
    lower, failed = dpotri(factor, lower=1, overwrite_c=1)
    if failed:
        return None
    below = np.tril(lower, -1)
    return np.ascontiguousarray(below + below.T + np.diag(np.diagonal(lower)))


def _largest(products: FloatArray) -> float:
    """The largest eigenvalue, nearly."""
    vector = np.ones(len(products))
    for _ in range(STEPS):
        vector = products @ (vector / max(float(np.linalg.norm(vector)), 1e-300))
    return max(float(np.linalg.norm(vector)), float(np.diagonal(products).max(initial=0.0)))
