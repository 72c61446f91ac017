"""The worker processes of a run, as far as the operating system shows them."""

from __future__ import annotations

from pathlib import Path


def workers(writer: int | None, *, processes: Path = Path("/proc")) -> int | None:
    """How many worker processes a run has: the children of its nursery. None where that cannot be seen."""
    if writer is None:
        return None
    found = _children(writer, processes)
    if found is None:
        return None
    return sum(len(_children(child, processes) or ()) for child in found)


def _children(process: int, processes: Path) -> list[int] | None:
    """The children of all threads of a process."""
    try:
        threads = list((processes / str(process) / "task").iterdir())
        found = [number for thread in threads for number in (thread / "children").read_text().split()]
    except OSError:
        return None  # no Linux, or the process has just ended
    return [int(number) for number in found]
