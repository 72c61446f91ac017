"""What the bridge sends to nodes; how it passes messages on is held by test_dask_and_ray."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from foldwise.executors.cluster import bridge
from foldwise.executors.cluster.node import TOKEN


def test_the_files_of_a_study_travel_in_pieces_and_logs_and_its_name_do_not(tmp_path, monkeypatch):
    monkeypatch.setattr(bridge, "PIECE", 4)
    contents = {"X.npy": b"0123456789", "facts.json": b"{}", "learners": b"", "worker-1.log": b"noise", TOKEN: b"t"}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    found: dict[str, list[bytes]] = {}
    for name, content in bridge.pieces(tmp_path):
        found.setdefault(name, []).append(content)
    assert found == {"X.npy": [b"0123", b"4567", b"89"], "facts.json": [b"{}"], "learners": [b""]}


def test_a_problem_is_put_into_one_short_line():
    assert bridge.in_words(ValueError("first\nsecond")) == "ValueError: first"
    assert bridge.in_words(KeyError()) == "KeyError"
    assert len(bridge.in_words(OSError("x" * 1000))) < 320


def test_semaphores_of_what_is_killed_are_removed():
    """Those that Dask makes for its workers; their keeper must not be killed before it has removed them."""
    code = (
        "import multiprocessing\n"
        "from foldwise.executors.cluster import bridge\n"
        "made = [multiprocessing.get_context('spawn').Semaphore() for _ in range(3)]\n"
        "print(*(one._semlock.name for one in made), flush=True)\n"
        "bridge._end()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    names = done.stdout.split()
    assert len(names) == 3
    left = [name for name in names if Path(f"/dev/shm/sem.{name.strip('/')}").exists()]
    assert left == []
