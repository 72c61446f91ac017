"""Differences of risks on the same splits; plain functions for people who bring their own losses."""

from __future__ import annotations

from foldwise.comparisons.many import Family, compare_all, friedman, holm, nemenyi
from foldwise.comparisons.two import Belief, correlated_bayes, delong, mcnemar, paired

__all__ = [
    "Belief",
    "Family",
    "compare_all",
    "correlated_bayes",
    "delong",
    "friedman",
    "holm",
    "mcnemar",
    "nemenyi",
    "paired",
]
