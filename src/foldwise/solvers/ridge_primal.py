"""Ridge with fewer columns than rows: moments of every training part, one reduction for all its penalties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.solvers.moments import Moment, Moments
from foldwise.solvers.penalties import DOUBT
from foldwise.solvers.tridiagonal import EPSILON, Solved, reduce_symmetric, signs, solve_equilibrated, solve_shifted

TINY = 1e-300
CHUNK = 4_000_000  # numbers of all solutions held at a time


@dataclass(frozen=True)
class Form:
    """What kind of ridge it is."""

    intercept: bool
    means: bool  # does a scaler take the training means off?
    spreads: bool  # does a scaler divide by the training standard deviations?


@dataclass(frozen=True, eq=False)
class System:
    """The normal equations of one training part, and how rows are brought to its scale."""

    products: FloatArray
    side: FloatArray  # columns x targets
    shift: FloatArray
    spread: FloatArray
    constant: FloatArray  # of every target
    noise: FloatArray  # of every column: the rounding of its product with a target
    size: float  # the norm of such a target
    scale: float  # its largest value


def primal_answers(
    moments: Moments, form: Form, parts: Sequence[tuple[IntArray, IntArray]], penalties: FloatArray
) -> list[tuple[FloatArray, FloatArray]]:
    """For every (train, rows): predictions (penalties x rows x targets), and by penalty how wrong they may be."""
    size = moments.width * penalties.size * moments.targets
    step = max(CHUNK // max(size, moments.width**2), 1)
    found: list[tuple[FloatArray, FloatArray]] = []
    for start in range(0, len(parts), step):
        chunk = parts[start : start + step]
        systems = [make_system(moments, moments.of(train), form) for train, _ in chunk]
        reduced = [reduce_symmetric(system.products) for system in systems]
        solved = solve_shifted(reduced, [system.side for system in systems], penalties)
        for system, one, (_, rows) in zip(systems, solved, chunk, strict=True):
            found.append(_predict(system, one, moments.columns(rows), penalties))
    return found


def make_system(moments: Moments, moment: Moment, form: Form) -> System:
    """The equations about the point where the fit has its origin: the weighted means, the scaler's, or nought."""
    width, weight = moments.width, moment.weight
    sums, y_sums = moment.sums[:width], moment.sums[width:]
    x_about, y_about = moment.about[:width] + moments.x_mean, moment.about[width:] + moments.y_mean
    mean = moment.plain_sums / moment.plain_rows
    if form.intercept:
        origin, y_origin = sums / weight, y_sums / weight
    else:
        origin, y_origin = mean if form.means else -x_about, -y_about
    variance = np.maximum(moment.plain_squares / moment.plain_rows - mean**2, 0.0)
    size_of = np.abs(x_about + mean) + np.sqrt(np.maximum(moment.summed, 0.0) / moments.rows)
    is_constant = variance <= moment.plain_rows * EPSILON * (variance + moment.plain_rows * EPSILON * size_of**2)
    spread = np.where(is_constant | (not form.spreads), 1.0, np.sqrt(variance))
    products = moment.products[:, :width] - np.outer(origin, sums) - np.outer(sums - weight * origin, origin)
    side = moment.products[:, width:] - np.outer(origin, y_sums) - np.outer(sums - weight * origin, y_origin)
    if form.intercept or form.means:  # what does not vary is nought about its mean, not its rounding
        products[is_constant], products[:, is_constant], side[is_constant] = 0.0, 0.0, 0.0
    columns = np.sqrt(np.maximum(moment.summed + weight * origin**2, 0.0)) / spread
    size = float(np.sqrt((moments.y_squares + weight * y_origin**2).max()))
    return System(
        products=products / np.outer(spread, spread),
        side=side / spread[:, None],
        shift=moment.about[:width] + origin,
        spread=spread,
        constant=y_about + y_origin,
        noise=np.where(is_constant, 0.0, EPSILON * size * columns),
        size=size,
        scale=moments.scale,
    )


def _predict(system: System, solved: Solved, rows: FloatArray, penalties: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Predictions by penalty, and how far rounding may move them; penalties in doubt are solved one by one."""
    table = (rows - system.shift) / system.spread
    values = _apply(table, solved.values)
    moved = solved.moved(system.products, system.side) + _moved(system, solved.values) * system.noise.max()
    wrong = solved.carried(table) * moved
    again = np.flatnonzero(~(wrong <= DOUBT * system.scale))
    if again.size:
        side = np.concatenate([system.side, (system.noise * signs(len(system.noise)))[:, None]], axis=1)
        coefficients = solve_equilibrated(system.products, side, penalties[again])
        found = _apply(table, coefficients)
        values[again] = found[:, :, :-1]
        carried = np.abs(found[:, :, -1]).max(axis=1, initial=0.0)
        wrong[again] = carried * _moved(system, coefficients[:, :, :-1])
    return values + system.constant, wrong


def _moved(system: System, coefficients: FloatArray) -> FloatArray:
    """By penalty, in units of `noise`: products with the coefficients are rounded too, more where these are large."""
    fitted = np.einsum("j,jl->l", system.noise, np.abs(coefficients).max(axis=2))
    return np.asarray(1.0 + fitted / max(EPSILON * system.size**2, TINY))


def _apply(table: FloatArray, coefficients: FloatArray) -> FloatArray:
    """Values of rows: penalties x rows x columns."""
    width, penalties, columns = coefficients.shape
    flat = (table @ coefficients.reshape(width, -1)).reshape(len(table), penalties, columns)
    return np.ascontiguousarray(np.moveaxis(flat, 0, 1))


def leave_one_out(moments: Moments, form: Form, rows: IntArray, penalties: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Predictions of each of these rows by the fit of all others (penalties x rows x targets), from one fit of all.

    The residual without the row is its residual over one less its leverage. How wrong each may be, relative to the
    targets, comes by penalty and row.
    """
    system = make_system(moments, moments.total, form)
    table = (moments.columns(rows) - system.shift) / system.spread
    weights = np.ones(rows.size) if moments.weights is None else moments.weights[rows]
    values, vectors = np.linalg.eigh(system.products)
    turned = table @ vectors
    with np.errstate(all="ignore"):
        shrunk = 1.0 / (values[:, None] + penalties)  # columns x penalties
        leverage = (turned**2 @ shrunk).T * weights
        leverage += weights / moments.total.weight if form.intercept else 0.0
        side = vectors.T @ system.side
        fitted = np.einsum("ij,jl,jt->lit", turned, shrunk, side, optimize=True)
        observed = moments.values(rows) + (0.0 if form.intercept else moments.y_mean)
        centred = observed - (system.constant - moments.y_mean if form.intercept else 0.0)
        residuals = (centred - fitted) / (1.0 - leverage)[:, :, None]
        condition = (values[-1] + penalties) / np.maximum(values[0] + penalties, TINY)
        wrong = EPSILON * condition[:, None] / np.maximum(1.0 - leverage, TINY)
    return observed + (moments.y_mean if form.intercept else 0.0) - residuals, wrong
