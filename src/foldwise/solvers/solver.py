"""What a solver is: it answers many fits of one kind of estimator together, with the plain loop's numbers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from foldwise.arrays import AnyArray, IntArray
from foldwise.data.dataset import Dataset

Answer = dict[str, AnyArray]  # response -> values, in the form learners.model.respond gives them


@dataclass(frozen=True, eq=False)
class FitRequest:
    """One fit asked of a solver."""

    estimator: Any  # not fitted; for families that scikit-learn itself fits, with its seeds set
    train: IntArray  # sorted row numbers; a bootstrap repeats rows
    rows: IntArray  # sorted rows to answer for
    responses: tuple[str, ...]  # of "predict", "predict_proba", "decision_function"


class Solver(Protocol):
    """Answers a batch of fits together. Provisional: members may change in a minor version."""

    @property
    def name(self) -> str:
        """The family it answers for."""

    @property
    def batch(self) -> Literal["method", "train"]:
        """Fits that must be asked together: all of a method, or those of one training set."""

    @property
    def is_exact(self) -> bool:
        """Does it agree with the plain loop to 1e-10 (closed form), or to 1e-6 at tight tolerance (iterative)?"""

    def takes(self, estimator: Any, data: Dataset) -> bool:
        """Can it answer this estimator, at any candidate, on these data with the plain loop's numbers?"""

    def shares(self, estimator: Any) -> Hashable:
        """Fits whose estimators have equal values here are answered together."""

    def pays(self, fits: Sequence[FitRequest], data: Dataset) -> bool:
        """Would that be faster than the plain loop?"""

    def solve(self, fits: Sequence[FitRequest], data: Dataset) -> list[Answer | None]:
        """Answers in the order of the fits; None where the plain loop must do it."""


SolverOption = Literal["auto", "all", False] | tuple[Solver, ...]  # own solvers are asked before those of "auto"
