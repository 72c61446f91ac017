"""What runs on the nodes of a cluster: fits in supervised worker processes.

A process of the engine never runs a learner. Each of its threads keeps a pool of one worker, so that a learner that
crashes, hangs or eats memory is judged as it would be on this machine, and the engine's own process lives on.
"""

from __future__ import annotations

import pickle
import platform
import socket
import sys
import tempfile
import threading
import zlib
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from foldwise.errors import BadLearner, BadStudy, FoldwiseError
from foldwise.executors.local.nursery import remove
from foldwise.executors.local.pool import Pool
from foldwise.executors.local.scratch import PREFIX, scratch_folder
from foldwise.executors.options import Limits
from foldwise.learners.packages import version_of
from foldwise.records.record import Record

LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas")


@dataclass(frozen=True)
class NodeStudy:
    """What a node must know of a study besides its files."""

    token: str
    learners: tuple[str, ...]
    modules: tuple[str, ...]
    threads: int
    limits: Limits
    versions: tuple[tuple[str, str], ...]


class NodePool:
    """A worker process with a copy of the data, for one study and one thread of the engine."""

    def __init__(self, study: NodeStudy, files: Any) -> None:
        check_versions(study.versions)
        if isinstance(files, list):  # a reference, which Ray hands over as it is
            import ray

            files = ray.get(files[0])
        self.token, self._held, self._at_work = study.token, ExitStack(), threading.Lock()
        folder = self._held.enter_context(scratch_folder(label=study.token))
        try:
            for name, content in files.items():
                (folder / name).write_bytes(content)
        except OSError as reason:
            self._held.close()
            words = f"the data cannot be written on the node {socket.gethostname()} ({reason.strerror})"
            raise BadStudy(words, "See that its temporary folder has room, or set TMPDIR there") from None
        self._pool = Pool(folder, jobs=1, limits=study.limits, threads=study.threads, modules=study.modules)
        self._pool.names = study.learners
        self._held.callback(self._pool.close)
        _pools[threading.get_ident()] = self

    def run(self, packed: bytes) -> list[Record]:
        """Records without their rows, which the coordinator knows."""
        batch, no_rows = pickle.loads(zlib.decompress(packed)), np.empty(0, dtype=np.int64)
        with self._at_work:
            return [replace(record, rows=no_rows) for records in self._pool.run([batch]) for record in records]

    def close(self) -> None:
        self._pool.ask_to_stop()
        with self._at_work:
            self._held.close()


_pools: dict[int, NodePool] = {}  # by the thread that uses it


def run_batch(study: NodeStudy, files: Any, batch: bytes) -> bytes:
    """Pickled records of these fits, or the error to be raised by the coordinator."""
    try:
        pool = _pools.get(threading.get_ident())
        if pool is None or pool.token != study.token:
            if pool is not None:
                pool.close()
            pool = NodePool(study, files)
        try:
            return pickle.dumps(pool.run(batch))
        except BaseException:
            _pools.pop(threading.get_ident(), pool).close()
            raise
    except BadLearner as error:
        remedy = "Put their code where it can be imported on every node, or into the script that is run"
        return pickle.dumps(BadLearner(f"on the node {socket.gethostname()}, {error.problem}", remedy))
    except FoldwiseError as error:
        return pickle.dumps(error)


def forget(token: str) -> None:
    """End the pools of a study in this process, and remove its files from this node, whichever process has them."""
    for thread, pool in list(_pools.items()):
        if pool.token == token:
            _pools.pop(thread, pool).close()
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}{token}-*"):
        remove(folder)


def versions() -> dict[str, str]:
    """What must be the same on every node for the numbers to be the same."""
    python = ".".join(platform.python_version_tuple()[:2])
    ours = str(sys.modules["foldwise"].__version__)  # the front imports us, so we do not import it
    return {"python": python, "foldwise": ours, **{name: version_of(name) for name in LIBRARIES}}


def check_versions(required: tuple[tuple[str, str], ...]) -> None:
    """Refuse to fit where a number might differ, or where a learner's package is not installed."""
    here = versions()
    installed = {name: here.get(name) or version_of(name) for name, _ in required}
    wrong = [f"{name} {installed[name]} instead of {number}" for name, number in required if installed[name] != number]
    if wrong:
        words = f"the node {socket.gethostname()} has {', '.join(wrong)}, so that its numbers might differ"
        raise BadStudy(words, "Install the same versions on every node")
