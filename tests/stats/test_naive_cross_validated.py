"""What other tools print: textbook formulas, written out here; never offered."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from foldwise.losses.loss import Loss
from foldwise.stats.chooser import INTERVALS, find
from foldwise.stats.cross_validated import FOLD_T, NAIVE_Z, NOT_OFFERED
from foldwise.stats.evidence import Evidence

LOSSES = np.random.default_rng(0).random((4, 10))
EVIDENCE = Evidence(
    fold_losses=LOSSES.mean(axis=1),
    row_losses=tuple(LOSSES),
    test_rows=tuple(np.arange(40).reshape(4, 10)),
    train_counts=(30,) * 4,
    kind="folds",
    is_partition=True,
    repeats=1,
    folds=4,
    loss=Loss("squared", np.subtract),
    rows=40,
)


def test_they_are_the_textbook_intervals():
    assert NAIVE_Z.ends(EVIDENCE, 0.9)[:2] == pytest.approx(
        stats.norm.interval(0.9, LOSSES.mean(), stats.sem(LOSSES.ravel()))
    )
    folds = LOSSES.mean(axis=1)
    assert FOLD_T.ends(EVIDENCE, 0.9)[:2] == pytest.approx(stats.t.interval(0.9, 3, folds.mean(), stats.sem(folds)))


def test_they_refuse_what_they_cannot_do():
    assert NAIVE_Z.refuse(replace(EVIDENCE, row_losses=None)) == "squared has no loss per row"
    assert FOLD_T.refuse(replace(EVIDENCE, fold_losses=np.ones(1))) == "one split has no spread"
    assert NAIVE_Z.refuse(EVIDENCE) is FOLD_T.refuse(EVIDENCE) is None


@pytest.mark.parametrize("name", NOT_OFFERED)
def test_they_are_in_no_table(name):
    assert name not in INTERVALS
    with pytest.raises(Exception, match="there is no interval"):
        find(name)
