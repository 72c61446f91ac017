"""A penalised logistic loss brought to its minimum by Newton's method, at penalty after penalty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from foldwise.arrays import FloatArray

DECREMENT = 1e-9  # Newton decrement at which a minimum counts as found: half of it bounds the error of a probability
CLOSE = 1e-4  # decrement below which whole steps need no proof that the objective falls: rounding would hide it
ENOUGH = 1e-7  # where rounding stops the descent, this still gives six digits
MOST_STEPS = 100
MOST_HALVINGS = 30


@dataclass(frozen=True, eq=False)
class Logistic:
    """The loss of a table: coefficients are columns x classes, with one class column only where there are two."""

    X: FloatArray
    hot: FloatArray  # rows x classes: one where the row is of the class
    weights: FloatArray
    penalised: FloatArray  # factor of half the squared coefficient, per column; 0 for a free intercept

    @property
    def is_binary(self) -> bool:
        return self.shape[1] == 1

    @property
    def shape(self) -> tuple[int, int]:
        """Columns and classes of the coefficients."""
        return self.X.shape[1], self.hot.shape[1]

    def value(self, coefficients: FloatArray, rate: float) -> tuple[float, FloatArray]:
        """The objective, and the probabilities of the classes behind it."""
        scores = self.X @ coefficients
        if self.is_binary:
            small = np.exp(-np.abs(scores))
            losses = (np.log1p(small) + np.maximum(scores, 0.0) - self.hot * scores)[:, 0]
            chances = np.where(scores >= 0, 1.0, small) / (1.0 + small)
        else:
            highest = scores.max(axis=1, keepdims=True)
            chances = np.exp(scores - highest)
            totals = chances.sum(axis=1, keepdims=True)
            chances /= totals
            losses = (np.log(totals) + highest)[:, 0] - np.einsum("ik,ik->i", scores, self.hot)
        penalty = float(self.penalised @ np.einsum("pk,pk->p", coefficients, coefficients))
        return float(self.weights @ losses) + 0.5 * rate * penalty, chances

    def gradient(self, coefficients: FloatArray, chances: FloatArray, rate: float) -> FloatArray:
        """Slopes by class and column, in one vector."""
        slopes = (chances - self.hot) * self.weights[:, None]
        gradient = self.X.T @ slopes + rate * self.penalised[:, None] * coefficients
        return gradient.T.ravel()

    def hessian(self, chances: FloatArray, rate: float) -> FloatArray:
        """The Hessian by class and column."""
        columns, classes = self.shape
        if self.is_binary:
            hessian = (self.X * (self.weights[:, None] * chances * (1.0 - chances))).T @ self.X
        else:
            roots = chances * np.sqrt(self.weights)[:, None]
            spread = (roots[:, :, None] * self.X[:, None, :]).reshape(len(self.X), -1)
            hessian = -(spread.T @ spread)
            for k in range(classes):
                block = slice(k * columns, (k + 1) * columns)
                hessian[block, block] += (self.X * (self.weights * chances[:, k])[:, None]).T @ self.X
        _diagonal(hessian)[...] += np.tile(rate * self.penalised, classes)
        self._stiffen(hessian)
        return hessian

    def _stiffen(self, hessian: FloatArray) -> None:
        """Bends what no probability feels: the same added to each class's free coefficient; and what rounding hides."""
        columns, classes = self.shape
        for column in np.flatnonzero(self.penalised == 0) if classes > 1 else ():
            free = hessian[column::columns, column::columns]
            free += free.diagonal().mean() / classes
        diagonal = _diagonal(hessian)
        diagonal += 1e-15 * diagonal.max() + 1e-300


class Rule(Protocol):
    """How far to go from where the descent stands."""

    def step(self, coefficients: FloatArray, gradient: FloatArray, hessian: FloatArray) -> FloatArray:
        """The step to the minimum of the quadratic model there, by class and column."""

    def extra(self, coefficients: FloatArray) -> float:
        """What the objective has beside the smooth loss."""

    def allowed(self, start: FloatArray, last: FloatArray) -> FloatArray:
        """A start carried on from the last minimum, brought to where minima can be."""


class Descent:
    """Minimises one loss at penalty after penalty, each from the last two minima carried on."""

    def __init__(self, loss: Logistic) -> None:
        self.loss = loss
        self.trail: list[tuple[float, FloatArray]] = []  # the last penalties and minima

    def minimum(self, penalty: float, rate: float, rule: Rule) -> FloatArray | None:
        """The coefficients at this penalty, or None where no minimum could be certified."""
        coefficients = rule.allowed(self._start(penalty), self._last)
        value, chances = self.loss.value(coefficients, rate)
        value += rule.extra(coefficients)
        for _ in range(MOST_STEPS):
            gradient, hessian = self.loss.gradient(coefficients, chances, rate), self.loss.hessian(chances, rate)
            step = rule.step(coefficients, gradient, hessian)
            decrement = float(np.sqrt(np.maximum(step @ hessian @ step, 0.0)))
            flat = step.reshape(self.loss.shape[::-1]).T
            if not decrement > DECREMENT:
                return self._found(penalty, coefficients + flat) if decrement >= 0 else None
            moved = self._go(coefficients, flat, value, rate, rule, is_close=decrement <= CLOSE)
            if moved is None:
                return self._found(penalty, coefficients) if decrement <= ENOUGH else None
            coefficients, value, chances = moved
        return None

    def _start(self, penalty: float) -> FloatArray:
        if not self.trail:
            return np.zeros(self.loss.shape)
        last, coefficients = self.trail[-1]
        if len(self.trail) == 1:
            return coefficients
        before, older = self.trail[0]
        share = np.log(penalty / last) / np.log(last / before)
        start: FloatArray = coefficients + share * (coefficients - older)
        return start

    @property
    def _last(self) -> FloatArray:
        return self.trail[-1][1] if self.trail else np.zeros(self.loss.shape)

    def _found(self, penalty: float, coefficients: FloatArray) -> FloatArray:
        if not self.trail or self.trail[-1][0] != penalty:
            self.trail = [*self.trail[-1:], (penalty, coefficients)]
        return coefficients

    def _go(
        self, start: FloatArray, step: FloatArray, value: float, rate: float, rule: Rule, *, is_close: bool
    ) -> tuple[FloatArray, float, FloatArray] | None:
        """Goes by the step, halved until the objective falls; None where nothing helps."""
        for halvings in range(MOST_HALVINGS):
            coefficients = start + 0.5**halvings * step
            reached, chances = self.loss.value(coefficients, rate)
            reached += rule.extra(coefficients)
            if reached < value or (is_close and np.isfinite(reached)):
                return coefficients, reached, chances
        return None


class Smooth:
    """Newton's rule for a loss with squared penalties alone."""

    def step(self, coefficients: FloatArray, gradient: FloatArray, hessian: FloatArray) -> FloatArray:
        return np.linalg.solve(hessian, -gradient).astype(np.float64, copy=False)

    def extra(self, coefficients: FloatArray) -> float:
        return 0.0

    def allowed(self, start: FloatArray, last: FloatArray) -> FloatArray:
        return start


def _diagonal(square: FloatArray) -> FloatArray:
    """The diagonal, to be written to."""
    return square.reshape(-1)[:: len(square) + 1]


def sharpest_first(rates: FloatArray) -> list[int]:
    """Places in the order of falling penalties: each minimum is then near the next."""
    return [int(place) for place in np.argsort(-rates, kind="stable")]
