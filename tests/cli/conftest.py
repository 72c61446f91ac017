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

    before = signal.getsignal(signal.SIGTERM)
    yield run
    signal.signal(signal.SIGTERM, before)
