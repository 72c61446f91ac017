"""A study that takes its time, and readers beside it who look at everything again and again.

python reading.py write STORE SECONDS     a study of about so many seconds; prints its answer
python reading.py read STORE              reads until its input is closed; prints what it found
python reading.py both FOLDER SECONDS     the study with two readers beside it
"""

from __future__ import annotations

import json
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

import foldwise as fw
from foldwise.errors import FoldwiseError
from foldwise.records.sqlite import SqliteStore

NAP, PAUSE = 0.02, 0.2  # seconds: of a fit, between two looks


class Slow(RegressorMixin, BaseEstimator):
    """A shifted mean that takes its time."""

    def __init__(self, shift: float = 0.0) -> None:
        self.shift = shift

    def fit(self, X: Any, y: Any) -> Slow:
        time.sleep(NAP)
        self.mean_ = float(np.mean(y)) + self.shift
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.mean_)


def study(candidates: int, **where: Any) -> dict[str, Any]:
    """The answer of a study that makes about 24 fits for each candidate."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    shifts = np.linspace(-1, 1, candidates).tolist()
    words: dict[str, Any] = {"outer": 5, "inner": 4, "budget": len(shifts), "jobs": 1, "progress": False}
    return fw.compare({"slow": fw.tune(Slow(), shift=shifts)}, X, y, **words, **where).to_dict()


def read(store: Path) -> dict[str, int]:
    """Look at every record and at the answer so far until standard input is closed: how often, and what was wrong."""
    found = {"looks": 0, "answers": 0, "refused": 0, "damaged": 0, "gone": 0}
    known: set[str] = set()
    while not select.select([sys.stdin], [], [], PAUSE)[0]:
        if not (store / "records.db").exists():
            continue
        opened = SqliteStore(store, readonly=True)
        keys = set(opened.keys())
        found["gone"] += len(known - keys)
        found["damaged"] += len(opened.verify())
        found["looks"] += 1
        opened.close()
        known = keys
        try:
            fw.load(store).to_dict()
            found["answers"] += 1
        except FoldwiseError:  # as long as there is nothing to answer from
            found["refused"] += 1
    return found


def both(folder: Path, candidates: int) -> tuple[dict[str, Any], list[dict[str, int]]]:
    """The answer of the study, and what each of the two readers found."""
    store, pipes = str(folder / "run"), {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    own = [sys.executable, __file__]
    readers = [subprocess.Popen([*own, "read", store], **pipes) for _ in range(2)]  # type: ignore[call-overload]
    try:
        writer = subprocess.run([*own, "write", store, str(candidates)], capture_output=True, text=True, check=True)
        return json.loads(writer.stdout), [json.loads(reader.communicate(timeout=120)[0]) for reader in readers]
    finally:
        for reader in readers:
            reader.kill()


def main() -> None:
    what, place = sys.argv[1], Path(sys.argv[2])
    if what == "read":
        print(json.dumps(read(place)))
    elif what == "write":
        print(json.dumps(study(int(sys.argv[3]), store=place, isolate=True)))
    else:
        answer, found = both(place, int(sys.argv[3]))
        print(answer["fits_made"], "fits;", *found)


if __name__ == "__main__":
    main()
