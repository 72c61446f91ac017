"""Processes below one, and what they listen to, as the kernel tells it."""

from __future__ import annotations

import os
import re
from pathlib import Path


def below(pid: int) -> list[int]:
    """A process and all its descendants."""
    children: dict[int, list[int]] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            parent = int(Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(name))
    found, left = [], [pid]
    while left:
        found.append(left.pop())
        left += children.get(found[-1], [])
    return found


def command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def listening(pids: list[int]) -> list[str]:
    """Addresses at which these processes wait for connections, as hexadecimal digits."""
    sockets = {}
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            _, local, _, state, *rest = line.split()
            if state == "0A":
                sockets[rest[5]] = local.partition(":")[0]
    return [sockets[inode] for pid in pids for inode in _sockets(pid) if inode in sockets]


def _sockets(pid: int) -> list[str]:
    found = []
    try:
        for handle in os.listdir(f"/proc/{pid}/fd"):
            match = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(f"/proc/{pid}/fd/{handle}"))
            if match:
                found.append(match[1])
    except OSError:
        pass
    return found
