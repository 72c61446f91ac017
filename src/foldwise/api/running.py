"""Having a study run: with which executor, in which store, and what happens when it is stopped."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from foldwise.api.manifest import MANIFEST, SKETCH, checked_manifest
from foldwise.blocks.numbers import MISSING, number, span
from foldwise.data.sketch import make_sketch
from foldwise.errors import FoldwiseError, Terminated, interrupted
from foldwise.executors.engines import make_executor
from foldwise.executors.options import RunOptions
from foldwise.executors.progress import Progress
from foldwise.executors.stop import Reason, Stop
from foldwise.plans.runnable import RunnableStudy
from foldwise.questions.combined import answer_of
from foldwise.questions.contest import BASELINE
from foldwise.questions.ledger import name_of_method, name_of_test_set, note_scores
from foldwise.questions.pictures.table import write_table
from foldwise.records.sqlite import SqliteStore
from foldwise.records.store import AnyStore, Store, opened
from foldwise.run import run
from foldwise.stats.estimate import plain_number
from foldwise.studies.members import final_key
from foldwise.studies.reading import Reading
from foldwise.studies.stored import write_study
from foldwise.studies.study import Method, Study


class Ran(NamedTuple):
    """The records of a study to read, the fits made by learner, and why it ended early if it did."""

    reading: Reading
    made: Counter[str]
    stopped: Reason | None = None

    def check_finished(self, store: AnyStore, result: object = None) -> None:
        """Raise what an interrupt or a termination of the run comes to."""
        if self.stopped in (None, "time limit"):
            return
        place = store if isinstance(store, str | Path) else "the store"
        kept = "there is no store" if store is None else f"finished fits are kept in {place}"
        kept += "" if store is None else ", run the same line again to go on"
        make = interrupted if self.stopped == "interrupted" else Terminated
        raise make(f"{self.stopped}: {kept}", result)


def answer_study(
    runnable: RunnableStudy,
    options: RunOptions | None = None,
    *,
    store: AnyStore = None,
    retry_failed: bool = False,
    progress: bool | None = None,
    origin: Mapping[str, Any] | None = None,
    is_kept: bool = True,
) -> Ran:
    """Run a study, with its records in a store if one is named; they stay readable when it is closed.

    A smaller question (`is_kept=False`) leaves its records but not itself: the study of the store stays what it was.
    """
    options = options or RunOptions()
    stop = Stop(options.time_limit)
    executor = make_executor(options, stop)
    with opened(store) as records:
        sketch = None if store is None else make_sketch(runnable.data)
        manifest = checked_manifest(runnable.study, records, sketch)
        if is_kept and store is not None:  # before the first fit, so that a kill in the first second is resumable
            write_study(runnable.study, records, origin=origin)
        MANIFEST.write(records, manifest)
        if sketch is not None:
            SKETCH.write(records, sketch)
        if store is not None:
            write_table(records, runnable.data)
        _note_test_set(Reading(runnable.study, records))
        if retry_failed:
            _forget_failures(runnable.study, records)
        shown = Progress(progress, judge=risk_words)
        reading, counts = run(runnable, executor=executor, store=records, progress=shown, stop=stop)
        if runnable.study.wants_importance:
            from foldwise.api.importance import measure_best  # needs scikit-learn, and a result that is read does not

            counts.update(measure_best(runnable, reading, records, stop=stop, is_shown=shown.shown))
    return Ran(reading, counts, stop.reason)


def risk_words(reading: Reading, method: Method) -> str:
    """The risk of a method that has all its fits, for who watches the others; nothing while it has none."""
    answer = answer_of(reading, method)
    if not answer.is_judged or not math.isfinite(answer.risk):
        return ""
    try:
        estimate = answer.estimate()
    except FoldwiseError:
        return f"risk {number(answer.risk)}"
    ends = span(plain_number(estimate.low), plain_number(estimate.high))
    return f"risk {number(estimate.value)}" + ("" if ends == MISSING else f" ({ends})")


def _note_test_set(reading: Reading) -> None:
    """One test set, scored by study after study, wears out: note the methods that are judged on it."""
    if (test_set := name_of_test_set(reading)) is not None:
        shown = reading.study.shown
        rivals = [method for method in shown if method.name != BASELINE] or shown  # the baseline is no rival
        note_scores(reading.store, test_set, map(name_of_method, rivals))


def _forget_failures(study: Study, store: Store) -> None:
    """Drop the failed records of every fit the study may come to need, so that they are made again.

    All records of a blend go with them: its members may choose otherwise when they do not fail.
    """
    reading = Reading(study, store)
    for method in reading.study.methods:
        keys = {key for run in reading.runs(method) for key in run.possible_keys()}
        for stage in reading.study.stages(method):
            keys |= set(reading.study.keys(method, reading.study.rows_name(stage.split)))
        keys |= {final_key(study, method)} if method.members else set()
        records = ((key, record) for key in keys if (record := store.get(key)) is not None)
        store.discard(key for key, record in records if method.members or not record.is_ok)


@contextmanager
def writable(store: Store) -> Iterator[Store]:
    """The store of a run that is over, to add to it; a folder was closed with its run and is opened again."""
    if not isinstance(store, SqliteStore):
        yield store
        return
    with opened(store.path) as kept:
        yield kept
    store.renew()


def finish(runnable: RunnableStudy, reading: Reading, names: Collection[str]) -> tuple[Reading, Counter[str]]:
    """The study read again with all fits of these methods, and how many were made."""
    stop = Stop()
    executor = make_executor(RunOptions(), stop)
    with writable(reading.store) as records:
        _, made = run(runnable.only(names), executor=executor, store=records, progress=Progress(False), stop=stop)
    return Reading(reading.study, reading.store), made
