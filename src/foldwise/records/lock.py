"""A lock that belongs to the kernel and dies with its holder: nothing to clean up after a kill."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

_WAIT = 0.5  # seconds for the winner of a race to write its process number


class Taken(OSError):
    """Another process holds the lock."""

    def __init__(self, holder: str) -> None:
        super().__init__(f"held by process {holder}")
        self.holder = holder


def take(path: Path) -> int:
    """Take the lock and write our process number into its file; gives the handle that holds it."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)
    try:
        _lock(handle)
    except BlockingIOError as reason:
        holder = _holder(handle)
        os.close(handle)
        raise Taken(holder) from reason
    except BaseException:
        os.close(handle)
        raise
    os.ftruncate(handle, 0)
    os.write(handle, f"{os.getpid()}\n".encode())
    return handle


def holder_of(path: Path) -> int | None:
    """The process that holds a lock, read without touching it; a process of another machine is not known."""
    try:
        number = path.read_bytes()[:32].decode(errors="replace").strip()
    except OSError:
        return None
    return int(number) if number.isdecimal() and _is_alive(number) else None


def _holder(handle: int) -> str:
    """The number in the file, once it is that of a living process."""
    end = time.monotonic() + _WAIT
    while True:
        os.lseek(handle, 0, os.SEEK_SET)
        number = os.read(handle, 32).decode(errors="replace").strip()
        if _is_alive(number) or time.monotonic() > end:
            return number or "unknown"
        time.sleep(0.02)


if sys.platform == "win32":

    def _lock(handle: int) -> None:
        import msvcrt

        os.lseek(handle, 1 << 20, os.SEEK_SET)  # beyond the process number, which others must be able to read
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError as reason:
            raise BlockingIOError(*reason.args) from reason
        os.lseek(handle, 0, os.SEEK_SET)

    def _is_alive(number: str) -> bool:
        return bool(number)

else:

    def _lock(handle: int) -> None:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _is_alive(number: str) -> bool:
        try:
            os.kill(int(number), 0)
        except (ValueError, OverflowError, ProcessLookupError):
            return False
        except PermissionError:
            pass  # of another user
        return True
