"""The process that talks to Dask or Ray, so that neither lives in the user's own.

It starts a cluster or joins one, hands batches over and reports how they ended. Threads, signal
handlers and log lines of the engine stay here, and if the engine takes its process along, the
coordinator loses nothing. When the coordinator is gone, for whatever reason, it ends all it started.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from foldwise.executors.cluster.node import TOKEN, NodeStudy, Outcome, Refused
from foldwise.executors.cluster.packed_batch import PackedBatch
from foldwise.executors.local import nursery
from foldwise.executors.local.channel import Channel
from foldwise.executors.local.nursery_process import NurseryProcess
from foldwise.executors.local.scratch import sweep

PIECE = 32 * 2**20  # bytes of a file that travel at once
GRACE = 1.0  # seconds for nodes to let go, and for nurseries to clean up
LAST = 5.0  # seconds for killed processes to end, which takes long on a machine that is very busy
LOOK = 1.0  # seconds between checks of the size of the cluster
LOG = "bridge.log"
MOTHER = "mother"  # the socket of who forks the nurseries of a cluster of our own
FOLDERS: list[str] = []  # to be removed at the end
MOTHERS: list[NurseryProcess] = []


class Died(Exception):
    """A process or a node of the engine ended while it had the batch, or could not be given it."""


class Lost(Exception):
    """The cluster as a whole cannot be reached."""


class Cluster(Protocol):
    """What an engine must be able to do; one object per cluster."""

    is_ours: bool

    async def start(self) -> None: ...

    async def slots(self) -> int:
        """How many batches can run at a time."""

    async def call(self, study: NodeStudy, packed: PackedBatch, where: str | None) -> tuple[str, Outcome]:
        """What came of a batch, and where it was: there, or anywhere."""

    async def check(self) -> str:
        """Where a task that does nothing was done."""

    async def deliver(self, where: str, study: NodeStudy, folder: Path) -> None:
        """Bring the files of a study there."""

    async def forget(self, token: str) -> None:
        """End the workers of a study on all nodes."""

    async def leave(self, tokens: Sequence[str]) -> None:
        """Let go of a cluster that goes on without us, and of what these studies have there."""


def pieces(folder: Path) -> Iterator[tuple[str, bytes]]:
    """The files of a study, a piece at a time."""
    for path in sorted(folder.iterdir()):
        if path.suffix in (".npy", ".json", "") and path.name != TOKEN:
            with path.open("rb") as file:
                while (content := file.read(PIECE)) or file.tell() == 0:
                    yield path.name, content
                    if not content:
                        break


class Bridge:
    """Passes messages of the coordinator to a cluster, and its answers back."""

    def __init__(self, channel: Channel, cluster: Cluster) -> None:
        self.channel, self.cluster = channel, cluster
        self.studies: dict[str, tuple[NodeStudy, Path]] = {}
        self._is_over = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self) -> None:
        await self.cluster.start()
        self.channel.send(("slots", await self.cluster.slots()))
        loop = asyncio.get_running_loop()
        loop.add_reader(self.channel.fileno(), self._read)
        self._start(self._watch_slots())
        await self._is_over.wait()
        loop.remove_reader(self.channel.fileno())
        for task in self._tasks:
            task.cancel()
        if not self.cluster.is_ours:
            with suppress(Exception):
                await self.cluster.leave(list(self.studies))

    def _read(self) -> None:
        for what, *content in self.channel.arrived():
            if what == "study":
                study, folder = content
                self.studies[study.token] = study, Path(folder)
            elif what == "do":
                self._start(self._run_batch(*content))
            elif what == "check":
                self._start(self._check())
            elif what == "deliver":
                self._start(self._deliver(*content))
            elif what == "forget":
                self.studies.pop(content[0], None)
                self._start(self.cluster.forget(content[0]))
        if not self.channel.is_open:
            self._is_over.set()

    def _start(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(self._guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _guarded(self, work: Any) -> None:
        """What goes wrong with the engine itself ends the run."""
        try:
            await work
        except asyncio.CancelledError:
            raise
        except Exception as problem:
            self._send("lost", in_words(problem))

    async def _run_batch(self, number: int, token: str, packed: PackedBatch, where: str | None) -> None:
        study, _ = self.studies[token]
        try:
            where, outcome = await self.cluster.call(study, packed, where)
        except Died as problem:
            self._send("died", number, str(problem))
        except (ImportError, AttributeError, TypeError) as problem:  # raised where the batch was unpacked
            self._send("done", number, "", _unreadable(problem))
        else:
            self._send("done", number, where, outcome)

    async def _check(self) -> None:
        try:
            where = await self.cluster.check()
        except Died as problem:
            self._send("checked", None, str(problem))
        else:
            self._send("checked", where, "")

    async def _deliver(self, where: str, place: str, token: str) -> None:
        study, folder = self.studies[token]
        try:
            await self.cluster.deliver(where, study, folder)
        except Lost:
            raise
        except Died as problem:
            self._send("delivered", place, False, str(problem))
        except Exception as problem:
            self._send("delivered", place, False, in_words(problem))
        else:
            self._send("delivered", place, True, "")

    async def _watch_slots(self) -> None:
        last = -1
        while True:
            await asyncio.sleep(LOOK)
            if (found := await self.cluster.slots()) != last:
                last = found
                self._send("slots", found)

    def _send(self, *message: Any) -> None:
        try:
            self.channel.send(message)
        except OSError:
            self._is_over.set()


def _unreadable(problem: Exception) -> Refused:
    return Refused(
        "BadStudy",
        f"a node of the cluster cannot read what it is sent ({in_words(problem)})",
        "Install the same versions of Python, foldwise and the packages of the learners on every node",
    )


def in_words(problem: BaseException) -> str:
    text = str(problem).strip().splitlines()
    return f"{type(problem).__name__}: {text[0][:300]}" if text else type(problem).__name__


def main(handle: int, place: str, address: str, jobs: int, folder: str, threads: int) -> None:
    """Serve the coordinator at the other end of this socket until it is gone."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)  # not ignored: that would be inherited
    nursery.adopt_orphans()
    FOLDERS.append(folder)
    if not address:  # imports for the nurseries of all our nodes while the cluster starts
        MOTHERS.append(NurseryProcess(threads, address=os.path.join(folder, MOTHER)))
    channel = Channel(socket.socket(fileno=handle))
    threading.Thread(target=_end_with_coordinator, args=(handle,), daemon=True).start()
    try:
        asyncio.run(_serve(channel, place, address or None, jobs, Path(folder)))
    except BaseException as problem:
        with suppress(OSError):
            channel.send(("lost", in_words(problem)))
    finally:
        _end()


async def _serve(channel: Channel, place: str, address: str | None, jobs: int, folder: Path) -> None:
    module, _, name = place.partition(":")
    cluster: Cluster = getattr(importlib.import_module(module), name)(address, jobs, folder)
    await Bridge(channel, cluster).serve()
    _end()  # engines take their time to say goodbye, and nobody waits for it


def _end_with_coordinator(handle: int) -> None:
    """Whatever the engine is doing: it may be starting, and that takes long."""
    poll = select.poll()
    poll.register(handle, select.POLLRDHUP)
    poll.poll()
    time.sleep(2 * GRACE)
    _end()


def _end() -> None:
    """Kill what was started here; what sees it and cleans up may do so itself, if it is quick."""
    _let_go_of_tracker()
    for mother in MOTHERS:
        mother.control.close()
    patience = time.monotonic() + GRACE / 2
    while (left := nursery.children()) and time.monotonic() < patience + LAST:  # a locked folder cannot be removed
        for pid in left:
            if time.monotonic() > patience or not _cleans_up(pid):
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
        while nursery.ended_child() is not None:
            with suppress(ChildProcessError):
                os.waitpid(-1, os.WNOHANG)
        time.sleep(0.01)
    for folder in FOLDERS:
        nursery.remove(folder)
    sweep()
    os._exit(0)


def _cleans_up(pid: int) -> bool:
    """Is this a nursery, or the process that removes the semaphores of killed ones?"""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    is_starting = not command  # it is not known yet for what it is
    return is_starting or b"nursery.py" in command or b"resource_tracker" in command


def _let_go_of_tracker() -> None:
    """Close our end of its pipe: when all who held one are gone, it removes the semaphores they left, and ends."""
    tracker = getattr(sys.modules.get("multiprocessing.resource_tracker"), "_resource_tracker", None)
    handle = getattr(tracker, "_fd", None)
    if handle is not None:
        with suppress(OSError):
            os.close(handle)


if __name__ == "__main__":
    from foldwise.executors.cluster.bridge import main as begin  # under its own name, which engines import

    begin(int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5], int(sys.argv[6]))
