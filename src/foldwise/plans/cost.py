"""What is known of the cost of learners before any fit was made: which come first, and what fits into a time limit.

Rough numbers from runs on one core. What a study takes is measured: by a pilot for a plan (api/planning.py), and
while it runs for batches and the time left.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from foldwise.data.dataset import Dataset
from foldwise.errors import FoldwiseError
from foldwise.solvers.finding import count_fits

if TYPE_CHECKING:  # these import scikit-learn, and a result that is read from a store does not need it
    from foldwise.learners.learner import Learner
    from foldwise.plans.effort import Effort
    from foldwise.plans.runnable import RunnableStudy

ROWS = 1_000
OVERHEAD = 0.1  # seconds of a method beside its fits
LOOP = 0.05  # seconds of the loop that tells how fast this machine is just now, where TUNING_COSTS were measured
MOST_SLOW = 4.0  # times slower: more is a moment, not the machine
AT_ONCE, BOOSTING, LATER = range(3)  # turns within a time limit


@dataclass(frozen=True)
class FitCost:
    """What a fit of one kind of estimator takes: seconds on a thousand rows; solvers share many of them."""

    seconds: float
    turn: int = LATER
    by_pairs: bool = False  # does it compare rows with rows, so that more of them take longer by more?


FIT_COSTS = {  # by the module of the estimator
    "dummy": FitCost(1e-5, AT_ONCE),
    "naive_bayes": FitCost(1e-4, AT_ONCE),
    "bayes": FitCost(1e-4, AT_ONCE),
    "discriminant_analysis": FitCost(2e-4),
    "linear_model": FitCost(2e-4, AT_ONCE),
    "cross_decomposition": FitCost(5e-4),
    "neighbors": FitCost(5e-4, by_pairs=True),
    "nearest": FitCost(5e-4, by_pairs=True),
    "tree": FitCost(1e-3),
    "kernel_ridge": FitCost(2e-3, by_pairs=True),
    "svm": FitCost(2e-2, by_pairs=True),
    "gaussian_process": FitCost(0.2, by_pairs=True),
    "ensemble": FitCost(0.5),
    "hist_gradient_boosting": FitCost(2e-2, BOOSTING),
    "xgboost": FitCost(0.2, BOOSTING),
    "xgboosted": FitCost(0.2, BOOSTING),
    "lightgbm": FitCost(0.1, BOOSTING),
    "catboost": FitCost(1.0, BOOSTING),
    "catboosted": FitCost(1.0, BOOSTING),
    "neural_network": FitCost(1.0),
    "neural_net": FitCost(1.0),
}
UNKNOWN_FIT = FitCost(1e-2)
CHEAP = FIT_COSTS["linear_model"].seconds


@dataclass(frozen=True)
class TuningCost:
    """What one tuning over a small space takes: seconds for 10,000 rows and 20 columns, and how they grow."""

    seconds: float
    power: float = 1.0  # of the rows
    fixed: float = 0.0  # seconds at any number of rows
    apart: float = 1.0  # times as long on a sample, of which candidates share nothing
    predicting: float = 0.02  # the part of the time that a sample does not shorten
    by_class: bool = False  # has every class beyond two a model of its own?


# By the name of the learner; those of classes are for two. Linear learners are cheap, and boosting predicts about as
# long as it learns: there a sample of rows to learn from saves nothing, but a shorter run does.
TUNING_COSTS = {
    "linear": TuningCost(0.05, predicting=1.0),
    "naive-bayes": TuningCost(0.1, predicting=1.0),
    "ridge": TuningCost(0.03, predicting=1.0),
    "logistic": TuningCost(0.2, predicting=1.0, by_class=True),
    "tree": TuningCost(0.3, power=1.2, apart=3.0),
    "k-nn": TuningCost(0.3, power=2.0, apart=2.5, predicting=0.0),
    "boosting": TuningCost(0.6, fixed=0.6, predicting=1.0, by_class=True),
    "forest": TuningCost(1.1, power=1.15, predicting=0.07),
    "extra-trees": TuningCost(1.5, power=1.1, predicting=0.07),
    "kernel-ridge": TuningCost(300.0, power=3.0, predicting=0.0),
}
UNKNOWN_TUNING = TuningCost(12.0, by_class=True)  # any other learner, also one of the user's own
STAGES = (200_000, 100_000, 50_000, 20_000, 10_000, 5_000, 2_000, 1_000)  # rows of a sample to learn from
SMALLER = 0.6  # of the rows: a sample of more saves nothing, as the rest is held out anyway
# Shorter runs of larger steps and the part of the time that they take: not as good as the long one, and far from none.
SHORTER: dict[str, tuple[tuple[float, dict[str, Any]], ...]] = {
    "boosting": tuple(
        (rounds[-1] / 400, {"max_iter": rounds, "learning_rate": rate, "max_leaf_nodes": 6, "min_samples_leaf": 5})
        for rounds, rate in (([25, 50, 100, 200], 0.2), ([25, 50, 100], 0.3), ([25, 50], 0.3), ([10, 25], 0.5))
    )
}


def fit_seconds(learner: Learner, rows: int = ROWS) -> float:
    """Rough seconds of one fit on so many rows; of several learners, those of the dearest."""
    from foldwise.learners.sample import sampled_rows

    if learner.members:
        return max(fit_seconds(member, rows) for member in learner.members)
    cost, learned = _fit_cost(learner), min(rows, sampled_rows(learner.estimator) or rows)
    return cost.seconds * (max(learned / ROWS, 1.0) if cost.by_pairs else 1.0)


def tuning_seconds(request: Any, data: Dataset, level: Effort, tunings: float) -> float:
    """Rough seconds on one core of so many tunings of a learner over its space at a level of effort."""
    from foldwise.learners.named import Named
    from foldwise.plans.blends import read_blend

    if read_blend(request) is not None:
        return OVERHEAD  # its members are rows of their own
    name = request.name if isinstance(request, Named) else request
    cost = TUNING_COSTS.get(name.partition(":")[0], UNKNOWN_TUNING) if isinstance(name, str) else UNKNOWN_TUNING
    classes = len(data.classes) if cost.by_class and len(data.classes) > 2 else 1
    shape: float = (data.rows / 10_000) ** cost.power * max(data.columns / 20, 0.2)
    return OVERHEAD + (cost.fixed + cost.seconds * shape) * classes * times_as_many(request, data, level) * tunings


def times_as_many(request: Any, data: Dataset, level: Effort) -> float:
    """How many times as many fits a level's space of a built-in learner takes as the small one."""
    from foldwise.learners.named import Named
    from foldwise.plans.effort import LEVELS, at_level

    if not isinstance(request, str | Named) or level is LEVELS["quick"]:
        return 1.0
    many, few = (_fits(at_level(request, size), data) for size in (level, LEVELS["quick"]))
    return max(1.0, many / few)


def _fits(request: Any, data: Dataset) -> int:
    """Fits to one training set for all candidates of a learner, those that a solver shares counted once."""
    from foldwise.plans.methods import make_learner

    try:
        learner = make_learner("", request, data)
    except FoldwiseError:  # said when the study is made
        return 1
    if learner.space is None:
        return 1
    return count_fits([learner.at(candidate) for candidate in learner.space.grid()], data)


def cheaper_forms(name: str, rows: int) -> Iterator[tuple[float, Mapping[str, Any]]]:
    """Changes that make a learner cheaper, and the part of the time that it takes then: shorter runs, else samples."""
    cost = TUNING_COSTS.get(name)
    if name in SHORTER or cost is None:
        yield from SHORTER.get(name, ())
        return
    for sample in (stage for stage in STAGES if stage < SMALLER * rows):
        part = cost.predicting + (1 - cost.predicting) * cost.apart * sample / (SMALLER * rows)
        yield part, {"max_rows": sample}


def slowness() -> float:
    """How many times slower than the machine of TUNING_COSTS this one is just now, from 1 to a few."""
    started = time.perf_counter()
    table = np.arange(40_000.0).reshape(200, 200)
    for at in range(200):
        table = np.sort(table[:, ::-1] * (1 + at % 3), axis=0)
    return min(max(1.0, (time.perf_counter() - started) / LOOP), MOST_SLOW)


def cheap_first(runnable: RunnableStudy) -> list[int]:
    """The places of all methods, those that are expected to be done soonest first, so that there are answers early.

    Combined ones come after their members, and default parameters of tuned learners last. No number depends on it.

    >>> from foldwise.api.request import make_comparison
    >>> X, y = [[float(row)] for row in range(30)], list(range(30))
    >>> study = make_comparison(["forest", "ridge"], X, y, outer=3, inner=2)
    >>> names = [study.learners[at].name for at in cheap_first(study)]
    >>> [name for name in names if "(" not in name]
    ['baseline', 'ridge', 'forest']
    """
    learners, methods, rows = runnable.learners, runnable.study.methods, runnable.study.rows
    counts = [len(method.candidates) or method.tuner.limits.budget or 1 for method in methods]
    cost = [fit_seconds(learner, rows) * count for learner, count in zip(learners, counts, strict=True)]
    is_late = [
        (bool(method.defaults_of), bool(learner.members)) for method, learner in zip(methods, learners, strict=True)
    ]
    return sorted(range(len(learners)), key=lambda at: (is_late[at], cost[at], at))


def turns(runnable: RunnableStudy) -> list[int]:
    """The places of all methods within a time limit, each twice: for its risk, and then for its final tuning.

    Linear learners and boosting come before the others: the one is cheap, the other is the best most often on large
    tables, and must not wait for what is neither.
    """
    pairs = zip(runnable.study.methods, runnable.learners, strict=True)
    turn = [
        LATER + 1 if method.defaults_of or learner.members else _fit_cost(learner).turn for method, learner in pairs
    ]
    order = sorted(cheap_first(runnable), key=lambda at: turn[at])
    return [*order, *order]


def _fit_cost(learner: Learner) -> FitCost:
    costs = (
        FIT_COSTS[part]
        for estimator in _parts(learner.estimator)
        for part in reversed([part.lstrip("_") for part in type(estimator).__module__.split(".")])
        if part in FIT_COSTS
    )
    return next(costs, UNKNOWN_FIT)


def _parts(estimator: Any) -> Iterator[Any]:
    """The estimator, and what is behind preprocessing, a scaled target or the like."""
    while estimator is not None and hasattr(estimator, "get_params"):
        yield estimator
        steps = getattr(estimator, "steps", None)
        inside = getattr(estimator, "regressor", None) or getattr(estimator, "estimator", None)
        estimator = steps[-1][1] if isinstance(steps, list) and steps else inside
