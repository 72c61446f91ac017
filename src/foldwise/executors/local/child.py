"""What a worker process does: load the study once, then fit, one batch after another."""

from __future__ import annotations

import faulthandler
import os
import socket
from pathlib import Path

from foldwise.executors.local.channel import Channel
from foldwise.executors.worker import Worker
from foldwise.executors.workload import open_workload


def work(end: socket.socket, folder: str, number: int) -> None:
    """Answer every batch with its records, as they come, until the coordinator is gone."""
    channel = Channel(end)
    log = log_file(folder, number)
    be_quiet(log)
    files = _standard_files()
    faulthandler.enable()
    try:
        worker = Worker(open_workload(Path(folder)), on_shared=lambda count: channel.send(("begin", count)))
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
            if _standard_files() != files:  # a learner has closed them; the next one may want to print
                be_quiet(log)
                files = _standard_files()


def log_file(folder: str | Path, number: int) -> Path:
    """Where a worker's output goes; a crash leaves its stack there."""
    return Path(folder) / f"worker-{number}.log"


def be_quiet(log: Path) -> None:
    """What learners print must not mix with our own output, and is kept only as long as the worker."""
    while (nothing := os.open(os.devnull, os.O_RDONLY)) < 3:
        pass  # fill numbers that are closed: none of our own files may have them
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for handle, onto in ((nothing, 0), (out, 1), (out, 2)):
        os.dup2(handle, onto)
    os.close(nothing)
    os.close(out)


def _standard_files() -> list[tuple[int, int]]:
    """Which files are behind standard input, output and error; none where one is closed."""
    try:
        return [(about.st_dev, about.st_ino) for about in map(os.fstat, range(3))]
    except OSError:
        return []
