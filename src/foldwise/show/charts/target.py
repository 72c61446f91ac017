"""How the target is distributed: bars of a histogram, or of classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from foldwise.blocks.numbers import number, plain
from foldwise.show.charts.panel import BOTTOM, Axis, across, panel, upwards
from foldwise.show.charts.svg import Scale, tag

WIDTH, LEFT, RIGHT, STEP = 360.0, 110.0, 258.0, 22.0
MOST_LETTERS = 15


def target_panel(found: Mapping[str, Any], *, name: str) -> Markup:
    """A histogram of numbers, with a mark at the median."""
    edges, counts = found["edges"], found["counts"]
    x, y = across(Scale(edges[0], edges[-1])), upwards(Scale(0.0, max(counts) or 1.0))
    marks = []
    for at, count in enumerate(counts):
        if count:
            left, right = x(edges[at]), x(edges[at + 1])
            tip = f"{count} rows have {number(edges[at])} to {number(edges[at + 1])}"
            place = {"x": left + 0.4, "width": max(0.6, right - left - 0.8), "y": y(count), "height": y(0) - y(count)}
            marks.append(tag("rect", tag("title", tip), **place, class_="tally second"))
    middle = x(found["quartiles"][1])
    tip = f"median {number(found['quartiles'][1])}"
    marks.append(tag("line", tag("title", tip), x1=middle, x2=middle, y1=y(0), y2=BOTTOM + 3, class_="mean"))
    words = f"{sum(counts)} rows from {number(edges[0])} to {number(edges[-1])}, {tip}"
    return panel(*marks, x=Axis(x, plain(name)), y=Axis(y, "rows"), title="Distribution of the target", words=words)


def class_panel(found: Mapping[str, Any]) -> Markup:
    """One bar per class, the commonest first."""
    most, rows = found["classes"][0][1] or 1, found["rows"]
    x = Scale(0.0, float(most), LEFT, RIGHT)
    marks = []
    for at, (label, count) in enumerate(found["classes"]):
        top, text = 6 + STEP * at, plain(label)
        text = text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"
        marks += [
            tag("text", text, x=LEFT - 8, y=top + 13, class_="tick name", text_anchor="end"),
            tag("rect", x=LEFT, y=top + 2, width=max(0.8, x(count) - LEFT), height=STEP - 8, class_="tally second"),
            tag("text", f"{number(count)} ({100 * count / rows:.1f}%)", x=x(count) + 6, y=top + 13, class_="tick"),
        ]
    height = 12 + STEP * len(found["classes"])
    words = ", ".join(f"{plain(label)} {count}" for label, count in found["classes"])
    head = (tag("title", "Rows of each class"), tag("desc", words))
    return tag("svg", *head, *marks, view_box=f"0 0 {WIDTH:.0f} {height:.0f}", class_="panel", role="img")
