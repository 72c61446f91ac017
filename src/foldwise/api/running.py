"""Having a study run: with which executor, in which store, and what happens when it is stopped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from foldwise.answers.ledger import name_of, note_scores
from foldwise.api.manifest import checked_manifest
from foldwise.errors import Terminated, interrupted
from foldwise.executors.engines import make_executor
from foldwise.executors.options import RunOptions
from foldwise.executors.progress import Progress
from foldwise.executors.stop import Reason, Stop
from foldwise.plans.runnable import RunnableStudy
from foldwise.records.opening import AnyStore, opened
from foldwise.records.store import Store
from foldwise.run import run
from foldwise.studies.file import write_study
from foldwise.studies.reading import Reading
from foldwise.studies.stacking import final_key
from foldwise.studies.study import Study


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
    with opened(store) as kept:
        manifest = checked_manifest(runnable.study, kept)
        if is_kept and store is not None:  # before the first fit, so that a kill in the first second is resumable
            write_study(runnable.study, kept, origin=origin)
        kept.write_document("manifest", manifest)
        _note_test_set(runnable.study, kept)
        if retry_failed:
            _forget_failures(runnable.study, kept)
        reading, made = run(runnable, executor=executor, store=kept, progress=Progress(progress), stop=stop)
    return Ran(reading, made, stop.reason)


def _note_test_set(study: Study, store: Store) -> None:
    """One test set, scored by study after study, wears out: count the methods that were judged on it."""
    if len(study.outer) == 1:
        identities = [name_of(*([m.proposals_name] if m.proposals_name else m.identities)) for m in study.shown]
        note_scores(store, name_of(study.fingerprint, study.outer.fingerprint), identities)


def _forget_failures(study: Study, store: Store) -> None:
    """Drop the failed records of every fit the study may come to need, so that they are made again.

    All records of a stack or a blend go with them: its members may choose otherwise when they do not fail.
    """
    reading = Reading(study, store)
    for method in reading.study.methods:
        keys = {key for run in reading.runs(method) for key in run.possible_keys()}
        for stage in reading.study.stages(method):
            keys |= set(reading.study.keys(method, reading.study.rows_name(stage.split)))
        keys |= {final_key(study, method)} if method.members else set()
        known = ((key, record) for key in keys if (record := store.get(key)) is not None)
        store.discard(key for key, record in known if method.members or not record.is_ok)
