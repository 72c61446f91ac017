"""One risk for a terminal: a sentence, its interval drawn on a scale from 0, and its notes."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from foldwise.blocks.numbers import plain
from foldwise.show.bars import interval_bar
from foldwise.stats.estimate import percent, same_digits

DRAWN = 50  # characters


def estimate_text(estimate: Mapping[str, Any], *, of: str, loss: str, width: int = 80) -> str:
    """An estimate (`estimate.to_dict()`) as sentences and a picture; `of`: whose risk it is, `loss`: in what.

    >>> told = {"value": 0.25, "low": 0.2, "high": 0.3, "level": 0.95, "interval": "wilson", "target": "", "notes": []}
    >>> print(estimate_text(told, of="ridge", loss="zero_one loss", width=90))
    The risk of ridge is 0.250 (zero_one loss), between 0.200 and 0.300 (95% wilson).
    <BLANKLINE>
      0                                   ├───────●───────┤  0.300
    """
    value, low, high = estimate["value"], estimate["low"], estimate["high"]
    if value is None:
        parts = [f"The risk of {plain(of)} cannot be given."]
    elif low is None or high is None:
        parts = [f"The risk of {plain(of)} is {same_digits(value)[0]} ({plain(loss)}); no interval is valid here."]
    else:
        words = same_digits(value, low, high)
        told = f"between {words[1]} and {words[2]} ({percent(estimate['level'])} {estimate['interval']})"
        parts = [f"The risk of {plain(of)} is {words[0]} ({plain(loss)}), {told}."]
        parts += [_drawn(value, low, high)] if width >= DRAWN + 20 else []
    parts += [f"It is the risk of {_target(estimate)}."] if estimate.get("target") else []
    parts += [_note(note) for note in estimate["notes"]]
    return "\n\n".join(part if part.startswith("  ") else textwrap.fill(part, width) for part in parts)


def _note(note: Mapping[str, str]) -> str:
    """A note, or a finding, which has its own first word."""
    return plain(note["text"]) if note["code"].startswith("FW") else f"note: {plain(note['text'])}"


def _target(estimate: Mapping[str, Any]) -> str:
    rows = estimate.get("train_rows")
    known = rows is None or "training rows" in estimate["target"]
    return plain(estimate["target"]) if known else f"{plain(estimate['target'])} at {rows:g} training rows"


def _drawn(value: float, low: float, high: float) -> str:
    start, stop = min(0.0, low), max(0.0, high)
    left, right = ("0" if end == 0 else same_digits(value, end)[1] for end in (start, stop))
    return f"  {left}  {interval_bar(value, low, high, start=start, stop=stop, width=DRAWN)}  {right}"
