"""Worker processes that may die, and fits that may not be lost.

Every fit leaves one record, whatever happens to the process it runs in. Workers report
each fit as it ends, so a death costs the one fit that was in hand. That fit is tried
again alone, in a new process while nothing else runs: if the process dies again, the fit is to blame.
"""

from __future__ import annotations

import os
import re
import select
import signal
import socket
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from foldwise.errors import BadLearner, FitsFailed
from foldwise.executors.local.channel import Channel
from foldwise.executors.local.child import log_file
from foldwise.executors.local.nursery import REQUEST
from foldwise.executors.local.nursery_process import NurseryProcess, take_nursery
from foldwise.executors.local.usage import killed_for_memory, private_bytes
from foldwise.executors.options import Limits
from foldwise.plans.fit import Batch, Fit, SharedBatch
from foldwise.plans.sharing import next_batch
from foldwise.records.block import RecordBlock, RecordPart, Records, record_parts
from foldwise.records.record import Record, Status

AHEAD = 2  # batches at a worker, so that it need not wait for the next one
TICK = 0.1  # seconds between checks of the limits
ASLEEP = 1.0  # a longer time between two checks: this machine slept, the fits did not work
MOST_IDLE_DEATHS = 20  # in a row, of workers that did not come to their first fit
LOG_BYTES = 64_000_000
KILLED = getattr(signal, "SIGKILL", 9)  # Windows has none, and no workers
TRIES: dict[int, int] = {KILLED: 3}  # memory may be short for a moment, so a kill is no proof


@dataclass
class _Worker:
    """A worker process as the coordinator sees it."""

    number: int
    channel: Channel
    pid: int = 0
    is_ready: bool = False
    batches: deque[Batch] = field(default_factory=deque)
    in_hand: dict[str, Fit] = field(default_factory=dict)  # by key, in the order in which they will be done
    begun: int = 1  # how many of them it is at: a solver answers many at once
    alone: bool = False
    done: int = 0
    began: float = 0.0  # of the fit it is at, on the clock that sleep does not move
    bytes_before: int = 0
    is_sent_away: bool = False  # we have asked for its end
    killed_for: Status | None = None
    status: int | None = None  # how it ended, as the kernel reports it


class Pool:
    """Workers for one study whose data and learners are in `folder`."""

    def __init__(
        self, folder: Path, *, jobs: int, limits: Limits | None = None, threads: int = 1, modules: Iterable[str] = ()
    ) -> None:
        self.folder, self.jobs, self.limits = folder, jobs, limits or Limits()
        self.threads, self.modules = threads, list(modules)
        self.names: tuple[str, ...] = ()  # of the learners, for the records of fits that did not end
        self.seconds: Mapping[int, float] = {}  # of one fit, by method: fits of the measured ones travel together
        self._workers: dict[int, _Worker] = {}
        self._numbers = 0
        self.keeps_nursery = False  # for the next study of this process
        self._nursery: NurseryProcess | None = None
        self._nurseries = 0  # started since the last record
        self._is_stopping = False
        self._looked = time.monotonic()
        self._clock = 0.0
        self._waiting: deque[Batch] = deque()
        self._suspects: deque[Batch] = deque()
        self._deaths: Counter[str] = Counter()
        self._finished: list[RecordPart] = []

    def start(self) -> None:
        """Begin to start the workers; `is_ready` says when one can be used."""
        if self._nursery is None:
            self._start_nursery()
            for _ in range(self.jobs):
                self._start_worker()

    def is_ready(self) -> bool:
        self._poll(0.0)
        return any(worker.is_ready for worker in self._workers.values())

    def run(self, batches: Iterable[Batch]) -> Iterator[Sequence[Record]]:
        """Records of all fits, a few at a time, in any order; an empty list now and then while nothing ends."""
        self._waiting.extend(batches)
        self.start()
        while self._waiting or self._suspects or any(worker.in_hand for worker in self._workers.values()):
            if self._is_stopping:
                self._poll(0.0)
                yield self._collect()
                return
            self._hand_out()
            self._poll(TICK)
            self._enforce()
            yield self._collect()

    def add(self, batches: Iterable[Batch]) -> None:
        """More to do for `run`, which is under way; before the rest, so that a method that goes on is finished."""
        self._waiting.extendleft(reversed(list(batches)))

    def ask_to_stop(self) -> None:
        """End `run` soon, with what is finished."""
        self._is_stopping = True

    def close(self) -> None:
        """Kill the workers and all they started. The nursery does it, and then ends itself or waits for a study."""
        for worker in self._workers.values():
            worker.channel.close()
        self._workers.clear()
        if self._nursery is not None:
            (self._nursery.finish if self.keeps_nursery else self._nursery.end)()
        self._nursery = None

    # Handing out

    def _hand_out(self) -> None:
        self._tick()  # the time until now is not that of the fits handed out here
        for worker in list(self._workers.values()):
            while worker.is_ready and not worker.alone and self._waiting and len(worker.batches) < self._most_ahead():
                self._send_batch(worker, next_batch(self._waiting, self.seconds, workers=self.jobs))
        is_idle = not self._waiting and not any(worker.in_hand for worker in self._workers.values())
        if is_idle and self._suspects:
            self._try_alone()

    def _most_ahead(self) -> int:
        """Batches that a worker may have; the last ones wait for whoever is free first."""
        return AHEAD if len(self._waiting) > self.jobs else 1

    def _try_alone(self) -> None:
        """Give the next suspect to a worker that has done nothing yet; nobody else is at work."""
        fresh = next((worker for worker in self._workers.values() if not worker.done), None)
        if fresh is None:
            worker = next(iter(self._workers.values()))
            worker.done = 0
            self._kill(worker, None)
        elif fresh.is_ready:
            self._send_batch(fresh, self._suspects.popleft(), alone=True)

    def _send_batch(self, worker: _Worker, batch: Batch, *, alone: bool = False) -> None:
        if not worker.in_hand:
            worker.began = self._clock
        worker.alone = alone
        worker.in_hand.update({fit.key: fit for fit in batch})
        worker.batches.append(batch)
        worker.channel.send_nowait(batch)

    # Looking

    def _poll(self, seconds: float) -> None:
        """Wait for messages, at most so long, and handle them."""
        assert self._nursery is not None
        poll = select.poll()
        poll.register(self._nursery.control, select.POLLIN)
        by_handle = {worker.channel.fileno(): worker for worker in self._workers.values() if worker.channel.is_open}
        for handle, worker in by_handle.items():
            poll.register(handle, select.POLLIN | (select.POLLOUT if worker.channel.has_more_to_send else 0))
        ready = poll.poll(int(seconds * 1000))
        self._tick()
        for handle, what in ready:
            if handle in by_handle:
                if what & select.POLLOUT:
                    by_handle[handle].channel.flush()
                self._read_messages(by_handle[handle])
            else:
                self._read_notices()

    def _tick(self) -> None:
        now = time.monotonic()
        self._clock += min(now - self._looked, ASLEEP)
        self._looked = now

    def _read_messages(self, worker: _Worker) -> None:
        for what, content in worker.channel.arrived():
            if what == "ready":
                worker.is_ready = True
                self._deaths["idle"] = 0
                worker.bytes_before = private_bytes(worker.pid)
            elif what == "broken":
                raise BadLearner(
                    f"the learners cannot be loaded in a worker process ({content})",
                    "Put their code where it can be imported, or use isolate=False",
                )
            elif what == "begin":
                worker.begun = content
            else:
                self._take(worker, content)

    def _take(self, worker: _Worker, records: Sequence[Record]) -> None:
        for part in record_parts(records):  # fits share their rows' array
            if isinstance(part, RecordBlock):
                fits = [worker.in_hand.pop(key) for key in part.keys]
                part.rows = fits[0].rows
                self._finished.append(part)
            else:
                self._finished.append(replace(part, rows=worker.in_hand.pop(part.key).rows))
        while worker.batches and not any(fit.key in worker.in_hand for fit in worker.batches[0]):
            worker.batches.popleft()
        worker.done += len(records)
        worker.alone = worker.alone and bool(worker.in_hand)
        worker.began, worker.begun = self._clock, 1
        self._nurseries = 1

    def _collect(self) -> Records:
        found, self._finished = self._finished, []
        return Records(found)

    # Limits

    def _enforce(self) -> None:
        for worker in list(self._workers.values()):
            if worker.killed_for is not None:
                continue
            _cap(log_file(self.folder, worker.number))
            if not worker.in_hand:
                continue
            if self.limits.seconds is not None and self._clock - worker.began > self.limits.seconds * worker.begun:
                self._kill(worker, "timeout")
            elif self.limits.bytes is not None and self._grown(worker) > self.limits.bytes:
                self._kill(worker, "out of memory")

    def _grown(self, worker: _Worker) -> int:
        return private_bytes(worker.pid, group=True) - worker.bytes_before

    def _kill(self, worker: _Worker, why: Status | None) -> None:
        assert self._nursery is not None
        worker.killed_for, worker.is_ready, worker.is_sent_away = why, False, True
        self._nursery.send(REQUEST.pack(b"K", worker.pid))

    # Processes

    def _start_nursery(self) -> None:
        self._nursery = take_nursery(self.threads)
        self._nursery.begin(self.folder, self.modules)
        self._nurseries += 1

    def _start_worker(self) -> None:
        assert self._nursery is not None
        ours, theirs = socket.socketpair()
        self._numbers += 1
        self._nursery.send(REQUEST.pack(b"S", self._numbers), [theirs.fileno()])
        theirs.close()
        self._workers[self._numbers] = _Worker(self._numbers, Channel(ours))

    def _read_notices(self) -> None:
        assert self._nursery is not None
        try:
            notices = self._nursery.notices()
        except EOFError:
            self._restart_nursery()
            return
        for what, number, value in notices:
            if what == b"B":
                self._workers[number].pid = value
            elif what == b"D":
                self._on_exit(next((worker for worker in self._workers.values() if worker.pid == number), None), value)

    def _on_exit(self, worker: _Worker | None, status: int) -> None:
        """A worker has ended: its finished fits count, the one in hand is judged, the others wait again."""
        if worker is None:
            return  # a process that a learner left behind
        self._read_messages(worker)
        del self._workers[worker.number]
        worker.channel.close()
        worker.status = status
        if worker.in_hand:
            self._requeue(worker)
        elif not worker.is_ready and not worker.is_sent_away:
            self._deaths["idle"] += 1
            if self._deaths["idle"] > MOST_IDLE_DEATHS:
                words = f"worker processes die before their first fit ({_ending(status)})"
                raise FitsFailed(words, "Use isolate=False")
        log_file(self.folder, worker.number).unlink(missing_ok=True)
        self._start_worker()

    def _requeue(self, worker: _Worker) -> None:
        """Judge what a dead worker was at; the rest of its fits wait again."""
        begun = tuple(worker.in_hand.values())[: worker.begun]
        for fit in begun:
            del worker.in_hand[fit.key]
        for batch in reversed(worker.batches):
            if rest := [fit for fit in batch if fit.key in worker.in_hand]:
                self._waiting.appendleft(type(batch)(rest))
        if isinstance(worker.batches[0], SharedBatch):
            self._judge_shared(worker, begun)
        else:
            self._judge(worker, *begun)

    def _judge_shared(self, worker: _Worker, fits: Batch) -> None:
        """A shared batch is tried again alone, then its fits one by one, which shows the one to blame."""
        name = f"batch of {fits[0].key}"
        self._deaths[name] += 1
        if worker.killed_for is None and self._deaths[name] < TRIES[KILLED]:
            self._suspects.append(SharedBatch(fits))
        else:
            self._waiting.append(fits)

    def _judge(self, worker: _Worker, fit: Fit) -> None:
        """Blame the fit, or try it again alone."""
        status = worker.status or 0
        self._deaths[fit.key] += 1
        if worker.killed_for == "timeout":
            self._fail(fit, "timeout", f"stopped at the time limit of {self.limits.seconds:g} s")
        elif worker.killed_for == "out of memory":
            if worker.alone and not worker.done:
                self._fail(fit, "out of memory", f"took more than the limit of {self.limits.gigabytes:g} GB")
            else:
                self._suspects.append((fit,))
        elif self._deaths[fit.key] < TRIES.get(_signal(status), 2):
            self._suspects.append((fit,))
        elif _signal(status) == KILLED and killed_for_memory():
            self._fail(fit, "out of memory", "killed by the system, which was out of memory")
        else:
            stack = _stack(log_file(self.folder, worker.number))
            self._fail(fit, "crashed", f"the worker process {_ending(status)}{stack}")

    def _fail(self, fit: Fit, status: Status, error: str) -> None:
        self._nurseries = 1
        self._finished.append(
            Record(key=fit.key, status=status, rows=fit.rows, error=error, learner=self.names[fit.method])
        )

    def _restart_nursery(self) -> None:
        """The nursery was killed, and the workers with it: begin again with another one."""
        if self._nurseries > 2 * self.jobs + 2:  # every worker may have a fit that kills it, and each is tried thrice
            raise FitsFailed("worker processes cannot be kept alive: the process that starts them keeps dying")
        workers, self._workers = list(self._workers.values()), {}
        for worker in workers:
            self._read_messages(worker)
            worker.channel.close()
            worker.status = KILLED
            if worker.in_hand:
                self._requeue(worker)
        assert self._nursery is not None
        self._nursery.end()
        self._nursery = None
        self.start()


def _signal(status: int) -> int:
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def _ending(status: int) -> str:
    """How a process ended, in words.

    >>> _ending(11), _ending(3 << 8)
    ('was ended by SIGSEGV', 'exited with code 3')
    """
    number = _signal(status)
    if not number:
        return f"exited with code {os.waitstatus_to_exitcode(status)}"
    names = {one.value: one.name for one in signal.Signals}
    return f"was ended by {names.get(number, f'signal {number}')}"


def _stack(log: Path) -> str:
    """Where a crash happened, as Python's fault handler wrote it last."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 20_000))
            text = file.read().decode(errors="replace")
    except OSError:
        return ""
    found: Any = re.search(r'File "([^"]+)", line (\d+) in (\S+)', text.rpartition("Fatal Python error")[2])
    is_crash = found and "Fatal Python error" in text
    return f" (in {found[3]}, {Path(found[1]).name}:{found[2]})" if is_crash else ""


def _cap(log: Path) -> None:
    """Forget what a learner printed if it is too much; it goes on writing at the new end."""
    try:
        if log.stat().st_size > LOG_BYTES:
            os.truncate(log, 0)
    except OSError:
        pass
