"""What of the neural net needs no torch."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldwise.errors import BadData, MissingExtra
from foldwise.learners.estimators.neural_net import NeuralNetClassifier, NeuralNetRegressor, split_off


def test_without_torch_one_sentence_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r'needs torch.* pip install "foldwise\[torch\]"'):
        NeuralNetRegressor().fit([[0.0], [1.0]], [0.0, 1.0])


@pytest.mark.parametrize("kind", [NeuralNetRegressor, NeuralNetClassifier])
def test_rows_that_all_weigh_nothing_are_refused(kind):
    with pytest.raises(BadData, match="all rows have weight zero"):
        kind().fit([[0.0], [1.0]], [0, 1], sample_weight=[0.0, 0.0])


@given(st.lists(st.integers(0, 4), min_size=1, max_size=80), st.floats(0.05, 0.9), st.integers(0, 99))
def test_the_rows_split_off_leave_every_class_in_training(labels, share, seed):
    strata = np.array(labels)
    chosen = split_off(strata, share, np.random.default_rng(seed))
    assert set(strata[~chosen]) == set(labels)
    assert chosen.sum() <= round(share * len(labels) + 0.5)


def test_every_class_gives_its_share_of_the_rows_split_off():
    strata = np.repeat([0, 1, 2], [100, 60, 40])
    chosen = split_off(strata, 0.2, np.random.default_rng(0))
    assert np.bincount(strata[chosen]).tolist() == [20, 12, 8]
    assert split_off(strata[:6], 0.2, np.random.default_rng(0)).sum() == 0  # one row alone says nothing
