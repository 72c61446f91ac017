"""What a user may write for splits, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import ShuffleSplit

from foldwise.errors import BadSplits
from foldwise.splits.folds import KFold, LeaveOneGroupOut, LeaveOneOut, Repeated
from foldwise.splits.holdout import Holdout
from foldwise.splits.making import Foreign, Pairs, Predefined, as_splitter, make_splits

PAIRS = [(np.arange(4), np.arange(4, 8)), (np.arange(4, 8), np.arange(4))]


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        (5, KFold),
        (np.int64(5), KFold),
        (0.25, Holdout),
        ("loo", LeaveOneOut),
        ("logo", LeaveOneGroupOut),
        ([0, 1] * 4, Predefined),
        (np.array([0, 1] * 4), Predefined),
        (PAIRS, Pairs),
        (iter(PAIRS), Pairs),
        (ShuffleSplit(2), Foreign),
    ],
)
def test_every_way_to_write_splits_has_its_splitter(spec, kind):
    assert type(as_splitter(spec)) is kind


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("lo", r"unknown splits 'lo'. Did you mean 'loo'"),
        ("pairs", "'pairs' needs outer folds to be made from, so it is for inner alone"),
        (KFold, r"KFold is a class, not a splitter. Write KFold\(...\)"),
        ([PAIRS, PAIRS], "lists of index pairs, one per outer split, are for inner alone"),
        (object(), "splits cannot be made from a object"),
        (None, "splits cannot be made from a NoneType"),
    ],
)
def test_what_means_no_splits_is_refused_in_words(spec, words):
    with pytest.raises(BadSplits, match=words):
        as_splitter(spec)


def test_repeats_of_a_repeated_splitter_multiply(table):
    splits = make_splits(Repeated(Repeated(KFold(3), 2), 2), table(12), seed=0, repeats=2)
    assert len(splits) == 3 * 2 * 2 * 2
