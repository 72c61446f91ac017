"""A study whose process is killed at the n-th write to its store, just before or just after; prints its answer if not.

python doomed.py STORE AT before|after
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
import trial

import foldwise as fw
from foldwise.records.sqlite import SqliteStore


def main(store: str, at: int, when: str) -> None:
    writes = count(1)

    def doomed(write: Callable[..., None]) -> Callable[..., None]:
        def wrapped(*words: Any) -> None:
            is_last = next(writes) == at
            if is_last and when == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            write(*words)
            if is_last:
                os.kill(os.getpid(), signal.SIGKILL)

        return wrapped

    for name in ("add", "write_document"):
        setattr(SqliteStore, name, doomed(getattr(SqliteStore, name)))
    folds = np.arange(trial.ROWS) % trial.FOLDS
    words: dict[str, Any] = {"outer": folds, "inner": "pairs", "jobs": 2, "isolate": True, "store": store}
    result = fw.compare(trial.learners("regression", {}), *trial.data("regression"), **words)
    print(json.dumps(result.to_dict()))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
