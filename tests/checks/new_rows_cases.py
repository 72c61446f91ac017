"""Cases of FW6xx, and of FW405, which is found when a test set is used again."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression, Ridge

import foldwise as fw
from foldwise.records.memory import MemoryStore


def table(rows: int = 120, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.normal(size=rows), "b": rng.uniform(size=rows)})
    frame["c"] = rng.choice(["red", "green"], size=rows)
    return frame.assign(y=frame["a"] + (frame["c"] == "red") + rng.normal(size=rows) / 2)


@cache
def model():
    return fw.compare(["ridge"], table(), "y", outer=4, inner=3, jobs=1).refit()


def found(**columns) -> list[str]:
    return fw.check_new(model(), table(100, seed=1).assign(**columns)).codes


def tested(seed: int) -> list[str]:
    frame = table(120, seed)
    estimate = fw.test_risk(model(), frame.drop(columns="y"), frame["y"])
    return [one["code"] for one in estimate.details["findings"]]


def scored(*models) -> list[str]:
    frame, store = table(100, seed=1), MemoryStore()
    X, y = frame[["a", "b"]], frame["y"]
    estimates = [fw.test_risk(one.fit(X[::-1], y[::-1]), X, y, store=store) for one in models]
    return [one["code"] for one in estimates[-1].details["findings"]]


def holes() -> pd.Series:
    return table(100, seed=1)["a"].where(np.arange(100) > 2)


FIRES = {
    "FW405": lambda: scored(LinearRegression(), Ridge()),
    "FW601": lambda: fw.check_new(model(), table()[["a", "c"]]).codes,
    "FW602": lambda: found(c="blue"),
    "FW603": lambda: found(b=np.linspace(0, 2, 100)),
    "FW604": lambda: found(a=holes()),
    "FW606": lambda: tested(seed=0),
}
SILENT = {
    "FW405": lambda: scored(LinearRegression()),
    "FW601": lambda: fw.check_new(model(), table()[["c", "b", "a"]].assign(more=1)).codes,
    "FW602": lambda: found(c="red"),
    "FW603": lambda: found(),
    "FW604": lambda: found(),
    "FW606": lambda: tested(seed=1),
}
