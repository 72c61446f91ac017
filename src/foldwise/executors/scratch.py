"""A folder for the files of one run: gone at its end, or at the next start after a kill."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from foldwise.errors import BadStudy
from foldwise.records.lock import take

PREFIX = "foldwise-"
_LOCK = "lock"
_LONG_AGO = 3600.0  # a folder that has no lock by then was left by a kill between two calls


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new folder that nobody else will touch while this process lives."""
    sweep()
    try:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    except OSError as reason:
        place = tempfile.gettempdir()
        raise BadStudy(f"cannot make a folder in {place}: {reason.strerror}", "Set TMPDIR to another") from reason
    lock = take(folder / _LOCK)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def sweep() -> None:
    """Remove what killed runs of this user left: the kernel has let go of their locks."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            about = folder.lstat()
            if about.st_uid != os.getuid() or folder.is_symlink() or not folder.is_dir():
                continue
            if not (folder / _LOCK).exists() and time.time() - about.st_mtime < _LONG_AGO:
                continue
            lock = take(folder / _LOCK)
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)
