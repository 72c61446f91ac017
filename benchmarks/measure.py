"""Seconds and memory of a call, and of a call in a process of its own."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

Result = TypeVar("Result")
PROGRAM = Path(__file__).with_name("peers.py")
LIMIT = 400  # CPU seconds of one measurement
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def cpu() -> float:
    """CPU seconds of this process and of its children that have ended; under a limit, `process_time` has 4 ms steps."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in both)


def timed(call: Callable[[], Result]) -> tuple[Result, float, float]:
    """What a call gave, its CPU seconds and its wall seconds."""
    started, before = time.perf_counter(), cpu()
    found = call()
    return found, cpu() - before, time.perf_counter() - started


def least(call: Callable[[], Result], *, seconds: float = 2.0, most: int = 7) -> tuple[Result, float, float]:
    """A short call is repeated, since the machine has other things to do; the least CPU and wall seconds count."""
    found, best, wall = timed(call)
    spent, rounds = best, 1
    while spent < seconds and rounds < most:
        _, again, wall_again = timed(call)
        best, wall = min(best, again), min(wall, wall_again)
        spent, rounds = spent + again, rounds + 1
    return found, best, wall


def peak_megabytes() -> float:
    """The most memory this process, or the largest of its children, has had."""
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return max(own, children) / 1024


def in_own_process(*words: str, program: Path = PROGRAM) -> dict[str, Any]:
    """Run one measurement in a fresh process with one thread; a problem is told in words."""
    done = subprocess.run(
        [sys.executable, str(program), *words],
        capture_output=True,
        text=True,
        env={**os.environ, **ONE_THREAD},
        check=False,
    )
    if done.returncode == -signal.SIGXCPU:
        return {"problem": f"stopped after {LIMIT} CPU seconds"}
    if done.returncode:
        return {"problem": (done.stderr.strip().splitlines() or [f"ended with code {done.returncode}"])[-1][:200]}
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def limit_seconds() -> None:
    """CPU seconds, since a busy machine is no reason to end a measurement."""
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 5))
