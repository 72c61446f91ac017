from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from foldwise.executors.local import usage

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the kernel says it there")


def test_private_memory_grows_by_what_is_allocated():
    before = usage.private_bytes(os.getpid())
    held = np.ones(8_000_000)
    assert 0.8 * held.nbytes < usage.private_bytes(os.getpid()) - before < 1.5 * held.nbytes


def test_a_group_counts_all_its_processes_and_one_that_is_gone_counts_nothing():
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'print(1, flush=True); input()'])"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as leader:
        leader.stdout.readline()
        alone, together = usage.private_bytes(leader.pid), usage.private_bytes(leader.pid, group=True)
        leader.communicate(b"\n")
    assert 0 < alone < together
    assert usage.private_bytes(leader.pid) == 0


def test_a_kill_for_memory_is_reported_once(monkeypatch):
    usage.killed_for_memory()
    count = usage._memory_kills()
    monkeypatch.setattr(usage, "_memory_kills", lambda: count + 1)
    assert [usage.killed_for_memory(), usage.killed_for_memory()] == [True, False]
    monkeypatch.setattr(usage, "_kills", count)
