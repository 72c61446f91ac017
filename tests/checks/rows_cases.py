"""Cases of FW1xx."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from looking import quick

ROWS = 120


def table(rows: int = ROWS, columns: int = 4, seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """A regression with noise: nothing to be found."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    return X, X @ np.arange(1.0, columns + 1) + 3 * rng.normal(size=rows)


def codes(X: Any, y: Any, **options: Any) -> list[str]:
    return quick(["linear" if np.asarray(y).dtype.kind == "f" else "logistic"], X, y, outer=5, **options).codes


def with_copies(noise: float, **options: Any) -> list[str]:
    X, y = table()
    more = X[:30] + noise * np.random.default_rng(0).normal(size=(30, 4))
    return codes(np.vstack([X, more]), np.r_[y, y[:30]], **options)


def coarse() -> list[str]:
    """Equal rows that chance makes: three dice."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (300, 3)).astype(float)
    return codes(X, np.where(X.sum(axis=1) + rng.normal(size=300) > 3, "a", "b"))


def with_column(**more: Any) -> list[str]:
    X, y = table()
    return codes(pd.DataFrame(X).rename(columns="x{}".format).assign(**more), y)


def groups(*, is_shared: bool) -> list[str]:
    """Forty owners of three rows each, in any order; is their age the same in all three?"""
    X, y = table()
    rng = np.random.default_rng(2)
    owner = rng.permutation(np.repeat(np.arange(40), 3))
    age = rng.integers(20, 60, 40)[owner] if is_shared else rng.integers(20, 60, ROWS)
    return codes(pd.DataFrame(X).rename(columns="x{}".format).assign(number=owner, age=age), y)


def walk(*, is_mixed: bool) -> list[str]:
    """Rows that follow one another: both the target and a feature wander."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(300, 2)).cumsum(axis=0), rng.normal(size=300).cumsum()
    rows = rng.permutation(300) if is_mixed else np.arange(300)
    return codes(X[rows], y[rows])


def conflicting(share: float) -> list[str]:
    X, _ = table(200)
    classes = np.where(X[:, 0] > 0, "a", "b")
    other = np.where(np.random.default_rng(4).random(200) < share, "b", classes)
    return codes(np.vstack([X, X]), np.r_[classes, other])


def one_column_changed(*, is_copy: bool) -> list[str]:
    X, y = table()
    more = X[:30].copy() if is_copy else np.random.default_rng(0).normal(size=(30, 4))
    more[np.arange(30), np.arange(30) % 4] = 9.0 + np.arange(30)
    return codes(np.vstack([X, more]), np.r_[y, y[:30]])


def several_copies(noise: float) -> list[str]:
    X, y = table()
    rows = np.random.default_rng(0).permutation(np.repeat(np.arange(ROWS), 4))
    return codes(X[rows] + noise * np.random.default_rng(1).normal(size=(4 * ROWS, 4)), y[rows])


FIRES = {
    "FW101": lambda: with_copies(0.0),
    "FW102": lambda: with_copies(0.01),
    "FW103": lambda: with_column(code=[f"c{row * 37 % 1000}" for row in range(ROWS)]),
    "FW104": lambda: groups(is_shared=True),
    "FW105": lambda: with_column(day=pd.date_range("2024-01-01", periods=ROWS)),
    "FW106": lambda: walk(is_mixed=False),
    "FW107": lambda: conflicting(0.3),
}
SILENT = {
    "FW101": coarse,
    "FW102": lambda: with_copies(0.5),
    "FW103": lambda: with_column(code=[f"c{row % 7}" for row in range(ROWS)]),
    "FW104": lambda: groups(is_shared=False),
    "FW105": lambda: with_column(born=pd.date_range("1950-01-01", periods=ROWS)[::-1]),
    "FW106": lambda: walk(is_mixed=True),
    "FW107": lambda: conflicting(0.0),
}
