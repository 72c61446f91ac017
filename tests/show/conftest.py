"""One answer in the form of `result.to_dict()`, made by hand."""

from __future__ import annotations

import pytest


def fold(fold, loss, candidate, score, repeat=0):
    return {"repeat": repeat, "fold": fold, "loss": loss, "candidate": candidate, "selection_score": score}


@pytest.fixture
def answer():
    ridge = {
        "name": "ridge", "status": "ok", "risk": 3001.2, "low": 2750.1, "high": 3252.4, "level": 0.95,
        "interval": "corrected t", "target": "the tuned learner at 408 training rows", "selection_score": 2990.5,
        "selection_train_rows": 306, "optimism": None, "train_risk": 2860.0, "gap": 141.2, "difference": 0.0,
        "difference_low": None, "difference_high": None, "agreement": 2 / 3, "candidates": 50, "failed": 0,
        "fits": 664, "fits_made": 664, "seconds": 1.25,
        "folds": [fold(0, 3100.0, {"alpha": 10.0}, 2980.0), fold(1, 2900.0, {"alpha": 31.6}, 3010.0),
                  fold(2, 3003.6, {"alpha": 10.0}, 2999.0)],
    }  # fmt: skip
    baseline = {
        **ridge, "name": "baseline", "risk": 5930.0, "low": None, "high": None, "interval": None,
        "selection_score": None, "train_risk": 5920.0, "gap": 10.0, "difference": 2928.8, "difference_low": 2100.0,
        "difference_high": 3700.0, "agreement": None, "folds": [fold(0, 5930.0, None, None)],
    }  # fmt: skip
    return {
        "best": "ridge", "loss": "squared", "task": "regression", "outer": "13 folds", "inner": "lines, 4 folds",
        "rows": 442, "train_rows": 408, "seed": 7, "level": 0.95, "fits": 678, "fits_made": 678, "seconds": 1.5,
        "methods": [ridge, baseline], "refit": {"method": "ridge", "candidate": {"alpha": 17.8}},
        "notes": [{"code": "optimism", "text": "optimism needs scores at 408 training rows"}],
        "versions": {"foldwise": "0.1.0"}, "fingerprint": "ab12",
    }  # fmt: skip
