"""Which solver answers a fit, and which fits it answers together: the same in every executor."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

from foldwise.executors.workload import Workload
from foldwise.learners.model import Fitting, make_fitting
from foldwise.plans.fit import Batch, Fit, FitBlock, FitPart, Fits, FitsTogether, SharedBatch, fits_together, parts_of
from foldwise.solvers.family import FamilySolver
from foldwise.solvers.finding import find, is_seeded
from foldwise.solvers.solver import FitRequest, Solver


class _Share(NamedTuple):
    """The candidates of a block that a solver answers together."""

    group: Hashable
    is_by_train: bool
    places: list[int]
    candidates: tuple[int, ...]
    is_whole: bool


class SolverChoice:
    """Fittings and solvers of a workload, each found when it is first asked for."""

    def __init__(self, work: Workload) -> None:
        self.work = work
        self._fittings: dict[tuple[int, int], Fitting] = {}
        self._solvers: dict[int, Solver | None] = {}
        self._groups: dict[tuple[int, int], tuple[Hashable, bool]] = {}  # and is each training set one of its own?
        self._taken: dict[tuple[int, int], bool] = {}
        self._estimators: dict[tuple[int, int], Any] = {}
        self._of_block: dict[tuple[int, tuple[int, ...]], tuple[Any, ...]] = {}
        self._equal: dict[tuple[int, ...], tuple[Any, ...]] = {}
        self._shared: dict[tuple[int, tuple[int, ...]], list[_Share] | None] = {}

    def fitting(self, fit: Fit) -> Fitting:
        at = (fit.method, fit.candidate)
        if at not in self._fittings:
            self._fittings[at] = make_fitting(self._estimator(fit), threads=self.work.threads)
        return self._fittings[at]

    def solver(self, fit: Fit) -> Solver | None:
        """The solver of a method; a blend has another table."""
        if fit.members is not None:
            return None
        if fit.method not in self._solvers:
            self._solvers[fit.method] = self._find(fit)
        return self._solvers[fit.method]

    def requests(self, parts: Iterable[FitPart | FitsTogether]) -> list[FitRequest]:
        """What is asked of a solver for these fits."""
        return [FitRequest(self._estimators_of(part), part.train, part.rows, part.responses) for part in parts]

    def _estimators_of(self, part: FitPart | FitsTogether) -> tuple[Any, ...]:
        """Equal ones are one value, which solvers look at once; setting seeds takes longer than some fits do."""
        fits = map(part.fit, range(len(part.keys))) if isinstance(part, FitBlock | FitsTogether) else (part,)
        if is_seeded(self.solver(part.first)):
            return tuple([self.fitting(fit).seeded(fit.seed) for fit in fits])
        if not isinstance(part, FitBlock):
            estimators = tuple(map(self._estimator, fits))
            return self._equal.setdefault(tuple(map(id, estimators)), estimators)
        name = (part.method, part.candidates)
        if name not in self._of_block:
            self._of_block[name] = tuple(map(self._estimator, fits))
        return self._of_block[name]

    def batches(self, fits: Sequence[Fit]) -> list[Batch]:
        """Fits that a solver answers together, as a shared batch; the others one by one."""
        groups: dict[Hashable, list[FitPart]] = {}
        for part in parts_of(fits):
            for name, share in self._shares(part):
                groups.setdefault(name, []).append(share)
        found: list[Batch] = []
        for group in groups.values():
            solver = self.solver(group[0].first)
            is_taken = solver is not None and self._is_taken(group[0].first, solver)
            if solver is not None and is_taken and solver.pays(self.requests(fits_together(group)), self.work.data):
                found.append(SharedBatch(group))
            else:
                found += [(fit,) for fit in Fits(group)]
        return found

    def _shares(self, part: FitPart) -> list[tuple[Hashable, FitPart]]:
        """The part, or a block divided into those that a solver answers together, each with the name of its group."""
        if isinstance(part, Fit):
            return [(self._group(part), part)]
        name = (part.method, part.candidates)
        if name not in self._shared:
            self._shared[name] = self._divided(part)
        shares = self._shared[name]
        if shares is None:
            return [(self._group(fit), fit) for fit in Fits([part])]
        return [
            (
                (share.group, id(part.train)) if share.is_by_train else share.group,
                part if share.is_whole else part.at(share.places, share.candidates),
            )
            for share in shares
        ]

    def _divided(self, block: FitBlock) -> list[_Share] | None:
        """Places of a block by what a solver shares; None where no solver answers all of it."""
        places: dict[tuple[Hashable, bool], list[int]] = {}
        for at, fit in enumerate(Fits([block])):
            self._group(fit)
            if (fit.method, fit.candidate) not in self._groups:
                return None
            places.setdefault(self._groups[fit.method, fit.candidate], []).append(at)
        return [
            _Share(group, is_by_train, own, tuple([block.candidates[at] for at in own]), len(places) == 1)
            for (group, is_by_train), own in places.items()
        ]

    def _group(self, fit: Fit) -> Hashable:
        at = (fit.method, fit.candidate)
        if fit.members is not None or at not in self._groups:
            solver = self.solver(fit)
            if solver is None or not self._is_taken(fit, solver):
                return fit.key
            learner = self.work.learners[fit.method]
            # a tuned learner and the same at its defaults, where that moves no bit: after a kill they may come apart
            is_alike = isinstance(solver, FamilySolver) and solver.is_same_alone
            tuned = learner.defaults_of if is_alike and learner.defaults_of else learner.name
            name = (tuned, solver.name, solver.shares(self._estimator(fit)))
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
        is_builtin = work.learners[fit.method].is_builtin
        return find(work.examples(fit), work.data, solvers=work.solvers, is_builtin=is_builtin)
