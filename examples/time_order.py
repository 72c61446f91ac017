"""Forecasts: every model learns from the past alone, twelve rows ahead, and must beat the seasonal naive forecast."""

import numpy as np
import pandas as pd

import foldwise as fw

rng = np.random.default_rng(0)
month = pd.date_range("2010-01-01", periods=180, freq="MS")
sales = 100 + 0.2 * np.arange(180) + 10 * np.sin(np.arange(180) * 2 * np.pi / 12) + rng.normal(0, 3, 180)
frame = pd.DataFrame({"month": month, "sales": sales})
frame["last year"] = frame["sales"].shift(12)
frame["two years ago"] = frame["sales"].shift(24)
frame = frame.dropna()

learners = {"ridge": "ridge:small", "same month last year": fw.learner("seasonal-naive", period=12)}
result = fw.compare(learners, frame, "sales", time="month", outer=fw.TimeOrdered(6, horizon=12), jobs=1)
print(result)
