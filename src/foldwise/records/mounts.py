"""Is a folder on another machine? There shared memory, which SQLite's log needs, does not work."""

from __future__ import annotations

import re
from pathlib import Path

# 9p: folders of a host machine inside a virtual one. Lustre and other cluster file systems that keep
# locks and maps coherent are left out.
NETWORK = {"nfs", "nfs3", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ncpfs", "davfs", "webdav"}
NETWORK |= {f"fuse.{name}" for name in ("sshfs", "s3fs", "rclone", "gcsfuse", "davfs", "davfs2", "glusterfs", "goofys")}


def network_of(folder: Path, *, mounts: str | None = None) -> str | None:
    """The kind of network file system a folder is on, or None; `mounts` is the text of /proc/self/mounts.

    >>> network_of(Path("/home/a/run"), mounts="/dev/sda / ext4 rw 0 0\\nserver:/x /home nfs4 rw 0 0")
    'nfs4'
    """
    lines = (_mounts() if mounts is None else mounts).splitlines()
    place, best, kind = folder.resolve(), -1, ""
    for line in lines:
        parts = line.split(" ")
        point = Path(_plain(parts[1])) if len(parts) > 2 else None
        if point is not None and place.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), parts[2]  # the later of two mounts on one point hides the first
    return kind if kind in NETWORK else None


def _mounts() -> str:
    try:
        return Path("/proc/self/mounts").read_text(errors="replace")
    except OSError:
        return ""  # not Linux: nothing is known


def _plain(point: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), point)
