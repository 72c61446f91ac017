"""What one check is called: a code that stays the same, a title, how serious it is, and its place in the manual."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from foldwise.studies.finding import MOST_ROWS, Finding, Severity

PAGE = "docs/guards.md"


@dataclass(frozen=True)
class Code:
    """A row of the table of codes.

    >>> Code("FW203", "constant column", "note").anchor
    'docs/guards.md#fw203'
    """

    name: str
    title: str
    severity: Severity
    is_slow: bool = False  # does it need fits or permutations of its own, so that only `fw.check` looks?

    @property
    def anchor(self) -> str:
        """Where the manual explains it."""
        return f"{PAGE}#{self.name.lower()}"

    @property
    def silenced_by(self) -> str:
        """How it is silenced, in Python and on the command line."""
        return f'silence="{self.name}" (--silence {self.name})'

    def found(
        self,
        text: str,
        *,
        rows: Iterable[int] = (),
        columns: Iterable[str] = (),
        figures: Mapping[str, Any] | None = None,
        advice: str = "",
    ) -> Finding:
        """A finding of this code; of many rows the first are named."""
        named = tuple(int(row) for _, row in zip(range(MOST_ROWS), rows, strict=False))
        plain = {name: _plain(value) for name, value in (figures or {}).items()}
        return Finding(self.name, self.severity, text, named, tuple(map(str, columns)), plain, advice)


def _plain(value: Any) -> Any:
    """A figure as JSON has it; floats are cut to nine digits, so that no library's last bit shows."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float):
        return float(f"{value:.9g}") if np.isfinite(value) else None
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
