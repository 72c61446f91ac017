"""One writer, any number of readers: each process is told in one sentence what it may do."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time

import pytest

from foldwise.errors import BadStore
from foldwise.records.sqlite import SqliteStore
from foldwise.testing.stores import some_record

WRITER = """
import sys
import numpy as np
from foldwise.records.record import Record
from foldwise.records.sqlite import SqliteStore
store = SqliteStore(sys.argv[1])
print("open", flush=True)
for number in range(int(sys.argv[2])):
    store.add([Record(f"{number:032d}", "ok", np.arange(3), {"predict": np.ones(3)})])
print("written", flush=True)
sys.stdin.read()
store.close()
"""

CREATOR = """
import sys
import numpy as np
from foldwise.errors import BadStore
from foldwise.records.record import Record
from foldwise.records.sqlite import SqliteStore
print("ready", flush=True)
sys.stdin.readline()
try:
    store = SqliteStore(sys.argv[1])
    store.add([Record("a" * 32, "ok", np.arange(3), {"predict": np.ones(3)})])
    print("won", flush=True)
    sys.stdin.read()
    store.close()
except BadStore as refusal:
    print(refusal, flush=True)
"""


def start(code, *args):
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, args)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def end(process):
    process.stdin.close()
    process.stdout.read()
    process.stdout.close()
    assert process.wait(timeout=30) == 0


def test_a_second_writer_is_told_who_holds_the_store(tmp_path):
    first = start(WRITER, tmp_path / "run", 0)
    assert first.stdout.readline() == "open\n"
    wanted = rf"run is in use .*\(process {first.pid}\)"
    with pytest.raises(BadStore, match=wanted):
        SqliteStore(tmp_path / "run")
    end(first)
    SqliteStore(tmp_path / "run").close()


def test_readers_are_never_blocked_while_a_writer_writes(tmp_path):
    writer = start(WRITER, tmp_path / "run", 150)
    assert writer.stdout.readline() == "open\n"
    counts, longest = [], 0.0
    while not counts or counts[-1] < 150:
        begun = time.monotonic()
        reader = SqliteStore(tmp_path / "run", readonly=True)
        keys = list(reader.keys())
        assert all(reader.get(key) is not None for key in keys[-5:])
        counts.append(reader.info()["records"])
        reader.close()
        longest = max(longest, time.monotonic() - begun)
        assert writer.poll() is None
    assert counts == sorted(counts)
    assert longest < 8  # seconds; a busy machine is slow, a blocked reader would wait for the end
    end(writer)


def test_six_processes_create_one_store_and_one_wins(tmp_path):
    crowd = [start(CREATOR, tmp_path / "run") for _ in range(6)]
    for process in crowd:
        assert process.stdout.readline() == "ready\n"
    for process in crowd:
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.stdout.readline().strip() for process in crowd]
    winners = [process for process, words in zip(crowd, said, strict=True) if words == "won"]
    assert len(winners) == 1, said
    held = rf"in use .*\(process {winners[0].pid}\)"
    assert sum(bool(re.search(held, words)) for words in said) == 5, said
    for process in crowd:
        end(process)
    store = SqliteStore(tmp_path / "run")
    assert store.verify() == []
    assert list(store.keys()) == ["a" * 32]
    store.close()


def test_a_closed_store_is_one_file_and_readers_leave_nothing_beside_it(tmp_path):
    store = SqliteStore(tmp_path / "run")
    store.add([some_record()])
    store.close()
    reader = SqliteStore(tmp_path / "run", readonly=True)
    assert reader.get("a" * 32) is not None
    reader.close()
    assert sorted(os.listdir(tmp_path / "run")) == ["lock", "records.db"]


def test_closing_while_somebody_reads_loses_nothing(tmp_path):
    store = SqliteStore(tmp_path / "run")
    store.add([some_record()])
    reader = SqliteStore(tmp_path / "run", readonly=True)
    store.add([some_record(key="b" * 32)])
    store.close()
    assert len(list(reader.keys())) == 2
    reader.close()
    again = SqliteStore(tmp_path / "run")
    assert len(list(again.keys())) == 2
    again.close()
