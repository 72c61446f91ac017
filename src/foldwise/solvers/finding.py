"""Which solver answers a method."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any, Literal

from foldwise.data.dataset import Dataset
from foldwise.solvers.solver import Solver
from foldwise.solvers.steps import scaled

TIGHT = 1e-8  # a user's own iterative estimator with this tolerance is solved to the optimum
# The first that takes a method answers it: families before the generic ones. Each module lists its SOLVERS.
FAMILIES = (
    "featureless",
    "nearest.neighbours",
    "ridge.ridge",
    "ridge.kernel_ridge",
    "lasso.lasso",
    "logistic.logistic",
    "trees.trees",
    "trees.forests",
    "trees.boosting",
    "svm.svm",
    "bayes",
    "principal_components",
    "shared_steps",
)


def find(
    estimators: Sequence[Any], data: Dataset, *, solvers: Literal["auto", "all", False] = "auto", is_builtin: bool
) -> Solver | None:
    """The first solver that answers all of a method's candidates; None: the plain loop does."""
    if solvers is False or not estimators:
        return None
    may_iterate = is_builtin or solvers == "all" or all(map(_is_tight, estimators))
    for solver in all_solvers():
        if (solver.is_exact or may_iterate) and all(solver.takes(estimator, data) for estimator in estimators):
            return solver
    return None


@cache
def all_solvers() -> tuple[Solver, ...]:
    """Every solver there is, in the order they are asked."""
    modules = [f"{__package__}.{family}" for family in FAMILIES]
    return tuple(solver for name in modules for solver in import_module(name).SOLVERS)


def _is_tight(estimator: Any) -> bool:
    """Does the user ask for the optimum itself?"""
    known = scaled(estimator)
    tolerance = getattr(known[1], "tol", None) if known else None
    return isinstance(tolerance, int | float) and tolerance <= TIGHT
