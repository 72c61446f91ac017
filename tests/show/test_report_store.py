"""A page can be made from a store alone, quickly and small, for studies of any size."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import foldwise as fw
from foldwise.questions.out_of_fold import FoldAnswers
from foldwise.questions.pictures.probabilities import histogram
from foldwise.questions.pictures.quantiles import residual_quantiles
from foldwise.questions.pictures.ranking import ranking
from foldwise.questions.pictures.thresholds import thresholds
from foldwise.questions.predicted import calibration, confusion, residuals
from foldwise.show.html import render_html

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
    fw.compare({"ridge": learner}, X, X.sum(axis=1), outer=4, inner=3, jobs=1, store=path)
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
    again = fw.compare({"ridge": learner}, X, X.sum(axis=1), outer=4, inner=3, jobs=1, store=store)

    def comparable(result):
        answer, same = result.to_dict(), {"seconds": 0, "fits_made": 0}
        methods = [method | same for method in answer["methods"]]
        return render_html(answer | same | {"methods": methods})

    assert comparable(fw.load(store)) == comparable(again)


def large(answer, found):
    """12 learners x 10 folds x 100 candidates on 20,000 rows, as the page meets them; 100 columns of the three best."""
    method = answer["methods"][0]
    folds = [{**method["folds"][0], "fold": at, "candidate": {"alpha": float(at), "gamma": 1.0}} for at in range(10)]
    column = {"increase": 1.0, "low": 0.123456789, "high": 2.0, "folds": [0.123456789] * 10}
    columns = [{**column, "name": f"column {at}"} for at in range(100)]
    importance = {"loss": "squared", "shuffles": 5, "models": 10, "of": 10, "seconds": 1.0, "columns": columns}
    answer["methods"] = [{**method, "name": f"learner {at}", "folds": folds} for at in range(12)]
    for method in answer["methods"][:3]:
        method["importance"] = importance
    answer["best"] = "learner 0"
    point = {"score": 1.0, "low": 0.9, "high": 1.2, "is_final": False, "train": 0.8, "test": 1.1}
    curve = {"is_ordered": True, "others": True, "sides": None, "edge": None}
    points = [{"value": 1.01**at, "folds": int(at % 10 == 0), **point} for at in range(100)]
    curves = [{**curve, "parameter": name, "points": points} for name in ("alpha", "gamma", "depth", "share")]
    names = [method["name"] for method in answer["methods"]]
    pair = {"names": ["a", "b"], "value": 1.0, "low": 0.5, "high": 1.5, "p": 0.1, "interval": "corrected t"}
    cells = [[i, j, 1.0 + i * j] for i in range(10) for j in range(10)]
    values = [[str(at) for at in range(10)]] * 2
    heat = {"parameters": ["alpha", "gamma"], "values": values, "cells": cells, "best": [0, 0], "final": [1, 1]}
    return {
        "curves": dict.fromkeys(names, curves),
        "predictions": dict.fromkeys(names, found),
        "heat_maps": dict.fromkeys(names, [heat] * 6),
        "differences": [pair] * 66,
    }


def of_numbers(rng):
    truth = rng.normal(size=20_000)
    found = truth + rng.normal(size=20_000)
    return {**residuals(truth, found), "quantiles": residual_quantiles(truth - found)}


def of_classes(rng):
    said = rng.random(20_000)
    truth, table = (rng.random(20_000) < said).astype(int), np.column_stack([1 - said, said])
    classes = ("no", "yes")
    folds = [FoldAnswers(None, truth[at::10], None, {"predict_proba": table[at::10]}) for at in range(10)]
    return {
        "confusion": confusion(truth, (said > 0.5).astype(int), list(classes)),
        "ranking": ranking(folds, classes),
        "calibration": {"of": "class yes", "level": 0.95, "bins": calibration(said, truth == 1, level=0.95)},
        "histogram": histogram(truth, table, classes),
        "thresholds": thresholds(truth, said, classes),
    }


@pytest.mark.parametrize("kind", [of_numbers, of_classes])
def test_a_large_study_makes_a_small_page_soon(answer, kind):
    details = large(answer, kind(np.random.default_rng(0)))
    begun = time.process_time()
    page = render_html(answer, details=details)

    assert time.process_time() - begun < 5
    assert len(page.encode()) < 1_500_000
    assert page.count('class="panel"') > 12 * 8
