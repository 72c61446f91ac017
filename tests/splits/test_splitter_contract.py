"""Every splitter keeps the contract that is shipped in testing/splitters.py."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import ShuffleSplit

import foldwise as fw
from foldwise.data.dataset import make_dataset
from foldwise.testing.splitters import SplitterContract

SPLITTERS = {
    "folds": 5,
    "share": 0.3,
    "loo": "loo",
    "ceiling": fw.KFold(4, folds="ceiling", stratify=False),
    "repeated": fw.Repeated(fw.KFold(4), 2),
    "monte carlo": fw.MonteCarlo(4, share=0.25),
    "bootstrap": fw.Bootstrap(4),
    "time": fw.TimeOrdered(3, gap=1),
    "sliding": fw.TimeOrdered(3, window=12),
    "labels": np.arange(60) % 4,
    "pairs": [(np.arange(40), np.arange(45, 60)), (np.arange(20, 60), np.arange(20))],
    "scikit-learn": ShuffleSplit(3, test_size=0.2),
}


class TestSplitters(SplitterContract):
    @pytest.fixture(params=SPLITTERS.values(), ids=SPLITTERS)
    def splitter(self, request):
        return request.param

    @pytest.fixture
    def data(self):
        rng = np.random.default_rng(0)
        return make_dataset(rng.normal(size=(60, 2)), np.tile(["a", "b", "c"], 20))


class TestGroupedSplitters(SplitterContract):
    @pytest.fixture(params=[5, 0.3, "logo", fw.Repeated(fw.KFold(3), 2), fw.MonteCarlo(3, share=0.3)], ids=str)
    def splitter(self, request):
        return request.param

    @pytest.fixture
    def data(self):
        rng = np.random.default_rng(0)
        return make_dataset(rng.normal(size=(60, 2)), rng.normal(size=60), groups=rng.integers(0, 12, 60))


class Leaky:
    """Tests on rows it was trained on."""

    def split(self, X, y=None, groups=None):
        yield np.arange(len(X)), np.arange(5)

    def get_n_splits(self, X=None, y=None, groups=None):
        return 1


class Restless:
    def split(self, X, y=None, groups=None):
        order = np.random.default_rng().permutation(len(X))
        yield np.sort(order[10:]), np.sort(order[:10])


class Native:
    """A splitter in our own words needs no list to stand in."""

    def make(self, part, repeats=1):
        half = len(part.rows) // 2
        return fw.Pairs([(np.arange(half), np.arange(half, len(part.rows)))]).make(part, repeats)


@pytest.mark.parametrize(
    ("splitter", "sentence"),
    [(Leaky(), "breaks the contract"), (Restless(), "the same seed gives the same splits")],
    ids=["leaky", "restless"],
)
def test_a_splitter_that_breaks_a_sentence_is_told_which(splitter, sentence):
    with pytest.raises(AssertionError, match=sentence):
        fw.testing.check_splitter(splitter)


def test_a_splitter_with_make_is_taken_as_it_is():
    X = np.random.default_rng(0).normal(size=(40, 2))
    assert len(fw.compare(["ridge"], X, X.sum(axis=1), outer=Native(), inner=0.3, jobs=1).splits()) > 0
