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
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from foldwise.api.load import load
from foldwise.errors import FoldwiseError
from foldwise.live.server import Address, check_extra, open_address, serve
from foldwise.live.view import Rendered, View
from foldwise.records.sqlite import SqliteStore
from foldwise.studies.counting import expected_fits

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
    serve(View(run, render), address)


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
    serve(View(message["run"], render), address, parent=message["parent"])
    with suppress(FoldwiseError):  # what cannot be read is left as it is
        if message["is_scratch"] and load(message["run"]).is_finished:
            shutil.rmtree(message["run"], ignore_errors=True)


def render(run: Path) -> Rendered:
    """The report of what a store holds, and the fits of its study."""
    result = load(run)
    try:
        title = result.title or run.name
        return Rendered(result.report(title=title), title, result.is_finished, *expected_fits(result.reading))
    finally:
        result.reading.store.close()  # a run that ends must find its file free
