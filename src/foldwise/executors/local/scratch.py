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
from foldwise.executors.local.nursery import GONE, LOCK, remove
from foldwise.records.lock import take

PREFIX = "foldwise-"
SHORT = "/tmp"  # for what cannot live in a folder with a long name
_LONG_AGO = 3600.0  # an empty folder of that age was left by a kill between two calls


@contextmanager
def scratch_folder(place: str | None = None, *, label: str = "") -> Iterator[Path]:
    """A new folder that nobody else will touch while this process lives; a label is part of its name."""
    sweep()
    try:
        folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{label}{label and '-'}", dir=place))
    except OSError as reason:
        place = tempfile.gettempdir()
        raise BadStudy(f"cannot make a folder in {place}: {reason.strerror}", "Set TMPDIR to another") from reason
    lock = take(folder / LOCK)
    try:
        yield folder
    finally:
        remove(folder)
        os.close(lock)


def sweep() -> None:
    """Remove what killed runs of this user left: the kernel has let go of their locks."""
    places = {tempfile.gettempdir(), SHORT}
    for folder in (folder for place in places for folder in Path(place).glob(f"{PREFIX}*")):
        with suppress(OSError):
            about = folder.lstat()
            if about.st_uid != os.getuid() or folder.is_symlink() or not folder.is_dir():
                continue
            if folder.suffix == GONE:
                shutil.rmtree(folder, ignore_errors=True)
                continue
            if not (folder / LOCK).exists():
                if time.time() - about.st_mtime > _LONG_AGO:
                    folder.rmdir()  # refused where there is anything in it: it is not ours
                continue
            lock = take(folder / LOCK)
            remove(folder)
            os.close(lock)
