"""Ridge with fewer columns than rows: cross-products of every training set, one reduction for all its penalties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.solvers.ridge_penalties import DOUBT
from foldwise.solvers.ridge_tridiagonal import (
    EPSILON,
    Solved,
    applied,
    reduce_symmetric,
    signs,
    solve_equilibrated,
    solve_shifted,
)
from foldwise.solvers.solver import has_repeats

SMALL = 8_000_000  # numbers of a table that is held a second time, about its means
LOST = 1e-3  # a column that keeps less of its sum of squares than this is summed anew
TINY = 1e-300
CHUNK = 1_500_000  # numbers of all solutions held at a time
BLOCK = 4_000_000  # numbers of the rows predicted at a time


@dataclass(frozen=True, eq=False)
class CrossProducts:
    """Weighted sums over a training set of [X Y], taken about a point."""

    about: FloatArray  # columns, then targets; from the means of all rows
    weight: float
    sums: FloatArray  # columns, then targets
    products: FloatArray  # columns x (columns and targets)
    plain_rows: int
    plain_sums: FloatArray  # of the columns, without weights
    plain_squares: FloatArray
    summed: FloatArray  # squares of each column that went through the sums: what their rounding is measured by


class CrossProductTable:
    """The cross-products of training sets of one table."""

    def __init__(self, X: FloatArray, Y: FloatArray, weights: FloatArray | None) -> None:
        self.X, self.Y, self.weights = X, Y, weights
        self.x_mean, self.y_mean = X.mean(axis=0), Y.mean(axis=0)
        self.rows, self.width = X.shape
        self.scale = float(np.abs(Y).max(initial=0.0)) or 1.0
        self._centred = self._about_means(slice(None)) if X.size <= SMALL else None
        self.total = self._sum(np.arange(self.rows), np.zeros(self.width + Y.shape[1]))
        self.y_squares = np.einsum("ij,ij->j", Y - self.y_mean, Y - self.y_mean)

    @property
    def targets(self) -> int:
        return int(self.Y.shape[1])

    def columns(self, rows: IntArray) -> FloatArray:
        """These rows about the means of all rows."""
        if self._centred is not None:
            return np.asarray(self._centred[rows, : self.width])
        columns: FloatArray = self.X[rows]
        columns -= self.x_mean
        return columns

    def values(self, rows: IntArray) -> FloatArray:
        """Their targets, about the means of all rows."""
        return np.asarray(self.Y[rows] - self.y_mean)

    def _both(self, rows: IntArray) -> FloatArray:
        """Columns and targets side by side; made when asked where a second table would be large."""
        return self._about_means(rows) if self._centred is None else self._centred[rows]

    def _about_means(self, rows: IntArray | slice) -> FloatArray:
        X, Y = self.X[rows], self.Y[rows]
        both = np.empty((len(X), self.width + Y.shape[1]))
        np.subtract(X, self.x_mean, out=both[:, : self.width])
        np.subtract(Y, self.y_mean, out=both[:, self.width :])
        return both

    def of(self, train: IntArray) -> CrossProducts:
        """The cross-products of a training set; the same whatever else is asked."""
        counts = np.bincount(train, minlength=self.rows)
        rest = np.flatnonzero(counts == 0)
        if has_repeats(train) or 2 * rest.size > self.rows:
            return self._own(train)
        less, total = self._sum(rest, self.total.about), self.total
        found = CrossProducts(
            total.about,
            total.weight - less.weight,
            total.sums - less.sums,
            total.products - less.products,
            total.plain_rows - less.plain_rows,
            total.plain_sums - less.plain_sums,
            total.plain_squares - less.plain_squares,
            total.summed,
        )
        return found if self._is_safe(found) else self._own(train)

    def _own(self, train: IntArray) -> CrossProducts:
        """The cross-products summed directly, about the part's own means."""
        counts = np.bincount(train, minlength=self.rows) / train.size
        means = [counts @ self.X - self.x_mean, counts @ self.Y - self.y_mean]
        return self._sum(train, np.concatenate(means))

    def _is_safe(self, found: CrossProducts) -> bool:
        """Is enough left of every column, about its own mean, for the digits to hold?"""
        kept = found.plain_squares - found.plain_sums**2 / found.plain_rows
        is_weighted_safe = self.weights is None or found.weight > LOST * self.total.weight
        return is_weighted_safe and bool((kept >= LOST * self.total.plain_squares).all())

    def _sum(self, rows: IntArray, about: FloatArray) -> CrossProducts:
        width, weights = self.width, None if self.weights is None else self.weights[rows]
        sums, plain_sums = np.zeros(width + self.targets), np.zeros(width)
        plain_squares, products = np.zeros(width), np.zeros((width, width + self.targets))
        step = max(1_000_000 // sums.size, 1)  # blocks, so that a large table is never copied whole
        for start in range(0, rows.size, step):
            block = self._both(rows[start : start + step])
            if about.any():
                block -= about
            if weights is None:
                sums += block.sum(axis=0)
                products += symmetric_product(block)[:width]
                continue
            plain_sums += block[:, :width].sum(axis=0)
            plain_squares += np.einsum("ij,ij->j", block[:, :width], block[:, :width])
            heavy = block * weights[start : start + step, None]
            sums += heavy.sum(axis=0)
            products += block[:, :width].T @ heavy
        summed = np.diagonal(products)
        if weights is None:
            plain_sums, plain_squares = sums[:width], summed
        weight = float(rows.size) if weights is None else float(weights.sum())
        return CrossProducts(about, weight, sums, products, rows.size, plain_sums, plain_squares, summed)


def symmetric_product(block: FloatArray) -> FloatArray:
    """block' block, for which NumPy does half the multiplications.

    >>> symmetric_product(np.array([[1.0, 2.0], [0.0, 1.0]])).tolist()
    [[1.0, 2.0], [2.0, 5.0]]
    """
    return np.asarray(block.T @ block)


@dataclass(frozen=True)
class Form:
    """What kind of ridge it is."""

    intercept: bool
    means: bool  # does a scaler take the training means off?
    spreads: bool  # does a scaler divide by the training standard deviations?
    rank: float = 0.0  # of least squares: share of the largest singular value below which directions may be left out


@dataclass(frozen=True, eq=False)
class System:
    """The normal equations of one training set, and how rows are brought to its scale."""

    products: FloatArray
    side: FloatArray  # columns x targets
    shift: FloatArray
    spread: FloatArray
    is_scaled: bool  # is any spread not 1?
    constant: FloatArray  # of every target
    noise: FloatArray  # of every column: the rounding of its product with a target
    size: float  # the norm of such a target
    scale: float  # its largest value
    offset: FloatArray  # of every column: how far off it is rounded, here or in the plain loop
    rank: float


def primal_answers(
    cross: CrossProductTable, form: Form, parts: Sequence[tuple[IntArray, IntArray]], penalties: FloatArray
) -> list[tuple[FloatArray, FloatArray]]:
    """For every (train, rows): predictions (penalties x rows x targets), and by penalty how wrong they may be."""
    size = cross.width * penalties.size * cross.targets
    step = max(CHUNK // max(size, cross.width**2), 1)
    predictions: list[tuple[FloatArray, FloatArray]] = []
    for start in range(0, len(parts), step):
        chunk = parts[start : start + step]
        systems = [make_system(cross, cross.of(train), form) for train, _ in chunk]
        reduced = [reduce_symmetric(system.products) for system in systems]
        solutions = solve_shifted(reduced, [system.side for system in systems], penalties)
        for system, solved, (_, rows) in zip(systems, solutions, chunk, strict=True):
            predictions.append(_in_blocks(system, solved, cross, rows, penalties))
    return predictions


def _in_blocks(
    system: System, solved: Solved, cross: CrossProductTable, rows: IntArray, penalties: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Predictions of some rows after the others, so that a large table is never copied whole."""
    step = max(BLOCK // cross.width, 1)
    if rows.size <= step:
        return _predict(system, solved, cross.columns(rows), penalties)
    values, wrong = np.empty((penalties.size, rows.size, cross.targets)), np.zeros(penalties.size)
    for start in range(0, rows.size, step):
        some = cross.columns(rows[start : start + step])
        values[:, start : start + step], more = _predict(system, solved, some, penalties)
        wrong = np.maximum(wrong, more)
    return values, wrong


def make_system(cross: CrossProductTable, sums: CrossProducts, form: Form) -> System:
    """The equations about the point where the fit has its origin: the weighted means, the scaler's, or nought."""
    width, weight = cross.width, sums.weight
    x_sums, y_sums = sums.sums[:width], sums.sums[width:]
    x_about, y_about = sums.about[:width] + cross.x_mean, sums.about[width:] + cross.y_mean
    mean = sums.plain_sums / sums.plain_rows
    if form.intercept:
        origin, y_origin = x_sums / weight, y_sums / weight
    else:
        origin, y_origin = mean if form.means else -x_about, -y_about
    variance = np.maximum(sums.plain_squares / sums.plain_rows - mean**2, 0.0)
    size_of = np.abs(x_about + mean) + np.sqrt(np.maximum(sums.summed, 0.0) / cross.rows)
    is_constant = variance <= sums.plain_rows * EPSILON * (variance + sums.plain_rows * EPSILON * size_of**2)
    spread = np.where(is_constant | (not form.spreads), 1.0, np.sqrt(variance))
    products = sums.products[:, :width] - origin[:, None] * x_sums
    side = sums.products[:, width:] - origin[:, None] * y_sums
    if not form.intercept:  # with one, what is left of the x_sums about their mean is nought
        products -= np.outer(x_sums - weight * origin, origin)
        side -= np.outer(x_sums - weight * origin, y_origin)
    if form.intercept or form.means:  # what does not vary is nought about its mean, not its rounding
        products[is_constant], products[:, is_constant], side[is_constant] = 0.0, 0.0, 0.0
    if form.spreads:
        products /= spread[:, None] * spread
    taken = origin + (x_about if form.means and not form.intercept else 0.0)
    columns = np.sqrt(np.maximum(sums.summed + weight * taken**2, 0.0)) / spread
    # digits are lost by rows far from the means of all rows, and by the plain loop where columns are far from nought,
    # unless it takes their means off twice: a scaler's and those of the fit after it cancel
    far = np.zeros(width) if form.means and form.intercept else np.abs(x_about + mean)
    offset = np.where(is_constant, 0.0, (far + np.abs(sums.about[:width] + mean)) / spread)
    size = float(np.sqrt((cross.y_squares + weight * y_origin**2).max()))
    return System(
        products=products,
        side=side / spread[:, None],
        shift=sums.about[:width] + origin,
        spread=spread,
        is_scaled=form.spreads,
        constant=y_about + y_origin,
        noise=np.where(is_constant, 0.0, EPSILON * size * columns),
        size=size,
        scale=cross.scale,
        offset=offset,
        rank=form.rank,
    )


def _predict(system: System, solved: Solved, rows: FloatArray, penalties: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Predictions by penalty, and how far rounding may move them; penalties in doubt are solved one by one."""
    table = rows - system.shift
    if system.is_scaled:
        table /= system.spread
    values = applied(table, solved.values)
    moved = solved.moved(system.products, system.side) + _moved(system, solved.values) * system.noise.max()
    with np.errstate(invalid="ignore"):  # nothing of an infinite doubt is doubtful too
        wrong = solved.carried(table) * moved + _offset(system, solved.values, table)
    if system.rank and not is_of_full_rank(system.products, system.rank):
        return values, np.full(penalties.size, np.inf)
    again = np.flatnonzero(~(wrong <= DOUBT * system.scale))
    if again.size:
        side = np.concatenate([system.side, (system.noise * signs(len(system.noise)))[:, None]], axis=1)
        coefficients = solve_equilibrated(system.products, side, penalties[again])
        applied_again = applied(table, coefficients)
        values[again] = applied_again[:, :, :-1]
        carried = np.abs(applied_again[:, :, -1]).max(axis=1, initial=0.0)
        wrong[again] = carried * _moved(system, coefficients[:, :-1]) + _offset(system, coefficients[:, :-1], table)
    values += system.constant
    return values, wrong


def is_of_full_rank(products: FloatArray, rank: float) -> bool:
    """Are all singular values of a table above this share of the largest? Of its products they are the squares."""
    values = np.linalg.eigvalsh(products)
    return bool(values[0] > rank**2 * values[-1])


def _moved(system: System, coefficients: FloatArray) -> FloatArray:
    """By penalty, in units of `noise`: products with the coefficients are rounded too, more where these are large."""
    fitted = np.abs(coefficients).max(axis=1) @ system.noise
    return np.asarray(1.0 + fitted / max(EPSILON * system.size**2, TINY))


def _offset(system: System, coefficients: FloatArray, table: FloatArray) -> FloatArray:
    """By penalty: what rounding of the rows themselves may come to; that of a spread is multiplied by the rows."""
    reach = np.maximum(np.abs(table).max(axis=0, initial=0.0), 1.0) if system.is_scaled else 1.0
    return np.asarray(EPSILON * (np.abs(coefficients).max(axis=1) @ (system.offset * reach)))


def leave_one_out(
    cross: CrossProductTable, form: Form, rows: IntArray, penalties: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Predictions of each of these rows by the fit of all others (penalties x rows x targets), from one fit of all.

    The residual without the row is its residual over one less its leverage. How wrong each may be, relative to the
    targets, comes by penalty and row.
    """
    system = make_system(cross, cross.total, form)
    table = (cross.columns(rows) - system.shift) / system.spread
    weights = np.ones(rows.size) if cross.weights is None else cross.weights[rows]
    values, vectors = np.linalg.eigh(system.products)
    turned = table @ vectors
    with np.errstate(all="ignore"):
        shrunk = 1.0 / (values[:, None] + penalties)  # columns x penalties
        leverage = (turned**2 @ shrunk).T * weights
        leverage += weights / cross.total.weight if form.intercept else 0.0
        side = vectors.T @ system.side
        fitted = np.einsum("ij,jl,jt->lit", turned, shrunk, side, optimize=True)
        observed = cross.values(rows) + (0.0 if form.intercept else cross.y_mean)
        centred = observed - (system.constant - cross.y_mean if form.intercept else 0.0)
        residuals = (centred - fitted) / (1.0 - leverage)[:, :, None]
        condition = (values[-1] + penalties) / np.maximum(values[0] + penalties, TINY)
        coefficients = np.einsum("ij,jl,jt->lti", vectors, shrunk, side, optimize=True)
        wrong = EPSILON * condition[:, None] / np.maximum(1.0 - leverage, TINY)
        wrong += (_offset(system, coefficients, table) / cross.scale)[:, None]
    return observed + (cross.y_mean if form.intercept else 0.0) - residuals, wrong
