"""Leaks and traps planted on purpose, and the same set-up without them: are they found, and only they?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from foldwise.api.check import check, check_new
from foldwise.api.compare import compare
from foldwise.arrays import FloatArray
from foldwise.checks.check import all_checks

ROWS = 160
Found = Callable[[bool, np.random.Generator], list[str]]


@dataclass(frozen=True)
class Leak:
    """A kind of leak: the codes of which one must be found, and how it is planted (True) or left out (False)."""

    name: str
    codes: tuple[str, ...]
    found: Found

    @property
    def is_known(self) -> bool:
        """Is there a check for it?"""
        return any(code in all_checks() for code in self.codes)


def table(draw: np.random.Generator, rows: int = ROWS) -> tuple[FloatArray, FloatArray]:
    """A regression with as much noise as signal."""
    X = draw.normal(size=(rows, 4))
    return X, X[:, 0] - X[:, 1] + 1.5 * draw.normal(size=rows)


def _checked(X: Any, y: Any, **options: Any) -> list[str]:
    return check(["linear"], X, y, outer=5, task="regression", **options).codes


def _frame(X: FloatArray, **more: Any) -> Any:
    import pandas as pd

    return pd.DataFrame(X).rename(columns="x{}".format).assign(**more)


def _copied_rows(is_planted: bool, draw: np.random.Generator) -> list[str]:
    X, y = table(draw)
    more, also = (X[:40], y[:40]) if is_planted else table(draw, 40)
    return _checked(np.vstack([X, more]), np.concatenate([y, also]))


def _nearly_copied_rows(is_planted: bool, draw: np.random.Generator) -> list[str]:
    X, y = table(draw)
    more, also = (X[:40] + 0.001 * draw.normal(size=(40, 4)), y[:40]) if is_planted else table(draw, 40)
    return _checked(np.vstack([X, more]), np.concatenate([y, also]))


def _identifier(is_planted: bool, draw: np.random.Generator) -> list[str]:
    X, y = table(draw)
    names = draw.permutation(10_000)[:ROWS] if is_planted else draw.integers(0, 7, ROWS)
    return _checked(_frame(X, code=[f"c{name}" for name in names]), y)


def _groups(is_planted: bool, draw: np.random.Generator) -> list[str]:
    """Owners of four rows each whose age stands in every row; is the owner a feature?"""
    X, y = table(draw)
    owner = draw.permutation(np.repeat(np.arange(ROWS // 4), 4))
    age = draw.integers(20, 60, ROWS // 4)
    return _checked(_frame(X, number=owner, age=age[owner]) if is_planted else _frame(X), y)


def _wandering(is_planted: bool, draw: np.random.Generator) -> list[str]:
    """Rows that follow one another in time, taken as if they were in any order."""
    X, y = draw.normal(size=(300, 2)).cumsum(axis=0), draw.normal(size=300).cumsum()
    rows = np.arange(300) if is_planted else draw.permutation(300)
    return _checked(X[rows], y[rows])


def _copied_target(is_planted: bool, draw: np.random.Generator) -> list[str]:
    X, y = table(draw)
    return _checked(np.column_stack([X, y if is_planted else draw.normal(size=ROWS)]), y)


def _scaled_target(is_planted: bool, draw: np.random.Generator) -> list[str]:
    """A column that is the target in other units, with a little noise."""
    X, y = table(draw)
    noise = draw.normal(size=ROWS)
    return _checked(np.column_stack([X, 2 * y + 1 + 0.01 * noise if is_planted else noise]), y)


def _telling_gaps(is_planted: bool, draw: np.random.Generator) -> list[str]:
    X, y = table(draw, 400)
    gaps = y > np.quantile(y, 0.7) if is_planted else draw.random(400) < 0.3
    return _checked(np.column_stack([X, np.where(gaps, np.nan, draw.normal(size=400))]), y)


def _exact_risk(is_planted: bool, draw: np.random.Generator) -> list[str]:
    """A target that two columns make up together, neither of them alone."""
    X, y = table(draw)
    part = draw.normal(size=ROWS)
    more = np.column_stack([X, part, y - part]) if is_planted else X
    return compare(["linear"], more, y, outer=5, jobs=1, silence="FW201").findings.codes


def _rare_class(is_planted: bool, draw: np.random.Generator) -> list[str]:
    X = draw.normal(size=(300, 3))
    rare = np.arange(300) < (9 if is_planted else 150)
    return compare(["logistic"], X, np.where(rare, "yes", "no"), outer=5, inner=3, jobs=1).findings.codes


def _new_unit(is_planted: bool, draw: np.random.Generator) -> list[str]:
    """A column that comes in other units than in training."""
    X, y = table(draw)
    model = compare(["linear"], X, y, outer=5, jobs=1).refit()
    return check_new(model, draw.normal(size=(10, 4)) * np.array([1000.0 if is_planted else 0.5, 0.5, 0.5, 0.5])).codes


LEAKS: tuple[Leak, ...] = (
    Leak("rows that occur twice", ("FW101",), _copied_rows),
    Leak("rows that almost occur twice", ("FW102",), _nearly_copied_rows),
    Leak("an identifier among the features", ("FW103",), _identifier),
    Leak("groups that are not declared", ("FW104",), _groups),
    Leak("time that is not declared", ("FW105", "FW106"), _wandering),
    Leak("the target among the features", ("FW201",), _copied_target),
    Leak("the target in other units, with noise", ("FW202", "FW203"), _scaled_target),
    Leak("missing values that tell the target", ("FW208",), _telling_gaps),
    Leak("two columns that make up the target", ("FW202", "FW506"), _exact_risk),
    Leak("a class too rare for the loss", ("FW505",), _rare_class),
    Leak("new rows in other units", ("FW603",), _new_unit),
)
