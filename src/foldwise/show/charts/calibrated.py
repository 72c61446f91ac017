"""How often what was said with a probability was so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from foldwise.blocks.numbers import number, plain
from foldwise.show.charts.panel import Axis, across, panel, path, upwards
from foldwise.show.charts.svg import Scale, tag


def calibration_panel(found: Mapping[str, Any], *, title: str) -> Markup:
    """Observed share against the probability said; points above the diagonal were said too low."""
    unit = Scale(0.0, 1.0)
    x, y = across(unit), upwards(unit)
    most = max(part["rows"] for part in found["bins"])
    points = [(x(part["said"]), y(part["so"])) for part in found["bins"]]
    marks = [path([(x(0), y(0)), (x(1), y(1))], class_="line diagonal"), path(points, class_="line thin score")]
    for part, (at, up) in zip(found["bins"], points, strict=True):
        tip = f"said {number(part['said'], digits=2)}, was so {number(part['so'], digits=2)} ({part['rows']} rows)"
        if part.get("low") is not None:
            tip += f", interval {number(part['low'], digits=2)} to {number(part['high'], digits=2)}"
            marks.append(tag("line", x1=at, x2=at, y1=y(part["low"]), y2=y(part["high"]), class_="whisker"))
        size = 2.5 + 5 * (part["rows"] / most) ** 0.5
        marks.append(tag("circle", tag("title", tip), cx=at, cy=up, r=size, class_="point score"))
    words = f"observed share by predicted probability of {found['of']}, in {len(points)} bins"
    bottom, left = Axis(x, f"probability of {plain(found['of'])}"), Axis(y, "share observed")
    return panel(*marks, x=bottom, y=left, title=title, words=words)
