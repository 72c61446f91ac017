"""What a worker process does: load the study once, then fit, one batch after another."""

from __future__ import annotations

import faulthandler
import os
import socket
from pathlib import Path

from foldwise.executors.channel import Channel
from foldwise.executors.worker import Worker
from foldwise.executors.workload import open_workload


def work(end: socket.socket, folder: str, number: int) -> None:
    """Answer every task with the outcome of each of its parts, until the coordinator is gone."""
    channel = Channel(end)
    _be_quiet(log_file(folder, number))
    faulthandler.enable()
    try:
        worker = Worker(open_workload(Path(folder)), on_pass=lambda count: channel.send(("begin", count)))
    except BaseException as problem:
        channel.send(("broken", f"{type(problem).__name__}: {problem}"))
        return
    channel.send(("ready", None))
    while True:
        try:
            batch = channel.receive()
        except (EOFError, OSError):
            return
        for records in worker.each(batch):
            channel.send(("records", records))


def log_file(folder: str | Path, number: int) -> Path:
    """Where a worker's output goes; a crash leaves its stack there."""
    return Path(folder) / f"worker-{number}.log"


def _be_quiet(log: Path) -> None:
    """What learners print must not mix with our own output, and is kept only as long as the worker."""
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for handle, onto in ((nothing, 0), (out, 1), (out, 2)):
        os.dup2(handle, onto)
