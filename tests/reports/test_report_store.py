"""A page can be made from a store alone, quickly and small, for studies of any size."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import foldwise as fw
from foldwise.answers.predicted import residuals
from foldwise.reports.html import render_html

WITHOUT = """
import sys
for name in ("sklearn", "optuna", "lightgbm", "xgboost", "catboost"):
    sys.modules[name] = None  # importing it fails
import foldwise as fw
result = fw.load(sys.argv[1])
page = result.report(sys.argv[2])
assert 'id="validation"' in page and "All was done with Foldwise" in page
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    path = tmp_path_factory.mktemp("store") / "run"
    learner = fw.tune(Ridge(), alpha=[0.1, 1.0, 10.0])
    fw.compare({"ridge": learner}, X, X[:, 0], outer=4, inner=3, jobs=1, store=path)
    return path


def test_no_package_of_a_learner_is_needed(store, tmp_path):
    words = [sys.executable, "-c", WITHOUT, str(store), str(tmp_path / "page.html")]
    done = subprocess.run(words, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_page_of_a_store_is_that_of_the_run(store):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    learner = fw.tune(Ridge(), alpha=[0.1, 1.0, 10.0])
    again = fw.compare({"ridge": learner}, X, X[:, 0], outer=4, inner=3, jobs=1, store=store)

    def comparable(result):
        answer, same = result.to_dict(), {"seconds": 0, "fits_made": 0}
        methods = [method | same for method in answer["methods"]]
        return render_html(answer | same | {"methods": methods})

    assert comparable(fw.load(store)) == comparable(again)


def large(answer):
    """12 learners x 10 folds x 100 candidates on 20,000 rows, as the page meets them."""
    rng = np.random.default_rng(0)
    method = answer["methods"][0]
    folds = [{**method["folds"][0], "fold": at, "candidate": {"alpha": float(at), "gamma": 1.0}} for at in range(10)]
    answer["methods"] = [{**method, "name": f"learner {at}", "folds": folds} for at in range(12)]
    answer["best"] = "learner 0"
    point = {"score": 1.0, "low": 0.9, "high": 1.2, "folds": 1, "is_final": False, "train": 0.8, "test": 1.1}
    curve = {"is_ordered": True, "others": True, "sides": None, "edge": None}
    points = [{"value": 1.01**at, **point} for at in range(100)]
    curves = [{**curve, "parameter": name, "points": points} for name in ("alpha", "gamma")]
    truth = rng.normal(size=20_000)
    found = truth + rng.normal(size=20_000)
    names = [method["name"] for method in answer["methods"]]
    pair = {"names": ["a", "b"], "value": 1.0, "low": 0.5, "high": 1.5, "p": 0.1, "interval": "corrected t"}
    return {
        "curves": dict.fromkeys(names, curves),
        "predictions": {name: residuals(truth, found) for name in names},
        "differences": [pair] * 66,
    }


def test_a_large_study_makes_a_small_page_soon(answer):
    begun = time.process_time()
    page = render_html(answer, details=large(answer))

    assert time.process_time() - begun < 5
    assert len(page.encode()) < 1_500_000
