"""A writer killed at any moment loses nothing that it was told is kept.

FOLDWISE_CRASH_POINTS=100 tries as many moments of each kind and prints the count.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from foldwise.records.sqlite import SqliteStore

CRASH = Path(__file__).with_name("crash.py")
WRITES, SYNCS = 250, 45  # a whole run makes some more of both
POINTS = int(os.environ.get("FOLDWISE_CRASH_POINTS", "8"))

spec = importlib.util.spec_from_file_location("crash", CRASH)
crash = importlib.util.module_from_spec(spec)
spec.loader.exec_module(crash)


def run(folder, moment=0, *, before=()):
    """Acknowledged keys of a writer that was killed at a moment, and all that it printed."""
    command = [*before, sys.executable, str(CRASH), "write", str(folder), str(moment)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = done.stdout.split("\n")
    return [line for line in lines if len(line) == 32], done


def check_and_go_on(folder, acknowledged):
    """Nothing acknowledged is lost, all is sound, and the next writer ends with the same records."""
    store = SqliteStore(folder)
    assert store.verify() == []
    for key in acknowledged:
        assert store.get(key) is not None, f"{key} was acknowledged and is lost"
    for number in range(crash.RECORDS):
        wanted = crash.record(number)
        found = store.get(wanted.key)
        assert found is None or found.responses["predict"].tobytes() == wanted.responses["predict"].tobytes()
        if found is None:
            store.add([wanted])
    store.close()
    again = SqliteStore(folder, readonly=True)
    assert len(list(again.keys())) == crash.RECORDS
    assert again.verify() == []
    again.close()
    assert not list(Path(folder).glob("records.db-*"))


@pytest.mark.slow
def test_a_kill_at_any_instruction_loses_no_acknowledged_record(tmp_path):
    _, whole = run(tmp_path / "whole")
    steps = int(whole.stdout.split("passed ")[1])
    moments = np.linspace(1, steps, POINTS + 1, dtype=int)[:-1]
    kept = []
    for moment in moments:
        folder = tmp_path / str(moment)
        acknowledged, done = run(folder, moment)
        assert done.returncode == -9, done.stderr
        check_and_go_on(folder, acknowledged)
        kept.append(len(acknowledged))
        shutil.rmtree(folder)
    print(f"{len(kept)} kills at instructions, {sum(kept)} acknowledged, 0 lost")
    assert kept[0] == 0
    assert kept[-1] > crash.RECORDS // 2


def has_strace():
    if shutil.which("strace") is None:
        return False
    tried = subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True, check=False)
    return tried.returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(not has_strace(), reason="strace is not at hand")
def test_a_kill_at_any_write_to_the_disk_loses_no_acknowledged_record(tmp_path):
    spread = {"pwrite64": (WRITES, POINTS - POINTS // 4), "fdatasync": (SYNCS, POINTS // 4)}
    moments = [
        (call, at) for call, (last, count) in spread.items() for at in np.linspace(1, last, count, dtype=int).tolist()
    ]
    kept = 0
    for call, at in moments:
        folder = tmp_path / f"{call} {at}"
        how = ["strace", "-f", "-o", os.devnull, "-e", f"trace={call}", "-e", f"inject={call}:signal=SIGKILL:when={at}"]
        acknowledged, done = run(folder, before=how)
        assert done.returncode != 0, (call, at)
        check_and_go_on(folder, acknowledged)
        kept += len(acknowledged)
        shutil.rmtree(folder)
    print(f"{len(moments)} kills at writes and syncs, {kept} acknowledged, 0 lost")
    assert kept


@pytest.mark.slow
def test_a_kill_while_a_damaged_store_is_mended_loses_nothing_more(tmp_path):
    """A file that has lost its end is made anew of what can be read, and whenever that is killed, it begins again."""
    run(tmp_path / "whole")
    file = tmp_path / "whole" / "records.db"
    with file.open("r+b") as part:
        part.truncate(file.stat().st_size * 2 // 3)
    shutil.copytree(tmp_path / "whole", tmp_path / "mended")
    mended = SqliteStore(tmp_path / "mended")
    expected = list(mended.keys())
    mended.close()
    assert 10 < len(expected) < crash.RECORDS

    def mend(folder, moment):
        command = [sys.executable, str(CRASH), "mend", str(folder), str(moment)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    shutil.copytree(tmp_path / "whole", tmp_path / "counted")
    steps = int(mend(tmp_path / "counted", 0).stdout.split("passed ")[1])
    for moment in np.linspace(1, steps, POINTS + 1, dtype=int)[:-1]:
        folder = tmp_path / str(moment)
        shutil.copytree(tmp_path / "whole", folder)
        assert mend(folder, moment).returncode == -9
        store = SqliteStore(folder)
        assert list(store.keys()) == expected, moment
        assert store.verify() == []
        store.close()
