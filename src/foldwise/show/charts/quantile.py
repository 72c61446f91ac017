"""Quantiles of residuals over those of a normal distribution, and how often errors are how large."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from foldwise.blocks.numbers import number
from foldwise.show.charts.panel import Axis, across, panel, path, upwards
from foldwise.show.charts.svg import Scale, make_scale, tag


def quantile_panel(found: Mapping[str, Any], *, title: str) -> Markup:
    """Each point is a quantile; on the dashed line residuals are normal, with their own mean and deviation."""
    points, mean, deviation = found["points"], found["mean"], found["deviation"]
    x = across(make_scale([point["normal"] for point in points], pad=0.02))
    y = upwards(make_scale([point["residual"] for point in points], zero=True))
    ends = [points[0]["normal"], points[-1]["normal"]]
    line = [(x(at), y(mean + deviation * at)) for at in ends]
    marks = [path(line, class_="line diagonal")]
    for point in points:
        tip = f"{100 * point['share']:g}% of the residuals are below {number(point['residual'])}"
        marks.append(
            tag(
                "circle", tag("title", tip), cx=x(point["normal"]), cy=y(point["residual"]), r=2.2, class_="point score"
            )
        )
    words = f"quantiles of the residuals from {number(points[0]['residual'])} to {number(points[-1]['residual'])}"
    bottom, left = Axis(x, "standard normal quantile"), Axis(y, "true minus predicted")
    return panel(*marks, x=bottom, y=left, title=title, words=words)


def error_panel(found: Mapping[str, Any], *, title: str) -> Markup:
    """The share of the rows whose absolute error is at most so large (Bi and Bennett, 2003)."""
    points = [(0.0, 0.0), *((size, float(share)) for share, size in found["errors"].items())]
    x, y = across(make_scale([size for size, _ in points], zero=True, pad=0.0)), upwards(Scale(0.0, 1.0))
    marks = [path([(x(size), y(share)) for size, share in points], class_="line score")]
    for share in ("0.5", "0.9"):
        size = found["errors"][share]
        tip = f"{100 * float(share):.0f}% of the rows have an error of at most {number(size)}"
        marks.append(tag("circle", tag("title", tip), cx=x(size), cy=y(float(share)), r=4, class_="point score"))
        down = [(x(size), y(float(share))), (x(size), y(0))]
        marks.append(path(down, class_="line diagonal"))
    words = ", ".join(f"{100 * float(at):.0f}% of rows within {number(found['errors'][at])}" for at in ("0.5", "0.9"))
    return panel(*marks, x=Axis(x, "absolute error"), y=Axis(y, "share of rows"), title=title, words=words)
