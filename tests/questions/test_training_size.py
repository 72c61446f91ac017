from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge

import foldwise as fw

ROWS = 120


def study(**options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 3))
    y = X[:, 0] + rng.normal(size=ROWS)
    return fw.compare({"ridge": Ridge(), "line": LinearRegression()}, X, y, jobs=1, **options)


@pytest.fixture(scope="module")
def drawn():
    return study(outer=fw.Bootstrap(10))


@pytest.fixture(scope="module")
def growing():
    return study(outer=5, time=np.arange(float(ROWS)))


def everywhere(result):
    """All that is said of a study: terminal, explanation, differences, JSON, page."""
    texts = [str(result), result.explain()]
    return " ".join("\n".join([*texts, json.dumps(result.to_dict()), result.report()]).split())


def test_folds_of_nearly_one_size_have_one_number():
    assert study(outer=7).to_dict()["trained_on"] == "103 training rows"
