"""Which solver answers a method."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from foldwise.data.dataset import Dataset
from foldwise.errors import BadStudy
from foldwise.learners.early_stopping import stops_early
from foldwise.plugins import load_plugin
from foldwise.solvers.family import FamilySolver
from foldwise.solvers.scaling import scaled
from foldwise.solvers.solver import Answered, FitRequest, Solver, SolverOption

PIECE = 16 * 2**20  # bytes of answers, after which they are handed on
TIGHT = 1e-8  # a user's own iterative estimator with this tolerance is solved to the optimum
MEMBERS = ("name", "batch", "is_exact", "takes", "shares", "pays", "solve")
# The first that takes a method answers it: families before the generic ones. Each module lists its SOLVERS.
FAMILIES = (
    "featureless",
    "nearest",
    "ridge",
    "ridge_kernel",
    "lasso",
    "logistic",
    "trees",
    "forests",
    "boosting",
    "svm",
    "bayes",
    "principal_components",
    "nearest_families",
    "shared_steps",
)


def find(
    estimators: Sequence[Any], data: Dataset, *, solvers: SolverOption = "auto", is_builtin: bool
) -> Solver | None:
    """The first solver that answers all of a method's candidates; None: the plain loop does."""
    if solvers is False or not estimators or any(map(stops_early, estimators)):
        return None
    for solver in solvers if isinstance(solvers, tuple) else ():
        if all(solver.takes(estimator, data) for estimator in estimators):
            return solver
    may_iterate = is_builtin or solvers == "all" or all(map(_is_tight, estimators))
    for solver in all_solvers():
        if (solver.is_exact or may_iterate) and all(solver.takes(estimator, data) for estimator in estimators):
            return solver
    return None


def count_fits(estimators: Sequence[Any], data: Dataset) -> int:
    """How many fits of one training set answer all candidates of a built-in learner."""
    solver = find(estimators, data, is_builtin=True)
    if solver is None:
        return len(estimators)
    return solver.fits_for(estimators) if isinstance(solver, FamilySolver) else len(set(map(solver.shares, estimators)))


def checked_solvers(given: Any) -> SolverOption:
    """The option `solvers` of a study: a word, False, or solvers of one's own (or names that packages bring).

    >>> checked_solvers("al")
    Traceback (most recent call last):
    foldwise.errors.BadStudy: solvers must be 'auto', 'all', False or a list of solvers, not 'al'.
    """
    if given is False or (isinstance(given, str) and given in ("auto", "all")):
        return given  # type: ignore[return-value]
    if not isinstance(given, list | tuple):
        raise BadStudy(f"solvers must be 'auto', 'all', False or a list of solvers, not {given!r}")
    return tuple(map(_checked, given))


def answered_pieces(solver: Solver, requests: Sequence[FitRequest], data: Dataset) -> Iterator[list[Answered]]:
    """Its answers, some after the others; what is left out at the end is left to the plain loop.

    Those that belong to one training set come at once: the rest of them, if the run were stopped in between, would be
    answered beside other candidates. Of a solver of one's own, answers must have the form of the plain loop's.
    """
    is_ours = solver in all_solvers()
    piece: list[Answered] = []
    size = 0
    for answered in map(Answered._make, solver.solve(requests, data)):
        if is_ours or _is_formed(answered, requests, data):
            piece.append(answered)
            size += sum(values.nbytes for values in answered.responses.values())
        if size > PIECE and solver.batch == "method":
            yield piece
            piece, size = [], 0
    if piece:
        yield piece


def is_seeded(solver: Solver | None) -> bool:
    """Must its estimators have their seeds set? Solvers of our own in closed form draw no numbers."""
    return isinstance(solver, FamilySolver) or (solver is not None and solver not in all_solvers())


@cache
def all_solvers() -> tuple[Solver, ...]:
    """Every solver there is, in the order they are asked."""
    modules = [f"{__package__}.{family}" for family in FAMILIES]
    return tuple(solver for name in modules for solver in import_module(name).SOLVERS)


def _checked(given: Any) -> Solver:
    solver = load_plugin("foldwise.solvers", given) if isinstance(given, str) else given
    missing = [name for name in MEMBERS if not hasattr(solver, name)]
    if isinstance(solver, type) or missing:
        reason = "it is a class" if isinstance(solver, type) else f"it has no {missing[0]!r}"
        raise BadStudy(f"{given!r} is no solver: {reason}", f"Give an object with {', '.join(MEMBERS)}")
    return solver  # type: ignore[no-any-return]


def _is_formed(answered: Answered, requests: Sequence[FitRequest], data: Dataset) -> bool:
    """Has the answer of a solver of one's own the form of the plain loop's?"""
    number, places, responses = answered
    request = requests[number]
    if not isinstance(responses, dict) or set(responses) != set(request.responses):
        return False
    if not places or len(set(places)) != len(places) or not set(places) <= set(range(len(request.estimators))):
        return False
    for name, values in responses.items():
        shape = len(places), request.rows.size
        if not isinstance(values, np.ndarray) or values.shape[:2] != shape or values.dtype.kind not in "if":
            return False
        is_code = name == "predict" and data.task != "regression"
        if not np.isfinite(values).all() or (is_code and not np.isin(values, np.arange(len(data.classes))).all()):
            return False
    return True


def _is_tight(estimator: Any) -> bool:
    """Does the user ask for the optimum itself?"""
    known = scaled(estimator)
    tolerance = getattr(known[1], "tol", None) if known else None
    return isinstance(tolerance, int | float) and tolerance <= TIGHT
