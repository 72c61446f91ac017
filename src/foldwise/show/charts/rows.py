"""One row per method on a common scale, as a table with a picture in every row: sorted and read like any table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup, escape

from foldwise.show.charts.svg import Scale, join, make_scale, tag, tick_words

HEIGHT = 30
MIDDLE = HEIGHT / 2
SHORT_NAME = 18  # letters of a name that is never broken
WIDEST_BAR = 7  # percent of the width
NAMES = 15  # height of the names below counted places
SHORT_PLACE = 12
LETTER = 2.6  # width of a letter of such a name in percent of a narrow picture


@dataclass(frozen=True)
class Row:
    """One row: its name, its number with an interval if there is one, further cells, and what the picture says."""

    name: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    cells: tuple[Any, ...] = ()  # text, or (text, number to sort by)
    mark: str = ""  # "best" or "quiet"
    key: int | None = None  # which method it is, for choosing methods
    words: str = ""
    points: tuple[tuple[float, str], ...] = field(default=())  # (number, words) of single dots
    places: tuple[str, ...] = ()  # the names of the places that are counted
    wide: tuple[float, float] | None = None  # a second, longer interval, drawn thin


def intervals(
    rows: Sequence[Row], *, heads: Sequence[str], caption: str, picture: str, zero: bool = False, line: Any = None
) -> Markup:
    """Numbers with their intervals on a common scale; a `line` marks one number in all rows."""
    known = [value for row in rows for value in (row.value, row.low, row.high, *(row.wide or ()))]
    scale = make_scale(known, zero=zero)
    return _table(rows, heads, caption, picture, scale, lambda row: _interval(row, scale, line))


def dots(rows: Sequence[Row], *, heads: Sequence[str], caption: str, picture: str, line: Any = None) -> Markup:
    """All points of each row on a common scale, with a tick at its number; a `line` marks one number in all rows."""
    known = [value for row in rows for value in (row.value, *(point for point, _ in row.points))]
    scale = make_scale([*known, line])
    return _table(rows, heads, caption, picture, scale, lambda row: _dots(row, scale, line))


def dumbbells(rows: Sequence[Row], *, heads: Sequence[str], caption: str, picture: str) -> Markup:
    """From one number (`low`, hollow) to another (`value`, full) on a common scale."""
    scale = make_scale([value for row in rows for value in (row.value, row.low)])
    return _table(rows, heads, caption, picture, scale, lambda row: _dumbbell(row, scale))


def counts(rows: Sequence[Row], *, heads: Sequence[str], caption: str, picture: str) -> Markup:
    """How often each place of a row was taken: bars from words and counts in `points`."""
    return _table(rows, heads, caption, picture, None, _counts)


def _table(
    rows: Sequence[Row],
    heads: Sequence[str],
    caption: str,
    picture: str,
    scale: Scale | None,
    draw: Callable[[Row], Markup],
) -> Markup:
    """The table of a chart: name, picture, further cells; the scale is drawn once below the pictures."""
    first, *rest = heads
    head = [tag("th", first, scope="col"), tag("th", picture, scope="col", class_="strip-head", data_nosort="")]
    head += [tag("th", text, scope="col", class_="number") for text in rest]
    body = [
        tag(
            "tr",
            tag("th", breakable(row.name), scope="row", class_=whole(row.name)),
            tag("td", draw(row), class_="strip-cell"),
            *(_cell(cell) for cell in row.cells),
            class_=row.mark or None,
            data_method=row.key,
        )
        for row in rows
    ]
    foot = [] if scale is None else [_axis(scale, len(rest))]
    return tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", *head)),
        tag("tbody", *body),
        *foot,
        class_="bars sortable",
    )


def whole(name: str) -> str | None:
    """The class of a name that is short enough to stay on one line, hyphens and all."""
    return "whole" if len(name) <= SHORT_NAME else None


def breakable(name: str, *, longest: int = SHORT_NAME) -> Markup:
    """A long name that a narrow column breaks between its parts, never inside a word.

    >>> breakable("forest:small"), breakable("a:learner_with_a_long_name")
    (Markup('forest:small'), Markup('a:<wbr>learner_<wbr>with_<wbr>a_<wbr>long_<wbr>name'))
    >>> breakable("logistic:small", longest=10)
    Markup('logistic:<wbr>small')
    """
    if len(name) <= longest:
        return escape(name)
    return Markup("<wbr>").join(part for part in re.split(r"(?<=[:/_+.|-])(?=\w)", name))


def _cell(cell: Any) -> Markup:
    text, key = cell if isinstance(cell, tuple) else (cell, None)
    return tag("td", text, class_="number", data_sort=None if key is None else repr(float(key)))


def _axis(scale: Scale, rest: int) -> Markup:
    places = scale.ticks(6)
    marks = [
        tag("text", words, x=f"{scale(value):.2f}%", y=13, class_=f"tick{' spare' * (at % 2)}", text_anchor="middle")
        for at, (value, words) in enumerate(zip(places, tick_words(places), strict=True))
    ]
    strip = tag("svg", *marks, class_="strip", width="100%", height=18, aria_hidden="true")
    picture = tag("div", strip, class_="axis-row")  # where it is narrow every other tick is left out
    empty = [tag("td", class_="number") for _ in range(rest)]
    return tag("tfoot", tag("tr", tag("td"), tag("td", picture, class_="strip-cell"), *empty))


def _strip(*parts: Any, words: str, height: int = HEIGHT) -> Markup:
    """The picture of one row; coordinates across are percentages, so that it fits any width."""
    return tag("svg", *parts, class_="strip", width="100%", height=height, role="img", aria_label=words or None)


def _grid(scale: Scale, line: Any = None) -> Markup:
    lines = [_upright(scale(value), "rule") for value in scale.ticks(6)]
    return join([*lines, *([_upright(scale(line), "zero")] if line is not None else [])])


def _upright(place: float, kind: str) -> Markup:
    return tag("line", x1=f"{place:.2f}%", x2=f"{place:.2f}%", y1=0, y2=HEIGHT, class_=kind)


def _interval(row: Row, scale: Scale, line: Any) -> Markup:
    if row.value is None:
        return _strip(_grid(scale, line), words=row.words)
    parts = [_grid(scale, line)]
    if row.wide is not None:
        ends = {"x1": f"{scale(row.wide[0]):.2f}%", "x2": f"{scale(row.wide[1]):.2f}%", "y1": MIDDLE, "y2": MIDDLE}
        parts.append(tag("line", **ends, class_="wide-span"))
    if row.low is not None and row.high is not None:
        left, right = scale(row.low), scale(row.high)
        span = {"x1": f"{left:.2f}%", "x2": f"{right:.2f}%", "y1": MIDDLE, "y2": MIDDLE}
        parts += [tag("line", **span, class_="span")]
        parts += [
            tag("line", x1=f"{at:.2f}%", x2=f"{at:.2f}%", y1=MIDDLE - 5, y2=MIDDLE + 5, class_="end")
            for at in (left, right)
        ]
    parts.append(
        tag("circle", tag("title", row.words), cx=f"{scale(row.value):.2f}%", cy=MIDDLE, r=5.5, class_="value")
    )
    return _strip(*parts, words=row.words)


def _dots(row: Row, scale: Scale, line: Any) -> Markup:
    seen: Counter[int] = Counter()
    shown = [
        tag(
            "circle",
            tag("title", words),
            cx=f"{scale(value):.2f}%",
            cy=_aside(seen, scale(value)),
            r=4,
            class_="dot",
            data_at=at,
        )
        for at, (value, words) in enumerate(row.points)
    ]
    mean = []
    if row.value is not None:
        place = f"{scale(row.value):.2f}%"
        mean = [tag("line", tag("title", row.words), x1=place, x2=place, y1=3, y2=HEIGHT - 3, class_="mean")]
    return _strip(_grid(scale, line), *mean, *shown, words=row.words)


def _aside(seen: Counter[int], place: float) -> float:
    """Dots at one place are put above and below each other, as far as there is room."""
    seen[round(place)] += 1
    steps, is_above = divmod(seen[round(place)], 2)
    return MIDDLE + (5 if is_above else -5) * min(2, steps)


def _dumbbell(row: Row, scale: Scale) -> Markup:
    if row.value is None or row.low is None:
        return _strip(_grid(scale), words=row.words)
    left, right = f"{scale(row.low):.2f}%", f"{scale(row.value):.2f}%"
    return _strip(
        _grid(scale),
        tag("line", x1=left, x2=right, y1=MIDDLE, y2=MIDDLE, class_="span"),
        tag("circle", tag("title", row.words), cx=left, cy=MIDDLE, r=5, class_="hollow"),
        tag("circle", tag("title", row.words), cx=right, cy=MIDDLE, r=5.5, class_="value"),
        words=row.words,
    )


def _counts(row: Row) -> Markup:
    most = max((count for count, _ in row.points), default=1) or 1
    slot = 100 / max(1, len(row.points))
    width = min(0.76 * slot, WIDEST_BAR)
    bars = [tag("rect", x=0, y=HEIGHT - 2, width="100%", height=2, class_="rail")]
    for at, (count, words) in enumerate(row.points):
        if count:
            size = (HEIGHT - 6) * count / most
            place = {"x": f"{(at + 0.5) * slot - width / 2:.2f}%", "width": f"{width:.2f}%"}
            height = {"y": HEIGHT - 2 - size, "height": size}
            bars.append(tag("rect", tag("title", words), **place, **height, class_="count"))
    return _strip(*bars, *_named(row, slot), words=row.words, height=HEIGHT + NAMES)


def _named(row: Row, slot: float) -> list[Markup]:
    """The names of the first and the last place, and of others between them as far as there is room: an axis."""
    taken: list[tuple[float, float]] = []
    marks = []
    last = len(row.places) - 1
    order = [
        at for at in dict.fromkeys([0, last, *sorted(range(1, last), key=lambda at: -row.points[at][0])]) if at >= 0
    ]
    for at in order:
        text = row.places[at] if len(row.places[at]) <= SHORT_PLACE else row.places[at][: SHORT_PLACE - 1] + "…"
        middle, half = (at + 0.5) * slot, LETTER * len(text) / 2
        anchor, left = "middle", middle - half
        if left < 0 or (at == 0 and slot < 2 * half):
            anchor, middle, left = "start", at * slot, at * slot
        elif middle + half > 100 or (at == last and slot < 2 * half):
            anchor, middle, left = "end", (at + 1) * slot, (at + 1) * slot - 2 * half
        if not any(left < right + LETTER and start < left + 2 * half + LETTER for start, right in taken):
            taken.append((left, left + 2 * half))
            marks.append(tag("text", text, x=f"{middle:.2f}%", y=HEIGHT + 11, class_="tick", text_anchor=anchor))
    return marks
