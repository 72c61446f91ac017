"""What processes of this machine use, as the kernel reports it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def private_bytes(pid: int, *, group: bool = False) -> int:
    """Resident memory that is not shared with files, of a process or of all processes of its group."""
    return sum(map(_private, _members(pid))) if group else _private(pid)


def killed_for_memory() -> bool:
    """Has the kernel killed anything for memory since the last check?"""
    global _kills
    before, _kills = _kills, _memory_kills()
    return _kills > before


def _private(pid: int) -> int:
    try:
        _, resident, shared, *_ = Path(f"/proc/{pid}/statm").read_text().split()
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * _PAGE


def _members(group: int) -> list[int]:
    """Processes of a group; the leader first."""
    found = [group]
    with suppress(OSError):
        for name in filter(str.isdigit, os.listdir("/proc")):
            with suppress(OSError, ValueError), open(f"/proc/{name}/stat", "rb") as file:
                if int(file.read().rpartition(b")")[2].split()[2]) == group and int(name) != group:
                    found.append(int(name))
    return found


def _memory_kills() -> int:
    """How often the kernel has killed a process of this machine or container for want of memory."""
    total = 0
    for place in ("/proc/vmstat", "/sys/fs/cgroup/memory.events"):
        with suppress(OSError, ValueError):
            for line in Path(place).read_text().splitlines():
                name, _, value = line.partition(" ")
                total += int(value) if name == "oom_kill" else 0
    return total


_kills = _memory_kills()
