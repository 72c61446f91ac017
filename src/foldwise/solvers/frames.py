"""Coordinates in which the covariances of training parts keep their digits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.solvers.class_sums import class_means

GONE = 1e-9  # widths of this share of the widest are rounding


@dataclass(frozen=True, eq=False)
class Frame:
    """The rows in coordinates about their mean, and what was known of the columns before."""

    table: FloatArray  # rows x axes
    zero: FloatArray  # where the zero of the columns lies
    offset: float  # the largest mean beside its spread: digits lost before anything is summed
    units: FloatArray  # what each axis was divided by, where axes are columns
    narrow: float = 1.0  # narrowest over widest variance of the columns, seen from any direction
    least: float = 1.0  # the same of the columns divided by their spreads


def as_given(X: FloatArray, codes: IntArray, classes: int) -> Frame:
    """The columns themselves, for models that draw them towards a ball."""
    middle = X.mean(axis=0)
    return Frame(X - middle, -middle, _offset(X, _spreads(X, codes, classes)), np.ones(X.shape[1]))


def levelled(X: FloatArray, codes: IntArray, classes: int) -> Frame | None:
    """Columns divided by their spread within classes."""
    middle, spreads = X.mean(axis=0), _spreads(X, codes, classes)
    if not (spreads > 0).all():
        return None
    return Frame((X - middle) / spreads, -middle / spreads, _offset(X, spreads), spreads)


def whitened(X: FloatArray, codes: IntArray, classes: int, tolerance: float) -> Frame | None:
    """Axes along which the rows of a class have variance one and no correlation.

    None where scikit-learn's rank hangs on rounding, or where rows leave the span of the classes.
    """
    middle, spreads = X.mean(axis=0), _spreads(X, codes, classes)
    if not _is_exact(X[:, spreads == 0]):
        return None
    units = np.where(spreads > 0, spreads, 1.0)
    about = (X - class_means(X, codes, classes)[codes]) / units
    _, widths, axes = np.linalg.svd(about / np.sqrt(len(X)), full_matrices=False)
    is_kept = widths > GONE * widths[0]
    if not is_kept.any() or (widths[is_kept] <= 2 * tolerance).any() or (widths[~is_kept] >= tolerance / 2).any():
        return None
    centred, axes, widths = (X - middle) / units, axes[is_kept], widths[is_kept]
    turned = centred @ axes.T
    if not is_kept.all() and np.abs(centred - turned @ axes).max() > 1e-11 * np.abs(centred).max():
        return None
    raw = np.linalg.eigvalsh((about * units).T @ (about * units))
    return Frame(
        turned / widths,
        (-middle / units) @ axes.T / widths,
        _offset(X, spreads),
        np.ones(widths.size),
        narrow=max(float(raw[0] / raw[-1]), 1e-300),
        least=float(widths[-1] ** 2),
    )


def axes_of(inner: FloatArray) -> tuple[FloatArray, FloatArray, AnyArray]:
    """Axes and variances along them of many covariances, and which of these are numbers at all."""
    is_finite: AnyArray = np.asarray(np.isfinite(inner).all(axis=(-1, -2)))
    widths, axes = np.linalg.eigh(np.where(is_finite[..., None, None], inner, np.eye(inner.shape[-1])))
    return axes, widths, is_finite


def _spreads(X: FloatArray, codes: IntArray, classes: int) -> FloatArray:
    """Standard deviations within classes; exactly zero for columns that no class varies in."""
    about = X - class_means(X, codes, classes)[codes]
    is_flat = np.logical_and.reduce([np.ptp(X[codes == code], axis=0) == 0 for code in range(classes)])
    return np.where(is_flat, 0.0, np.sqrt((about**2).mean(axis=0)))


def _offset(X: FloatArray, spreads: FloatArray) -> float:
    is_wide = spreads > 0
    return float((np.abs(X[:, is_wide]).max(axis=0) / spreads[is_wide]).max(initial=1.0))


def _is_exact(X: FloatArray) -> bool:
    """Do means of equal numbers come out as that number?"""
    return bool((np.rint(X) == X).all()) and bool(np.abs(X).max(initial=0.0) < 2**30)
