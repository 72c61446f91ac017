"""An estimate in a notebook: its text, and a drawing of its interval."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foldwise.stats.estimate import Estimate

WIDTH, MARGIN = 240, 12
BLUE = "#2b8ae0"  # seen on white and on black


def estimate_html(estimate: Estimate) -> str:
    """The text of an estimate, after a small drawing of its interval; 0 is marked if it lies within."""
    words = escape(str(estimate))
    if estimate.low is None or estimate.high is None or not estimate.high > estimate.low:
        return f"<p>{words}</p>"
    return f"<div>{_picture(estimate.value, estimate.low, estimate.high, words)}<p>{words}</p></div>"


def _picture(value: float, low: float, high: float, words: str) -> str:
    reach = high - low
    start, stop = low - 0.5 * reach, high + 0.5 * reach

    def place(number: float) -> str:
        return f"{MARGIN + (number - start) / (stop - start) * (WIDTH - 2 * MARGIN):.1f}"

    zero = f'<line x1="{place(0)}" x2="{place(0)}" y1="2" y2="22" stroke="currentColor" stroke-dasharray="3 2"/>'
    ends = "".join(f'<line x1="{place(end)}" x2="{place(end)}" y1="7" y2="17"/>' for end in (low, high))
    return (
        f'<svg width="{WIDTH}" height="24" role="img" aria-label="{words}">'
        f"{zero if start <= 0 <= stop else ''}"
        f'<g stroke="{BLUE}" stroke-width="2.5"><line x1="{place(low)}" x2="{place(high)}" y1="12" y2="12"/>{ends}</g>'
        f'<circle cx="{place(value)}" cy="12" r="5" fill="{BLUE}"/></svg>'
    )
