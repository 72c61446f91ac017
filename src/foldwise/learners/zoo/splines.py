"""Additive models: a smooth curve for every column, and a linear learner on top."""

from __future__ import annotations

from typing import Any

from foldwise.learners.zoo.entry import Entry, Facts, Size, Written, pick
from foldwise.spaces.parameter import log_range

MOST = 300  # columns of splines


def _make_gam(facts: Facts) -> Any:
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.pipeline import Pipeline

    from foldwise.learners.preprocessing.curves import Curves

    linear = LogisticRegression(solver="newton-cg", tol=1e-8, max_iter=1000) if facts.is_classification else Ridge()
    return Pipeline([("curves", Curves()), ("linear", linear)])


def _gam_space(facts: Facts, size: Size) -> Written:
    knots = [knots for knots in pick(size, [6], [4, 6, 10], [3, 4, 6, 8, 12, 16]) if knots * facts.columns <= MOST]
    knots = knots or [3]  # a table of many columns is wide enough
    points = pick(size, 6, 11, 26)
    if facts.is_classification:
        return {"n_knots": knots, "C": log_range(1e-3, 1e2, pick(size, 4, 6, 16))}
    return {"n_knots": knots, "alpha": log_range(1e-3, 1e4, points)}


ENTRIES = (
    Entry(
        "gam",
        "an additive model: cubic splines of each column, with a squared penalty",
        _make_gam,
        _gam_space,
        {"n_knots": "low", "alpha": "high", "C": "low"},
        solver="preprocessing and splines once per fold and number of knots",
        scale=True,
        takes_sparse=False,
    ),
)
