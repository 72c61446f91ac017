"""Scores of all candidates at once (studies/reading.py) have the bits of one after another."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import foldwise as fw
from foldwise.studies.reading import Reading


@pytest.mark.parametrize("loss", ["squared", "absolute", "zero_one"])
def test_scores_have_the_same_bits(loss, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(333, 2))
    y = X[:, 0] + rng.normal(size=333)
    is_class = loss == "zero_one"
    core = KNeighborsClassifier() if is_class else KNeighborsRegressor()
    words = {"outer": 3, "inner": 3, "loss": loss, "jobs": 1}
    target = (y > 0).astype(int) if is_class else y
    learner = fw.tune(core, n_neighbors=range(1, 9))
    at_once = fw.compare(learner, X, target, **words).choices()
    asked = []
    for name in ("_block_scores", "_means_at_once"):
        monkeypatch.setattr(Reading, name, lambda *words: asked.append(words))
    one_by_one = fw.compare(learner, X, target, **words).choices()
    assert asked
    np.testing.assert_array_equal(at_once["selection_score"], one_by_one["selection_score"])
