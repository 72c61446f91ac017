"""Permutation importance: the outer models are made again, and predict their held-out rows with one column shuffled."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from foldwise.api.fold_models import fold_model
from foldwise.api.running import writable
from foldwise.arrays import AnyArray, FloatArray
from foldwise.data.shuffled import with_column_shuffled
from foldwise.errors import FitsFailed, FoldwiseError, interrupted
from foldwise.executors.stop import Stop
from foldwise.executors.worker import limited_threads
from foldwise.learners.model import respond, seeded_world
from foldwise.plans.runnable import RunnableStudy
from foldwise.questions.combined import answer_of
from foldwise.questions.contest import BASELINE, pick
from foldwise.questions.importance import check_rows, importance_of
from foldwise.questions.method import MethodAnswer
from foldwise.records.store import Store
from foldwise.splits.split import Split
from foldwise.studies.measured import SHUFFLES, Measured, Shuffled, model_name, read_measured, write_measured
from foldwise.studies.reading import Reading
from foldwise.studies.study import Study

if TYPE_CHECKING:
    import pandas as pd


def measure(
    runnable: RunnableStudy, answer: MethodAnswer, store: Store, *, stop: Stop | None = None, is_shown: bool = False
) -> int:
    """Measure what is missing of a method, and keep it model by model; gives the fits that were made."""
    study, method, stop = answer.study, answer.method, stop or Stop()
    check_rows(study)
    if answer.status != "ok" or answer.stand_ins:
        why = "has no risk" if answer.status != "ok" else "has the baseline's predictions where its fits failed"
        raise FitsFailed(f"{method.name} {why}, so there is no importance of its columns", "Name another method")
    kept, made = read_measured(store, method), 0
    if kept is None or kept.columns != runnable.data.names:
        kept = Measured(runnable.data.names)
    line = _Line(method.name, len(study.outer), is_shown=is_shown)
    for at, split in enumerate(study.outer):
        candidate, risk = answer.reading.outer_candidate(method, at), float(answer.fold_losses[at])
        assert candidate is not None
        name = model_name(study, method, candidate, split)
        if kept.find(name, risk) is not None:
            continue
        line.show(at)
        with _interruptible(stop):
            kept = kept.plus(name, _shuffled(runnable, answer, at, split, risk))
            write_measured(store, method, kept)
            made += 1 + len(method.members)
        if stop.is_asked():
            break
    line.end()
    return made


def measure_best(
    runnable: RunnableStudy, reading: Reading, store: Store, *, stop: Stop, is_shown: bool
) -> dict[str, int]:
    """The importance of the method that is picked, where all are finished; what goes wrong is a note of the study.

    Gives the fits that were made, by the name of the method.

    A run that has all its risks must not lose them to a question that was asked besides.
    """
    answers = [answer_of(reading, method) for method in reading.study.shown]
    best = pick(answers)
    if best is None or stop.is_asked() or not all(answer.is_finished for answer in answers):
        return {}
    if best.method.name == BASELINE:
        reading.note(("importance", "no permutation importance: nothing beats the baseline, which looks at no column"))
        return {}
    try:
        return {best.method.name: measure(runnable, best, store, stop=stop, is_shown=is_shown)}
    except FoldwiseError as problem:
        reading.note(("importance", f"no permutation importance: {problem}"))
    except Exception as problem:  # a learner may do anything, also in a fit that went well before
        words = f"{type(problem).__name__}: {(str(problem).splitlines() or [''])[0][:200]}"
        reading.note(("importance", f"no permutation importance: {best.method.name} failed when made again: {words}"))
    return {}


@dataclass(frozen=True)
class Importance:
    """How much larger a method's loss is with a column shuffled: prints the columns, the largest increase first."""

    method: str
    found: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """The importance in plain values."""
        return {"method": self.method, **self.found}

    def to_frame(self) -> pd.DataFrame:
        """One row per column: the mean increase, and the smallest and largest of the outer splits."""
        import pandas as pd

        kept = ("name", "increase", "low", "high")
        rows = [{name: column[name] for name in kept} for column in self.found["columns"]]
        return pd.DataFrame(rows, columns=list(kept)).rename(columns={"name": "column"})

    def __repr__(self) -> str:
        from foldwise.questions.report import importance_blocks
        from foldwise.show.terminal import as_text

        return as_text(importance_blocks(self.method, self.found))

    def _repr_html_(self) -> str:
        from foldwise.questions.report import importance_blocks
        from foldwise.show.notebook import as_html

        return as_html(importance_blocks(self.method, self.found))


def importance(runnable: RunnableStudy | None, answer: MethodAnswer) -> tuple[Importance, int]:
    """The importance of a method's columns, from the store where it is there, and the fits it took now."""
    found, made, stop = importance_of(answer), 0, Stop()
    if (found is None or not found["columns"]) and runnable is not None:
        with writable(answer.reading.store) as store:
            made = measure(runnable, answer, store, stop=stop, is_shown=sys.stderr.isatty())
            found = importance_of(answer_of(Reading(answer.study, store), answer.method))
    if stop.reason is not None:
        raise interrupted(f"{stop.reason}: what was measured of {answer.method.name} is kept with the result")
    if found is None or not found["columns"]:
        raise FitsFailed(
            f"the importance of the columns of {answer.method.name} was not measured",
            "A result loaded from a store has no learners to fit: run the study again with its store",
        )
    return Importance(answer.method.name, found), made


def _shuffled(runnable: RunnableStudy, answer: MethodAnswer, at: int, split: Split, risk: float) -> Shuffled:
    """One outer model made again, and its losses on its own test rows with every column shuffled in turn."""
    study, data, began = answer.study, runnable.data, time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the run has told them
        model = fold_model(runnable, answer, at)
        table = data.take(split.test)
        judge = _Judge(runnable, answer, at, model)
        whole = judge.loss(table)
        losses = [
            [judge.loss(with_column_shuffled(table, column, order)) for order in _orders(study, at, split, column)]
            for column in range(data.columns)
        ]
    seconds = time.perf_counter() - began
    return Shuffled(risk, whole, np.array(losses, np.float64), seconds, float(np.median(judge.seconds)))


def _orders(study: Study, at: int, split: Split, column: int) -> Sequence[AnyArray]:
    """The shuffles of a column at an outer split, the same for every method."""
    draws = (np.random.default_rng([study.seed, at, column, draw]) for draw in range(SHUFFLES))
    return [draw.permutation(len(split.test)) for draw in draws]


@dataclass(frozen=True)
class _Judge:
    """The loss of one outer model on its test rows, as they are or changed."""

    runnable: RunnableStudy
    answer: MethodAnswer
    at: int  # of its outer split
    model: Any
    seconds: list[float] = field(default_factory=list)  # of each prediction

    def loss(self, table: Any) -> float:
        study, rows = self.answer.study, self.answer.study.outer[self.at].test
        judge, candidate = study.losses[0], self.answer.reading.outer_candidate(self.answer.method, self.at)
        response = self.answer.method.response_for(judge, candidate or 0)
        with limited_threads(study.threads), seeded_world(study.seed):
            began = time.perf_counter()
            found = respond(self.model, self.runnable.data, rows, (response,), table=table)[response]
            self.seconds.append(time.perf_counter() - began)
        weights: FloatArray | None = None if study.weights is None else study.weights[rows]
        value = float(judge.fold(study.target[rows], found, weights))
        if not np.isfinite(value):
            raise FitsFailed(f"the {judge.name} loss is {value} with a column shuffled", "Use another loss")
        return value


@contextmanager
def _interruptible(stop: Stop) -> Iterator[None]:
    """An interrupt ends this model, and is told when its turn is over; what was kept before stays."""
    with stop:
        stop.is_fitting_here = True
        try:
            yield
        except KeyboardInterrupt:
            if stop.reason is None:
                raise
        finally:
            stop.is_fitting_here = False


class _Line:
    """How far the importance has come, on one line of standard error."""

    def __init__(self, method: str, count: int, *, is_shown: bool) -> None:
        self.method, self.count, self.is_shown, self.has_begun = method, count, is_shown, False

    def show(self, at: int) -> None:
        if self.is_shown:
            self.has_begun = True
            sys.stderr.write(f"\rimportance of the columns of {self.method}: outer model {at + 1} of {self.count} ")
            sys.stderr.flush()

    def end(self) -> None:
        if self.has_begun:
            sys.stderr.write("\n")
