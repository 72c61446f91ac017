"""A program that works on a store and kills itself at a chosen moment; the tests of crash points run it.

    python crash.py write FOLDER MOMENT     adds records and prints the key of each that was acknowledged
    python crash.py mend FOLDER MOMENT      opens a damaged store, whose file is then made anew of what can be read

MOMENT counts the instructions of SQLite's machine, over all statements; 0 is never, and then their number is printed.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys

import numpy as np

from foldwise.records.record import Record
from foldwise.records.sqlite import SqliteStore

RECORDS = 40


def record(number: int) -> Record:
    """A record that any process can make again."""
    values = np.random.default_rng(number).normal(size=300)
    return Record(f"{number:032x}", "ok", np.arange(300), {"predict": values}, seconds=number / 7, learner="ridge")


def kill_at(moment: int) -> list[int]:
    """Count SQLite's instructions on every connection made from now on, and die at one of them."""
    passed, connect = [0], sqlite3.connect

    def step() -> int:
        passed[0] += 1
        if passed[0] == moment:
            os.kill(os.getpid(), signal.SIGKILL)
        return 0

    def counted(*args: object, **options: object) -> sqlite3.Connection:
        database = connect(*args, **options)
        database.set_progress_handler(step, 1)
        return database

    sqlite3.connect = counted
    return passed


def main() -> None:
    work, folder, moment = sys.argv[1], sys.argv[2], int(sys.argv[3])
    passed = kill_at(moment)
    store = SqliteStore(folder)
    if work == "write":
        for number in range(RECORDS):
            store.add([record(number)])
            print(f"{number:032x}", flush=True)
    store.close()
    print(f"passed {passed[0]}", flush=True)


if __name__ == "__main__":
    main()
