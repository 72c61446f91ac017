"""Splits as values: made once, from the seed, before any fit."""

from __future__ import annotations

from foldwise.splits.aligned import plane
from foldwise.splits.bootstrap import Bootstrap
from foldwise.splits.folds import KFold, LeaveOneOut, Repeated
from foldwise.splits.given import Pairs, Predefined
from foldwise.splits.grouped import LeaveOneGroupOut
from foldwise.splits.holdout import Holdout, MonteCarlo, three_way
from foldwise.splits.making import make_splits
from foldwise.splits.nesting import DEFAULT_INNER, DEFAULT_OUTER, Inner, StudySplits, inner_splits, study_splits
from foldwise.splits.split import Split, Splits
from foldwise.splits.temporal import TimeOrdered

__all__ = [
    "DEFAULT_INNER",
    "DEFAULT_OUTER",
    "Bootstrap",
    "Holdout",
    "Inner",
    "KFold",
    "LeaveOneGroupOut",
    "LeaveOneOut",
    "MonteCarlo",
    "Pairs",
    "Predefined",
    "Repeated",
    "Split",
    "Splits",
    "StudySplits",
    "TimeOrdered",
    "inner_splits",
    "make_splits",
    "plane",
    "study_splits",
    "three_way",
]
