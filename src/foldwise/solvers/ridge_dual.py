"""Ridge through the products of rows: kernels, Gaussian processes, and tables with more columns than rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.solvers.ridge_penalties import Predictions
from foldwise.solvers.ridge_tridiagonal import EPSILON, applied, reduce_symmetric, solve_shifted
from foldwise.solvers.solver import has_repeats

CHUNK = 4_000_000  # numbers held at a time
FEW = 8  # left-out rows are few if they are less than one in so many


@dataclass(frozen=True, eq=False)
class Products:
    """One training set through the products of its rows, and of the asked rows with them.

    Where rows and targets are `centred`, the constant is a null vector that no target has a part in.
    """

    train: FloatArray
    across: FloatArray  # asked rows x training rows
    Y: FloatArray
    constant: FloatArray  # of every target
    roots: FloatArray | None = None  # square roots of the row weights
    centred: bool = False

    def weighed(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The products and targets as the weights have them."""
        products, across, Y = self.train, self.across, self.Y
        if self.roots is not None:
            roots = self.roots
            products, across, Y = products * np.outer(roots, roots), across * roots, Y * roots[:, None]
        border = np.ones(len(Y)) if self.roots is None else self.roots
        return _deflated(products, border) if self.centred else products, across, Y


def part_answers(parts: Sequence[Products], penalties: FloatArray) -> list[Predictions]:
    """Predictions of training sets of one size, solved together."""
    weighed = [part.weighed() for part in parts]
    reduced = [reduce_symmetric(products) for products, _, _ in weighed]
    solutions = solve_shifted(reduced, [Y for _, _, Y in weighed], penalties)
    predictions = []
    for part, (products, across, Y), solved in zip(parts, weighed, solutions, strict=True):
        values = applied(across, solved.values) + part.constant
        wrong = solved.carried(across) * solved.moved(products, Y) + solved.rounded(across)
        predictions.append((values, wrong))
    return predictions


def in_chunks(
    sizes: Sequence[int], make: Callable[[int], Products], penalties: FloatArray
) -> Iterator[tuple[int, Predictions]]:
    """Answers of the parts at every place, made and solved some at a time, those of one size together."""
    by_size: dict[int, list[int]] = {}
    for at, size in enumerate(sizes):
        by_size.setdefault(size, []).append(at)
    for size, places in by_size.items():
        step = max(CHUNK // max(size * size, size * penalties.size), 1)
        for start in range(0, len(places), step):
            chunk = places[start : start + step]
            yield from zip(chunk, part_answers([make(at) for at in chunk], penalties), strict=True)


def centred_products(train: FloatArray, across: FloatArray, Y: FloatArray, weights: FloatArray | None) -> Products:
    """Products about the (weighted) mean of the training rows, for a fit with an intercept."""
    share = np.full(len(Y), 1.0 / len(Y)) if weights is None else weights / weights.sum()
    middle, edge, constant = train @ share, across @ share, share @ Y
    corner = float(share @ middle)
    return Products(
        train=train - middle - (middle - corner)[:, None],
        across=across - middle - (edge - corner)[:, None],
        Y=Y - constant,
        constant=constant,
        roots=None if weights is None else np.sqrt(weights),
        centred=True,
    )


def left_out(
    products: FloatArray,
    Y: FloatArray,
    roots: FloatArray | None,
    penalties: FloatArray,
    parts: Sequence[tuple[IntArray, IntArray]],
    *,
    intercept: bool,
) -> list[Predictions]:
    """Predictions for every (rows left out, rows asked of them), by one fit of all rows per penalty.

    With P the inverse of the products plus penalty (bordered by the intercept), the residuals of the fit without
    the rows A, at those rows, are the solution of P_AA e_A = (P Y)_A.
    """
    border = np.ones(len(Y)) if roots is None else roots
    if roots is not None:
        products, Y = products * np.outer(roots, roots), Y * roots[:, None]
    if intercept:
        products = _deflated(products, border)
    values, vectors = np.linalg.eigh(products)
    predictions = [np.empty((penalties.size, rows.size, Y.shape[1])) for _, rows in parts]
    wrong = [np.empty(penalties.size) for _ in parts]
    for at, (P, condition) in enumerate(_inverses(values, vectors, penalties, border if intercept else None)):
        PY = P @ Y
        for (rest, rows), predicted, errors in zip(parts, predictions, wrong, strict=True):
            residuals, worst = _residuals(P, PY, rest)
            residuals, observed = residuals[np.searchsorted(rest, rows)], Y[rows]
            if roots is not None:
                residuals, observed = residuals / roots[rows, None], observed / roots[rows, None]
            predicted[at] = observed - residuals
            errors[at] = EPSILON * condition * worst * np.abs(Y).max(initial=0.0)
    return list(zip(predictions, wrong, strict=True))


def rest_to_leave_out(train: IntArray, rows: IntArray, all_rows: int) -> IntArray | None:
    """The rows not trained on, if they hold all rows asked and are few enough for the identity to be cheaper."""
    if has_repeats(train) or (all_rows - train.size) * FEW > all_rows:
        return None
    is_held = np.ones(all_rows, bool)
    is_held[train] = False
    return np.flatnonzero(is_held) if is_held[rows].all() else None


def _deflated(products: FloatArray, border: FloatArray) -> FloatArray:
    """The products with the border moved out of their null space; a fit with an intercept does not see it."""
    size = max(float(np.trace(products)) / len(products), 1e-300)
    return np.asarray(products + np.outer(border, border) * (size / float(border @ border)))


def _inverses(
    values: FloatArray, vectors: FloatArray, penalties: FloatArray, border: FloatArray | None
) -> Iterator[tuple[FloatArray, float]]:
    """The (bordered) inverse at every penalty, and the condition of what was inverted."""
    for penalty in penalties:
        shifted = values + penalty
        with np.errstate(all="ignore"):
            P = (vectors / shifted) @ vectors.T
            if border is not None:
                edge = P @ border
                P -= np.outer(edge, edge / (border @ edge))
        smallest = float(shifted.min())
        yield P, float(shifted.max()) / smallest if smallest > 0 else np.inf


def _residuals(P: FloatArray, PY: FloatArray, rows: IntArray) -> tuple[FloatArray, float]:
    """Left-out residuals, and by how much the small system blows rounding up."""
    if rows.size == 1:
        corner = float(P[rows[0], rows[0]])
        return np.asarray(PY[rows] / corner), float(np.abs(P[rows[0]]).max()) / corner if corner > 0 else np.inf
    corner_block: AnyArray = P[np.ix_(rows, rows)]
    try:
        solved = np.linalg.solve(corner_block, np.concatenate([PY[rows], np.ones((rows.size, 1))], axis=1))
    except np.linalg.LinAlgError:
        return np.zeros((rows.size, PY.shape[1])), np.inf
    return solved[:, :-1], max(1.0, float(np.abs(solved[:, -1]).max() * np.abs(corner_block).max()))
