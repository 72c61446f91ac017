"""A study with everything it takes to run it: data, learners, losses, splits, seed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from foldwise.data.dataset import Dataset
from foldwise.errors import BadSpace, BadStudy, nearest
from foldwise.learners.early_stopping import may_stop_early
from foldwise.learners.identity import described_with_code, family, forget_code, identity_by
from foldwise.learners.learner import Learner
from foldwise.learners.model import responses_of, takes_groups, takes_steps
from foldwise.learners.packages import packages_of
from foldwise.learners.trial import check_neighbours
from foldwise.losses.loss import Loss
from foldwise.plans.blends import blend_method, with_blends, with_members
from foldwise.plans.defaults import with_defaults
from foldwise.plans.learner_notes import learner_notes
from foldwise.plans.resource import with_levels
from foldwise.plans.searches import Tuning, check_searches, first_points, name_proposals, narrowed, tuner_of
from foldwise.solvers.family import FamilySolver
from foldwise.solvers.finding import checked_solvers, find
from foldwise.solvers.solver import SolverOption
from foldwise.spaces.point import Point, candidate_at
from foldwise.splits.nesting import Inner, inner_splits
from foldwise.splits.part import whole_number
from foldwise.splits.split import Splits
from foldwise.stats.interval_method import IntervalMethod
from foldwise.studies.proposals import with_method
from foldwise.studies.study import UNTUNED, Candidate, Method, Note, Study, rows_name
from foldwise.tuners.budget import read_budget
from foldwise.tuners.random import Random
from foldwise.tuners.registry import make_tuner
from foldwise.tuners.rules import check_rule
from foldwise.tuners.search import whole_space
from foldwise.tuners.tuner import Tuner

POLICIES = ("fail", "baseline", "drop_candidate")


@dataclass(frozen=True, eq=False)
class StudyOptions:
    """The options of `compare` that numbers depend on, and those of smaller studies; checked when made.

    >>> StudyOptions(on_failure="fale")
    Traceback (most recent call last):
    foldwise.errors.BadStudy: there is no failure policy 'fale'. Did you mean 'fail'?
    """

    seed: int = 0
    repeats: int | None = None  # None: by effort and the shape of the table; one where that has no say
    fit_threads: int = 1
    level: float = 0.95
    interval: IntervalMethod | None = None
    optimism: bool = False
    importance: bool = False  # is the permutation importance of the picked method measured?
    defaults: bool | None = False  # are tuned learners judged at their own default parameters too? None: where cheap
    on_failure: str = "fail"
    solvers: SolverOption = "auto"
    keeps_all: bool = False  # do tuning fits keep all responses, so that a store can answer later questions?
    is_validation_curve: bool = False  # are all candidates shown and none chosen, as in a validation curve?
    has_final: bool = True  # is every learner tuned on all rows too?
    wants_training_risk: bool = False  # even where it costs more than the rest of the study

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", whole_number(self.seed, "the seed", least=0, error=BadStudy))
        object.__setattr__(self, "fit_threads", whole_number(self.fit_threads, "fit_threads", least=1, error=BadStudy))
        if self.repeats is not None:
            object.__setattr__(self, "repeats", whole_number(self.repeats, "repeats", least=1))
        if self.on_failure not in POLICIES:
            raise BadStudy(f"there is no failure policy {self.on_failure!r}", nearest(self.on_failure, POLICIES))
        if not 0 < self.level < 1:
            raise BadStudy(f"the level must lie between 0 and 1, not {self.level}", "Write level=0.95 for 95 %")
        object.__setattr__(self, "solvers", checked_solvers(self.solvers))


@dataclass(frozen=True, eq=False)
class RunnableStudy:
    """A study with its data and learners."""

    data: Dataset
    learners: tuple[Learner, ...]
    study: Study
    families: tuple[str, ...]
    estimators: tuple[Sequence[Any], ...]  # of each method at each candidate, not fitted; cloned before a fit
    solvers: SolverOption = "auto"
    identities: tuple[str, ...] = ()  # what fits depend on besides the estimator and the table
    decided: Mapping[str, Any] = field(default_factory=dict)  # what a time limit chose, as a study file has it

    def estimator(self, method: int, candidate: int, point: Point | None = None) -> Any:
        """The estimator of a method at a candidate, not fitted; in a search, at the candidate's point."""
        if point is None:
            return self.estimators[method][candidate]
        learner = self.learners[method]
        assert learner.space is not None
        return learner.at(candidate_at(learner.space, point))

    def only(self, names: Collection[str]) -> RunnableStudy:
        """The same question about some of the methods: their fits are the same."""
        places = [at for at, method in enumerate(self.study.methods) if method.name in names]

        def some(values: Sequence[Any]) -> tuple[Any, ...]:
            return tuple(values[at] for at in places)

        return replace(
            self,
            learners=some(self.learners),
            study=replace(self.study, methods=some(self.study.methods)),
            families=some(self.families),
            estimators=some(self.estimators),
            identities=some(self.identities) if self.identities else (),
        )

    def __repr__(self) -> str:
        names = ", ".join(learner.name for learner in self.learners if not learner.is_hidden)
        return f"Study({names}; {self.study.outer.scheme}, {self.data.rows} rows)"


def make_study(
    data: Dataset,
    learners: Sequence[Learner],
    *,
    losses: tuple[Loss, ...],
    outer: Splits,
    tuning: Tuning | None = None,
    options: StudyOptions | None = None,
    notes: tuple[Note, ...] = (),
) -> RunnableStudy:
    """A study; every contradiction in its options is refused here, before any fit."""
    tuning, options = tuning or Tuning(), options or StudyOptions()
    forget_code()
    learners = with_members(learners)
    sharing = sum(learner.space is not None and learner.budget is None for learner in learners)
    learners = with_defaults(learners, tuning, is_asked=options.defaults)
    maker = _MethodMaker(data, outer, tuning, options, sharing)
    learners = tuple(map(maker.narrowed, learners))
    methods, estimators = map(list, zip(*map(maker.method, learners), strict=True))
    check_searches(methods, tuning.stop, optimism=options.optimism)
    for at, (method, learner) in enumerate(zip(methods, learners, strict=True)):
        method.tuner.check(method.name, losses[0], method.rule, optimism=options.optimism)
        if not method.tuner.is_exhaustive and not _saves(learner, estimators[at], data, options.solvers):
            methods[at] = as_grid(method)
        else:
            methods[at], estimators[at] = with_levels(method, learner, estimators[at], maker.identity(learner))
    methods = list(with_blends(methods, learners, loss=losses[0], task=data.task, on_failure=options.on_failure))
    study = Study(
        fingerprint=data.fingerprint,
        task=data.task,
        classes=data.classes,
        target=data.target,
        weights=data.weights,
        losses=losses,
        outer=outer,
        methods=tuple(methods),
        seed=options.seed,
        repeats=options.repeats or 1,
        threads=options.fit_threads,
        level=options.level,
        has_optimism=options.optimism,
        wants_importance=options.importance,
        on_failure=options.on_failure,
        notes=(*data.notes, *notes),
        groups=data.groups,
        time=None if data.time is None else np.unique(data.time, return_inverse=True)[1],
        interval=options.interval,
        keeps_all=options.keeps_all,
        has_final=options.has_final,
        wants_training_risk=options.wants_training_risk,
    )
    for method, learner in zip(methods, learners, strict=True):
        if not method.tuner.is_listed:
            study = with_method(study, replace(method, proposals_name=name_proposals(study, method, learner)))
    families = tuple(family(learner.estimator) for learner in learners)
    return RunnableStudy(
        data, learners, study, families, tuple(estimators), options.solvers, tuple(map(maker.identity, learners))
    )


class _MethodMaker:
    """Methods on the same data and outer splits; inner splits are made once and shared."""

    def __init__(
        self,
        data: Dataset,
        outer: Splits,
        tuning: Tuning,
        options: StudyOptions,
        sharing: int = 1,
    ) -> None:
        self.data, self.outer, self.may_fail = data, outer, options.on_failure != "fail"
        self.tuning, self.seed, self.is_validation_curve, self.sharing = (
            tuning,
            options.seed,
            options.is_validation_curve,
            sharing,
        )
        self._inner: list[tuple[Any, Inner]] = []

    def method(self, learner: Learner) -> tuple[Method, Sequence[Any]]:
        """A method in plain values, and its estimator at each candidate."""
        if learner.members:
            return blend_method(learner, self.data.task, learner_notes(learner, self.data))
        rule = check_rule(learner.rule or self.tuning.rule)
        is_member = learner.is_hidden and not learner.defaults_of
        is_tuned = not self.is_validation_curve and (learner.space is not None or is_member)
        inner = self._splits(learner) if is_tuned else None
        # else such candidates are dropped, the baseline stands in for them, or nothing is said of the defaults
        if not self.may_fail and not learner.defaults_of:
            check_neighbours(learner, self._fewest_rows(inner))
        tuner = self.tuner(learner)
        candidates = self._fitting(learner, self._candidates(learner, tuner), inner)
        estimators = tuple(learner.at(candidate) for candidate in candidates)
        identity, facts = self.identity(learner), [described_with_code(estimator) for estimator in estimators]
        method = Method(
            name=learner.name,
            candidates=candidates,
            identities=tuple(identity_by(described, identity) for described, _, _ in facts),
            code={name: code for _, codes, _ in facts for name, code in codes.items()},
            responses=tuple(responses_of(estimator, self.data.task) for estimator in estimators),
            inner=inner,
            rule=rule,
            ranks=self._ranks(learner, candidates, rule),
            notes=learner_notes(learner, self.data),
            tuner=tuner if is_tuned else UNTUNED,
            is_hidden=learner.is_hidden,
            packages=packages_of({module for _, _, modules in facts for module in modules}),
            defaults_of=learner.defaults_of,
        )
        return (method, estimators) if method.tuner.is_listed else self._searched(method, learner, estimators)

    def _searched(self, method: Method, learner: Learner, estimators: Sequence[Any]) -> tuple[Method, Sequence[Any]]:
        """A method without candidates, which a search will propose; with all of them where the space is small."""
        assert learner.space is not None
        if whole_space(learner.space, method.tuner) is not None:
            text = (
                f"{learner.name}: its {len(method.candidates)} candidates are within the budget of "
                f"{method.tuner.limits.budget}, so all are tried"
            )
            return replace(method, tuner=make_tuner(None), notes=(*method.notes, ("tuner", text))), estimators
        ranks = None if method.ranks is None else ()
        return replace(method, candidates=(), identities=(), responses=(), ranks=ranks), ()

    def tuner(self, learner: Learner) -> Tuner:
        """The tuner of a learner; the grid for a validation curve, which chooses nothing."""
        if learner.space is None or self.is_validation_curve:
            return make_tuner(None)
        return tuner_of(learner, self.tuning, sharing=self.sharing)

    def narrowed(self, learner: Learner) -> Learner:
        """The learner with the space that a search goes over."""
        if learner.space is None or (tuner := self.tuner(learner)).is_listed:
            return learner
        return narrowed(learner, tuner, self._fewest_rows(self._splits(learner)))

    def _fitting(
        self, learner: Learner, candidates: tuple[Candidate, ...], inner: Inner | None
    ) -> tuple[Candidate, ...]:
        """Without candidates of a default space that need more neighbours than the smallest training set has rows."""
        if not learner.is_default or inner is None or "n_neighbors" not in candidates[0]:
            return candidates
        most = self._fewest_rows(inner)
        return tuple(candidate for candidate in candidates if candidate["n_neighbors"] <= most) or candidates[:1]

    def _fewest_rows(self, inner: Inner | None) -> int:
        """Rows of the smallest training set, that of tuning if there is tuning."""
        tunings = (self.outer,) if inner is None else (*inner.splits, inner.final or ())
        return min((split.train_rows for splits in tunings for split in splits), default=self.data.rows)

    def _candidates(self, learner: Learner, tuner: Tuner) -> tuple[Candidate, ...]:
        if learner.space is None:
            return ({},)
        if not tuner.is_listed:
            whole = whole_space(learner.space, tuner)
            return tuple(candidate_at(learner.space, one) for one in whole or first_points(learner, self.seed))
        budget = read_budget(learner.budget or self.tuning.budget).candidates
        is_named = not self.is_validation_curve and (learner.tuner or self.tuning.tuner) is not None
        lister = tuner if is_named else Random() if learner.space.is_drawn_from else Tuner()
        found = tuple(lister.candidates(learner.space, budget, self.seed))
        if not found:
            raise BadSpace(f"the space of learner {learner.name!r} is empty", "Give at least one value per parameter")
        return found

    def _ranks(self, learner: Learner, candidates: tuple[Candidate, ...], rule: str) -> tuple[int, ...] | None:
        """How simple each candidate is; only the rule `one_se` needs it."""
        if learner.space is None:
            return None
        try:
            return tuple(learner.space.simplicity_order(list(candidates)))
        except BadSpace as error:
            if rule == "one_se":
                raise BadSpace(f"learner {learner.name!r}: {error.problem}", error.remedy) from None
            return None

    def _splits(self, learner: Learner) -> Inner:
        wanted = self.tuning.inner if learner.inner is None else learner.inner
        if isinstance(wanted, Inner):
            return wanted
        for spec, inner in self._inner:
            if spec is wanted or (
                isinstance(spec, int | float | str) and type(spec) is type(wanted) and spec == wanted
            ):
                return inner
        self._inner.append((wanted, inner_splits(wanted, self.outer, self.data, seed=self.seed)))
        return self._inner[-1][1]

    def identity(self, learner: Learner) -> str:
        """What its fits depend on besides the estimator and the table: seed, categories and groups."""
        groups = "" if self.data.groups is None or not takes_groups(learner.estimator) else rows_name(self.data.groups)
        marks = [self._view(learner), family(learner.estimator), groups]
        if may_stop_early(learner.estimator, learner.names.values()):
            marks += ["stopped early", *map(_codes_name, (self.data.groups, self.data.time))]
        if takes_steps(learner.estimator):
            marks += ["steps", _codes_name(self.data.time)]
        return "|".join(marks)

    def _view(self, learner: Learner) -> str:
        """The categorical columns: their fingerprint is that of text, but a user's own learner may tell them apart."""
        if learner.is_builtin or "category" not in self.data.kinds:
            return "series" if self.data.is_series and not learner.is_builtin else ""
        return ",".join(name for name, kind in zip(self.data.names, self.data.kinds, strict=True) if kind == "category")


def _codes_name(values: Any) -> str:
    return "" if values is None else rows_name(np.unique(values, return_inverse=True)[1])


def as_grid(method: Method) -> Method:
    """The method with the whole grid, and a note that says why."""
    if len(method.candidates) < 2:
        return replace(method, tuner=make_tuner(None))
    reason = f"{method.name}: a solver fits all candidates of a training set at once, so {method.tuner} saves nothing"
    notes = (*method.notes, ("tuner", f"{reason}: the whole grid was used"))
    return replace(method, tuner=make_tuner(None), notes=notes)


def _saves(learner: Learner, estimators: Sequence[Any], data: Dataset, solvers: SolverOption) -> bool:
    """Does dropping candidates save work? Not where a solver fits many candidates of a training set at once."""
    if learner.space is None or len(estimators) < 2:
        return False
    solver = find(estimators, data, solvers=solvers, is_builtin=learner.is_builtin)
    if solver is None or solver.name == "svm":  # which shares kernels, but solves every candidate
        return True
    return isinstance(solver, FamilySolver) and solver.fits_for(estimators) == len(estimators)
