"""The process that talks to Dask or Ray, so that neither lives in the user's own.

It starts a cluster or joins one, hands batches over and tells how they ended. Threads, signal
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

from foldwise.executors.cluster.node import Outcome, Ticket
from foldwise.executors.cluster.parcel import Parcel
from foldwise.executors.local import nursery
from foldwise.executors.local.channel import Channel
from foldwise.executors.local.scratch import sweep

PIECE = 32 * 2**20  # bytes of a file that travel at once
GRACE = 1.0  # seconds for nodes to let go, and for nurseries to clean up
LOOK = 1.0  # seconds between looks at the size of the cluster
LOG = "bridge.log"
FOLDERS: list[str] = []  # to be removed at the end


class Died(Exception):
    """A worker process or a node of the engine ended while it had the batch."""


class Lost(Exception):
    """The cluster as a whole cannot be reached."""


class Side(Protocol):
    """What an engine must be able to do; one object per cluster."""

    is_ours: bool

    async def start(self) -> None: ...

    async def slots(self) -> int:
        """How many batches can run at a time."""

    async def call(self, ticket: Ticket, parcel: Parcel) -> tuple[str, Outcome]:
        """What came of a batch, and where it was."""

    async def deliver(self, where: str, ticket: Ticket, folder: Path) -> None:
        """Bring the files of a study there."""

    async def forget(self, token: str) -> None:
        """End the workers of a study on all nodes."""

    async def leave(self, tokens: Sequence[str]) -> None:
        """Let go of a cluster that goes on without us, and of what these studies have there."""


def pieces(folder: Path) -> Iterator[tuple[str, bytes]]:
    """The files of a study, a piece at a time."""
    for path in sorted(folder.iterdir()):
        if path.suffix in (".npy", ".json", "") and path.name != "token":
            with path.open("rb") as file:
                while (content := file.read(PIECE)) or file.tell() == 0:
                    yield path.name, content
                    if not content:
                        break


class Bridge:
    """Messages of the coordinator to an engine and back."""

    def __init__(self, channel: Channel, side: Side) -> None:
        self.channel, self.side = channel, side
        self.studies: dict[str, tuple[Ticket, Path]] = {}
        self._is_over = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self) -> None:
        await self.side.start()
        self.channel.send(("slots", await self.side.slots()))
        loop = asyncio.get_running_loop()
        loop.add_reader(self.channel.fileno(), self._hear)
        self._begin(self._watch_slots())
        await self._is_over.wait()
        loop.remove_reader(self.channel.fileno())
        for task in self._tasks:
            task.cancel()
        if not self.side.is_ours:
            with suppress(Exception):
                await self.side.leave(list(self.studies))

    def _hear(self) -> None:
        for what, *content in self.channel.arrived():
            if what == "study":
                ticket, folder = content
                self.studies[ticket.token] = ticket, Path(folder)
            elif what == "do":
                self._begin(self._do(*content))
            elif what == "deliver":
                self._begin(self._deliver(*content))
            elif what == "forget":
                self.studies.pop(content[0], None)
                self._begin(self.side.forget(content[0]))
        if not self.channel.is_open:
            self._is_over.set()

    def _begin(self, work: Any) -> None:
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
            self._tell("lost", in_words(problem))

    async def _do(self, number: int, token: str, parcel: Parcel) -> None:
        ticket, _ = self.studies[token]
        try:
            where, outcome = await self.side.call(ticket, parcel)
        except Died as problem:
            self._tell("died", number, str(problem))
        else:
            self._tell("done", number, where, outcome)

    async def _deliver(self, where: str, place: str, token: str) -> None:
        ticket, folder = self.studies[token]
        try:
            await self.side.deliver(where, ticket, folder)
        except Lost:
            raise
        except Died as problem:
            self._tell("delivered", place, False, str(problem))
        except Exception as problem:
            self._tell("delivered", place, False, in_words(problem))
        else:
            self._tell("delivered", place, True, "")

    async def _watch_slots(self) -> None:
        last = -1
        while True:
            await asyncio.sleep(LOOK)
            if (found := await self.side.slots()) != last:
                last = found
                self._tell("slots", found)

    def _tell(self, *message: Any) -> None:
        try:
            self.channel.send(message)
        except OSError:
            self._is_over.set()


def in_words(problem: BaseException) -> str:
    text = str(problem).strip().splitlines()
    return f"{type(problem).__name__}: {text[0][:300]}" if text else type(problem).__name__


def main(handle: int, engine: str, address: str, jobs: int, folder: str) -> None:
    """Serve the coordinator at the other end of this socket until it is gone."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)  # not ignored: that would be inherited
    nursery._adopt_orphans()
    FOLDERS.append(folder)
    channel = Channel(socket.socket(fileno=handle))
    threading.Thread(target=_end_with_coordinator, args=(handle,), daemon=True).start()
    try:
        asyncio.run(_serve(channel, engine, address or None, jobs, Path(folder)))
    except BaseException as problem:
        with suppress(OSError):
            channel.send(("lost", in_words(problem)))
    finally:
        _end()


async def _serve(channel: Channel, engine: str, address: str | None, jobs: int, folder: Path) -> None:
    side: Side = importlib.import_module(f"foldwise.executors.cluster.{engine}_engine").Here(address, jobs, folder)
    await Bridge(channel, side).serve()
    _end()  # engines take their time to say goodbye, and nobody waits for it


def _end_with_coordinator(handle: int) -> None:
    """Whatever the engine is doing: it may be starting, and that takes long."""
    poll = select.poll()
    poll.register(handle, select.POLLRDHUP)
    poll.poll()
    time.sleep(2 * GRACE)
    _end()


def _end() -> None:
    """Kill what was started here; nurseries see it and clean up themselves, if they are quick."""
    patience = time.monotonic() + GRACE / 2
    while (left := nursery._children()) and time.monotonic() < patience + GRACE:
        for pid in left:
            if time.monotonic() > patience or not _is_nursery(pid):
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
        while nursery._ended() is not None:
            with suppress(ChildProcessError):
                os.waitpid(-1, os.WNOHANG)
        time.sleep(0.01)
    for folder in FOLDERS:
        nursery.remove(folder)
    sweep()
    os._exit(0)


def _is_nursery(pid: int) -> bool:
    try:
        return b"nursery.py" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


if __name__ == "__main__":
    from foldwise.executors.cluster.bridge import main as begin  # under its own name, which engines import

    begin(int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5])
