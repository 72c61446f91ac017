"""What runs on the nodes of a cluster: fits in supervised processes, on data that a node is sent once.

A process of the engine never runs a learner. It keeps a pool of one worker for every fit it
is given at a time, so that a learner that crashes, hangs or eats memory is judged here as it
would be locally, and the engine's own process lives on. Pools of one node share the files of
the data by hard links: whoever goes last takes them along.
"""

from __future__ import annotations

import os
import platform
import shutil
import socket
import sys
import tempfile
import threading
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from foldwise.errors import BadLearner, BadStudy, FoldwiseError
from foldwise.executors.cluster.packed_batch import PackedBatch, unpack_batch
from foldwise.executors.local.nursery import remove
from foldwise.executors.local.pool import Pool
from foldwise.executors.local.scratch import PREFIX, scratch_folder
from foldwise.executors.options import Limits
from foldwise.learners.packages import version_of
from foldwise.records.record import Record

TOKEN = "token"  # the file that names the study; written last, so that a folder with one is complete
IDLE_SECONDS = 60.0  # after which a pool ends by itself: its coordinator may be dead
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas")
_NO_ROWS = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class NodeStudy:
    """What a node must know of a study besides its files."""

    token: str
    names: tuple[str, ...]
    modules: tuple[str, ...]
    threads: int
    limits: Limits
    versions: tuple[tuple[str, str], ...]
    mother: str = ""  # address of who forks nurseries, in a cluster of our own


@dataclass(frozen=True)
class Missing:
    """The data are not on this node, which processes of the same place share."""

    place: str


@dataclass(frozen=True)
class Refused:
    """An error of ours, in words that travel."""

    kind: str
    problem: str
    remedy: str


Outcome = list[Record] | Missing | Refused


@dataclass(eq=False)
class _NodeWorker:
    """One worker and the folder it works in."""

    pool: Pool
    held: ExitStack
    is_over: bool = False  # its study was forgotten while it worked

    def close(self) -> None:
        self.pool.close()
        self.held.close()


_lock = threading.RLock()
_free: dict[str, list[_NodeWorker]] = {}
_busy: dict[str, list[_NodeWorker]] = {}
_incoming: dict[str, tuple[Path, ExitStack]] = {}
_clocks: dict[str, threading.Timer] = {}


def run_batch(study: NodeStudy, packed: PackedBatch) -> Outcome:
    """Records of these fits, without their rows, which the coordinator knows."""
    try:
        worker = _take(study)
        if worker is None:
            return Missing(place())
        try:
            found = [record for records in worker.pool.run([unpack_batch(packed)]) for record in records]
        except BaseException:
            worker.is_over = True
            raise
        finally:
            _give_back(study.token, worker)
        return [replace(record, rows=_NO_ROWS) for record in found]
    except BadLearner as problem:
        remedy = "Put their code where it can be imported on every node, or into the script that is run"
        return Refused("BadLearner", f"on the node {socket.gethostname()}, {problem.problem}", remedy)
    except FoldwiseError as problem:
        return Refused(type(problem).__name__, problem.problem, problem.remedy)


def receive(token: str, name: str, content: bytes) -> None:
    """Write another piece of a file of the study; `seal` ends it."""
    with _lock:
        if token not in _incoming:
            held = ExitStack()
            _incoming[token] = held.enter_context(scratch_folder()), held
        folder, _ = _incoming[token]
    with (folder / Path(name).name).open("ab") as file:
        file.write(content)


def seal(study: NodeStudy) -> None:
    """The files are complete: start a worker on them, whose end will remove them."""
    with _lock:
        folder, held = _incoming.pop(study.token)
    worker = _start_worker(study, folder, held)
    with _lock:
        _free.setdefault(study.token, []).append(worker)
    _start_clock(study.token)


def abandon(token: str) -> None:
    """Forget pieces that were not sealed."""
    with _lock:
        _, held = _incoming.pop(token, (None, ExitStack()))
    held.close()


def forget(token: str) -> None:
    """End the workers of a study in this process, and with the last one its files."""
    abandon(token)
    with _lock:
        clock = _clocks.pop(token, None)
        idle = _free.pop(token, [])
        for worker in _busy.get(token, []):
            worker.is_over = True
            worker.pool.ask_to_stop()
    if clock is not None:
        clock.cancel()
    for worker in idle:
        worker.close()


def clear(token: str) -> None:
    """Remove the files of a study from this node, whosever process has them: all are about to be killed."""
    forget(token)
    while (folder := _source(token)) is not None:
        (folder / TOKEN).unlink(missing_ok=True)
        remove(folder)


def place() -> str:
    """Processes with the same answer see the same files."""
    return f"{socket.gethostname()}:{tempfile.gettempdir()}:{os.getuid()}"


def versions() -> tuple[tuple[str, str], ...]:
    """What must be the same on every node for the numbers to be the same."""
    python = ".".join(platform.python_version_tuple()[:2])
    ours = str(sys.modules["foldwise"].__version__)  # the front imports us, so we do not import it
    return (("python", python), ("foldwise", ours), *((name, version_of(name)) for name in _LIBRARIES))


def check_versions(wanted: tuple[tuple[str, str], ...]) -> None:
    """Refuse to fit where a number might differ, or where a learner's package is not there."""
    here = dict(versions())
    found = {name: here.get(name) or version_of(name) for name, _ in wanted}
    wrong = [f"{name} {found[name]} instead of {number}" for name, number in wanted if found[name] != number]
    if wrong:
        raise BadStudy(
            f"the node {socket.gethostname()} has {', '.join(wrong)}, so that its numbers might differ",
            "Install the same versions on every node",
        )


def _take(study: NodeStudy) -> _NodeWorker | None:
    """A free worker, or a new one; None where the node has no data yet."""
    with _lock:
        clock = _clocks.pop(study.token, None)
        worker = _free[study.token].pop() if _free.get(study.token) else None
    if clock is not None:
        clock.cancel()
    if worker is None:
        check_versions(study.versions)
        worker = _new_worker(study)
    if worker is not None:
        with _lock:
            _busy.setdefault(study.token, []).append(worker)
    return worker


def _give_back(token: str, worker: _NodeWorker) -> None:
    with _lock:
        _busy[token].remove(worker)
        if not worker.is_over:
            _free.setdefault(token, []).append(worker)
    if worker.is_over:
        worker.close()
    else:
        _start_clock(token)


def _start_clock(token: str) -> None:
    clock = threading.Timer(IDLE_SECONDS, _close_idle, (token,))
    clock.daemon = True
    with _lock:
        before, _clocks[token] = _clocks.get(token), clock
    if before is not None:
        before.cancel()
    clock.start()


def _close_idle(token: str) -> None:
    with _lock:
        idle = _free.pop(token, [])
    for worker in idle:
        worker.close()


def _new_worker(study: NodeStudy) -> _NodeWorker | None:
    """A worker on the files that another process of this node has, in a folder of its own."""
    source = _source(study.token)
    if source is None:
        return None
    held = ExitStack()
    folder = held.enter_context(scratch_folder())
    try:
        for path in source.iterdir():
            if path.suffix in (".npy", ".json", "") and path.name != TOKEN:
                _link(path, folder / path.name)
    except FileNotFoundError:  # its process ended just now
        held.close()
        return None
    return _start_worker(study, folder, held)


def _start_worker(study: NodeStudy, folder: Path, held: ExitStack) -> _NodeWorker:
    pool = Pool(folder, jobs=1, limits=study.limits, threads=study.threads, modules=study.modules)
    pool.names, pool.mother = study.names, study.mother
    (folder / TOKEN).write_text(study.token)
    pool.start()
    return _NodeWorker(pool, held)


def _source(token: str) -> Path | None:
    """A complete folder of this study that belongs to us."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{TOKEN}"):
        with suppress(OSError):
            if path.parent.lstat().st_uid == os.getuid() and path.read_text() == token:
                return path.parent
    return None


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:  # a file system without hard links
        shutil.copyfile(source, target)
