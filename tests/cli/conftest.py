"""One way to run a command line in tests."""

from __future__ import annotations

import signal

import pytest

from foldwise import cli


@pytest.fixture
def foldwise(capsys):
    """Run a command line in this process: exit code, stdout, stderr."""

    def run(*words):
        code = cli.run([str(word) for word in words])
        return code, *capsys.readouterr()

    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    yield run
    for number, handler in before.items():
        signal.signal(number, handler)
