"""Learners fitted a few times more: are their results reproducible, and how far does their seed move them?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.blocks.numbers import number
from foldwise.executors.worker import Worker
from foldwise.executors.workload import workload_of
from foldwise.guards.codes.results import SEED, UNREPEATABLE
from foldwise.plans.fit import Fit
from foldwise.plans.runnable import RunnableStudy
from foldwise.questions.contest import BASELINE
from foldwise.studies.finding import Finding
from foldwise.studies.study import rows_name

SEEDS = 5
MOST_TRAINING = 400  # rows of these fits
MOST_SECONDS = 0.5  # of a fit that is made more than three times


def seed_findings(runnable: RunnableStudy) -> Iterator[Finding]:
    """What fits with equal and with other seeds say, on the first outer split; learners that fail are left to the run.

    A learner that asks the time or the system for its random numbers gives another result each time, so that no number
    of its can be checked. One whose seed moves the loss more than other rows would has results by luck of the seed.
    """
    for at, method in enumerate(runnable.study.methods):
        is_other = method.is_hidden or method.defaults_of or method.combines or not len(method.candidates)
        if method.name == BASELINE or is_other:
            continue
        trial = _Trial(runnable, at, Worker(workload_of(runnable)))
        yield from _findings(trial, method.name)


def _findings(trial: _Trial, name: str) -> Iterator[Finding]:
    first, again = trial.answers(0), trial.answers(0)
    if first is None or again is None:
        return
    if not np.array_equal(first, again, equal_nan=first.dtype.kind == "f"):
        share = float(np.mean((first != again).reshape(len(first), -1).any(axis=1)))
        yield UNREPEATABLE.found(
            f"{name}: a second fit to the same rows with the same seed gave other predictions for "
            f"{100 * share:.2g}% of the rows",
            figures={"method": name, "share": share},
            advice="Have it take all its random numbers from random_state or NumPy's global generator",
        )
        return
    other = trial.answers(1)
    if other is None or np.array_equal(first, other) or trial.seconds > MOST_SECONDS:
        return
    rest = [trial.answers(number) for number in range(2, SEEDS)]
    losses = [trial.losses(answers) for answers in (first, other, *rest) if answers is not None]
    if len(losses) < SEEDS or any(found is None for found in losses):
        return
    table = np.array(losses)  # losses[seed, row]
    by_seed = float(table.mean(axis=1).std(ddof=1))
    by_data = float(table.mean(axis=0).std(ddof=1) / np.sqrt(table.shape[1]))
    if by_seed > by_data:
        yield SEED.found(
            f"{name}: on one split another seed moves its loss by {number(by_seed, digits=2)}, other rows by "
            f"{number(by_data, digits=2)} (standard deviations of {SEEDS} seeds and of the mean over rows)",
            figures={"method": name, "seed": by_seed, "data": by_data, "loss": float(table.mean())},
            advice="Average over seeds or let it average more members (trees, networks); result.noise() splits the "
            "noise of a finished study into data, split and seed",
        )


@dataclass
class _Trial:
    """Fits of one method on the first outer split, at a candidate from the middle of its list."""

    runnable: RunnableStudy
    at: int
    worker: Worker
    seconds: float = 0.0  # of the longest fit so far

    def answers(self, number: int) -> AnyArray | None:
        """What it answers for the rows held out, fitted with this seed; None where it failed."""
        study = self.runnable.study
        method, split = study.methods[self.at], study.outer[0]
        candidate, response = self._candidate, method.response_for(study.losses[0], self._candidate)
        train = _thinned(np.unique(split.train))
        own = study.fit_seed(self.runnable.family(self.at, candidate), rows_name(train))
        seed = own if number == 0 else (own + 7919 * number) % 2**31
        point = method.proposals.points[candidate] if method.proposals.points else None
        (record,) = self.worker.do((Fit("trial", self.at, candidate, train, split.test, (response,), seed, point),))
        self.seconds = max(self.seconds, record.seconds)
        return record.responses[response] if record.is_ok else None

    def losses(self, answers: AnyArray) -> FloatArray | None:
        study = self.runnable.study
        judge, rows = study.losses[0], study.outer[0].test
        return judge.rows(study.target[rows], answers) if judge.is_per_row and len(rows) > 1 else None

    @property
    def _candidate(self) -> int:
        return len(self.runnable.study.methods[self.at].candidates) // 2


def _thinned(rows: IntArray) -> IntArray:
    """Rows spread evenly over all of them, where there are too many."""
    if len(rows) <= MOST_TRAINING:
        return rows
    places = np.linspace(0, len(rows) - 1, MOST_TRAINING).astype(np.int64)
    return np.asarray(rows[places], np.int64)
