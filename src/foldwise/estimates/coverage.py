"""What each interval was measured to cover, in a sentence; the simulations are in docs/coverage.md."""

from __future__ import annotations

MEASURED: dict[str, str] = {}


def measured(interval: str | None) -> str:
    """The measured coverage of an interval at the 95% level.

    >>> measured("unknown")
    'not measured'
    """
    return MEASURED.get(interval or "", "not measured")
