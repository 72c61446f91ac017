"""Cases of FW2xx."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from looking import quick
from sklearn.linear_model import Ridge
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OrdinalEncoder


def numbers(rows: int = 80, columns: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """A regression with noise: nothing to be found."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(rows, columns))
    return X, X @ np.arange(1.0, columns + 1) + 2 * rng.normal(size=rows)


def found(*columns: np.ndarray, y: np.ndarray | None = None, **options: Any) -> list[str]:
    X, noisy = numbers()
    target = noisy if y is None else y
    return quick(["linear"], np.column_stack([X, *columns]), target, outer=5, **options).codes


def in_frame(learners: Any = ("linear",), **columns: Any) -> list[str]:
    X, y = numbers()
    frame = pd.DataFrame(X).rename(columns="x{}".format).assign(**columns)
    return quick(learners, frame, y, outer=5).codes


def encoded() -> Pipeline:
    """A learner of one's own that takes each text for a category."""
    return make_pipeline(OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), Ridge())


def almost_target(noise: float = 4.0, shift: float = 0.0) -> np.ndarray:
    return shift + numbers()[1] + np.random.default_rng(0).normal(size=80) * noise


def sentences(words: int) -> list[str]:
    rng = np.random.default_rng(0)
    return [" ".join(rng.choice(["sun", "rain", "wind", "snow", "fog"], words)) for _ in range(80)]


def missing_where(is_missing: np.ndarray) -> list[str]:
    rng = np.random.default_rng(0)
    classes = np.where(rng.random(80) < 0.5, "a", "b")
    column = np.where(is_missing if is_missing.ndim else classes == "a", np.nan, rng.normal(size=80))
    return quick(["logistic"], np.column_stack([numbers()[0], column]), classes, outer=5).codes


def in_time(lead: int) -> list[str]:
    """A column with the target of the row before or after, in rows with time."""
    X, y = numbers()
    return quick(["linear"], np.column_stack([X, np.roll(y, lead)]), y, time=np.arange(80.0), outer=4).codes


FIRES = {
    "FW201": lambda: found(numbers()[1]),
    "FW202": lambda: found(2 * almost_target(0.05) + 1),
    "FW203": lambda: found(almost_target(0.9)),
    "FW204": lambda: found(np.ones(80)),
    "FW205": lambda: found(np.full(80, np.nan)),
    "FW206": lambda: found(np.arange(80.0)),
    "FW207": lambda: in_frame({"own": encoded()}, remark=sentences(7)),
    "FW208": lambda: missing_where(np.array(0)),
    "FW209": lambda: in_time(-1),
    "FW210": lambda: in_frame(spent=["n/a", *(f"{at}.5" for at in range(79))]),
    "FW211": lambda: in_frame(plan=["Pro", "pro "] * 40),
}
SILENT = {
    "FW201": lambda: found(almost_target()),
    "FW202": lambda: found(almost_target()),
    "FW203": lambda: found(almost_target()),
    "FW204": lambda: found(np.arange(80.0) % 7 == 0),
    "FW205": lambda: found(np.where(np.arange(80) % 7 == 0, 1.0, np.nan)),
    "FW206": lambda: found(np.random.default_rng(0).permutation(80) * 1.5),
    "FW207": lambda: in_frame(remark=sentences(7)),  # its words are read
    "FW208": lambda: missing_where(np.arange(80) % 3 == 0),
    "FW209": lambda: in_time(1),
    "FW210": lambda: in_frame(floor=[str(at % 5) if at % 9 else "ground" for at in range(80)]),
    "FW211": lambda: in_frame(plan=["Pro", "Pro+"] * 40),
}
