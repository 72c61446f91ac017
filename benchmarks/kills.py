"""A study that is killed a hundred times and loses nothing.

- *kills*: the whole process tree, the coordinator alone, or the process that starts workers and then
  the rest, at random moments; resumed each time; studies begin anew when they finish;
- *interrupts*: Ctrl-C and termination at random moments, by turns;
- *crash points*: strace kills the coordinator at its n-th write to the store (and at its n-th sync),
  for each n in turn; resumed each time.

After each: every record that was in the store is still there, no process is left after two seconds, what
the last run left in the temporary folder is swept, and the final answer equals the undisturbed one.

    python benchmarks/kills.py [--kills 100] [--interrupts 20] [--points 100]
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "faults"))

import killing
import leftovers

Answer = Mapping[str, Any]


def kills(folder: Path, expected: Answer, wanted: int) -> Counter[str]:
    rng, found = random.Random(0), Counter[str]()
    while (left := wanted - found["kills"]) > 0:
        run = killing.Run(folder / f"kills-{found['finished']}")
        found += killing.kill_and_resume(run, expected, rng=rng, most=left)
        print("  ", dict(found), flush=True)
    return found


def interrupts(folder: Path, expected: Answer, wanted: int) -> Counter[str]:
    rng, found, slowest = random.Random(1), Counter[str](), 0.0
    run = killing.Run(folder / "interrupts-0")
    for at in range(wanted):
        number, code = ((signal.SIGINT, 130), (signal.SIGTERM, 143))[at % 2]
        seconds, ended, _, error = killing.interrupt(run, number, more=rng.randrange(1, 40))
        slowest = max(slowest, seconds)
        found["interrupts"] += 1
        if ended == 0:  # it had finished before
            found["finished"] += 1
            run = killing.Run(folder / f"interrupts-{at + 1}")
            continue
        found["wrong exit code"] += ended != code
        found["no resume line"] += "foldwise resume" not in error
        found["later than 3 s"] += seconds > 3
        leftovers.wait_until(lambda run=run: not leftovers.processes(run.environment), 2.0)  # type: ignore[misc]
        found["left processes"] += len(leftovers.processes(run.environment))
        found["left files"] += len(leftovers.files(run.environment))
    found["different"] += _differs(run.finish(), expected)
    print(f"   slowest end after {slowest:.2f} s")
    return found


def crash_points(folder: Path, expected: Answer, wanted: int, what: str) -> Counter[str]:
    """The n-th system call of the first run, of the run that goes on after it, and so on: each is killed one later."""
    found, run, at = Counter[str](), killing.Run(folder / f"{what}-0"), 1
    while found["points"] < wanted:
        before = run.keys()
        is_killed = killing.killed_at_call(run, at, calls=what)
        found["points"] += is_killed
        found["lost"] += len(before - run.keys())
        leftovers.wait_until(lambda run=run: not leftovers.processes(run.environment), 2.0)  # type: ignore[misc]
        found["left processes"] += len(leftovers.processes(run.environment))
        at += 1
        if not is_killed:
            found["different"] += _differs(run.finish(), expected)
            found["finished"] += 1
            run = killing.Run(folder / f"{what}-{at}")
    found["different"] += _differs(run.finish(), expected)
    return found


def _differs(answer: Answer, expected: Answer) -> bool:
    return json.dumps(killing.without_times(answer)) != json.dumps(killing.without_times(expected))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, number in (("kills", 100), ("interrupts", 20), ("points", 100)):
        parser.add_argument(f"--{name}", type=int, default=number)
    words = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        expected = killing.Run(folder / "undisturbed").finish()
        tasks = {
            "kills": lambda: kills(folder, expected, words.kills),
            "interrupts": lambda: interrupts(folder, expected, words.interrupts),
            "crash points (pwrite64)": lambda: crash_points(folder, expected, words.points, "pwrite64"),
            "crash points (fdatasync)": lambda: crash_points(folder, expected, words.points // 4, "fdatasync"),
        }
        print(f"a study of {expected['fits']} fits")
        for task, do in tasks.items():
            began = time.monotonic()
            found = do()
            print(f"{task}: {dict(+found)}; all else 0; {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
