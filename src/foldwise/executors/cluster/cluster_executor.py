"""Fits on a cluster, as its coordinator sees them.

The engine itself sends a batch again whose worker or node is lost, three times in all. A batch that died each time is
split into its fits, and each of these runs once more alone, while nothing else does. A fit that dies then too is to
blame, if the cluster is found well before and after; where it can do nothing, no fit is.
"""

from __future__ import annotations

import importlib.util
import pickle
import select
import socket
import uuid
import zlib
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import ClassVar

from foldwise.errors import BadStudy, FitsFailed, FoldwiseError, MissingExtra
from foldwise.executors.cluster.node import NodeStudy, versions
from foldwise.executors.executor import MeanSeconds
from foldwise.executors.local.channel import Channel
from foldwise.executors.local.child import log_file
from foldwise.executors.local.local_executor import HAS_WORKERS, cores
from foldwise.executors.local.nursery import REQUEST
from foldwise.executors.local.nursery_process import NurseryProcess, take_nursery
from foldwise.executors.local.scratch import SHORT, scratch_folder, sweep
from foldwise.executors.options import RunOptions
from foldwise.executors.solver_choice import SolverChoice
from foldwise.executors.workload import modules_of, workload_of, write_workload
from foldwise.plans.fit import Batch, Fit
from foldwise.plans.runnable import RunnableStudy
from foldwise.plans.sharing import in_order, next_batch
from foldwise.records.record import Record

AHEAD = 2  # batches in flight for each that can run, so that none waits for the next
TICK = 0.1
CLOSE_SECONDS = 2.0


class ClusterExecutor:
    """What Dask and Ray share; `jobs` is the size of a cluster of our own, or how much of another we use at most."""

    engine: ClassVar[str]  # also the extra that brings it
    package: ClassVar[str]

    def __init__(self, options: RunOptions | None = None) -> None:
        options = options or RunOptions()
        if options.isolate is False:
            raise BadStudy(f"fits on {self.engine} always run in processes of their own", "Leave isolate out")
        if importlib.util.find_spec(self.package) is None:
            words = f"engine {self.engine!r} needs the package {self.package}, which is not installed"
            raise MissingExtra(words, f"Run: pip install 'foldwise[{self.engine}]'")
        if not HAS_WORKERS:
            raise BadStudy("this system cannot run fits in processes of their own", "Use engine='local'")
        self.jobs, self.address, self.limits = options.jobs, options.address, options.limits
        self._held = ExitStack()  # what `close` gives back
        self._forget_all()

    def _forget_all(self) -> None:
        self.seconds = MeanSeconds()
        self._nursery: NurseryProcess | None = None  # of the bridge
        self._runnable: RunnableStudy | None = None
        self._token = ""  # of the study
        self._slots: int | None = None  # of the cluster, once it is there
        self._is_stopping = self._is_checking = False
        self._numbers = 0
        self._waiting: deque[Batch] = deque()
        self._in_flight: dict[int, Batch] = {}
        self._suspects: deque[Fit] = deque()  # that died among others as often as the engine tries
        self._death_alone = ""  # of the first suspect, in words
        self._records: list[Record] = []

    def run(self, runnable: RunnableStudy, fits: Sequence[Fit]) -> Iterator[list[Record]]:
        if self._nursery is None:
            self._start_bridge()
        if self._runnable is not runnable:
            self._announce(runnable)
        self.add(fits)
        while self._waiting or self._in_flight or self._suspects:
            if not self._is_stopping:
                self._send_waiting()
            self._poll(0.0 if self._is_stopping else TICK)
            records, self._records = self._records, []
            yield records
            if self._is_stopping:
                return

    def add(self, fits: Sequence[Fit]) -> None:
        batches = in_order(self._solvers.batches(fits), self.seconds)
        self._waiting.extendleft(reversed(batches))  # before the rest: a method that goes on is to be finished

    def ask_to_stop(self) -> None:
        self._is_stopping = True

    def close(self) -> None:
        self._held.close()
        self._forget_all()
        sweep()  # what processes of the cluster had no time to remove

    def _send_waiting(self) -> None:
        slots = self._slots or 0
        room = AHEAD * slots if len(self._waiting) > slots else slots  # the last ones wait for whoever is free first
        if self.address is not None and self.jobs is not None:
            room = min(self.jobs, room)
        while self._waiting and len(self._in_flight) < room:
            self._send_batch(next_batch(self._waiting, self.seconds, workers=slots))
        if self._suspects and not (self._in_flight or self._waiting or self._is_checking):
            self._is_checking = True
            self._channel.send_nowait(("check",))

    def _send_batch(self, batch: Batch) -> None:
        self._numbers += 1
        self._in_flight[self._numbers] = batch
        packed = zlib.compress(pickle.dumps(batch, pickle.HIGHEST_PROTOCOL), 1)  # a fifth: row numbers are alike
        self._channel.send_nowait(("do", self._numbers, self._token, packed))

    def _poll(self, seconds: float) -> None:
        """Wait for messages, at most so long, and handle them."""
        poll = select.poll()
        poll.register(self._channel.fileno(), select.POLLIN | (select.POLLOUT if self._channel.has_more_to_send else 0))
        poll.poll(int(seconds * 1000))
        self._channel.flush()
        for what, *content in self._channel.arrived():
            if what == "slots":
                (self._slots,) = content
            elif what == "done":
                self._on_done(*content)
            elif what == "died":
                self._on_died(*content)
            elif what == "works":
                self._judge_suspect()
            else:
                raise self._gone(content[0])
        if not self._channel.is_open and not self._is_stopping:
            lines = self._log.read_text(errors="replace").strip().splitlines()
            raise self._gone(lines[-1][:300] if lines else "its process ended")

    def _on_done(self, number: int, outcome: bytes) -> None:
        batch, records = self._in_flight.pop(number), pickle.loads(outcome)
        if isinstance(records, FoldwiseError):
            raise records
        fits = {fit.key: fit for fit in batch}
        for record in records:
            fit = fits.pop(record.key)
            self.seconds.note(fit.method, record.seconds)
            self._records.append(replace(record, rows=fit.rows))
        if fits:  # their pool was closed
            self._waiting.appendleft(tuple(fits.values()) if records else batch)
        elif self._suspects and batch[0] is self._suspects[0]:
            self._suspects.popleft()  # it was tried alone, and is innocent

    def _on_died(self, number: int, words: str) -> None:
        batch = self._in_flight.pop(number)
        if self._suspects and batch[0] is self._suspects[0]:
            self._death_alone = words
        else:
            self._suspects.extend(batch)

    def _judge_suspect(self) -> None:
        """The cluster works and nothing else runs: try the first suspect alone, or blame it if it has died so."""
        self._is_checking = False
        if not self._death_alone:
            self._send_batch((self._suspects[0],))
            return
        assert self._runnable is not None
        fit, error = self._suspects.popleft(), f"{self._death_alone} each time it was tried, also alone"
        name, self._death_alone = self._runnable.learners[fit.method].name, ""
        self._records.append(Record(key=fit.key, status="crashed", rows=fit.rows, error=error, learner=name))

    def _gone(self, why: str) -> FoldwiseError:
        cluster = f"the {self.engine} cluster" + (f" at {self.address}" if self.address else "")
        if self._slots is None:
            return FitsFailed(f"{cluster} cannot be used ({why})", "Check the address, and what is installed there")
        remedy = "What is finished is in the store, if there is one: run the same line again"
        return FitsFailed(f"{cluster} is gone ({why})", remedy)

    def _announce(self, runnable: RunnableStudy) -> None:
        """Write the study's files, for the bridge to send."""
        work, folder = workload_of(runnable), self._held.enter_context(scratch_folder())
        write_workload(work, folder)
        names, modules = tuple(learner.name for learner in runnable.learners), tuple(modules_of(work))
        required = (*versions().items(), *runnable.study.packages.items())
        study = NodeStudy(uuid.uuid4().hex, names, modules, work.threads, self.limits, required)
        self._channel.send_nowait(("study", study, folder))
        self._runnable, self._solvers, self._token = runnable, SolverChoice(work), study.token

    def _start_bridge(self) -> None:
        folder = self._held.enter_context(scratch_folder(SHORT))  # Ray's sockets need a short name
        ours, theirs = socket.socketpair()
        self._channel, self._log, self._nursery = Channel(ours), log_file(folder, 0), take_nursery(1)
        self._held.callback(self._end_bridge, self._nursery)
        self._nursery.begin(folder, [], entry="foldwise.executors.cluster.bridge")
        self._nursery.send(REQUEST.pack(b"S", 0), [theirs.fileno()])
        theirs.close()
        self._channel.send_nowait((self.engine, self.address, self.jobs or cores()))

    def _end_bridge(self, nursery: NurseryProcess) -> None:
        """It sees that we are gone, and lets go of the cluster; the nursery ends what it has started."""
        self._channel.close()
        nursery.says(b"D", CLOSE_SECONDS)
        nursery.end()


class DaskExecutor(ClusterExecutor):
    """`address` is that of a scheduler, as Dask writes it: tcp://host:8786."""

    engine, package = "dask", "distributed"


class RayExecutor(ClusterExecutor):
    """`address` is that of a head node, as Ray writes it: host:6379, ray://host:10001 or auto."""

    engine, package = "ray", "ray"
