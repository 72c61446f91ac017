"""Tighter intervals where further fits are cheap: more repeats, a part of effort="thorough".

The rule looks at the study alone (classes of learners, rows, columns, candidates), never at a clock or at whether a
solver runs, and all methods of a table have the same repeats. docs/decide.md has what they gain.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foldwise.data.dataset import Dataset
from foldwise.learners.learner import Learner
from foldwise.plans.effort import Words, choose_scheme, find_level
from foldwise.studies.study import Note

RUNS = 10
MOST_FITS, MOST_COLUMNS = 100_000, 50
LEAST_ROWS = 100  # below, repeats covered less than they should
CHEAP = (
    "LinearRegression",
    "Ridge",
    "GaussianNB",
    "LinearDiscriminantAnalysis",
    "QuadraticDiscriminantAnalysis",
    "KNeighborsRegressor",
    "KNeighborsClassifier",
    "NearestRegressor",
    "NearestClassifier",
    "DummyRegressor",
    "DummyClassifier",
)
NOTE: Note = (
    "effort",
    f"{RUNS} repeats, as further fits of these learners are cheap: intervals are tighter; repeats=3 for the usual",
)


def is_worth_repeating(words: Words, learners: Sequence[Learner], data: Dataset) -> bool:
    """Are more repeats than usual cheap here, and are the splits left to the effort?"""
    level = find_level(words.effort)
    if level.name != "thorough" or words.outer is not None or words.repeats is not None or data.time is not None:
        return False
    scheme = choose_scheme(level, data, inner=words.inner)
    is_fit = data.rows >= LEAST_ROWS and data.columns <= MOST_COLUMNS
    if scheme.repeats == 1 or not is_fit or not all(map(_is_cheap, learners)):
        return False
    further = (RUNS - scheme.repeats) * scheme.outer
    return sum(further * (1 + _candidates(learner)) for learner in learners) <= MOST_FITS


def _candidates(learner: Learner) -> float:
    return 0.0 if learner.space is None else learner.space.size


def _is_cheap(learner: Learner) -> bool:
    is_plain = not learner.combines and learner.inner is None and learner.tuner is None and learner.budget is None
    return is_plain and type(_last_step(learner.estimator)).__name__ in CHEAP


def _last_step(estimator: Any) -> Any:
    steps = getattr(estimator, "steps", None)
    return steps[-1][1] if isinstance(steps, list) and steps else estimator
