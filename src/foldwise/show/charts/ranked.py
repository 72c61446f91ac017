"""ROC and precision-recall curves: the mean of the folds, their range as a band, and the line of mere chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from foldwise.show.charts.panel import Axis, across, area, panel, path, upwards
from foldwise.show.charts.svg import Scale, tag

UNIT = Scale(0.0, 1.0)
NAMES = {"roc": ("false positive rate", "true positive rate"), "precision": ("recall", "precision")}


def ranking_panel(found: Mapping[str, Any], kind: str, *, title: str) -> Markup:
    """One of both curves (`roc`, `precision`) over 0 to 1; the lines of single classes are thin."""
    x, y, curve = across(UNIT), upwards(UNIT), found[kind]
    upper, lower, middle = (_places(curve[name], x, y) for name in ("high", "low", "mean"))
    chance = [(0.0, 0.0), (1.0, 1.0)] if kind == "roc" else [(0.0, found["share"]), (1.0, found["share"])]
    marks = [path([(x(at), y(up)) for at, up in chance], class_="line diagonal")]
    marks += [area(upper, lower, class_="band")] if found["folds"] > 1 else []
    for at, (name, line) in enumerate(zip(found["classes"], curve["lines"], strict=False)):
        marks.append(path(_places(line, x, y), class_=f"line thin series-{at}"))
        marks[-1] = tag("g", tag("title", name), marks[-1])
    marks.append(path(middle, class_="line score"))
    over, up = NAMES[kind]
    words = f"{up} over {over}, mean of {found['folds']} folds; {_at(curve['mean'], over, up)}"
    return panel(*marks, x=Axis(x, over), y=Axis(y, up), title=title, words=words)


def _places(values: Sequence[float], x: Scale, y: Scale) -> list[tuple[float, float]]:
    last = len(values) - 1
    return [(x(at / last), y(value)) for at, value in enumerate(values)]


def _at(values: Sequence[float], over: str, up: str) -> str:
    """The curve at a tenth, half and nine tenths of the way."""
    last = len(values) - 1
    told = (f"{values[round(share * last)]:.2f} at {over} {share}" for share in (0.1, 0.5, 0.9))
    return f"{up} {', '.join(told)}"
