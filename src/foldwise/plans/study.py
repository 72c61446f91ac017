"""The question with everything that is needed to answer it: data, learners, loss, splits, seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from foldwise.data.dataset import Dataset
from foldwise.errors import BadSpace, BadStudy, nearest
from foldwise.losses.loss import Loss
from foldwise.outlines.outline import Candidate, MethodOutline, Note, Outline, rows_name
from foldwise.outlines.rules import check_rule
from foldwise.plans.beside import beside_inner, beside_splits
from foldwise.plans.pruned import check_pruning, is_worth
from foldwise.recipes.identity import family, forget_code, own_code, setting
from foldwise.recipes.learner import Learner
from foldwise.recipes.model import offers, takes_groups, takes_weights
from foldwise.splits.nesting import Inner, inner_splits
from foldwise.splits.split import Splits

POLICIES = ("fail", "baseline", "drop_candidate")


@dataclass(frozen=True, eq=False)
class Tuning:
    """How learners are tuned where they do not say it themselves."""

    inner: Any = 5
    tuner: str | None = None
    budget: int | None = None
    rule: str = "best"


@dataclass(frozen=True, eq=False)
class Study:
    """Data and learners, and the outline that names their fits."""

    data: Dataset
    learners: tuple[Learner, ...]
    outline: Outline
    families: tuple[str, ...]
    estimators: tuple[tuple[Any, ...], ...]  # of each method at each candidate, not fitted; cloned before a fit
    solvers: Literal["auto", "all", False] = "auto"

    def __repr__(self) -> str:
        names = ", ".join(learner.name for learner in self.learners)
        return f"Study({names}; {self.outline.outer.scheme}, {self.data.rows} rows)"


def make_study(
    data: Dataset,
    learners: Sequence[Learner],
    *,
    losses: tuple[Loss, ...],
    outer: Splits,
    tuning: Tuning | None = None,
    seed: int = 0,
    repeats: int = 1,
    threads: int = 1,
    level: float = 0.95,
    optimism: bool = False,
    on_failure: str = "fail",
    sweep: bool = False,
    interval: str | None = None,
    keeps_all: bool = False,
    final: bool = True,
    solvers: Literal["auto", "all", False] = "auto",
    notes: tuple[Note, ...] = (),
) -> Study:
    """A study from its parts; every contradiction among them is refused here, before any fit."""
    if on_failure not in POLICIES:
        raise BadStudy(f"there is no failure policy {on_failure!r}", nearest(on_failure, POLICIES))
    if not 0 < level < 1:
        raise BadStudy(f"the level must lie between 0 and 1, not {level}", "Write level=0.95 for 95 %")
    forget_code()
    beside = beside_splits(interval, outer, data, seed=seed)
    maker = _MethodMaker(data, outer, beside, tuning or Tuning(), seed, sweep)
    methods, estimators = zip(*map(maker.outline, learners), strict=True)
    if any(maker.tuner(learner) == "pruned" for learner in learners):
        check_pruning(losses[0], methods, optimism=optimism)
        methods = tuple(
            replace(method, is_pruned=maker.tuner(learner) == "pruned" and is_worth(learner, those, data, solvers))
            for method, learner, those in zip(methods, learners, estimators, strict=True)
        )
    outline = Outline(
        fingerprint=data.fingerprint,
        task=data.task,
        classes=data.classes,
        target=data.target,
        weights=data.weights,
        losses=losses,
        outer=outer,
        methods=methods,
        seed=seed,
        repeats=repeats,
        threads=threads,
        level=level,
        has_optimism=optimism,
        on_failure=on_failure,
        notes=(*data.notes, *notes),
        groups=data.groups,
        beside=beside,
        interval=interval,
        keeps_all=keeps_all,
        has_final=final,
    )
    families = tuple(family(learner.estimator) for learner in learners)
    return Study(data, tuple(learners), outline, families, estimators, solvers)


class _MethodMaker:
    """Outlines of methods on the same data and outer splits; inner splits are made once and shared."""

    def __init__(
        self, data: Dataset, outer: Splits, beside: Splits | None, tuning: Tuning, seed: int, sweep: bool
    ) -> None:
        self.data, self.outer, self.beside = data, outer, beside
        self.tuning, self.seed, self.sweep = tuning, seed, sweep
        self._inner: list[tuple[Any, Inner]] = []

    def outline(self, learner: Learner) -> tuple[MethodOutline, tuple[Any, ...]]:
        """A method in plain values, and its estimator at each candidate."""
        kind: Literal["plain", "tuned", "swept"] = "plain"
        if learner.space is not None:
            kind = "swept" if self.sweep else "tuned"
        inner = self._splits(learner) if kind == "tuned" else None
        candidates = self._fitting(learner, self._candidates(learner), inner)
        estimators = tuple(learner.at(candidate) for candidate in candidates)
        identity = self._identity(learner)
        rule = check_rule(learner.rule or self.tuning.rule)
        method = MethodOutline(
            name=learner.name,
            kind=kind,
            candidates=candidates,
            settings=tuple(setting(estimator, identity) for estimator in estimators),
            code={name: code for estimator in estimators for name, code in own_code(estimator).items()},
            offers=tuple(offers(estimator, self.data.task) for estimator in estimators),
            inner=inner,
            beside_inner=self._beside(learner) if kind == "tuned" else None,
            rule=rule,
            ranks=self._ranks(learner, candidates, rule),
            notes=self._notes(learner),
        )
        return method, estimators

    def tuner(self, learner: Learner) -> str | None:
        return None if learner.space is None or self.sweep else learner.tuner or self.tuning.tuner

    def _fitting(
        self, learner: Learner, candidates: tuple[Candidate, ...], inner: Inner | None
    ) -> tuple[Candidate, ...]:
        """Without those of a default space that ask for more neighbours than the smallest training part has rows."""
        if not learner.is_default or inner is None or "n_neighbors" not in candidates[0]:
            return candidates
        every = [split for splits in (*inner.splits, inner.final or ()) for split in splits]
        most = min(len(split.train) for split in every)
        return tuple(candidate for candidate in candidates if candidate["n_neighbors"] <= most) or candidates[:1]

    def _candidates(self, learner: Learner) -> tuple[Candidate, ...]:
        if learner.space is None:
            return ({},)
        budget = learner.budget or self.tuning.budget
        found = tuple(learner.space.candidates(self.tuner(learner), budget, self.seed))
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

    def _identity(self, learner: Learner) -> str:
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
        if self.data.weights is None or takes_weights(learner.estimator) or learner.name == "baseline":
            return ()
        return (("weights", f"{learner.name} takes no row weights: they enter its losses, not its fits"),)
