"""Fits on this machine: in the calling process while that is quick, in worker processes otherwise."""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress

from foldwise.errors import BadStudy, FoldwiseError
from foldwise.executors.executor import MeanSeconds
from foldwise.executors.local import nursery_process
from foldwise.executors.local.pool import Pool
from foldwise.executors.local.scratch import scratch_folder, sweep
from foldwise.executors.options import RunOptions
from foldwise.executors.stop import Stop
from foldwise.executors.worker import Worker
from foldwise.executors.workload import modules_of, workload_of, write_workload
from foldwise.plans.cost import CHEAP, fit_seconds
from foldwise.plans.fit import Batch, Fit, SharedBatch, parts_of
from foldwise.plans.runnable import RunnableStudy
from foldwise.plans.sharing import in_order, next_batch, untimed_first
from foldwise.records.block import RecordBlock, record_parts
from foldwise.records.record import Record

SMALL_STUDY_SECONDS = 2.0
SMALL_TABLE = 1_000_000  # cells; on a larger one even the cheapest learners would keep workers waiting
HAS_WORKERS = os.name == "posix"


class LocalExecutor:
    """One flat queue and one number of workers.

    With `jobs=None` the first fits are timed here; if the rest would take longer than
    about two seconds it goes to worker processes, one per core. `isolate` decides it
    beforehand, and so do limits, which only a process of its own can be held to. A number of
    jobs asks for workers too, but the cheapest built-in learners are fitted here until those are there.
    """

    def __init__(self, options: RunOptions | None = None) -> None:
        options = options or RunOptions()
        if options.address is not None:
            raise BadStudy(
                f"the local engine has no address, but {options.address!r} was given", "Name engine dask or ray"
            )
        self.jobs, self.limits = options.jobs or cores(), options.limits
        self.must_isolate, self.may_isolate = _isolation(options, self.jobs)
        # the cheapest built-in learners surely end, and a short limit may be over before a process is there
        self.may_begin_here = not options.limits and options.isolate is None
        self.most_cells_here = SMALL_TABLE if options.time_limit is None else math.inf
        if self.may_isolate:
            sweep()  # also where nothing is left to fit after a kill
        self.stop = Stop()  # that of the run, once there is one
        self.seconds = MeanSeconds()
        self._is_asked_to_stop = False
        self._methods: dict[str, int] = {}  # by key of their fits
        self._left: deque[Batch] = deque()  # for this process, until workers take over
        self._worker: Worker | None = None
        self._pool: Pool | None = None
        self._is_in_pool = False
        self._held = ExitStack()

    def run(self, runnable: RunnableStudy, fits: Sequence[Fit]) -> Iterator[Sequence[Record]]:
        self._begin(runnable)
        self.add(fits)
        fits = ()  # they hold the rows of very many training sets
        if not self.must_isolate:
            yield from map(self._timed, self._run_here(runnable))
        elif self.may_begin_here:
            yield from map(self._timed, self._begin_here(runnable))
        if self._left and not self._is_asked_to_stop:
            pool, self._is_in_pool = self._pool_for(runnable), True
            batches = in_order(self._left, self.seconds)
            self._left.clear()
            yield from map(self._timed, pool.run(batches))

    def add(self, fits: Sequence[Fit]) -> None:
        assert self._worker is not None
        for part in parts_of(fits):
            self._methods.update(dict.fromkeys(part.keys, part.method))
        batches = self._worker.solvers.batches(fits)
        if self._is_in_pool and self._pool is not None:
            self._pool.add(in_order(batches, self.seconds))
        else:  # before what is left: a method that goes on is to be finished
            self._left = deque([*untimed_first(batches, self.seconds), *self._left])

    def ask_to_stop(self) -> None:
        self._is_asked_to_stop = True
        if self._pool is not None:
            self._pool.ask_to_stop()

    def close(self) -> None:
        if self._pool is not None:
            self._pool.close()
        self._pool = self._worker = None
        self._is_in_pool = self._is_asked_to_stop = False
        self.seconds = MeanSeconds()
        self._held.close()

    def _begin(self, runnable: RunnableStudy) -> None:
        if self._worker is None or self._worker.work.data is not runnable.data:
            self.close()
        self._worker = Worker(workload_of(runnable), is_stopping=lambda: self.stop.reason is not None)
        self._left.clear()
        self._is_in_pool = False

    def _run_here(self, runnable: RunnableStudy) -> Iterator[Sequence[Record]]:
        """Do fits in this process; go on with it while workers are starting."""
        while self._left and not self._is_asked_to_stop:
            if self.may_isolate and self._is_long() and self._pool_for(runnable).is_ready():
                return
            yield from self._interruptible(next_batch(self._left, self.seconds))

    def _begin_here(self, runnable: RunnableStudy) -> Iterator[Sequence[Record]]:
        """Do fits of the cheapest built-in learners in this process until a worker is there."""
        if runnable.data.rows * runnable.data.columns > self.most_cells_here:
            return
        is_cheap = [learner.is_builtin and fit_seconds(learner) <= CHEAP for learner in runnable.learners]
        while not self._is_asked_to_stop and not self._pool_for(runnable).is_ready():
            batch = next((batch for batch in self._left if is_cheap[batch[0].method]), None)
            if batch is None:
                return
            self._left.remove(batch)
            yield from self._interruptible(batch)

    def _is_long(self) -> bool:
        """Would what is left, one fit after another, take long, as far as methods have been timed?"""
        return sum(len(batch) * self.seconds.get(batch[0].method, 0.0) for batch in self._left) > SMALL_STUDY_SECONDS

    def _interruptible(self, batch: Batch) -> Iterator[Sequence[Record]]:
        """Records of a batch, or of the part of it that was finished when the run was interrupted.

        Those that a solver gives in pieces are handed on in these; single fits are handed on together.
        """
        assert self._worker is not None
        pieces: Iterator[Sequence[Record]] | None = self._worker.each(batch)
        while pieces is not None:
            finished: Sequence[Record] = []
            self.stop.is_fitting_here = True
            try:
                for records in pieces:
                    if isinstance(batch, SharedBatch):
                        finished = records
                        break
                    finished = [*finished, *records]
                else:
                    pieces = None
            except KeyboardInterrupt:
                if self.stop.reason is None:
                    raise
                self._is_asked_to_stop, pieces = True, None
            finally:
                self.stop.is_fitting_here = False
            yield finished

    def _pool_for(self, runnable: RunnableStudy) -> Pool:
        """The workers of this study, started when they are first wanted."""
        if self._pool is None:
            work = workload_of(runnable)
            folder = self._held.enter_context(scratch_folder())
            write_workload(work, folder)
            self._pool = Pool(
                folder, jobs=self.jobs, limits=self.limits, threads=work.threads, modules=modules_of(work)
            )
            self._pool.keeps_nursery, self._pool.seconds = True, self.seconds
            self._pool.names = tuple(learner.name for learner in runnable.learners)
            self._pool.start()
        return self._pool

    def _timed(self, records: Sequence[Record]) -> Sequence[Record]:
        for part in record_parts(records):
            keys = part.keys if isinstance(part, RecordBlock) else (part.key,)
            self.seconds.note(self._methods[keys[0]], part.seconds, fits=len(keys))
        return records


def start_ahead(options: RunOptions, *, threads: int) -> None:
    """Begin to start workers for a study that is still being made, if its fits are to run in workers."""
    with suppress(FoldwiseError):  # whoever makes the executor will hear of it
        if options.engine == "local" and _isolation(options, options.jobs or cores())[0]:
            nursery_process.start_ahead(threads)


def cores() -> int:
    """Cores this process may use: those it is bound to, and no more than its container's share of time."""
    allowed = getattr(os, "sched_getaffinity", None)
    count = len(allowed(0)) if allowed else os.cpu_count() or 1
    try:
        with open("/sys/fs/cgroup/cpu.max") as file:
            share, period = file.read().split()
        return max(1, min(count, int(int(share) / int(period)))) if share != "max" else count
    except (OSError, ValueError):
        return count


def _isolation(options: RunOptions, jobs: int) -> tuple[bool, bool]:
    """Must fits, and may fits, run in processes of their own?"""
    limits, isolate = options.limits, options.isolate
    if limits and isolate is False:
        raise BadStudy("limits of a fit need a process of its own, but isolate is False", "Leave isolate out")
    is_limited = bool(limits) or options.time_limit is not None  # a fit in this process could not be ended in time
    wanted = is_limited if isolate is None else isolate
    if wanted and not HAS_WORKERS:
        raise BadStudy("this system cannot run fits in processes of their own", "Leave isolate and limits out")
    must = wanted or (isolate is None and options.jobs is not None and jobs > 1 and HAS_WORKERS)
    return must, must or (isolate is None and jobs > 1 and HAS_WORKERS)
