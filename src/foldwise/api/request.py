"""A call of `compare`, `plan` or `risk` as values: what is asked of which rows, and how it is run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from foldwise.answers.evidence import check_interval
from foldwise.api.running import Ran, answer_study
from foldwise.data.dataset import Dataset, make_dataset
from foldwise.data.roles import Roles
from foldwise.data.sources import read
from foldwise.errors import BadStudy
from foldwise.estimates.intervals import request_interval
from foldwise.executors.options import RunOptions
from foldwise.losses.loss import make_losses
from foldwise.plans.methods import make_learners, task_hint
from foldwise.plans.options import StudyOptions
from foldwise.plans.runnable import RunnableStudy, make_study
from foldwise.plans.searches import Tuning
from foldwise.records.opening import AnyStore
from foldwise.splits.nesting import study_splits

Values = TypeVar("Values")


@dataclass(frozen=True, eq=False)
class Request:
    """What a call asks for."""

    learners: Any
    X: Any
    y: Any
    loss: Any
    outer: Any
    roles: Roles
    tuning: Tuning
    options: StudyOptions
    run: RunOptions
    store: AnyStore = None
    retry_failed: bool = False
    progress: bool | None = None

    def study(self, *, is_alone: bool = False) -> RunnableStudy:
        """Everything checked and made into a study; nothing is fitted here.

        The risk of one learner (`is_alone`) needs neither a baseline nor a final tuning.
        """
        data = as_data(self.X, self.y, task_hint(self.learners, self.loss), self.roles)
        losses = make_losses(self.loss, data)
        learners = make_learners(self.learners, data, losses)
        learners = learners[:1] if is_alone else learners
        is_tuned = any(learner.space is not None or learner.members for learner in learners)
        seed, repeats = self.options.seed, self.options.repeats
        splits = study_splits(self.outer, self.tuning.inner, data, seed=seed, repeats=repeats, tuned=is_tuned)
        runnable = make_study(
            data,
            learners,
            losses=losses,
            outer=splits.outer,
            tuning=replace(self.tuning, inner=splits.inner_spec),
            options=replace(self.options, has_final=not is_alone),
            notes=splits.notes,
        )
        check_interval(runnable.study)
        return runnable

    def answer(self, runnable: RunnableStudy, *, origin: Mapping[str, Any] | None = None, is_kept: bool = True) -> Ran:
        """Run the study as asked. `origin` is what a study file or command line said, to be resumed from."""
        return answer_study(
            runnable,
            self.run,
            store=self.store,
            retry_failed=self.retry_failed,
            progress=self.progress,
            origin=origin,
            is_kept=is_kept,
        )


def read_request(arguments: Mapping[str, Any]) -> Request:
    """The arguments of `compare`, by name, as values."""
    store = arguments["store"]
    options = {**arguments, "interval": request_interval(arguments["interval"]), "keeps_all": store is not None}
    return Request(
        **{name: arguments[name] for name in ("learners", "X", "y", "loss", "outer", "retry_failed", "progress")},
        roles=_part(Roles, arguments),
        tuning=_part(Tuning, arguments),
        options=_part(StudyOptions, options),
        run=_part(RunOptions, arguments),
        store=store,
    )


def _part(values: type[Values], arguments: Mapping[str, Any]) -> Values:
    """Those of the arguments that are fields of a class of values."""
    names = [field.name for field in fields(values)]  # type: ignore[arg-type]
    return values(**{name: arguments[name] for name in names if name in arguments})


def as_data(X: Any, y: Any, hint: str | None, roles: Roles) -> Dataset:
    """The data of a request: arrays or a frame with a target, a file or built-in set by name, or ready-made."""
    if isinstance(X, Dataset):
        if y is not None or roles.given:
            found = ", ".join(roles.given) or "y"
            raise BadStudy(f"{found} is part of the data already", "Give it when the data are made")
        return X
    if isinstance(X, str | Path):
        return read(X, target=y, task_hint=hint, **vars(roles))
    if X is None:
        raise BadStudy("there are no data", "Call fw.compare(learners, X, y)")
    return make_dataset(X, y, task_hint=hint, **vars(roles))
