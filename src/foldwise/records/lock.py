"""A lock that belongs to the kernel and dies with its holder: nothing to clean up after a kill."""

from __future__ import annotations

import os
import sys
from pathlib import Path


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
    except OSError as reason:
        holder = os.read(handle, 32).decode(errors="replace").strip() or "unknown"
        os.close(handle)
        raise Taken(holder) from reason
    os.ftruncate(handle, 0)
    os.write(handle, f"{os.getpid()}\n".encode())
    return handle


if sys.platform == "win32":

    def _lock(handle: int) -> None:
        import msvcrt

        os.lseek(handle, 1 << 20, os.SEEK_SET)  # beyond the process number, which others must be able to read
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        os.lseek(handle, 0, os.SEEK_SET)

else:

    def _lock(handle: int) -> None:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
