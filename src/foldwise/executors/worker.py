"""Doing a batch: every fit is seeded, guarded and leaves a record."""

from __future__ import annotations

import sys
import time
import traceback
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from foldwise.data.dataset import Dataset
from foldwise.errors import InvalidOutput
from foldwise.plans.fit import Batch, Fit
from foldwise.plans.study import Study
from foldwise.recipes.learner import Learner
from foldwise.recipes.model import Recipe, make_recipe, respond, seeded_world
from foldwise.records.record import Record


@dataclass(frozen=True, eq=False)
class Workload:
    """All that doing the fits of a study takes."""

    data: Dataset
    learners: tuple[Learner, ...]
    candidates: tuple[tuple[Mapping[str, Any], ...], ...]
    threads: int


def workload_of(study: Study) -> Workload:
    candidates = tuple(method.candidates for method in study.outline.methods)
    return Workload(study.data, study.learners, candidates, study.outline.threads)


class Worker:
    """Does fits of one study; what is known of an estimator is found out once."""

    def __init__(self, work: Workload) -> None:
        self.work = work
        self._recipes: dict[tuple[int, int], Recipe] = {}

    def do(self, batch: Batch) -> list[Record]:
        with limited_threads(self.work.threads):
            return [self._fit(fit) for fit in batch]

    def _recipe(self, fit: Fit) -> Recipe:
        at = (fit.method, fit.candidate)
        if at not in self._recipes:
            candidate = self.work.candidates[fit.method][fit.candidate]
            self._recipes[at] = make_recipe(self.work.learners[fit.method].at(candidate))
        return self._recipes[at]

    def _fit(self, fit: Fit) -> Record:
        name, data = self.work.learners[fit.method].name, self.work.data
        started, said = time.perf_counter(), []
        outcome: dict[str, Any]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                with seeded_world(fit.seed):
                    model = self._recipe(fit).fit(data, fit.train, fit.seed)
                    outcome = {"status": "ok", "responses": respond(model, data, fit.rows, fit.responses)}
            except InvalidOutput as problem:
                outcome = {"status": "invalid output", "error": str(problem)}
            except (Exception, SystemExit) as problem:
                outcome = {"status": "error", "error": _short(problem)}
            said = [f"{type(warning.message).__name__}: {warning.message}" for warning in caught]
        seconds = time.perf_counter() - started
        distinct = tuple(dict.fromkeys(text.splitlines()[0][:200] for text in said if text))[:3]
        return Record(key=fit.key, rows=fit.rows, warnings=distinct, seconds=seconds, learner=name, **outcome)


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
    text = str(problem).strip().splitlines()
    return f"{type(problem).__name__}: {text[0][:300] if text else ''}{place}"
