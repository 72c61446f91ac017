"""A call of `compare`, `plan` or `risk` as values: what is asked of which rows, and how it is run."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar, Unpack

from foldwise.api.calls import check_keywords
from foldwise.api.options import OPTIONS, CompareOptions
from foldwise.api.running import Ran, answer_study
from foldwise.api.time_limit import decide, limit_notes, written
from foldwise.checks.checking import GuardOptions, checked_study
from foldwise.data.dataset import Dataset, make_dataset
from foldwise.data.roles import Roles
from foldwise.data.sources import read
from foldwise.data.tables import check_order
from foldwise.errors import BadStudy
from foldwise.executors.local.local_executor import start_ahead
from foldwise.executors.options import RunOptions
from foldwise.losses.loss import make_losses
from foldwise.plans.effort import StudyChoices, choose_repeats, complete
from foldwise.plans.limit import LimitDecision
from foldwise.plans.methods import able_learners, task_hint
from foldwise.plans.runnable import RunnableStudy, StudyOptions, make_study
from foldwise.plans.searches import Tuning
from foldwise.questions.evidence import check_interval
from foldwise.questions.importance import check_rows
from foldwise.records.store import AnyStore
from foldwise.splits.nesting import study_splits
from foldwise.stats.chooser import find

Values = TypeVar("Values")
LEAST_TIME = 0.1  # of a time limit that is left for fits, whatever came before


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
    checking: GuardOptions = field(default_factory=GuardOptions)
    store: AnyStore = None
    retry_failed: bool = False
    progress: bool | None = None
    effort: str | None = None  # None: normal, or what a time limit allows
    ends: float | None = None  # when its time is up, by time.monotonic: making the study counts too

    @property
    def choices(self) -> StudyChoices:
        """What was said of learners and splits."""
        return StudyChoices(self.learners, self.outer, self.tuning.inner, self.options.repeats, self.effort)

    def timed(self) -> Request:
        """The request whose time limit, if it has one, begins now and decides what was left open."""
        limit = self.run.time_limit
        return self if limit is None else replace(self, ends=time.monotonic() + limit)

    def data(self) -> Dataset:
        """The rows that are asked about."""
        return as_data(self.X, self.y, task_hint(self.learners, self.loss), self.roles)

    def study(self, *, is_alone: bool = False) -> RunnableStudy:
        """Everything decided, checked and made into a study; nothing is fitted here.

        The risk of one learner (`is_alone`) needs neither a baseline nor a final tuning.
        """
        data = self.data()
        losses = make_losses(self.loss, data)
        decision = LimitDecision() if self.ends is None else decide(self, data, ends=self.ends)
        open_choices = replace(self.choices, **decision.learned_options)
        choices, notes = complete(open_choices, data)
        learners, left_out = able_learners(choices.learners, data, losses)
        learners = learners[:1] if is_alone else learners
        tuning = self.tuning
        may_add = not is_alone and self.options.interval is None and tuning.tuner is None and tuning.budget is None
        repeats, repeats_note = choose_repeats(open_choices, learners, data, may_add=may_add)
        is_tuned = any(learner.space is not None or learner.members for learner in learners)
        seed = self.options.seed
        splits = study_splits(choices.outer, choices.inner, data, seed=seed, repeats=repeats, tuned=is_tuned)
        options = replace(self.options, repeats=repeats)
        runnable = make_study(
            data,
            learners,
            losses=losses,
            outer=splits.outer,
            tuning=replace(tuning, inner=splits.inner_spec),
            options=replace(options, has_final=False, defaults=False, importance=False) if is_alone else options,
            notes=(*notes, *repeats_note, *limit_notes(decision, self.run.time_limit), *splits.notes, *left_out),
        )
        check_interval(runnable.study)
        if runnable.study.wants_importance:
            check_rows(runnable.study)
        return replace(runnable, decided=written(decision))

    def checked_study(self, *, is_alone: bool = False) -> RunnableStudy:
        """The study with what the checks found; refused where no number of it could mean anything."""
        return checked_study(self.study(is_alone=is_alone), self.checking)

    def start_ahead(self) -> None:
        """Begin to start workers, which takes as long as making the study."""
        start_ahead(self.run, threads=self.options.fit_threads)

    def answer(self, runnable: RunnableStudy, *, origin: Mapping[str, Any] | None = None, is_kept: bool = True) -> Ran:
        """Run the study as asked. `origin` is what a study file or command line said, to be resumed from."""
        return answer_study(
            runnable,
            self._run_now(),
            store=self.store,
            retry_failed=self.retry_failed,
            progress=self.progress,
            origin=origin,
            is_kept=is_kept,
        )

    def _run_now(self) -> RunOptions:
        """The options of the run, with the time that is left: a little in any case, for the cheapest methods."""
        limit = self.run.time_limit
        if self.ends is None or limit is None:
            return self.run
        return replace(self.run, time_limit=max(self.ends - time.monotonic(), LEAST_TIME * limit))


def request(learners: Any, X: Any, y: Any, **options: Unpack[CompareOptions]) -> Request:
    """The arguments of `compare` as values, with the defaults of the table; an unknown option is refused."""
    check_keywords("compare", options, OPTIONS)
    values: dict[str, Any] = {name: option.default for name, option in OPTIONS.items()} | options
    values["effort"] = options.get("effort")  # None: a time limit may choose another
    values["interval"] = None if values["interval"] is None else find(values["interval"])
    return Request(
        learners,
        X,
        y,
        roles=Roles(**_fields(Roles, values)),
        tuning=Tuning(**_fields(Tuning, values)),
        options=StudyOptions(**_fields(StudyOptions, values), keeps_all=values["store"] is not None),
        run=RunOptions(**_fields(RunOptions, values)),
        checking=GuardOptions(**_fields(GuardOptions, values)),
        **_fields(Request, values),
    )


def _fields(home: type, options: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the options that are fields of a class of values."""
    return {field.name: options[field.name] for field in fields(home) if field.name in options}


def make_comparison(learners: Any, X: Any, y: Any, **options: Unpack[CompareOptions]) -> RunnableStudy:
    """The study that `compare` would run."""
    return request(learners, X, y, **options).study()


def as_data(X: Any, y: Any, hint: str | None, roles: Roles) -> Dataset:
    """The data of a request: arrays or a frame with a target, a file or built-in set by name, or ready-made."""
    if isinstance(X, Dataset):
        if y is not None or roles.given:
            given = ", ".join(roles.given) or "y"
            raise BadStudy(f"{given} is part of the data already", "Give it when the data are made")
        return X
    check_order(X, y)
    if isinstance(X, str | Path):
        return read(X, target=y, task_hint=hint, **vars(roles))
    if X is None:
        raise BadStudy("there are no data", "Give X and y, as in fw.compare(learners, X, y)")
    return make_dataset(X, y, task_hint=hint, **vars(roles))
