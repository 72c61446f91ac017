"""A project that uses Foldwise, as strict type checkers see it."""

import numpy as np
import pandas as pd
from sklearn.linear_model import Ridge

import foldwise as fw

X, y = np.zeros((60, 3)), np.arange(60.0)
frame = pd.DataFrame({"a": [1.0], "price": [2.0]})

result: fw.Result = fw.compare(X, y)
other: fw.Result = fw.compare(frame, "price", effort="quick", outer=13, inner="aligned", seed=7)
named: fw.Result = fw.compare({"ridge": fw.tune(Ridge(), alpha=fw.log_range(1e-3, 1e3, 10))}, X, y, loss="squared")
best: str | None = result.best
table: pd.DataFrame = result.table()
estimate: fw.Estimate = fw.risk("ridge", X, y, outer=10)
value: float = estimate.value
plan: fw.Plan = fw.plan(["ridge"], X, y)
findings: fw.Findings = fw.check(X, y)
excess: float = fw.excess_bound(1000, 50, 0.05)
curve: fw.Curve = fw.curve(Ridge(), X, y, alpha=[0.1, 1.0])
difference: fw.Comparison = result.difference("forest", "ridge")
choices: pd.DataFrame = result.choices()
answer: dict[str, object] = dict(result.to_dict())
page: str = result.report()
benchmark: fw.Benchmark = fw.benchmark({"a": (X, y), "b": "diabetes"}, ["ridge"])
again: fw.Result = fw.load("runs/wine")
interval: fw.Estimate = fw.intervals.holdout_t([0.1, 0.2], level=0.9)
shown: str = repr(fw.lab.show("folds"))
