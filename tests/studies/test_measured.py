"""Curves kept in a store: shown by the report of its study, replaced by their like, and never trusted."""

from __future__ import annotations

import pytest
from sklearn.datasets import load_diabetes

import foldwise as fw
from foldwise.records.encoding import pack
from foldwise.records.memory import MemoryStore
from foldwise.studies.measured import CURVES, MOST_CURVES, keep_curve, read_curves

POINT = {"value": 10, "train": 1.0, "test": 2.0, "gap": 1.0, "side": None}
CURVE = {"learner": "ridge", "parameter": "train_rows", "loss": "squared", "loss_label": "", "best": None}
CURVE |= {"points": [POINT], "fits": 3, "fits_made": 3}


def test_a_curve_made_with_the_store_of_a_study_is_in_its_report(tmp_path):
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:80], y[:80]
    result = fw.compare(["linear"], X, y, outer=3, store=tmp_path / "run", jobs=1)
    assert "Learning curves" not in result.report()
    fw.learning_curve("linear", X, y, outer=3, sizes=[0.5, 1.0], store=tmp_path / "run", jobs=1)
    page = fw.load(tmp_path / "run").report()
    assert "<figcaption>linear over training rows</figcaption>" in page
    assert fw.load(tmp_path / "run").study.outer.folds == 3  # the study of the store stayed what it was


def test_a_later_curve_replaces_its_like_and_the_oldest_make_room():
    store = MemoryStore()
    for loss in ("squared", "absolute", "squared"):
        keep_curve(store, {**CURVE, "loss": loss, "fits": len(loss)})
    assert [one["loss"] for one in read_curves(store)] == ["absolute", "squared"]
    assert "fits_made" not in read_curves(store)[0]
    for at in range(MOST_CURVES):
        keep_curve(store, {**CURVE, "learner": f"learner {at}"})
    assert [one["learner"] for one in read_curves(store)] == [f"learner {at}" for at in range(MOST_CURVES)]


@pytest.mark.parametrize("change", [{"points": [1]}, {"points": [{**POINT, "test": "x"}]}, {"loss": 1}, {"more": 1}])
def test_what_is_no_curve_is_left_out(change):
    store = MemoryStore()
    store.write_document(CURVES.name, pack({"value": [{**CURVE, **change}]}, {}))
    assert read_curves(store) == []
