"""Differences of risks on the same splits; plain functions for people with losses of their own."""

from __future__ import annotations

from foldwise.stats.across import Across, Family, PairAcross, across, compare_all
from foldwise.stats.auc import delong
from foldwise.stats.comparison import Belief, correlated_bayes, paired
from foldwise.stats.differences import diebold_mariano
from foldwise.stats.error_rates import mcnemar
from foldwise.stats.multiple import holm
from foldwise.stats.ranks import friedman, nemenyi

__all__ = [
    "Across",
    "Belief",
    "Family",
    "PairAcross",
    "across",
    "compare_all",
    "correlated_bayes",
    "delong",
    "diebold_mariano",
    "friedman",
    "holm",
    "mcnemar",
    "nemenyi",
    "paired",
]
