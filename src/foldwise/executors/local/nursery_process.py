"""The nursery as its coordinator sees it; one may be started ahead of its study, and wait for another after it."""

from __future__ import annotations

import atexit
import json
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from foldwise.executors.local.nursery import NOTICE, PATIENCE, REQUEST, is_deserted

# A nursery that has imported anything else, a user's own module for one, is not kept: it may change on disk.
LASTING = ("foldwise", "numpy", "pandas", "scipy", "sklearn")
_ENVIRONMENT = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "NUMEXPR_NUM_THREADS")
_waiting: list[NurseryProcess] = []


class NurseryProcess:
    """A nursery that is started now, for studies with so many threads in a fit."""

    def __init__(self, threads: int) -> None:
        self.conditions = _conditions(threads)
        words, environment, *_ = self.conditions
        self.control, theirs = socket.socketpair()
        script = Path(__file__).with_name("nursery.py")
        self.process = subprocess.Popen(
            [sys.executable, "-P", str(script), str(theirs.fileno()), *words],
            pass_fds=(theirs.fileno(),),
            env=environment,
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # a Ctrl-C in the terminal is for the coordinator alone
        )
        theirs.close()
        self.is_up = False  # has it imported what its study needs? Until then it has no workers, and hears nothing
        self.is_lasting = True
        self._notices = bytearray()
        self._stale = 0  # studies that were over before it was up, and of which it will still tell

    @property
    def pid(self) -> int:
        return self.process.pid

    def fits(self, threads: int) -> bool:
        """Can it serve a study as one would that is started now?"""
        return not is_deserted(self.control) and self.conditions == _conditions(threads)

    def begin(self, folder: Path, modules: Iterable[str], *, entry: str = "foldwise.executors.local.child") -> None:
        """A study begins whose files are there, and whose learners come from these modules; `entry` has its workers."""
        modules = list(modules)
        self.is_lasting = all(name.partition(".")[0] in LASTING for name in modules)
        content = json.dumps([str(folder), entry, modules]).encode()
        self.send(REQUEST.pack(b"A", len(content)) + content)

    def send(self, request: bytes, handles: Iterable[int] = ()) -> None:
        with suppress(OSError):  # it is dead, and its workers with it: reading will show it
            socket.send_fds(self.control, [request], list(handles))

    def notices(self) -> list[tuple[Any, ...]]:
        """What it tells, once there is something to read; EOFError where it is dead."""
        try:
            chunk = self.control.recv(4096)
        except OSError:  # it died before it had read what we asked of it
            chunk = b""
        if not chunk:
            raise EOFError
        self._notices += chunk
        whole = len(self._notices) // NOTICE.size * NOTICE.size
        found = list(NOTICE.iter_unpack(self._notices[:whole]))
        del self._notices[:whole]
        while self._stale and found:
            self._stale -= found.pop(0)[0] == b"E"
        self.is_up = self.is_up or bool(found)
        return found

    def finish(self) -> None:
        """End the study: its workers, and all they started, are dead then. The nursery waits for the next study."""
        if self.is_lasting:
            self.send(REQUEST.pack(b"E", 0))
        if not self.is_lasting or (self.is_up and not self.says(b"E", PATIENCE)):
            self.end()
            return
        if not self.is_up:  # it has no workers to wait for
            self._stale += 1
        self.is_up = False
        _waiting.append(self)
        while len(_waiting) > 1:
            _waiting.pop(0).end()

    def end(self) -> None:
        """End it; it kills its workers first."""
        self.control.close()
        if not self.is_up:
            self.process.kill()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def forget(self) -> None:
        """In a child that was forked from the coordinator: it is not ours."""
        self.control.close()
        self.process.returncode = 0  # else we would be warned that it still runs

    def says(self, wanted: bytes, seconds: float) -> bool:
        """Does such a notice come within so many seconds?"""
        poll, until = select.poll(), time.monotonic() + seconds
        poll.register(self.control, select.POLLIN)
        with suppress(EOFError):
            while poll.poll(max(0, int((until - time.monotonic()) * 1000))):
                if any(what == wanted for what, *_ in self.notices()):
                    return True
        return False


def take_nursery(threads: int) -> NurseryProcess:
    """The one that waits for a study, or a new one."""
    with suppress(IndexError):  # nobody waits, or another thread was first
        waiting = _waiting.pop()
        if waiting.fits(threads):
            return waiting
        waiting.end()
    return NurseryProcess(threads)


def start_ahead(threads: int) -> None:
    """See that a nursery waits: its imports then go on while the study is being made."""
    _waiting.append(take_nursery(threads))


def end_waiting() -> None:
    """End the nursery that waits for a study."""
    while _waiting:
        _waiting.pop().end()


def _forget_waiting() -> None:
    while _waiting:
        _waiting.pop().forget()


def _conditions(threads: int) -> tuple[Any, ...]:
    """What a nursery takes over from this process when it starts."""
    paths = [path for path in sys.path if isinstance(path, str)]  # Python itself passes over anything else
    environment = {**os.environ, **dict.fromkeys(_ENVIRONMENT, str(threads))}
    folder = None
    with suppress(OSError):
        folder = os.getcwd()
    return [json.dumps(paths), json.dumps(sys.argv)], environment, folder, _limits_of_process()


def _limits_of_process() -> tuple[Any, ...]:
    """What the kernel grants this process, and all that it starts."""
    import resource

    limits = [resource.getrlimit(kind) for name, kind in vars(resource).items() if name.startswith("RLIMIT_")]
    return limits, os.getpriority(os.PRIO_PROCESS, 0), getattr(os, "sched_getaffinity", lambda pid: ())(0)


atexit.register(end_waiting)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_waiting)
