"""Candidates as JSON."""

from __future__ import annotations

import json

import numpy as np
from sklearn.linear_model import Ridge

from foldwise.studies.plain import plain_candidate


def test_numbers_and_text_stay_and_all_else_becomes_text():
    candidate = {
        "a": np.float64(0.1),
        "b": np.int64(3),
        "c": np.bool_(True),
        "d": None,
        "e": (1, np.float32(0.5)),
        "f": float("nan"),
        "g": Ridge(2.0),
        "h": [float("inf"), "x"],
    }
    found = plain_candidate(candidate)
    assert found == {
        "a": 0.1,
        "b": 3,
        "c": True,
        "d": None,
        "e": [1, 0.5],
        "f": "nan",
        "g": "Ridge(alpha=2.0)",
        "h": ["inf", "x"],
    }
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert type(found["b"]) is int
