"""Residuals by tenths or levels of one column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from foldwise.blocks.numbers import number, plain
from foldwise.show.charts.panel import LEFT, RIGHT, Axis, across, area, panel, path, upwards
from foldwise.show.charts.svg import Scale, make_scale, tag


def column_panel(found: Mapping[str, Any], *, title: str) -> Markup:
    """The mean residual of each part of a column, with the range of the middle eight tenths of its rows."""
    bins, is_ordered = found["bins"], found["is_ordered"]
    ticks = None if is_ordered else [(float(at), plain(part["name"])) for at, part in enumerate(bins)]
    x = across(make_scale([part["at"] for part in bins], pad=0.02) if is_ordered else Scale(-0.5, len(bins) - 0.5))
    y = upwards(make_scale([part[key] for part in bins for key in ("low", "high", "mean")], zero=True))
    places = [x(part["at"] if is_ordered else float(at)) for at, part in enumerate(bins)]
    marks = [tag("line", x1=LEFT, x2=RIGHT, y1=y(0), y2=y(0), class_="zero")]
    if is_ordered:
        upper, lower = ([(at, y(part[end])) for at, part in zip(places, bins, strict=True)] for end in ("high", "low"))
        line = [(at, y(part["mean"])) for at, part in zip(places, bins, strict=True)]
        marks += [area(upper, lower, class_="band"), path(line, class_="line score")]
    for at, part in zip(places, bins, strict=True):
        tip = f"{plain(part['name'])}: mean residual {number(part['mean'])} ({number(part['rows'])} rows)"
        if not is_ordered:  # levels have no order, so nothing joins them
            marks.append(tag("line", x1=at, x2=at, y1=y(part["low"]), y2=y(part["high"]), class_="whisker"))
        marks.append(tag("circle", tag("title", tip), cx=at, cy=y(part["mean"]), r=4, class_="point score"))
    worst = max(bins, key=lambda part: abs(part["mean"]))
    words = f"mean residuals by {plain(found['column'])}; the largest is {number(worst['mean'])}, at {worst['name']}"
    bottom, left = Axis(x, plain(found["column"]), ticks), Axis(y, "true minus predicted")
    return panel(*marks, x=bottom, y=left, title=title, words=words)
