"""Fits on a cluster, as its coordinator sees them: which batches are at the nodes, must be retried, or are done.

Learners do not run in a process of the cluster (see `node`), so a death there is an accident of the
machine until the opposite is proved (see `attempts`).
"""

from __future__ import annotations

import importlib.util
import os
import select
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from foldwise import errors
from foldwise.errors import BadStudy, FitsFailed, FoldwiseError, MissingExtra
from foldwise.executors.cluster.attempts import Attempt, Attempts
from foldwise.executors.cluster.bridge import LOG, MOTHER, Cluster
from foldwise.executors.cluster.node import TOKEN, Missing, NodeStudy, Refused, versions
from foldwise.executors.cluster.packed_batch import pack_batch
from foldwise.executors.local.channel import Channel
from foldwise.executors.local.local_executor import HAS_WORKERS, cores
from foldwise.executors.local.scratch import scratch_folder, sweep
from foldwise.executors.options import RunOptions
from foldwise.executors.solver_choice import SolverChoice
from foldwise.executors.workload import modules_of, workload_of, write_workload
from foldwise.plans.fit import Batch, Fit
from foldwise.plans.runnable import RunnableStudy
from foldwise.plans.sharing import in_order, next_batch
from foldwise.records.record import Record

AHEAD = 2  # batches in flight for each that can run, so that none waits for the next
TICK = 0.1
DELIVERIES = 5  # to one place
CHECKS = 10  # that may fail in a row
CHECK_SECONDS = 1.0  # between a check that failed and the next
START_SECONDS = 60.0
EMPTY_SECONDS = 60.0  # without a single worker, in a cluster of our own; others may get new ones from a queue
EMPTY_SECONDS_OF_OTHERS = 600.0
CLOSE_SECONDS = 2.5


class ClusterExecutor:
    """What Dask and Ray share; `jobs` is the size of a cluster of our own, or how much of another we use at most."""

    engine = ""
    package = ""
    extra = ""
    cluster: type[Cluster]  # used by the bridge, which imports it by its name

    def __init__(self, options: RunOptions | None = None) -> None:
        options = options or RunOptions()
        if options.isolate is False:
            raise BadStudy(f"fits on {self.engine} always run in processes of their own", "Leave isolate out")
        if importlib.util.find_spec(self.package) is None:
            raise MissingExtra(
                f"engine {self.engine!r} needs the package {self.package}, which is not installed",
                f"Run: pip install 'foldwise[{self.extra}]'",
            )
        if not HAS_WORKERS:
            raise BadStudy("this system cannot run fits in processes of their own", "Use engine='local'")
        self.jobs, self.address, self.limits = options.jobs, options.address, options.limits
        self.seconds: dict[int, float] = {}  # of one fit, by method
        self._counts: dict[int, int] = {}
        self._bridge: subprocess.Popen[bytes] | None = None
        self._channel: Channel | None = None
        self._held = ExitStack()
        self._log = Path(os.devnull)
        self._threads = 1  # of the fits that the bridge was started for
        self._runnable: RunnableStudy | None = None
        self._solvers: SolverChoice | None = None
        self._node_study: NodeStudy | None = None
        self._slots: int | None = None  # of the cluster, once it is there
        self._empty_since: float | None = None  # since when it has lost all of them
        self._is_stopping = False
        self._numbers = 0
        self._in_flight: dict[int, Attempt] = {}
        self._held_back: dict[str, list[Attempt]] = {}  # until their place has the data
        self._deliveries: dict[str, int] = {}  # how often to each place
        self._delivered: dict[str, int] = {}  # the last batch sent before the data were there
        self._waiting: deque[Batch] = deque()
        self._attempts = Attempts()
        self._is_checking = False
        self._failed_checks = 0
        self._next_check = 0.0
        self._last_words = ""  # of what died last
        self._finished: list[Record] = []

    def run(self, runnable: RunnableStudy, fits: Sequence[Fit]) -> Iterator[list[Record]]:
        self._open(runnable)
        self.add(fits)
        began = time.monotonic()
        while self._waiting or self._attempts or self._held_back or self._in_flight:
            if self._is_stopping:
                self._poll(0.0)
                yield self._collect()
                return
            if self._slots is None and time.monotonic() - began > START_SECONDS:
                raise self._gone("it did not answer in time")
            self._check_slots()
            self._send_waiting()
            self._poll(TICK)
            yield self._collect()

    def add(self, fits: Sequence[Fit]) -> None:
        assert self._solvers is not None
        batches = in_order(self._solvers.batches(fits), self.seconds)
        self._waiting.extendleft(reversed(batches))  # before the rest: a method that goes on is to be finished

    def ask_to_stop(self) -> None:
        self._is_stopping = True

    def close(self) -> None:
        """The bridge sees that we are gone and ends what it started; what is left then is killed."""
        if self._channel is not None:
            self._channel.close()
        if self._bridge is not None:
            try:
                self._bridge.wait(CLOSE_SECONDS)
            except subprocess.TimeoutExpired:
                with suppress(ProcessLookupError):
                    os.killpg(self._bridge.pid, signal.SIGKILL)
                self._bridge.wait()
        self._bridge = self._channel = self._runnable = self._node_study = self._slots = None
        self._is_stopping = self._is_checking = False
        self._empty_since, self._failed_checks = None, 0
        for kept in (self.seconds, self._counts, self._in_flight, self._held_back, self._waiting):
            kept.clear()
        self._attempts.clear()
        self._held.close()
        sweep()  # what processes of the cluster had no time to remove

    # Sending

    def _send_waiting(self) -> None:
        if self._attempts.is_in_doubt:
            self._check()
            return
        while (self._attempts.among_others or self._waiting) and len(self._in_flight) < self._room():
            again = self._attempts.among_others
            self._send_batch(again.popleft() if again else Attempt(self._next()))
        if self._is_idle():
            self._check()  # and then try a suspect where the check was done

    def _next(self) -> Batch:
        return next_batch(self._waiting, self.seconds, workers=max(1, self._slots or 1))

    def _is_idle(self) -> bool:
        """Is nothing left but suspects?"""
        return not (self._in_flight or self._held_back or self._waiting or self._attempts.among_others)

    def _check(self) -> None:
        """Have a task done that does nothing, to see whether the cluster can do any."""
        if not self._is_checking and time.monotonic() >= self._next_check:
            self._is_checking = True
            self._send("check")

    def _room(self) -> int:
        if self._slots is None:
            return 0
        slots = max(1, self._slots)
        room = AHEAD * slots if len(self._waiting) > slots else slots  # the last ones wait for whoever is free first
        return min(self.jobs, room) if self.address is not None and self.jobs is not None else room

    def _send_batch(self, attempt: Attempt, where: str | None = None) -> None:
        assert self._node_study is not None
        self._numbers += 1
        self._in_flight[self._numbers] = attempt
        self._send("do", self._numbers, self._node_study.token, pack_batch(attempt.batch), where)

    def _send(self, *message: Any) -> None:
        assert self._channel is not None
        self._channel.send_nowait(message)

    # Receiving

    def _poll(self, seconds: float) -> None:
        """Wait for messages, at most so long, and handle them."""
        assert self._channel is not None
        poll = select.poll()
        poll.register(self._channel.fileno(), select.POLLIN | (select.POLLOUT if self._channel.has_more_to_send else 0))
        poll.poll(int(seconds * 1000))
        self._channel.flush()
        for what, *content in self._channel.arrived():
            if what == "slots":
                self._on_slots(*content)
            elif what == "done":
                self._on_done(*content)
            elif what == "died":
                self._on_died(*content)
            elif what == "checked":
                self._on_checked(*content)
            elif what == "delivered":
                self._on_delivered(*content)
            else:
                raise self._gone(content[0])
        if not self._channel.is_open and not self._is_stopping:
            raise self._gone(_last_line(self._log))

    def _on_done(self, number: int, where: str, outcome: Any) -> None:
        attempt = self._in_flight.pop(number, None)
        if attempt is None:
            return  # it came twice
        if isinstance(outcome, Refused):
            raise _error(outcome)
        if isinstance(outcome, Missing):
            self._hold_back(attempt, number, where, outcome.place)
            return
        fits = {fit.key: fit for fit in attempt.batch}
        for record in outcome:
            self._finished.append(replace(record, rows=fits.pop(record.key).rows))
        if fits:  # its node was stopped in the midst of it
            self._attempts.again(replace(attempt, batch=tuple(fits.values()) if outcome else attempt.batch))
        if outcome:
            self._attempts.survived(attempt)
        self._note_times(attempt.batch[0].method, outcome)

    def _note_times(self, method: int, records: Sequence[Record]) -> None:
        for record in records:
            count = self._counts[method] = self._counts.get(method, 0) + 1
            mean = self.seconds.get(method, 0.0)
            self.seconds[method] = mean + (record.seconds - mean) / count

    def _hold_back(self, attempt: Attempt, number: int, where: str, place: str) -> None:
        """Hold the batch back until the data are at that place; the first that misses them there asks for them."""
        if number <= self._delivered.get(place, 0):  # they have come since it was sent
            self._attempts.again(attempt)
            return
        if place not in self._held_back:
            assert self._node_study is not None
            self._held_back[place] = []
            self._send("deliver", where, place, self._node_study.token)
        self._held_back[place].append(attempt)

    def _on_delivered(self, place: str, is_there: bool, words: str) -> None:
        self._deliveries[place] = self._deliveries.get(place, 0) + 1
        if not is_there and self._deliveries[place] >= DELIVERIES:
            raise FitsFailed(
                f"the data cannot be sent to the node {place.partition(':')[0]} ({words})",
                "See that there is room in its temporary folder, or set TMPDIR there",
            )
        if is_there:
            self._delivered[place] = self._numbers
        for attempt in self._held_back.pop(place, []):
            self._attempts.again(attempt)

    def _on_died(self, number: int, words: str) -> None:
        """What carried this batch died: the cluster is to blame until it is found well and the batch dies alone."""
        attempt = self._in_flight.pop(number, None)
        if attempt is not None:
            self._last_words = words
            self._attempts.died(attempt)

    def _on_checked(self, where: str | None, words: str) -> None:
        """The cluster did a task there; or it could not, in these words."""
        self._is_checking = False
        if where is None:
            self._failed_checks += 1
            self._next_check = time.monotonic() + CHECK_SECONDS
            if self._failed_checks >= CHECKS:
                raise self._gone(words)
            return
        self._failed_checks, self._attempts.is_in_doubt = 0, False
        if self._attempts.suspects and self._is_idle():
            next_one = self._attempts.next_alone()
            if isinstance(next_one, Attempt):
                self._send_batch(next_one, where)
            else:
                self._crash(next_one, f"{self._last_words} each time it was tried, also alone on a node that works")

    def _on_slots(self, slots: int) -> None:
        self._empty_since = None if slots or not self._slots else time.monotonic()
        self._slots = slots

    def _check_slots(self) -> None:
        """A cluster that has lost all its workers may get others, but not for ever."""
        most = EMPTY_SECONDS if self.address is None else EMPTY_SECONDS_OF_OTHERS
        if self._empty_since is not None and time.monotonic() - self._empty_since > most:
            raise self._gone(f"it has no worker left{', ' * bool(self._last_words)}{self._last_words}")

    def _crash(self, fit: Fit, words: str) -> None:
        assert self._node_study is not None
        name = self._node_study.names[fit.method]
        self._finished.append(Record(key=fit.key, status="crashed", rows=fit.rows, error=words, learner=name))

    def _collect(self) -> list[Record]:
        found, self._finished = self._finished, []
        return found

    def _gone(self, why: str) -> FoldwiseError:
        cluster = f"the {self.engine} cluster" + (f" at {self.address}" if self.address else "")
        if self._slots is None:
            return FitsFailed(f"{cluster} cannot be used ({why})", "Check the address, and what is installed there")
        return FitsFailed(
            f"{cluster} is gone ({why})", "What is finished is in the store, if there is one: run the same line again"
        )

    # Starting

    @property
    def _wanted(self) -> int:
        return cores() if self.jobs is None else self.jobs

    def _open(self, runnable: RunnableStudy) -> None:
        if self._bridge is None:
            self._threads = runnable.study.threads
            self._start_bridge()
        if self._runnable is not runnable:
            if self._node_study is not None:
                self._send("forget", self._node_study.token)
            self._announce(runnable)

    def _announce(self, runnable: RunnableStudy) -> None:
        """Write the study's files for nodes on this machine, and for the bridge to send to others."""
        work = workload_of(runnable)
        folder = self._held.enter_context(scratch_folder())
        write_workload(work, folder)
        names = tuple(learner.name for learner in runnable.learners)
        token = uuid.uuid4().hex
        wanted = (*versions(), *runnable.study.packages.items())
        modules, is_hers = tuple(modules_of(work)), self.address is None and work.threads == self._threads
        mother = str(self._log.with_name(MOTHER)) if is_hers else ""
        self._node_study = NodeStudy(token, names, modules, work.threads, self.limits, wanted, mother)
        (folder / TOKEN).write_text(token)
        self._send("study", self._node_study, str(folder))
        self._runnable, self._solvers = runnable, SolverChoice(work)
        self._deliveries.clear()
        self._delivered.clear()

    def _start_bridge(self) -> None:
        folder = self._held.enter_context(scratch_folder())
        self._log = folder / LOG
        ours, theirs = socket.socketpair()
        place = f"{self.cluster.__module__}:{self.cluster.__qualname__}"
        words = [str(theirs.fileno()), place, self.address or "", str(self._wanted), str(folder), str(self._threads)]
        paths = os.pathsep.join(path or os.getcwd() for path in sys.path if isinstance(path, str))
        with self._log.open("wb") as log:
            self._bridge = subprocess.Popen(
                [sys.executable, "-P", "-m", "foldwise.executors.cluster.bridge", *words],
                pass_fds=(theirs.fileno(),),
                env={**os.environ, "PYTHONPATH": paths},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # a Ctrl-C in the terminal is for the coordinator alone
            )
        theirs.close()
        self._channel = Channel(ours)


def _error(outcome: Refused) -> FoldwiseError:
    kind = getattr(errors, outcome.kind, FitsFailed)
    error: FoldwiseError = kind(outcome.problem, outcome.remedy)
    return error


def _last_line(log: Path) -> str:
    try:
        lines = log.read_text(errors="replace").strip().splitlines()
    except OSError:
        lines = []
    return lines[-1][:300] if lines else "its process ended"
