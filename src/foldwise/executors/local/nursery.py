"""The process that workers are forked from.

It has imported what fits need but has never computed anything and has one thread, so
that forking it is safe and takes milliseconds. It owns the workers: it kills a process
group when asked and reports how a worker ended. When the coordinator is gone, for
whatever reason, it kills all that is left and removes the scratch folder.

Its imports take longer than all else about starting workers, so it may be started before the
study is known, and may serve another study after the first.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import json
import os
import select
import shutil
import signal
import socket
import struct
import sys
import time
from collections.abc import Iterable

# A: a study begins, told in n bytes; S: start worker number n (its socket comes along); K: kill process n; E: it ends
REQUEST = struct.Struct("<ci3x")
# R: ready, B: worker n began as process p, D: process p ended with status s, E: the study is ended
NOTICE = struct.Struct("<cii")
PRELOADED = (
    "numpy",
    "scipy.linalg",
    "scipy.sparse",
    "sklearn.base",
    "sklearn.pipeline",
    "sklearn.preprocessing",
    "threadpoolctl",
    "cloudpickle",
    "foldwise.executors.local.child",
)
LOOK = 2.0  # seconds between looks at whether anybody still needs us
PATIENCE = 5.0  # seconds for a nursery to end what it has started
IDLE_SECONDS = 60.0  # without a study, after which a nursery ends by itself
LOCK = "scratch.lock"  # no name that anything else has: a folder with it may be removed, and no other
GONE = ".scratch-gone"  # the end of the name of a folder that is being removed
_SET_PARENT_DEATH_SIGNAL, _SET_CHILD_SUBREAPER = 1, 36


def main(handle: int) -> None:
    """Serve the coordinator at the other end of this socket until it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _adopt_orphans()
    nursery = Nursery(socket.socket(fileno=handle))
    nursery.load(PRELOADED)
    with contextlib.suppress(ImportError):
        finding = importlib.import_module("foldwise.solvers.finding")
        nursery.load(f"foldwise.solvers.{family}" for family in finding.FAMILIES)
    nursery.serve()


def is_deserted(control: socket.socket) -> bool:
    """Is the coordinator gone? Imports take seconds on a busy machine, and nobody needs them then."""
    poll = select.poll()
    poll.register(control, 0)
    return any(what & select.POLLHUP for _, what in poll.poll(0))


class Nursery:
    """Forks workers, reaps them, and ends with the run that started it."""

    def __init__(self, control: socket.socket) -> None:
        self.control, self.coordinator = control, os.getppid()
        self.folder: str | None = None  # of the study, while there is one
        self.entry = ""  # the module whose `work` is what its workers do
        self.workers: set[int] = set()
        self._idle_since = time.monotonic()
        self._wake, wake = os.pipe()
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def load(self, names: Iterable[str]) -> None:
        """Import these; what they made is garbage for nobody, so that workers need not look through it."""
        gc.disable()
        for name in names:
            if is_deserted(self.control):
                break  # serving will end at once
            with contextlib.suppress(Exception):  # whoever needs it will hear why it cannot be imported
                importlib.import_module(name)
        gc.freeze()
        gc.enable()
        self._idle_since = time.monotonic()

    def serve(self) -> None:
        try:
            while not self._is_left_over():
                ready, _, _ = select.select([self.control.fileno(), self._wake], [], [], LOOK)
                if self._wake in ready:
                    os.read(self._wake, 512)
                    self._on_exit()
                if self.control.fileno() in ready and not self._serve_one():
                    return
        except OSError:
            pass  # the coordinator is gone
        finally:
            self._end_study()
            os._exit(0)

    def _is_left_over(self) -> bool:
        """Is the coordinator gone, though a child of it may hold its socket; or has it had no study for long?"""
        is_idle = self.folder is None and time.monotonic() - self._idle_since > IDLE_SECONDS
        return is_idle or os.getppid() != self.coordinator

    def _serve_one(self) -> bool:
        """Do one request; False where there will be no more."""
        message, handles, _, _ = socket.recv_fds(self.control, REQUEST.size, 1)
        if len(message) < REQUEST.size:
            return False
        what, number = REQUEST.unpack(message)
        if what == b"A":
            self._begin_study(number)
        elif what == b"S":
            self._start(number, handles[0])
        elif what == b"E":
            self._end_study()
            self._notify(b"E", 0, 0)
        elif number in self.workers:
            _kill_group(number)
        return True

    def _begin_study(self, length: int) -> None:
        content = bytearray()
        while len(content) < length:
            if not (chunk := self.control.recv(length - len(content))):
                raise ConnectionError
            content += chunk
        self.folder, self.entry, modules = json.loads(content)
        self.load([*modules, self.entry])
        self._notify(b"R", 0, 0)

    def _start(self, number: int, handle: int) -> None:
        pid = os.fork()
        if pid == 0:
            self._become_worker(number, handle)
        os.close(handle)
        with contextlib.suppress(OSError):  # both sides do it, whoever comes first
            os.setpgid(pid, pid)
        self.workers.add(pid)
        self._notify(b"B", number, pid)

    def _become_worker(self, number: int, handle: int) -> None:
        """The forked process: a group of its own, which ends with its parent or when the coordinator is gone."""
        try:
            with contextlib.suppress(OSError):
                os.setpgid(0, 0)
            _end_with_parent()
            for name in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD):
                signal.signal(name, signal.default_int_handler if name is signal.SIGINT else signal.SIG_DFL)
            signal.set_wakeup_fd(-1)
            for other in (self.control.fileno(), self._wake):
                os.close(other)
            importlib.import_module(self.entry).work(socket.socket(fileno=handle), str(self.folder), number)
        finally:
            os._exit(0)

    def _on_exit(self) -> None:
        """Report workers that ended, after killing what they left running."""
        while (pid := _ended_child()) is not None:
            if pid in self.workers:
                self.workers.discard(pid)
                _kill_group(pid)
            _, status = os.waitpid(pid, 0)
            _kill_strangers(self.workers)
            with contextlib.suppress(OSError):
                self._notify(b"D", pid, status)

    def _notify(self, what: bytes, number: int, value: int) -> None:
        self.control.sendall(NOTICE.pack(what, number, value))

    def _end_study(self) -> None:
        """Kill the workers and all they have started, and remove the folder."""
        self._remove_folder()
        for pid in self.workers:
            _kill_group(pid)
        # Children of the killed become ours, so look again. A killed process looks like a zombie while threads of
        # it are still ending, and keeps its children until then: only having no child at all means the end.
        until = time.monotonic() + PATIENCE
        while _has_children() and time.monotonic() < until:
            _kill_strangers(set())
            time.sleep(0.005)
        self._remove_folder()
        self.workers.clear()
        self.folder, self._idle_since = None, time.monotonic()

    def _remove_folder(self) -> None:
        if self.folder is not None:
            remove(self.folder)


def remove(folder: str | os.PathLike[str]) -> None:
    """Remove a scratch folder, renamed before, so that what a kill leaves of it is known for what it is."""
    with contextlib.suppress(OSError):
        os.rename(folder, f"{os.fspath(folder)}{GONE}")
    shutil.rmtree(f"{os.fspath(folder)}{GONE}", ignore_errors=True)


def _adopt_orphans() -> None:
    """Processes that lose their parent below us become our children, whatever group or session they chose."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _end_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        if os.getppid() == 1:
            os._exit(1)
    _adopt_orphans()


def _ended_child() -> int | None:
    """A child that has ended and is still to be reaped."""
    try:
        found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None
    return None if found is None else found.si_pid


def _kill_group(pid: int) -> None:
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)


def _kill_strangers(known: set[int]) -> None:
    """Kill children of ours that are no workers: processes a learner left behind.

    Python's trackers of resources remove what killed processes have left, and end by themselves.
    """
    for pid in _children():
        if pid not in known and b"resource_tracker" not in _command(pid):
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def _has_children() -> bool:
    """Reap those that have ended; is there any other?"""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def _children() -> list[int]:
    """Numbers of our living children; the kernel's own list of them is not built in everywhere."""
    found = []
    with contextlib.suppress(OSError):
        for name in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError, ValueError), open(f"/proc/{name}/stat", "rb") as file:
                state, parent = file.read().rpartition(b")")[2].split()[:2]
                if int(parent) == os.getpid() and state != b"Z":
                    found.append(int(name))
    return found


def _command(pid: int) -> bytes:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read()
    except OSError:
        return b""


if __name__ == "__main__":
    handle, *rest = sys.argv[1:]
    # learners find the same modules and words as in the process that made them
    sys.path[:], sys.argv[:] = map(json.loads, rest)
    main(int(handle))
