"""Risk over what a method costs: the lower left is best, and the front joins what nothing else beats in both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from foldwise.blocks.numbers import number, plain
from foldwise.show.charts.panel import LEFT, RIGHT, Axis, across, panel, path, upwards
from foldwise.show.charts.svg import Scale, make_scale, tag

LEAST = 1e-3  # of its unit: what took less is drawn here
LOG_RATIO = 20
LETTER = 6.2
HEIGHT = 11.0
MOST_LETTERS = 22
Box = tuple[float, float, float, float]  # left, right, top, bottom


def cost_panel(
    methods: Sequence[Mapping[str, Any]], front: Sequence[str], *, axis: str, unit: str, title: str
) -> Markup:
    """One dot per method with its name, at its `seconds`, told in `unit`; methods on the front are joined by steps."""
    seconds = [max(method["seconds"], LEAST) for method in methods]
    is_log = max(seconds) / min(seconds) > LOG_RATIO
    x = across(
        Scale(min(seconds) * 0.8, max(seconds) * 1.25, is_log=True) if is_log else make_scale(seconds, zero=True)
    )
    y = upwards(make_scale([method["risk"] for method in methods], pad=0.12))
    places = {m["name"]: (x(max(m["seconds"], LEAST)), y(m["risk"])) for m in methods}
    marks = [path(_steps([places[name] for name in front]), class_="line front")] if front else []
    taken = _along(_steps([places[name] for name in front])) if front else []
    for method in methods:
        at, up = places[method["name"]]
        taken.append((at - 5, at + 5, up - 5, up + 5))
    for method in sorted(methods, key=lambda one: one["name"] not in front):
        marks.append(_dot(method, places[method["name"]], method["name"] in front, unit))
        marks.append(_name(plain(method["name"]), places[method["name"]], taken))
    words = f"on the front: {', '.join(map(plain, front))}"
    return panel(*marks, x=Axis(x, axis), y=Axis(y, "risk"), title=title, words=words)


def _steps(places: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Right, then down: what can be had for so many seconds."""
    steps = [places[0]]
    for at, up in places[1:]:
        steps += [(at, steps[-1][1]), (at, up)]
    return [*steps, (RIGHT, steps[-1][1])]


def _along(steps: Sequence[tuple[float, float]]) -> list[Box]:
    """The room that the lines of the front take."""
    return [
        (min(one[0], other[0]) - 1, max(one[0], other[0]) + 1, min(one[1], other[1]) - 1, max(one[1], other[1]) + 1)
        for one, other in pairwise(steps)
    ]


def _dot(method: Mapping[str, Any], place: tuple[float, float], is_front: bool, unit: str) -> Markup:
    tip = f"{plain(method['name'])}: risk {number(method['risk'])}, {number(method['seconds'], digits=3)} {unit}"
    kind = "point score" if is_front else "point other"
    return tag("circle", tag("title", tip), cx=place[0], cy=place[1], r=4.5, class_=kind)


def _name(text: str, place: tuple[float, float], taken: list[Box]) -> Markup:
    """A name beside its dot, where it lies on no other; none where there is no room."""
    text = text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"
    at, up = place
    width = LETTER * len(text)
    beside = [(at + 8, up + 4), (at - 8 - width, up + 4)]
    beside += [(left, base) for base in (up - 6, up + 14) for left in (at + 6, at - 6 - width)]
    above = [(left, base) for base in (up - 9, up + 17) for left in (at - width / 2, at - 4, at + 4 - width)]
    for left, base in (*beside, *above):
        box = (left, left + width, base - HEIGHT + 2, base + 2)
        is_inside = left >= LEFT and box[1] <= RIGHT + 8 and box[2] >= 8 and box[3] <= 188
        if is_inside and not any(_meet(box, other) for other in taken):
            taken.append(box)
            return tag("text", text, x=left, y=base, class_="tick name")
    return Markup("")


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]
