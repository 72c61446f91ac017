"""The speed benchmark runs, and a step back turns it red; no seconds are asserted here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
FOLDER = Path(__file__).parents[2] / "benchmarks"


def run_tiny(folder: Path, *words: str, stored: float | None = None) -> subprocess.CompletedProcess[str]:
    ratios = folder / "ratios.json"
    if stored is not None:
        ratios.write_text(json.dumps({"tiny": {"k-nn-tiny": stored}}))
    command = [sys.executable, str(FOLDER / "speed.py"), "--tiny", "--docs", str(folder), "--ratios", str(ratios)]
    environment = {**os.environ, "PYTHONPATH": str(FOLDER.parent / "src")}
    return subprocess.run([*command, *words], capture_output=True, text=True, env=environment, check=False)


def test_a_tiny_run_finds_equal_numbers_and_writes_the_page(tmp_path):
    done = run_tiny(tmp_path, "--keep")

    assert done.returncode == 0, done.stderr
    assert "k-NN 3 x 2, k = 1..5, n = 120, d = 3" in (tmp_path / "speed.md").read_text()
    assert (tmp_path / "speed.svg").read_text().startswith("<svg")
    assert json.loads((tmp_path / "ratios.json").read_text())["tiny"]["k-nn-tiny"] > 0


def test_a_ratio_far_below_the_stored_one_fails_the_run(tmp_path):
    done = run_tiny(tmp_path, stored=1e9)

    assert done.returncode == 1
    assert "k-nn-tiny" in done.stderr
    assert "it was 1000000000.00" in done.stderr


def test_one_and_a_half_times_slower_is_a_step_back():
    """A ratio of 2 against a stored one: 3 is the edge, and a ratio that is no number is a step back too."""
    program = (
        "from page import Row; from speed import steps_back\n"
        "rows = [Row('t', 'T', ours=1.0, naive=2.0)]\n"
        "rows_of = {2.9: rows, 3.1: rows, 1.0: [Row('t', 'T')]}\n"
        "print([len(steps_back(found, {'t': stored})) for stored, found in rows_of.items()])"
    )
    environment = {**os.environ, "PYTHONPATH": f"{FOLDER.parent / 'src'}{os.pathsep}{FOLDER}"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True)

    assert done.stdout.strip() == "[0, 1, 1]"
