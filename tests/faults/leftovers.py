"""What a run leaves behind: its processes are told by a mark in their environment, whoever their parent is."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path

MARK = "FOLDWISE_TEST_MARK"


def marked(folder: Path) -> dict[str, str]:
    """An environment for a run whose processes and temporary files can be found again."""
    folder.mkdir(exist_ok=True)
    return {**os.environ, MARK: uuid.uuid4().hex, "TMPDIR": str(folder)}


def processes(environment: Mapping[str, str]) -> list[int]:
    """Living processes that were started, by whatever way, from a run with this environment."""
    wanted, found = f"{MARK}={environment[MARK]}".encode(), []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                is_alive = b") Z " not in (entry / "stat").read_bytes()
                if is_alive and wanted in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:  # it ended in the meantime
                continue
    return found


def words(pid: int) -> bytes:
    """The command of a process; empty if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def files(environment: Mapping[str, str]) -> list[str]:
    """Temporary files of that run."""
    return sorted(path.name for path in Path(environment["TMPDIR"]).iterdir())


def wait_until(is_true: Callable[[], bool], seconds: float) -> bool:
    """Did it become true in time?"""
    end = time.monotonic() + seconds
    while not is_true():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def patience(seconds: float) -> float:
    """Seconds of an idle machine in seconds of this one, which may be busy with other things."""
    wall, cpu = time.monotonic(), time.process_time()
    while time.process_time() - cpu < 0.2:
        pass
    return seconds * max(1.0, (time.monotonic() - wall) / 0.2)


def assert_nothing_left(environment: Mapping[str, str]) -> None:
    """Neither a process nor a file, two seconds after the end."""
    if not wait_until(lambda: not processes(environment), 2.0):
        wait_until(lambda: not processes(environment), patience(2.0) - 2.0)
    left = [f"{pid}: {words(pid)!r}" for pid in processes(environment)]
    assert left == []
    assert files(environment) == [], str(files(environment))
