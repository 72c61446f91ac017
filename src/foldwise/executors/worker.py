"""Doing fits: every one is seeded, guarded and leaves a record."""

from __future__ import annotations

import os
import re
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np

from foldwise.errors import InvalidOutput
from foldwise.executors.solver_choice import SolverChoice
from foldwise.executors.workload import Workload
from foldwise.executors.world import World
from foldwise.learners.model import respond, seed_world, seeded_world
from foldwise.learners.search_choices import choices_inside
from foldwise.plans.fit import Batch, Fit, FitBlock, FitsTogether, SharedBatch, fits_together
from foldwise.records.block import RecordBlock, Records
from foldwise.records.record import Record
from foldwise.records.secrets import MOST, masked
from foldwise.solvers.finding import answered_pieces
from foldwise.solvers.solver import Answered
from foldwise.solvers.steps import fit_behind_steps

# XGBoost begins what it says with the time of day, and a place in its code
STAMP = re.compile(r"^\[\d\d:\d\d:\d\d\] (?:[A-Z]+: )?\S+:\d+:\s*")


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

    def do(self, batch: Batch) -> list[Record]:
        return [record for records in self.each(batch) for record in records]

    def each(self, batch: Batch) -> Iterator[Sequence[Record]]:
        """The records of a batch as they come: one by one, or many at once where a solver answers them together."""
        if isinstance(batch, SharedBatch):
            yield from self._solve(batch)
            return
        with limited_threads(self.work.threads), World() as world:
            for fit in batch:
                yield [self._fit(fit, world)]

    def _solve(self, fits: SharedBatch) -> Iterator[Records]:
        """Records of fits that a solver answers together; those it cannot answer after all are fitted one by one."""
        self.on_shared(len(fits))
        solver = self.solvers.solver(fits[0])
        assert solver is not None
        parts, count = fits_together(fits.parts), len(fits)
        left: list[Sequence[int]] = [range(len(part.keys)) for part in parts]
        pieces = answered_pieces(solver, self.solvers.requests(parts), self.work.data)
        while count:
            started = time.perf_counter()
            # put back before the records leave: others go on while they are stored
            with limited_threads(self.work.threads), World() as world:
                answers = self._next_answers(pieces, fits[0].seed)
                if answers:
                    answered = sum(len(places) for _, places, _ in answers)
                    seconds = (time.perf_counter() - started) / answered
                    records = Records(self._block(parts[answer.request], answer, seconds) for answer in answers)
                else:
                    rest = [parts[at].fit(place) for at, places in enumerate(left) for place in places]
                    answered, records = count, Records([self._fit(fit, world) for fit in rest])
            count -= answered
            for at, places, _ in answers:
                given = set[int]() if len(places) == len(left[at]) else set(places)
                left[at] = [place for place in left[at] if place not in given] if given else ()
            if count:
                self.on_shared(count)
            yield records

    def _block(self, part: FitBlock | FitsTogether, answer: Answered, seconds: float) -> RecordBlock:
        """The records of fits to one training set."""
        _, places, responses = answer
        name = self.work.learners[part.method].name
        keys = part.keys if len(places) == len(part.keys) else tuple([part.keys[place] for place in places])
        return RecordBlock(keys, part.rows, responses, learner=name, seconds=seconds, training_set=part.training_set)

    @staticmethod
    def _next_answers(pieces: Iterator[list[Answered]], seed: int) -> list[Answered]:
        """What the solver answers next; nothing where it is at its end, or fails."""
        with warnings.catch_warnings(), seeded_world(seed):
            warnings.simplefilter("ignore")
            try:
                return next(pieces, [])
            except Exception:  # fitted one by one, each has the error that is its own
                return []

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
        from foldwise.learners.blend import fit_final, respond_final

        model = fit_final(fitting, data, fit.train, given.learn, fit.seed)
        return respond_final(model, data, fit.rows, given.answer, fit.responses)

    def _model(self, fit: Fit) -> Any:
        """A fitted model; the tables of built-in learners are prepared once for all of them."""
        fitting, data, model = self.solvers.fitting(fit), self.work.data, None
        if self.work.solvers is not False and self.work.learners[fit.method].is_builtin:
            model = fit_behind_steps(fitting, data, fit.train, fit.seed)
        return fitting.fit(data, fit.train, fit.seed) if model is None else model


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
        return masked(STAMP.sub("", str(thing)[:MOST]).encode(errors="replace").decode())
    except Exception:
        return "(no text)"
