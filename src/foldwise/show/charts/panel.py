"""A small plot with two axes: the frame that curves, residuals and calibration are drawn in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from markupsafe import Markup

from foldwise.show.charts.svg import Scale, join, tag, tick_words

WIDTH, HEIGHT = 360, 236
LEFT, RIGHT, TOP, BOTTOM = 56, 348, 14, 190
LETTER = 7  # width of a letter, in the widest common font
MOST_LETTERS = 16  # of a tick below the axis, where there is room for them


def across(scale: Scale) -> Scale:
    """The same scale from left to right of a panel."""
    return scale.within(LEFT + 6, RIGHT - 6)


def upwards(scale: Scale) -> Scale:
    """The same scale from the bottom to the top of a panel."""
    return scale.within(BOTTOM - 4, TOP + 6)


class Axis(NamedTuple):
    """A scale, its name, and its ticks where they are not the scale's own."""

    scale: Scale
    name: str
    ticks: Sequence[tuple[float, str]] | None = None


def panel(*marks: Any, x: Axis, y: Axis, title: str, words: str) -> Markup:
    """Marks in a frame with named axes; `words` says what is seen to those who do not see it."""
    places = x.scale.ticks(5)
    bottom = zip(places, tick_words(places), strict=True) if x.ticks is None else _fitted(x.scale, x.ticks)
    ticks = [*_x_ticks(x.scale, bottom), *_y_ticks(y.scale, y.ticks)]
    names = [
        tag("text", x.name, x=(LEFT + RIGHT) / 2, y=HEIGHT - 10, class_="axis", text_anchor="middle"),
        tag("text", y.name, x=4, y=TOP - 3, class_="axis"),
    ]
    return tag(
        "svg",
        tag("title", title),
        tag("desc", words),
        *ticks,
        *marks,
        *names,
        view_box=f"0 0 {WIDTH} {HEIGHT}",
        class_="panel",
        role="img",
    )


def _fitted(x: Scale, ticks: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """Names cut to the room between two ticks, less a space."""
    step = min((x(right) - x(left) for (left, _), (right, _) in pairwise(ticks)), default=RIGHT - LEFT)
    room = min(MOST_LETTERS, max(2, int(step / LETTER) - 1))
    return [(value, text if len(text) <= room else text[: room - 1] + "…") for value, text in ticks]


def _x_ticks(x: Scale, ticks: Iterable[tuple[float, str]]) -> list[Markup]:
    return [tag("text", text, x=x(value), y=BOTTOM + 16, class_="tick", text_anchor="middle") for value, text in ticks]


def _y_ticks(y: Scale, ticks: Sequence[tuple[float, str]] | None) -> list[Markup]:
    places = y.ticks(4)
    named = list(zip(places, tick_words(places), strict=True)) if ticks is None else ticks
    return [
        join(
            (
                tag("line", x1=LEFT, x2=RIGHT, y1=y(value), y2=y(value), class_="rule"),
                tag("text", words, x=LEFT - 6, y=y(value) + 4, class_="tick", text_anchor="end"),
            )
        )
        for value, words in named
    ]


def path(points: Iterable[tuple[float, float]], **attributes: Any) -> Markup:
    """A line through points, given in the panel's own units."""
    return tag("path", d=_steps(points), fill="none", **attributes)


def area(upper: Sequence[tuple[float, float]], lower: Sequence[tuple[float, float]], **attributes: Any) -> Markup:
    """The area between two lines."""
    return tag("path", d=_steps([*upper, *reversed(lower)]) + "Z", **attributes)


def _steps(points: Iterable[tuple[float, float]]) -> str:
    """A start and the steps from there, a third shorter than so many places; rounding does not add up.

    >>> _steps([(56.04, 20), (57.08, 20), (58.12, 19.5)])
    'M56 20l1.1 0 1 -0.5'
    """
    tenths = [(round(10 * x), round(10 * y)) for x, y in points]
    if not tenths:
        return ""
    moves = [f"{(x - a) / 10:g} {(y - b) / 10:g}" for (a, b), (x, y) in pairwise(tenths)]
    return f"M{tenths[0][0] / 10:g} {tenths[0][1] / 10:g}" + (f"l{' '.join(moves)}" if moves else "")
