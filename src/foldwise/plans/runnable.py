"""The question with everything that is needed to answer it: data, learners, loss, splits, seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from foldwise.data.dataset import Dataset
from foldwise.errors import BadSpace
from foldwise.learners.identity import family, forget_code, identity_of, own_code
from foldwise.learners.learner import Learner
from foldwise.learners.model import responses_of, takes_groups, takes_weights
from foldwise.learners.trial import check_neighbours
from foldwise.losses.loss import Loss
from foldwise.plans.combining import TOGETHER, together_method, union_method, with_members, with_parts
from foldwise.plans.extra_splits import beside_inner, extra_splits
from foldwise.plans.options import StudyOptions
from foldwise.plans.pruned import as_grid, check_dropping, is_worth
from foldwise.plans.resource import with_rungs
from foldwise.plans.searches import (
    Wanted,
    check_searches,
    first_candidates,
    make_search,
    name_ledger,
    narrowed,
    wanted_of,
    whole_space,
)
from foldwise.splits.nesting import Inner, inner_splits
from foldwise.splits.split import Splits
from foldwise.studies.study import Candidate, Method, Note, Study, rows_name
from foldwise.tuners.budget import read_budget
from foldwise.tuners.rules import check_rule
from foldwise.tuners.schedule import base_name


@dataclass(frozen=True, eq=False)
class Tuning:
    """How learners are tuned where they do not say it themselves."""

    inner: Any = 5
    tuner: str | None = None
    budget: Any = None  # candidates, or a time such as "10 min"
    rule: str = "best"
    stop: str | None = None


@dataclass(frozen=True, eq=False)
class RunnableStudy:
    """Data and learners, and the outline that names their fits."""

    data: Dataset
    learners: tuple[Learner, ...]
    study: Study
    families: tuple[str, ...]
    estimators: tuple[Sequence[Any], ...]  # of each method at each candidate, not fitted; cloned before a fit
    solvers: Literal["auto", "all", False] = "auto"
    identities: tuple[str, ...] = ()  # what fits depend on besides the estimator and the table

    def family(self, method: int, candidate: int) -> str:
        """The learner without its candidate, which a fit's seed depends on; in the best of several, the member."""
        learner = self.learners[method]
        if learner.combines != "best_of":
            return self.families[method]
        return family(learner.owner(self.study.methods[method].candidates[candidate]).estimator)

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
    """A study from its parts; every contradiction among them is refused here, before any fit."""
    tuning, options = tuning or Tuning(), options or StudyOptions()
    forget_code()
    beside = extra_splits(options.interval, outer, data, seed=options.seed)
    learners = with_members(learners)
    sharing = sum(learner.space is not None and learner.budget is None for learner in learners)
    maker = _MethodMaker(data, outer, beside, tuning, options, sharing)
    learners = tuple(map(maker.narrowed, learners))
    methods, estimators = map(list, zip(*map(maker.study, learners), strict=True))
    check_searches(methods, tuning.stop, optimism=options.optimism)
    for at, (method, learner) in enumerate(zip(methods, learners, strict=True)):
        if method.schedule:
            check_dropping(method, losses[0], optimism=options.optimism)
            if not is_worth(learner, estimators[at], data, options.solvers):
                methods[at] = as_grid(method)
            else:
                methods[at], estimators[at] = with_rungs(method, learner, estimators[at], maker.identity(learner))
    methods = list(with_parts(methods, learners, loss=losses[0], task=data.task, on_failure=options.on_failure))
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
        repeats=options.repeats,
        threads=options.fit_threads,
        level=options.level,
        has_optimism=options.optimism,
        on_failure=options.on_failure,
        notes=(*data.notes, *notes),
        groups=data.groups,
        time=None if data.time is None else np.unique(data.time, return_inverse=True)[1],
        beside=beside,
        interval=options.interval,
        keeps_all=options.keeps_all,
        has_final=options.has_final,
        wants_training_risk=options.wants_training_risk,
    )
    for method, learner in zip(methods, learners, strict=True):
        if method.search:
            method.search.ledger = name_ledger(study, method, learner)
    families = tuple(family(learner.estimator) for learner in learners)
    return RunnableStudy(
        data, learners, study, families, tuple(estimators), options.solvers, tuple(map(maker.identity, learners))
    )


class _MethodMaker:
    """Outlines of methods on the same data and outer splits; inner splits are made once and shared."""

    def __init__(
        self,
        data: Dataset,
        outer: Splits,
        beside: Splits | None,
        tuning: Tuning,
        options: StudyOptions,
        sharing: int = 1,
    ) -> None:
        self.data, self.outer, self.beside, self.may_fail = data, outer, beside, options.on_failure != "fail"
        self.tuning, self.seed, self.sweep, self.sharing = tuning, options.seed, options.is_swept, sharing
        self._inner: list[tuple[Any, Inner]] = []

    def study(self, learner: Learner) -> tuple[Method, Sequence[Any]]:
        """A method in plain values, and its estimator at each candidate."""
        if learner.combines in TOGETHER:
            return together_method(learner, self.data.task, self._notes(learner))
        if learner.combines:
            rule = check_rule(learner.rule or self.tuning.rule)
            return union_method(learner, self.study, tuner=learner.tuner or self.tuning.tuner or "grid", rule=rule)
        kind: Literal["plain", "tuned", "swept"] = "plain"
        if learner.space is not None or learner.is_hidden:
            kind = "swept" if self.sweep else "tuned"
        inner = self._splits(learner) if kind == "tuned" else None
        if not self.may_fail:  # else such candidates are dropped, or the baseline stands in for them
            check_neighbours(learner, self._fewest_rows(inner))
        candidates = self._fitting(learner, self._candidates(learner), inner)
        estimators = tuple(learner.at(candidate) for candidate in candidates)
        identity = self.identity(learner)
        rule = check_rule(learner.rule or self.tuning.rule)
        method = Method(
            name=learner.name,
            kind=kind,
            candidates=candidates,
            settings=tuple(identity_of(estimator, identity) for estimator in estimators),
            code={name: code for estimator in estimators for name, code in own_code(estimator).items()},
            offers=tuple(responses_of(estimator, self.data.task) for estimator in estimators),
            inner=inner,
            beside_inner=self._beside(learner) if kind == "tuned" else None,
            rule=rule,
            ranks=self._ranks(learner, candidates, rule),
            notes=self._notes(learner),
            tuner=self.tuner(learner) or "grid",
            is_hidden=learner.is_hidden,
        )
        return (
            self._growing(method, learner)
            if kind == "tuned" and learner.space is not None and self.wanted(learner).is_search
            else (method, estimators)
        )

    def _growing(self, method: Method, learner: Learner) -> tuple[Method, Sequence[Any]]:
        """A method without candidates yet, of which the search will find more; of a small space they are all there."""
        wanted, space = self.wanted(learner), learner.space
        assert space is not None
        if whole_space(space, wanted) is not None:
            note = (
                "tuner",
                f"{learner.name}: its {len(method.candidates)} candidates are within the budget of "
                f"{wanted.most}, so all of them are tried",
            )
            method = replace(method, tuner="grid", notes=(*method.notes, note))
            return method, tuple(map(learner.at, method.candidates))
        search, ranks = make_search(wanted), None if method.ranks is None else list[int]()
        return replace(method, candidates=[], settings=[], offers=[], ranks=ranks, search=search), search.estimators

    def wanted(self, learner: Learner) -> Wanted:
        """With which tuner and budget a learner is tuned."""
        tuner = self.tuner(learner)
        return wanted_of(learner, tuner, self.tuning.budget, self.tuning.stop, sharing=self.sharing)

    def narrowed(self, learner: Learner) -> Learner:
        """A learner that is searched, with the space it is searched over."""
        if learner.space is None or self.sweep or not (wanted := self.wanted(learner)).is_search:
            return learner
        return narrowed(learner, wanted, self._fewest_rows(self._splits(learner)))

    def tuner(self, learner: Learner) -> str | None:
        if learner.space is None or self.sweep:
            return None
        return learner.tuner if learner.tuner is not None else self.tuning.tuner

    def _fitting(
        self, learner: Learner, candidates: tuple[Candidate, ...], inner: Inner | None
    ) -> tuple[Candidate, ...]:
        """Without those of a default space that ask for more neighbours than the smallest training part has rows."""
        if not learner.is_default or inner is None or "n_neighbors" not in candidates[0]:
            return candidates
        most = self._fewest_rows(inner)
        return tuple(candidate for candidate in candidates if candidate["n_neighbors"] <= most) or candidates[:1]

    def _fewest_rows(self, inner: Inner | None) -> int:
        """Rows of the smallest training part, of tuning where there is some."""
        tunings = (self.outer,) if inner is None else (*inner.splits, inner.final or ())
        return min((len(split.train) for splits in tunings for split in splits), default=self.data.rows)

    def _candidates(self, learner: Learner) -> tuple[Candidate, ...]:
        if learner.space is None:
            return ({},)
        if not self.sweep and (wanted := self.wanted(learner)).is_search:
            return whole_space(learner.space, wanted) or tuple(first_candidates(learner, self.seed))
        budget = read_budget(learner.budget or self.tuning.budget).candidates
        found = tuple(learner.space.candidates(base_name(self.tuner(learner)), budget, self.seed))
        if not found:
            raise BadSpace(f"the space of learner {learner.name!r} is empty", "Give at least one value per parameter")
        return found

    def _ranks(self, learner: Learner, candidates: tuple[Candidate, ...], rule: str) -> tuple[int, ...] | None:
        """How simple each candidate is; only the rule `one_se` cannot do without."""
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
        """What its fits depend on besides the estimator and the table: their seed, categories, groups it is told."""
        groups = "" if self.data.groups is None or not takes_groups(learner.estimator) else rows_name(self.data.groups)
        return "|".join((self._view(learner), family(learner.estimator), groups))

    def _beside(self, learner: Learner) -> tuple[Splits, ...] | None:
        if self.beside is None:
            return None
        wanted = self.tuning.inner if learner.inner is None else learner.inner
        return beside_inner(wanted, self.beside, self.outer, self.data, seed=self.seed)

    def _view(self, learner: Learner) -> str:
        """Text and categories have one fingerprint; only a user's own learner may treat them differently."""
        if learner.is_builtin or "category" not in self.data.kinds:
            return ""
        return ",".join(name for name, kind in zip(self.data.names, self.data.kinds, strict=True) if kind == "category")

    def _notes(self, learner: Learner) -> tuple[Note, ...]:
        from foldwise.learners.sample import sampled_rows

        notes: list[Note] = []
        if self.data.weights is not None and not takes_weights(learner.estimator) and learner.name != "baseline":
            notes.append(("weights", f"{learner.name} takes no row weights: they enter its losses, not its fits"))
        if most := sampled_rows(learner.estimator):
            notes.append(("sample", f"{learner.name} learns from at most {most:,} rows, drawn from its training rows"))
        return tuple(notes)
