"""The whole flow on one screen: do the fits that are still needed, then read the records."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from typing import Any

from foldwise.arrays import IntArray
from foldwise.executors.executor import Executor
from foldwise.executors.progress import Progress
from foldwise.executors.stop import Stop
from foldwise.executors.worker import limited_threads
from foldwise.learners.model import make_fitting, seeded_world
from foldwise.plans.proposing import check_points, next_proposals
from foldwise.plans.queue import Queue
from foldwise.plans.runnable import RunnableStudy
from foldwise.records.block import RecordBlock, record_parts
from foldwise.records.store import Store
from foldwise.studies.proposals import write_proposals
from foldwise.studies.reading import Reading
from foldwise.studies.study import rows_name


def run(
    runnable: RunnableStudy, *, executor: Executor, store: Store, progress: Progress, stop: Stop | None = None
) -> tuple[Reading, Counter[str]]:
    """Do the fits the study still needs; give back its records to read, and the fits made by learner."""
    reading, made, stop = Reading(runnable.study, store), Counter[str](), stop or Stop()
    workers = getattr(executor, "jobs", None)
    queue = Queue(
        runnable,
        reading,
        before=lambda method: keep_proposals(runnable, reading, method),
        at_once=None if stop.time_limit is None else workers or 1,
    )
    check_points(runnable, reading)
    progress.begin(reading, workers=workers, limit=stop.time_limit)
    from sklearn import config_context

    # weights reach pipelines by the names of their steps, in this process as in workers
    with config_context(enable_metadata_routing=False), stop, progress, closing(executor):
        while (fits := queue.next()) and not stop.is_asked():
            progress.expect(fits, is_open=queue.is_open)
            running, fits = executor.run(runnable, fits), ()  # which hold the rows of very many training sets
            for records in running:  # any order, any process
                if records:
                    store.add(records)  # keyed by data, learner, candidate, training rows and seed
                    reading.look(records)
                    for part in record_parts(records):
                        made[part.learner] += len(part) if isinstance(part, RecordBlock) else 1
                progress.advance(records)
                if stop.is_asked():
                    executor.ask_to_stop()  # what is finished still comes
                elif more := queue.next(records):  # a method that was tuned needs its chosen candidates
                    progress.expect(more, is_open=queue.is_open)
                    executor.add(more)
                    more = ()
                progress.settle(queue.settled())
    return reading, made


def keep_proposals(runnable: RunnableStudy, reading: Reading, method: int) -> None:
    """Store the next candidates of a search before any of them is fitted."""
    while (grown := next_proposals(runnable, reading, method)) is not None:
        write_proposals(grown, reading.store)
        reading.extend(grown)


def fit_model(runnable: RunnableStudy, reading: Reading, method: int, candidate: int, rows: IntArray) -> Any:
    """A fitted model of one method at one candidate: what is handed over to be used."""
    from sklearn import config_context

    points = reading.study.methods[method].proposals.points
    estimator = runnable.estimator(method, candidate, points[candidate] if points else None)
    seed = runnable.study.fit_seed(runnable.families[method], rows_name(rows))
    with config_context(enable_metadata_routing=False), limited_threads(runnable.study.threads), seeded_world(seed):
        return make_fitting(estimator).fit(runnable.data, rows, seed)
