"""`watch`: the live page of a run, in this process or in one of its own."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from foldwise.api.load import load
from foldwise.errors import FoldwiseError
from foldwise.live.server import Address, check_extra, open_address, serve
from foldwise.live.state import Judged, Report, State
from foldwise.questions.combined import answer_of
from foldwise.records.sqlite import SqliteStore
from foldwise.stats.estimate import plain_number
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method

PREFIX = "foldwise-run-"


class LivePage(NamedTuple):
    """A live page in a process of its own."""

    url: str
    process: subprocess.Popen[bytes]


def watch(run: str | Path, *, port: int = 0, tell: Callable[[str], None] = print) -> None:
    """Serve the live page of a run until interrupted; `tell` is given its address."""
    check_extra()
    SqliteStore(run, readonly=True).close()  # what cannot be read is refused before anything is opened
    address = open_address(port)
    tell(address.url)
    serve(follow(run), address)


def start_page(run: str | Path, *, is_scratch: bool = False) -> LivePage:
    """Start the live page of a run of this process in a process of its own.

    It only reads the store, so it can neither slow nor harm the run; it ends by itself some time after the run,
    and then removes a store that was made for it alone and is finished.
    """
    check_extra()
    address = open_address()
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path if isinstance(path, str))
    child = subprocess.Popen(
        [sys.executable, "-P", "-c", "from foldwise.api.watching import main; main()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": paths},
        pass_fds=[address.socket.fileno()],
        start_new_session=True,  # an interrupt at the keyboard is for the run
    )
    message = {"run": str(Path(run).absolute()), "socket": address.socket.fileno(), "parent": os.getpid()}
    assert child.stdin is not None
    with child.stdin as pipe:  # not in its arguments, which everybody can read
        pipe.write(json.dumps({**message, "token": address.token, "is_scratch": is_scratch}).encode())
    url = address.url
    address.socket.close()
    return LivePage(url, child)


def scratch_run() -> str:
    """A folder for the store of a run that is to be watched but has none."""
    return tempfile.mkdtemp(prefix=PREFIX)


def main() -> None:
    """The process that `start_page` starts."""
    message = json.loads(sys.stdin.read())
    address = Address(socket.socket(fileno=message["socket"]), message["token"])
    state = follow(message["run"])
    serve(state, address, parent=message["parent"])
    if message["is_scratch"] and state.snapshot().phase == "finished":
        shutil.rmtree(message["run"], ignore_errors=True)


def follow(run: str | Path) -> State:
    """The state of a run, with the judgements and the report that need more than counting."""
    return State(run, judge=_judge, write=_write)


def _judge(reading: Reading, method: Method) -> Judged:
    answer = answer_of(reading, method)
    try:
        estimate = answer.estimate()
    except FoldwiseError:
        return Judged(answer.risk, None, None, None)
    return Judged(estimate.value, plain_number(estimate.low), plain_number(estimate.high), estimate.interval)


def _write(run: Path) -> Report:
    result = load(run)
    try:
        return Report(result.report(title=result.title or run.name), result.is_finished)
    finally:
        result.reading.store.close()  # a run that ends must find its file free
