"""Which of several methods to take: how probable each is the best, and what it costs to be wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.comparisons.comparison import Comparison
from foldwise.comparisons.forecasts import DIEBOLD_MARIANO
from foldwise.estimates.cross_validated import CORRECTED_T
from foldwise.formulas.decision import Choices, choices

ONE_SPLIT = "one test set does not show how the learners' risks vary together; folds do (outer=13, --outer 13)"
FORECASTS = "forecasts of one period are compared pair by pair: they have no joint law here"


@dataclass(frozen=True, eq=False)
class Contest:
    """Estimated risks of some methods, and the standard error of each difference: se[method, method]."""

    risks: FloatArray
    se: FloatArray
    df: float

    def choices(self, *, margin: float | None, level: float) -> Choices:
        """Of each method, the probability to be the best and the regret of taking it."""
        return choices(self.risks, self.se, df=self.df, level=level, margin=margin)


def contest_of(risks: Sequence[float], pairs: Sequence[Comparison]) -> Contest | str:
    """The joint law that agrees with the printed interval of every pair (in the order of `combinations`).

    A reason in words where some pair has no corrected t: only that speaks of learners and has a law of its own.
    """
    se, df = np.zeros((len(risks), len(risks))), None
    first, second = np.triu_indices(len(risks), 1)
    for i, j, pair in zip(first.tolist(), second.tolist(), pairs, strict=True):
        if is_tie(pair):
            continue
        if pair.interval != CORRECTED_T.name or pair.se is None:
            return _reason(pair)
        se[i, j] = se[j, i] = pair.se
        df = pair.df
    return Contest(np.asarray(risks, np.float64), se, 1.0 if df is None else df)


def is_tie(pair: Comparison) -> bool:
    """Two names of the same learner, or two methods with the same loss in every split."""
    return pair.value == 0 and pair.p == 1 and not pair.se


def _reason(pair: Comparison) -> str:
    if pair.low is not None:
        return FORECASTS if pair.interval == DIEBOLD_MARIANO else ONE_SPLIT
    return next((text for code, text in pair.notes if code == "interval"), ONE_SPLIT)
