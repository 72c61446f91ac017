"""In which order methods are begun: cheap ones first, so that there are answers early. No number depends on it.

Within a time limit, linear learners and boosting come before the others: the one is cheap, the other is the best most
often on large tables, and must not wait for what is neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from foldwise.learners.learner import Learner
from foldwise.plans.runnable import RunnableStudy

# Rough seconds of a fit on a thousand rows, by the module of the estimator; solvers share many of them.
SECONDS = {
    "dummy": 1e-5,
    "naive_bayes": 1e-4,
    "bayes": 1e-4,
    "discriminant_analysis": 2e-4,
    "linear_model": 2e-4,
    "cross_decomposition": 5e-4,
    "neighbors": 5e-4,
    "nearest": 5e-4,
    "tree": 1e-3,
    "kernel_ridge": 2e-3,
    "svm": 2e-2,
    "gaussian_process": 0.2,
    "ensemble": 0.5,
    "hist_gradient_boosting": 2e-2,
    "xgboost": 0.2,
    "xgboosted": 0.2,
    "lightgbm": 0.1,
    "catboost": 1.0,
    "catboosted": 1.0,
    "neural_network": 1.0,
    "neural_net": 1.0,
}
UNKNOWN = 1e-2
ROWS = 1_000
# Kinds that compare rows with rows: beyond a thousand of them, each fit takes as many times longer as there are more.
BY_PAIRS = ("neighbors", "nearest", "kernel_ridge", "svm", "gaussian_process")
# Kinds that come first within a time limit, in this order.
FIRST = (
    ("dummy", "naive_bayes", "bayes", "linear_model"),
    ("hist_gradient_boosting", "lightgbm", "xgboost", "xgboosted", "catboost", "catboosted"),
)


def turns(runnable: RunnableStudy) -> list[int]:
    """The places of all methods within a time limit, each twice: for its risk, and then for its final tuning.

    Every method has its risk before any has its final tuning: linear learners and boosting first, then the others.
    """
    methods, learners = runnable.study.methods, runnable.learners
    late = len(FIRST) + 1
    group = [
        late if method.defaults_of or one.members else _group(one)
        for method, one in zip(methods, learners, strict=True)
    ]
    order = sorted(cheap_first(runnable), key=lambda at: group[at])
    return [*order, *order]


def cheap_first(runnable: RunnableStudy) -> list[int]:
    """The places of all methods, those that are expected to be done soonest first.

    Combined ones come after their members, and default parameters of tuned learners last.

    >>> from foldwise.api.request import make_comparison
    >>> X, y = [[float(row)] for row in range(30)], list(range(30))
    >>> study = make_comparison(["forest", "ridge"], X, y, outer=3, inner=2)
    >>> names = [study.learners[at].name for at in cheap_first(study)]
    >>> [name for name in names if "(" not in name]
    ['baseline', 'ridge', 'forest']
    """
    learners, methods, rows = runnable.learners, runnable.study.methods, runnable.study.rows
    counts = [len(method.candidates) or method.tuner.limits.budget or 1 for method in methods]
    cost = [rough_seconds(learner, rows) * count for learner, count in zip(learners, counts, strict=True)]
    is_late = [(bool(method.defaults_of), bool(one.members)) for method, one in zip(methods, learners, strict=True)]
    return sorted(range(len(learners)), key=lambda at: (is_late[at], cost[at], at))


def rough_seconds(learner: Learner, rows: int = ROWS) -> float:
    """The seconds of one fit, those of a thousand rows but for what the kind of the learner makes of more.

    Of several learners, those of the dearest.
    """
    from foldwise.learners.sample import sampled_rows

    if learner.members:
        return max(rough_seconds(member, rows) for member in learner.members)
    kind = _kind_of(learner)
    rows = min(rows, sampled_rows(learner.estimator) or rows)
    return SECONDS.get(kind, UNKNOWN) * (max(rows / ROWS, 1.0) if kind in BY_PAIRS else 1.0)


def _group(learner: Learner) -> int:
    """How early a learner begins within a time limit: its place in `FIRST`, or after all of them."""
    kind = _kind_of(learner)
    return next((place for place, kinds in enumerate(FIRST) if kind in kinds), len(FIRST))


def _kind_of(learner: Learner) -> str:
    return next(filter(None, map(_kind, _parts(learner.estimator))), "")


def _kind(estimator: Any) -> str:
    parts = [part.lstrip("_") for part in type(estimator).__module__.split(".")]
    return next((part for part in reversed(parts) if part in SECONDS), "")


def _parts(estimator: Any) -> Iterator[Any]:
    """The estimator, and what is behind preprocessing, a scaled target or the like."""
    while estimator is not None and hasattr(estimator, "get_params"):
        yield estimator
        steps = getattr(estimator, "steps", None)
        inside = getattr(estimator, "regressor", None) or getattr(estimator, "estimator", None)
        estimator = steps[-1][1] if isinstance(steps, list) and steps else inside
