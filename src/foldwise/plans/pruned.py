"""Where candidates may be dropped on the way: not where all scores are needed, nor where it would save nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from foldwise.data.dataset import Dataset
from foldwise.errors import BadStudy
from foldwise.learners.learner import Learner
from foldwise.losses.loss import Loss
from foldwise.solvers.family import FamilySolver
from foldwise.solvers.finding import find
from foldwise.studies.study import Method


def check_dropping(method: Method, loss: Loss, *, optimism: bool) -> None:
    """Refuse what needs the scores of all candidates."""
    if method.is_pruned and not loss.is_nonnegative and loss.bounds is None:
        raise BadStudy(
            f"the tuner 'pruned' needs a loss that is never negative, and of {loss.name!r} that is not known",
            "Use tuner='grid', or a per-row loss with bounds",
        )
    if optimism:
        raise BadStudy("optimism needs all candidates on the outer splits", "Use tuner='grid', or leave optimism out")
    if method.rule != "best":
        raise BadStudy(
            f"the rule {method.rule!r} of {method.name!r} needs the scores of all candidates", "Use tuner='grid'"
        )


def as_grid(method: Method) -> Method:
    """The method with the whole grid, and a word on why."""
    if len(method.candidates) < 2:
        return replace(method, tuner="grid")
    reason = f"{method.name}: one pass answers all candidates of a training set, so {method.tuner} would save nothing"
    return replace(method, tuner="grid", notes=(*method.notes, ("tuner", f"{reason}: the whole grid was used")))


def is_worth(
    learner: Learner, estimators: Sequence[Any], data: Dataset, solvers: Literal["auto", "all", False]
) -> bool:
    """Not where a solver answers many candidates of a training set at once: dropping some would save nothing."""
    if (learner.space is None and not learner.members) or len(estimators) < 2:
        return False
    solver = find(estimators, data, solvers=solvers, is_builtin=learner.is_builtin)
    if solver is None or solver.name == "svm":  # which shares kernels, but solves every candidate
        return True
    return isinstance(solver, FamilySolver) and solver.fits_for(estimators) == len(estimators)
