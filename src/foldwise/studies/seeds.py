"""What a seed means: which splits, draws and seeds of fits it gives. A test pins them for a dozen studies.

Where that test fails, after an upgrade of NumPy or SciPy or a change of ours, the meaning has
changed: add a line to `CHANGES` and to the changelog, and pin the new numbers.
"""

from __future__ import annotations

import re

FIRST = "0.1.0"  # what a study file without a version was written for
# The version of Foldwise since which a seed gives something else, and what; the oldest first.
CHANGES: tuple[tuple[str, str], ...] = ()


def changes_since(version: str) -> list[str]:
    """What a seed gives otherwise than it did in that version, a sentence for each change.

    >>> changes_since("0.1.0")
    []
    """
    return [f"since Foldwise {since} a seed gives other {what}" for since, what in CHANGES if _older(version, since)]


def _older(version: str, than: str) -> bool:
    return _numbers(version) < _numbers(than)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)[:3]))
