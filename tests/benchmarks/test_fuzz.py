"""The fuzzer (benchmarks/fuzz.py) finds nothing in half a minute, and finds what is there to be found."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import fuzz
import pytest


@pytest.mark.slow
def test_half_a_minute_of_damaged_and_crafted_files_does_no_harm(tmp_path, capfd):
    """The same files every time, so that a red run is about the change; other seeds are for hours on request."""
    totals = fuzz.run(fuzz.KINDS, minutes=0.5, seed=14, keep=tmp_path)
    assert all(not found["failed"] for found in totals.values()), capfd.readouterr().out
    assert all(found["refused"] > 5 for found in totals.values())


BATCH = """
import sys
import fuzz
calls = []
def reader(*_):
    calls.append(1)
    if len(calls) > 1:  # the first is for a good file, before anything is watched
        {harm}
fuzz.READERS["tables"] = reader
sys.exit(fuzz.main())
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("harm", "words"),
    [
        ("open({place!r}, 'w')", "Forbidden: open"),
        ("import os; os.system('true')", "Forbidden: os.system"),
        ("1 / 0", "ZeroDivisionError"),
        ("import os; os.abort()", ""),
    ],
)
def test_a_reader_that_does_harm_is_found(tmp_path, harm, words):
    work = tmp_path / "work"
    work.mkdir()
    (work / "seed.csv").write_text("a,y\n1,2\n")
    code = BATCH.format(harm=harm.format(place=str(tmp_path / "elsewhere")))
    command = [sys.executable, "-c", code, "--batch", "tables", str(work), "0", "1", str(work / "report")]
    done = subprocess.run(command, cwd=Path(fuzz.__file__).parent, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert words in done.stderr
    assert not (tmp_path / "elsewhere").exists()


def test_the_same_seed_makes_the_same_file():
    content = bytes(range(200))
    assert fuzz.flipped(content, random.Random(3)) == fuzz.flipped(content, random.Random(3)) != content
    value = {"a": [1, 2, {"b": "c"}]}
    assert fuzz.exchanged(value, random.Random(3)) == fuzz.exchanged(value, random.Random(3))
    assert value == {"a": [1, 2, {"b": "c"}]}
