"""Foldwise's default study beside FLAML (60 s) and AutoGluon, on the same rows, each on one core.

    python benchmarks/rivals.py --tools foldwise                     all data sets, seed 1; writes docs/rivals.md
    python benchmarks/rivals.py --tools foldwise --sets design       the data sets on which choices may be made
    python benchmarks/rivals.py --tools flaml --flaml PYTHON --seeds 1,2
    python benchmarks/rivals.py --tools autogluon,autogluon-high --autogluon PYTHON
    python benchmarks/rivals.py --tools autogluon-same --autogluon PYTHON    given the seconds that Foldwise took
    python benchmarks/rivals.py --tools foldwise --again             measured anew; without it what is there stays
    python benchmarks/rivals.py --page                               the page again from what was measured

FLAML and AutoGluon want older packages than Foldwise, so each has an interpreter of its own (PYTHON): a virtual
environment with `flaml[automl]`, one with `autogluon.tabular[lightgbm,catboost,xgboost]`. They meet by files of the
split (`rival_runner.py`). The loss is squared for numbers and zero-one for classes, for the tools and on the test rows.
What was measured is kept beside this file after every run, so that a run that is stopped loses nothing. Limits are CPU
seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import sets
from rival_runner import TARGET, TOOLS
from rivals_page import DESIGN, REPORT, SECONDS, TEST, TRAIN, Row, page

ROWS = Path(__file__).with_name("rivals.json")
PAGE = Path(__file__).resolve().parents[1] / "docs" / "rivals.md"
RUNNER = Path(__file__).with_name("rival_runner.py")
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR")}
Key = tuple[str, int, str]


class Split(NamedTuple):
    """Training and test rows of one data set by one seed."""

    X: pd.DataFrame
    y: np.ndarray
    test_X: pd.DataFrame
    test_y: np.ndarray

    @property
    def is_number(self) -> bool:
        return self.y.dtype.kind == "f"

    def baseline(self) -> float:
        """Test loss of the mean, or of the most frequent class."""
        if self.is_number:
            return float(np.mean((self.test_y - self.y.mean()) ** 2))
        names, counts = np.unique(self.y, return_counts=True)
        return float(np.mean(self.test_y != names[counts.argmax()]))

    def write(self, folder: Path) -> None:
        self.X.assign(**{TARGET: self.y}).to_csv(folder / "train.csv", index=False)
        self.test_X.to_csv(folder / "test.csv", index=False)
        (folder / "task.json").write_text(json.dumps({"is_number": self.is_number}))


def split(name: str, seed: int) -> Split:
    """As many training rows as the data set is given here, or half of it; of the others at most `TEST` to test on."""
    table = sets.load(name)
    X = table.X.select_dtypes(exclude="datetime").copy()  # which not all tools read, and none from a file of text
    order = np.random.default_rng(seed).permutation(len(table.y))
    count = min(TRAIN[name], len(order) // 2)
    train, test = np.sort(order[:count]), np.sort(order[count : count + TEST])
    parts = (X.iloc[rows].reset_index(drop=True) for rows in (train, test))
    return Split(next(parts), table.y[train], next(parts), table.y[test])


def measure(data: str, seed: int, tool: str, python: str, seconds: float | None) -> Row:
    """One tool on one split, in a process of its own."""
    rows = split(data, seed)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        rows.write(folder)
        command = [python, str(RUNNER), tool, scratch, str(seed), *([] if seconds is None else [str(seconds)])]
        surroundings = {**os.environ, **ONE_THREAD, "TMPDIR": scratch}
        subprocess.run(command, env=surroundings, check=True, capture_output=True, text=True)
        told = json.loads((folder / "answer.json").read_text())
        dtypes = None if rows.is_number else {"predicted": str}
        predicted = pd.read_csv(folder / "predicted.csv", dtype=dtypes, keep_default_na=False)
    return Row(
        data,
        seed,
        tool,
        train=len(rows.y),
        test=len(rows.test_y),
        columns=rows.X.shape[1],
        loss=test_loss(predicted, rows.test_y),
        brier=None if rows.is_number else brier(predicted, rows.test_y),
        baseline=rows.baseline(),
        limit=seconds,
        date=f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
        code=state_of_the_code() if tool.startswith("foldwise") else None,
        **told,
    )


def state_of_the_code() -> str:
    """The last commit that changed Foldwise's source."""
    command = ["git", "log", "-1", "--format=%h", "--", str(RUNNER.parents[1] / "src")]
    return subprocess.run(command, cwd=RUNNER.parent, check=True, capture_output=True, text=True).stdout.strip()


def test_loss(predicted: pd.DataFrame, truth: np.ndarray) -> float:
    own = predicted["predicted"].to_numpy()
    return float(np.mean((own - truth) ** 2 if truth.dtype.kind == "f" else own != truth))


def brier(predicted: pd.DataFrame, truth: np.ndarray) -> float | None:
    """Squared distance of the probabilities from the class that came, summed over classes."""
    names = [name for name in predicted if name.startswith("p_")]
    if not names:
        return None
    came = truth[:, None] == np.array([name.removeprefix("p_") for name in names])[None, :]
    return float(np.mean(((predicted[names].to_numpy() - came) ** 2).sum(axis=1)))


def kept() -> dict[Key, Row]:
    """What was measured so far."""
    rows = [Row(**row) for row in json.loads(ROWS.read_text())] if ROWS.exists() else []
    return {(row.data, row.seed, row.tool): row for row in rows}


def keep(row: Row) -> None:
    """Add a row to what is there now: another run may have written meanwhile."""
    known = {**kept(), (row.data, row.seed, row.tool): row}
    lines = [json.dumps(asdict(known[key])) for key in sorted(known)]
    ROWS.write_text("[\n" + ",\n".join(lines) + "\n]\n")


def limit_of(data: str, seed: int, tool: str) -> float | None:
    """Seconds that a tool is given; none where it knows itself when it is done."""
    if tool == "autogluon-same":
        return kept()[data, seed, "foldwise"].cpu
    return SECONDS if tool.startswith("flaml") or tool == "autogluon-high" else None


def run(wanted: Iterable[Key], pythons: dict[str, str], *, again: bool) -> None:
    for data, seed, tool in wanted:
        if (data, seed, tool) in kept() and not again:
            continue
        try:
            row = measure(data, seed, tool, pythons[tool.split("-")[0]], limit_of(data, seed, tool))
        except sets.NotThere as package:
            print(f"{data}: needs {package}", flush=True)
            continue
        except subprocess.CalledProcessError as error:
            print(f"{data}, seed {seed}, {tool}: {error.stderr.strip().splitlines()[-1:]}", flush=True)
            continue
        keep(row)
        print(f"{data}, seed {seed}, {tool}: {row.share:.4f} ({row.pick}), {row.cpu:.1f} s", flush=True)


def asked_sets(words: str) -> list[str]:
    groups = {"all": [*DESIGN, *REPORT], "design": [*DESIGN], "report": [*REPORT]}
    return [name for word in words.split(",") for name in groups.get(word, [word])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", default="foldwise", help=f"of {', '.join(TOOLS)}")
    parser.add_argument("--sets", default="all", help="all, design, report, or names")
    parser.add_argument("--seeds", default="1")
    parser.add_argument("--flaml", default=sys.executable, metavar="PYTHON", help="an interpreter that has FLAML")
    parser.add_argument("--autogluon", default=sys.executable, metavar="PYTHON", help="one that has AutoGluon")
    parser.add_argument("--again", action="store_true", help="measure again what was measured")
    parser.add_argument("--page", action="store_true", help="write the page and measure nothing")
    asked: Any = parser.parse_args()
    pythons = {"foldwise": sys.executable, "flaml": asked.flaml, "autogluon": asked.autogluon}
    wanted = [
        (data, int(seed), tool)
        for tool in asked.tools.split(",")  # one tool after the other
        for seed in asked.seeds.split(",")
        for data in asked_sets(asked.sets)
    ]
    run([] if asked.page else wanted, pythons, again=asked.again)
    PAGE.write_text(page(list(kept().values())), encoding="utf-8")


if __name__ == "__main__":
    main()
