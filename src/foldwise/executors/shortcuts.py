"""Which fits a solver answers together; the same for every executor, so that the numbers are."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from foldwise.executors.workload import Workload
from foldwise.plans.fit import Batch, Fit, Pass
from foldwise.recipes.model import Recipe, make_recipe
from foldwise.solvers.family import FamilySolver
from foldwise.solvers.finding import find
from foldwise.solvers.solver import Job, Solver


class Shortcuts:
    """Recipes and solvers of a workload, each found when it is first asked for."""

    def __init__(self, work: Workload) -> None:
        self.work = work
        self._recipes: dict[tuple[int, int], Recipe] = {}
        self._solvers: dict[int, Solver | None] = {}
        self._shared: dict[tuple[int, int], Hashable] = {}

    def recipe(self, fit: Fit) -> Recipe:
        at = (fit.method, fit.candidate)
        if at not in self._recipes:
            self._recipes[at] = make_recipe(self.work.estimator(*at))
        return self._recipes[at]

    def solver(self, method: int) -> Solver | None:
        if method not in self._solvers:
            self._solvers[method] = self._find(method)
        return self._solvers[method]

    def job(self, fit: Fit) -> Job:
        # setting seeds takes longer than some fits do; other solvers draw no numbers
        is_random = isinstance(self.solver(fit.method), FamilySolver)
        estimator = self.recipe(fit).seeded(fit.seed) if is_random else self.work.estimator(fit.method, fit.candidate)
        return Job(estimator, fit.train, fit.rows, fit.responses)

    def units(self, fits: Sequence[Fit]) -> list[Batch]:
        """Fits that a solver answers together, as a pass; the others one by one."""
        groups: dict[Hashable, list[Fit]] = {}
        for fit in fits:
            groups.setdefault(self._group(fit), []).append(fit)
        found: list[Batch] = []
        for group in groups.values():
            solver = self.solver(group[0].method)
            if solver is not None and solver.pays([self.job(fit) for fit in group], self.work.data):
                found.append(Pass(group))
            else:
                found += [(fit,) for fit in group]
        return found

    def _group(self, fit: Fit) -> Hashable:
        solver = self.solver(fit.method)
        if solver is None:
            return fit.key
        at = (fit.method, fit.candidate)
        if at not in self._shared:
            self._shared[at] = solver.shares(self.work.estimator(*at))
        return (fit.method, self._shared[at], id(fit.train) if solver.unit == "train" else None)

    def _find(self, method: int) -> Solver | None:
        work = self.work
        if work.solvers is False:
            return None
        estimators = [self.work.estimator(method, at) for at in range(len(work.candidates[method]))]
        return find(estimators, work.data, solvers=work.solvers, is_builtin=work.learners[method].is_builtin)
