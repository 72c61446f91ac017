"""Residuals by tenths of the predictions, and counts of predicted against true values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from foldwise.blocks.numbers import number
from foldwise.show.charts.panel import BOTTOM, LEFT, RIGHT, TOP, Axis, across, area, panel, path, upwards
from foldwise.show.charts.svg import Scale, make_scale, tag

SHADES = 8  # steps from a few rows to the most


def residual_panel(found: Mapping[str, Any], *, title: str) -> Markup:
    """Mean residual of each tenth of the predictions, with the range of the middle eight tenths of its rows."""
    bins = found["bins"]
    x = across(make_scale([part["predicted"] for part in bins], pad=0.02))
    y = upwards(make_scale([part[key] for part in bins for key in ("low", "high", "mean")], zero=True))
    upper, lower = ([(x(part["predicted"]), y(part[end])) for part in bins] for end in ("high", "low"))
    marks = [
        area(upper, lower, class_="band"),
        tag("line", x1=LEFT, x2=RIGHT, y1=y(0), y2=y(0), class_="zero"),
        path([(x(part["predicted"]), y(part["mean"])) for part in bins], class_="line score"),
        *(_point(part, x, y) for part in bins),
    ]
    worst = max(bins, key=lambda part: abs(part["mean"]))
    words = f"mean residuals by tenths of the predictions; the largest is {number(worst['mean'])}"
    return panel(*marks, x=Axis(x, "predicted"), y=Axis(y, "true minus predicted"), title=title, words=words)


def _point(part: Mapping[str, float], x: Scale, y: Scale) -> Markup:
    tip = (
        f"{number(part['rows'])} rows predicted {number(part['from'])} to {number(part['to'])}: "
        f"mean residual {number(part['mean'])}, eight in ten from {number(part['low'])} to {number(part['high'])}"
    )
    place = {"cx": x(part["predicted"]), "cy": y(part["mean"])}
    return tag("circle", tag("title", tip), **place, r=4, class_="point score")


def scatter_panel(found: Mapping[str, Any], *, title: str) -> Markup:
    """Rows counted in cells of predicted against true value: the darker, the more."""
    scale, counts = Scale(found["low"], found["high"]), found["counts"]
    x, y = scale.within(LEFT, RIGHT), scale.within(BOTTOM, TOP)
    most = max(max(column) for column in counts) or 1
    shades: dict[int, list[tuple[int, int]]] = {}
    for i, column in enumerate(counts):
        for j, count in enumerate(column):
            if count:
                shades.setdefault(-(-SHADES * count // most), []).append((i, j))
    cells = [_cells(places, shade, len(counts)) for shade, places in sorted(shades.items())]
    rows = sum(map(sum, counts))
    diagonal = path([(LEFT, BOTTOM), (RIGHT, TOP)], class_="line diagonal")
    words = f"{rows} out-of-fold predictions; on the diagonal predicted and true values are equal"
    return panel(*cells, diagonal, x=Axis(x, "predicted"), y=Axis(y, "true"), title=title, words=words)


def _cells(places: list[tuple[int, int]], shade: int, side: int) -> Markup:
    """All cells of one shade as one shape, which keeps the page small."""
    wide, high = (RIGHT - LEFT) / side, (BOTTOM - TOP) / side
    corners = (f"M{LEFT + i * wide:.1f} {BOTTOM - (j + 1) * high:.1f}" for i, j in places)
    shape = f"h{wide:.1f}v{high:.1f}h-{wide:.1f}z"
    return tag("path", d="".join(f"{corner}{shape}" for corner in corners), class_="cell", fill_opacity=shade / SHADES)
