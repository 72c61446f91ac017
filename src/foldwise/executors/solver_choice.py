"""Which solver answers a fit, and which fits it answers together: the same in every executor."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from foldwise.executors.workload import Workload
from foldwise.learners.model import Fitting, make_fitting
from foldwise.plans.fit import Batch, Fit, SharedBatch
from foldwise.solvers.finding import find, is_seeded
from foldwise.solvers.solver import FitRequest, Solver


class SolverChoice:
    """Fittings and solvers of a workload, each found when it is first asked for."""

    def __init__(self, work: Workload) -> None:
        self.work = work
        self._fittings: dict[tuple[int, int], Fitting] = {}
        self._solvers: dict[tuple[int, str], Solver | None] = {}
        self._groups: dict[tuple[int, int], tuple[Hashable, bool]] = {}  # and is each training set one of its own?
        self._taken: dict[tuple[int, int], bool] = {}
        self._estimators: dict[tuple[int, int], Any] = {}
        self._unseeded: dict[tuple[int, int], Any] = {}

    def fitting(self, fit: Fit) -> Fitting:
        at = (fit.method, fit.candidate)
        if at not in self._fittings:
            self._fittings[at] = make_fitting(self._estimator(fit))
        return self._fittings[at]

    def solver(self, fit: Fit) -> Solver | None:
        """The solver of a method or, in the best of several, of a member; a final learner has another table."""
        if fit.members is not None:
            return None
        at = (fit.method, self.work.owner(fit).name)
        if at not in self._solvers:
            self._solvers[at] = self._find(fit)
        return self._solvers[at]

    def request(self, fit: Fit) -> FitRequest:
        estimator = self._unseeded.get((fit.method, fit.candidate))
        if estimator is None and is_seeded(self.solver(fit)):
            estimator = self.fitting(fit).seeded(fit.seed)
        elif estimator is None:  # setting seeds takes longer than some fits do, and other solvers draw no numbers
            estimator = self._unseeded[fit.method, fit.candidate] = self._estimator(fit)
        return FitRequest(estimator, fit.train, fit.rows, fit.responses)

    def batches(self, fits: Sequence[Fit]) -> list[Batch]:
        """Fits that a solver answers together, as a shared batch; the others one by one."""
        groups: dict[Hashable, list[Fit]] = {}
        for fit in fits:
            groups.setdefault(self._group(fit), []).append(fit)
        found: list[Batch] = []
        for group in groups.values():
            solver = self.solver(group[0])
            is_taken = solver is not None and self._is_taken(group[0], solver)
            if solver is not None and is_taken and solver.pays([self.request(fit) for fit in group], self.work.data):
                found.append(SharedBatch(group))
            else:
                found += [(fit,) for fit in group]
        return found

    def _group(self, fit: Fit) -> Hashable:
        at = (fit.method, fit.candidate)
        if fit.members is not None or at not in self._groups:
            solver = self.solver(fit)
            if solver is None or not self._is_taken(fit, solver):
                return fit.key
            name = (fit.method, self.work.owner(fit).name, solver.shares(self._estimator(fit)))
            self._groups[at] = name, solver.batch == "train"
        group, is_by_train = self._groups[at]
        return (group, id(fit.train)) if is_by_train else group

    def _estimator(self, fit: Fit) -> Any:
        at = (fit.method, fit.candidate)
        if at not in self._estimators:
            self._estimators[at] = self.work.estimator(fit)
        return self._estimators[at]

    def _is_taken(self, fit: Fit, solver: Solver) -> bool:
        """Can the solver answer this fit? It was found by all candidates of a method, unless they come on the way."""
        if fit.point is None:
            return True
        at = (fit.method, fit.candidate)
        if at not in self._taken:
            self._taken[at] = solver.takes(self._estimator(fit), self.work.data)
        return self._taken[at]

    def _find(self, fit: Fit) -> Solver | None:
        work = self.work
        if work.solvers is False:
            return None
        return find(work.examples(fit), work.data, solvers=work.solvers, is_builtin=work.owner(fit).is_builtin)
