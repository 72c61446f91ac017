"""Doing fits: every one is seeded, guarded and leaves a record."""

from __future__ import annotations

import os
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np

from foldwise.errors import InvalidOutput
from foldwise.executors.solver_choice import SolverChoice
from foldwise.executors.surroundings import Surroundings
from foldwise.executors.workload import Workload
from foldwise.executors.world import World
from foldwise.learners.model import respond, seed_world, seeded_world
from foldwise.learners.search_choices import choices_inside
from foldwise.plans.fit import Batch, Fit, SharedBatch
from foldwise.records.record import Record
from foldwise.records.secrets import MOST, masked
from foldwise.solvers.finding import solve
from foldwise.solvers.fitted_steps import fit_behind_steps
from foldwise.solvers.solver import Answer


class Worker:
    """Does fits of one study; what is known of an estimator is found out once.

    `is_stopping` tells an interrupt of the run from one that a learner raised; `on_shared` is
    called with the number of fits that a solver is about to answer together.
    """

    def __init__(
        self,
        work: Workload,
        *,
        is_stopping: Callable[[], bool] = lambda: False,
        on_shared: Callable[[int], None] = lambda count: None,
    ) -> None:
        self.work = work
        self.solvers = SolverChoice(work)
        self.is_stopping, self.on_shared = is_stopping, on_shared
        self._is_whole = True  # could everything be put back that learners changed in this process?
        self._surroundings: Surroundings | None = None
        self._method = -1

    def do(self, batch: Batch) -> list[Record]:
        return [record for records in self.each(batch) for record in records]

    def each(self, batch: Batch) -> Iterator[list[Record]]:
        """The records of a batch as they come: one by one, or all at once where a solver answers them together."""
        self.is_tidy_for(batch)
        with limited_threads(self.work.threads), World() as world:
            if isinstance(batch, SharedBatch):
                self.on_shared(len(batch))
                yield self._solve(batch, world)
            else:
                for fit in batch:
                    yield [self._fit(fit, world)]

    def is_tidy_for(self, batch: Batch) -> bool:
        """Before another learner, put back what the last one changed; False where that is impossible."""
        if batch[0].method != self._method:
            self._method = batch[0].method
            self.tidy()
        return self._is_whole

    def tidy(self) -> None:
        if self._surroundings is None:
            self._surroundings = Surroundings(_classes_of(self.work))
        else:
            self._is_whole = self._surroundings.restore() and self._is_whole

    def _solve(self, fits: SharedBatch, world: World) -> list[Record]:
        """Records of fits that a solver answers together; those it cannot answer after all are fitted one by one."""
        solver = self.solvers.solver(fits[0])
        assert solver is not None
        answers: list[Answer | None]
        started = time.perf_counter()
        requests = [self.solvers.request(fit) for fit in fits]
        with warnings.catch_warnings(), seeded_world(fits[0].seed):
            warnings.simplefilter("ignore")
            try:
                answers = solve(solver, requests, self.work.data)
            except Exception:  # fitted one by one, each has the error that is its own
                answers = [None] * len(fits)
        seconds, name = (time.perf_counter() - started) / len(fits), self.work.learners[fits[0].method].name
        return [
            self._fit(fit, world)
            if answer is None
            else Record(key=fit.key, status="ok", rows=fit.rows, responses=answer, seconds=seconds, learner=name)
            for fit, answer in zip(fits, answers, strict=True)
        ]

    def _fit(self, fit: Fit, world: World) -> Record:
        started = time.perf_counter()
        outcome: dict[str, Any]
        try:
            try:
                with np.errstate():
                    seed_world(fit.seed)
                    outcome = {"status": "ok", **self._answered(fit)}
            finally:
                world.put_back()
        except InvalidOutput as problem:
            outcome = {"status": "invalid output", "error": str(problem)}
        except MemoryError as problem:
            outcome = {"status": "out of memory", "error": _short(problem)}
        except BaseException as problem:  # learners may raise SystemExit and KeyboardInterrupt: their error
            if self.is_stopping():
                raise
            outcome = {"status": "error", "error": _short(problem)}
        said = [f"{type(warning).__name__}: {_text(warning)}" for warning in world.warned()]
        if os.getpid() != world.process:
            os._exit(0)  # a learner has forked, and its child came back here: the run must not go on twice
        seconds, name = time.perf_counter() - started, self.work.learners[fit.method].name
        distinct = tuple(dict.fromkeys(text.splitlines()[0][:200] for text in said if text))[:3]
        return Record(key=fit.key, rows=fit.rows, warnings=distinct, seconds=seconds, learner=name, **outcome)

    def _answered(self, fit: Fit) -> dict[str, Any]:
        """The responses of a model, and what a search object inside it has chosen."""
        if fit.members is not None:
            return {"responses": self._final_responses(fit)}
        model = self._model(fit)
        responses = respond(model, self.work.data, fit.rows, fit.responses)
        return {"responses": responses, "chosen": choices_inside(model)}

    def _final_responses(self, fit: Fit) -> dict[str, Any]:
        fitting, data, given = self.solvers.fitting(fit), self.work.data, fit.members
        assert given is not None
        from foldwise.learners.stacking import fit_final, respond_final

        model = fit_final(fitting, data, fit.train, given.learn, fit.seed)
        return respond_final(model, data, fit.rows, given.answer, fit.responses, given.members)

    def _model(self, fit: Fit) -> Any:
        """A fitted model; the tables of built-in learners are prepared once for all of them."""
        fitting, data, model = self.solvers.fitting(fit), self.work.data, None
        if self.work.solvers is not False and self.work.learners[fit.method].is_builtin:
            model = fit_behind_steps(fitting, data, fit.train, fit.seed)
        return fitting.fit(data, fit.train, fit.seed) if model is None else model


def _classes_of(work: Workload) -> set[type]:
    """The classes of all learners, and of what is inside them."""
    estimators = [learner.estimator for learner in work.learners]
    return {type(part) for one in estimators for part in (one, *one.get_params(deep=True).values())}


@contextmanager
def limited_threads(threads: int) -> Iterator[None]:
    """So many BLAS and OpenMP threads in every fit, whatever the number of workers: the numbers then agree."""
    with _controller(len(sys.modules)).limit(limits=threads):
        yield


@lru_cache(maxsize=1)
def _controller(modules: int) -> Any:
    """Looking for thread pools takes milliseconds; it is done again only after something was imported."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _short(problem: BaseException) -> str:
    """The error and where it was raised, in one line."""
    frames = traceback.extract_tb(problem.__traceback__)
    place = f" (in {frames[-1].name})" if frames else ""
    text = _text(problem).strip().splitlines()
    return f"{type(problem).__name__}: {text[0][:300] if text else ''}{place}"


def _text(thing: object) -> str:
    """What it says of itself, in characters that can be written anywhere; a learner's errors may be unable to.

    Secrets are masked before anything is cut off: half of one would not be known for what it is.
    """
    try:
        return masked(str(thing)[:MOST].encode(errors="replace").decode())
    except Exception:
        return "(no text)"
