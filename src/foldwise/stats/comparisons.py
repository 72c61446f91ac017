"""Differences of risks on the same splits; plain functions for users with losses of their own."""

from __future__ import annotations

from foldwise.stats.forecasts import diebold_mariano
from foldwise.stats.many import Family, compare_all, friedman, holm, nemenyi
from foldwise.stats.several import Across, PairAcross, across
from foldwise.stats.two import Belief, correlated_bayes, delong, mcnemar, paired

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
