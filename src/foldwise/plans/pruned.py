"""Where the pruned grid may be used: the exact choice of the whole grid, with fewer fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from foldwise.data.dataset import Dataset
from foldwise.errors import BadStudy
from foldwise.losses.loss import Loss
from foldwise.outlines.outline import MethodOutline
from foldwise.recipes.learner import Learner
from foldwise.solvers.family import FamilySolver
from foldwise.solvers.finding import find


def check_pruning(loss: Loss, methods: Sequence[MethodOutline], *, optimism: bool) -> None:
    """Refuse what needs the scores of all candidates."""
    if not loss.is_nonnegative:
        raise BadStudy(
            f"the tuner 'pruned' needs a loss that is never negative, and of {loss.name!r} that is not known",
            "Use tuner='grid', or a per-row loss with bounds",
        )
    if optimism:
        raise BadStudy("optimism needs all candidates on the outer splits", "Use tuner='grid', or leave optimism out")
    for method in methods:
        if method.rule != "best":
            raise BadStudy(
                f"the rule {method.rule!r} of {method.name!r} needs the scores of all candidates", "Use tuner='grid'"
            )


def is_worth(
    learner: Learner, estimators: Sequence[Any], data: Dataset, solvers: Literal["auto", "all", False]
) -> bool:
    """Not where a solver answers many candidates of a training set at once: dropping some would save nothing."""
    if learner.space is None or len(estimators) < 2:
        return False
    solver = find(estimators, data, solvers=solvers, is_builtin=learner.is_builtin)
    if solver is None or solver.name == "svm":  # which shares kernels, but solves every candidate
        return True
    return isinstance(solver, FamilySolver) and solver.fits_for(estimators) == len(estimators)
