"""Figures and strips as SVG: no script, no network; colours stand in the picture and a page may override them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from markupsafe import Markup, escape

from foldwise.blocks.block import Drawn, Strip
from foldwise.blocks.figure import Axis, Band, Bars, Cells, Figure, Level, Line, Marks, Points, Whiskers
from foldwise.blocks.numbers import number
from foldwise.show.scale import Scale, make_scale, tick_words

COLORS = {
    "main": "#0a5fa5",
    "second": "#b4470f",
    "quiet": "#8a939e",
    "train": "#b4470f",
    "test": "#0a5fa5",
    "best": "#12704f",
    "diagonal": "#8a939e",
    "c0": "#b4470f",
    "c1": "#12704f",
    "c2": "#7b3fa0",
    "c3": "#8a6d00",
    "c4": "#a3264f",
    "c5": "#2f6f8f",
}
INK, SOFT, GRID = "#1d2530", "#55606e", "#e9ebee"
WIDTH, WIDE, HEIGHT = 360.0, 660.0, 236.0
LETTER, LINE_HEIGHT = 6.2, 14.0  # of text of 11 units
MOST_LETTERS = 22  # of a name in a figure
STRIP_HEIGHT = 26.0
Box = tuple[float, float, float, float]  # left, right, top, bottom


def tag(name: str, *children: Any, **attributes: Any) -> Markup:
    """One element; text and attributes are escaped, None leaves an attribute out.

    >>> tag("text", "a < b", class_="tick", text_anchor="end", x=1 / 3)
    Markup('<text class="tick" text-anchor="end" x="0.33">a &lt; b</text>')
    """
    parts = (f' {_attribute(key)}="{escape(_text(value))}"' for key, value in attributes.items() if value is not None)
    return Markup(f"<{name}{''.join(parts)}>{''.join(escape(child) for child in children)}</{name}>")


def _attribute(key: str) -> str:
    return "viewBox" if key == "view_box" else key.rstrip("_").replace("_", "-")


def _text(value: Any) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


# figures


def figure_svg(figure: Figure) -> Markup:
    """A figure with its axes, marks and legend; what is seen stands in its description."""
    x, y = _axis_scale(figure.x, figure.marks, is_x=True), _axis_scale(figure.y, figure.marks, is_x=False)
    x_ticks, y_ticks = _named_ticks(figure.x, x, 5), _named_ticks(figure.y, y, 4)
    width = WIDE if figure.is_wide else WIDTH
    left = 14 + LETTER * min(MOST_LETTERS, max((len(text) for _, text in y_ticks), default=0)) + 4
    right, top = width - 12, 22.0
    height = right - left if figure.is_square else HEIGHT - 60
    has_rows = figure.is_wide or any(isinstance(mark, Cells) for mark in figure.marks)
    if figure.y.ticks is not None and has_rows and not figure.is_square:  # a line of its own for every name
        height = 24.0 * max(2, len(y_ticks))
    bottom = top + height
    across = x.between(left + 6, right - 6)
    upwards = y.between(top + 6, bottom - 4) if figure.y.is_reversed else y.between(bottom - 4, top + 6)
    frame = (left, right, top, bottom)
    grid = [
        tag("line", x1=left, x2=right, y1=upwards(value), y2=upwards(value), class_="rule", stroke=GRID)
        for value, _ in y_ticks
    ]
    tick_texts = [
        _label(_short(text), left - 6, upwards(value) + 4, "tick", anchor="end") for value, text in y_ticks
    ] + [
        _label(text, across(value), bottom + 16, "tick", anchor="middle")
        for value, text in _fitted(across, x_ticks, right - left)
    ]
    names = [
        _label(figure.x.name, (left + right) / 2, bottom + 34, "axis", anchor="middle"),
        _label(figure.y.name, 4, top - 8, "axis"),
    ]
    drawn = [piece for mark in figure.marks for piece in _mark(mark, across, upwards, frame)]
    legend, legend_height = _legend(figure.marks, left, bottom + 52, right)
    return tag(
        "svg",
        tag("title", figure.title),
        tag("desc", figure.words) if figure.words else "",
        *grid,
        *drawn,
        *tick_texts,
        *names,
        *legend,
        view_box=f"0 0 {width:.0f} {bottom + 42 + legend_height:.0f}",
        class_="panel",
        role="img",
        font_size=11,
        font_family="system-ui, sans-serif",
        xmlns="http://www.w3.org/2000/svg",
    )


def _label(text: str, x: float, y: float, kind: str, *, anchor: str | None = None, style: str = "") -> Markup:
    fill = COLORS[style] if style else SOFT
    return tag("text", text, x=x, y=y, class_=f"{kind} {style}".strip(), text_anchor=anchor, fill=fill)


def _short(text: str, most: int = MOST_LETTERS) -> str:
    return text if len(text) <= most else text[: max(1, most - 1)] + "…"


def mark_numbers(mark: Marks, *, is_x: bool) -> Iterator[float]:
    """The numbers of a mark along one axis."""
    if isinstance(mark, Line | Points):
        yield from mark.x if is_x else mark.y
    elif isinstance(mark, Band):
        yield from mark.x if is_x else [*mark.low, *mark.high]
    elif isinstance(mark, Whiskers):
        yield from [*mark.low, *mark.high] if is_x == mark.is_flat else mark.at
    elif isinstance(mark, Bars):
        yield from [*mark.left, *mark.right] if is_x else [*mark.bottom, *mark.top]
    elif isinstance(mark, Cells):
        for place in mark.x if is_x else mark.y:
            yield from (place - 0.5, place + 0.5)


def _axis_scale(axis: Axis, marks: Sequence[Marks], *, is_x: bool) -> Scale:
    if axis.ticks is not None and not is_x:  # rows with names
        places = [place for place, _ in axis.ticks]
        return Scale(min(places, default=0) - 0.6, max(places, default=0) + 0.6)
    values = [value for mark in marks for value in mark_numbers(mark, is_x=is_x)]
    has_cells = any(isinstance(mark, Cells) for mark in marks)
    if axis.ticks is not None and not has_cells:
        values += [place + side for place, _ in axis.ticks for side in (-0.4, 0.4)]
    scale = make_scale(values, zero=axis.has_zero, pad=0.0 if has_cells else 0.04, is_log=axis.is_log)
    low = scale.low if axis.low is None else axis.low
    high = scale.high if axis.high is None else axis.high
    return Scale(low, high, is_log=scale.is_log)


def _named_ticks(axis: Axis, scale: Scale, count: int) -> list[tuple[float, str]]:
    if axis.ticks is not None:
        return list(axis.ticks)
    places = scale.ticks(count)
    if axis.is_whole:
        places = [value for value in places if value == round(value)]
    return list(zip(places, tick_words(places), strict=True))


def _fitted(scale: Scale, named: Sequence[tuple[float, str]], room: float) -> list[tuple[float, str]]:
    """Names below an axis, every one of which has room; where there are too many, some are left out."""
    longest = min(16, max((len(text) for _, text in named), default=1))
    every = max(1, math.ceil(len(named) * LETTER * (longest + 1) / room)) if len(named) > 1 else 1
    shown = list(named)[::every]
    step = min((scale(after) - scale(before) for (before, _), (after, _) in pairwise(shown)), default=room)
    letters = max(2, int(step / LETTER) - 1)
    return [(value, _short(text, max(letters, 4))) for value, text in shown]


def _mark(mark: Marks, x: Scale, y: Scale, frame: Box) -> Iterator[Markup]:
    if isinstance(mark, Cells):
        yield from _cells(mark, x, y)
        return
    color, kind = COLORS[mark.style], mark.style
    if isinstance(mark, Line):
        points = [(x(a), y(b)) for a, b in zip(mark.x, mark.y, strict=True) if math.isfinite(b)]
        dashes = "4 3" if mark.is_dashed or mark.style == "diagonal" else None
        wide = 1.0 if mark.is_thin else 2.0
        yield tag(
            "path",
            d=_steps(points),
            fill="none",
            stroke=color,
            stroke_width=wide,
            stroke_dasharray=dashes,
            class_=f"line {kind}",
        )
    elif isinstance(mark, Band):
        known = [(x(a), y(low), y(high)) for a, low, high in zip(mark.x, mark.low, mark.high, strict=True)]
        outline = [(at, top) for at, _, top in known] + [(at, base) for at, base, _ in reversed(known)]
        yield tag("path", d=_steps(outline) + "Z", fill=color, fill_opacity=0.14, class_=f"band {kind}")
    elif isinstance(mark, Points):
        yield from _points(mark, x, y, frame)
    elif isinstance(mark, Whiskers):
        for at, low, high in zip(mark.at, mark.low, mark.high, strict=True):
            ends = (
                {"x1": x(low), "x2": x(high), "y1": y(at), "y2": y(at)}
                if mark.is_flat
                else {"x1": x(at), "x2": x(at), "y1": y(low), "y2": y(high)}
            )
            yield tag("line", **ends, stroke=color, stroke_width=1.6, class_=f"whisker {kind}")
    elif isinstance(mark, Bars):
        tips = mark.tips or [""] * len(mark.left)
        for left, right, bottom, top, tip in zip(mark.left, mark.right, mark.bottom, mark.top, tips, strict=True):
            high, low = sorted((y(bottom), y(top)))
            yield tag(
                "rect",
                tag("title", tip) if tip else "",
                x=x(left) + 0.5,
                width=max(x(right) - x(left) - 1, 0.5),
                y=high,
                height=max(low - high, 0.6),
                fill=color,
                fill_opacity=0.75,
                class_=f"bar {kind}",
            )
    else:
        yield from _level(mark, x, y, frame)


def _points(mark: Points, x: Scale, y: Scale, frame: Box) -> Iterator[Markup]:
    places = [(x(a), y(b)) for a, b in zip(mark.x, mark.y, strict=True)]
    tips, sizes = mark.tips or [""] * len(places), mark.sizes or [1.0] * len(places)
    largest = 5.5 if mark.sizes else 3.4 if len(places) < 60 else 1.8
    taken = [(at - 5, at + 5, up - 5, up + 5) for at, up in places] if mark.names else []
    for (at, up), tip, size in zip(places, tips, sizes, strict=True):
        yield tag(
            "circle",
            tag("title", tip) if tip else "",
            cx=at,
            cy=up,
            r=max(1.4, largest * math.sqrt(size)),
            fill="none" if mark.is_hollow else COLORS[mark.style],
            fill_opacity=None if mark.is_hollow or len(places) < 60 else 0.55,
            stroke=COLORS[mark.style] if mark.is_hollow else None,
            class_=f"point {mark.style}",
        )
    for name, place in zip(mark.names, places, strict=False):
        yield _name_beside(name, place, taken, frame)


def _name_beside(name: str, place: tuple[float, float], taken: list[Box], frame: Box) -> Markup:
    """A name beside its dot, where it lies on no other; none where there is no room."""
    text, (at, up), (left_end, right_end, top_end, bottom_end) = _short(name), place, frame
    width = LETTER * len(text)
    beside = [(at + 8, up + 4), (at - 8 - width, up + 4)]
    beside += [(start, base) for base in (up - 7, up + 15) for start in (at + 4, at - 4 - width, at - width / 2)]
    for start, base in beside:
        box = (start, start + width, base - 9, base + 2)
        is_inside = start >= left_end and box[1] <= right_end + 8 and box[2] >= top_end - 8 and box[3] <= bottom_end
        if is_inside and not any(_overlap(box, other) for other in taken):
            taken.append(box)
            return _label(text, start, base, "tick name")
    return Markup("")


def _overlap(box: Box, other: Box) -> bool:
    return box[0] < other[1] and other[0] < box[1] and box[2] < other[3] and other[2] < box[3]


def _level(mark: Level, x: Scale, y: Scale, frame: Box) -> Iterator[Markup]:
    left, right, top, bottom = frame
    scale = x if mark.is_upright else y
    if not scale.low <= mark.value <= scale.high:
        arrow = "↓" if mark.value < scale.low else "↑"
        base = bottom - 6 if mark.value < scale.low else top + 12
        yield _label(f"{arrow} {mark.label} {number(mark.value)}", left + 6, base, "off", style=mark.style)
        return
    place = scale(mark.value)
    ends = (
        {"x1": place, "x2": place, "y1": top, "y2": bottom}
        if mark.is_upright
        else {"x1": left, "x2": right, "y1": place, "y2": place}
    )
    tip = tag("title", f"{mark.label}: {number(mark.value)}") if mark.label else ""
    yield tag("line", tip, **ends, stroke=COLORS[mark.style], stroke_dasharray="3 3", class_=f"level {mark.style}")


def _cells(mark: Cells, x: Scale, y: Scale) -> Iterator[Markup]:
    wide, high = abs(x(1) - x(0)), abs(y(1) - y(0))
    texts, tips = mark.texts or [""] * len(mark.x), mark.tips or [""] * len(mark.x)
    for at, (i, j, shade, text, tip) in enumerate(zip(mark.x, mark.y, mark.shades, texts, tips, strict=True)):
        left, top = x(i) - wide / 2, y(j) - high / 2
        box = {"x": left + 0.5, "y": top + 0.5, "width": wide - 1, "height": high - 1}
        # no text stands on a middle shade, on which neither dark nor light letters can be read
        is_strong = shade > 0.6
        opacity = 0.06 + 0.84 * shade if not mark.texts else 0.92 if is_strong else 0.06 + 0.5 * shade
        title = tag("title", tip) if tip else ""
        yield tag("rect", title, **box, fill=COLORS["main"], fill_opacity=opacity, class_="cell")
        if text:
            ink, kind = ("#ffffff", "cell-text on") if is_strong else (INK, "cell-text")
            yield tag("text", text, x=x(i), y=y(j) + 4, text_anchor="middle", fill=ink, class_=kind)
        if at in mark.marked:
            yield tag("rect", **box, rx=2, fill="none", stroke=COLORS["second"], stroke_width=2, class_="best-cell")


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


def legend_of(marks: Sequence[Marks]) -> list[tuple[str, str]]:
    """The labels of a figure with their styles, each once; levels that lie beyond the scale are told in place."""
    labelled = (mark for mark in marks if not isinstance(mark, Cells) and mark.label)
    return list(dict.fromkeys((mark.label, mark.style) for mark in labelled if not isinstance(mark, Cells)))


def _legend(marks: Sequence[Marks], left: float, top: float, right: float) -> tuple[list[Markup], float]:
    """The legend below the axes, in as many lines as it needs, and its height."""
    pieces: list[Markup] = []
    at, line = left, 0
    for label, style in legend_of(marks):
        width = 26 + LETTER * len(label) + 12
        if at > left and at + width > right:
            at, line = left, line + 1
        base = top + LINE_HEIGHT * line
        dashes = "4 3" if style == "diagonal" else None
        ends = {"x1": at, "x2": at + 18, "y1": base - 4, "y2": base - 4}
        pieces.append(
            tag("line", **ends, stroke=COLORS[style], stroke_width=2, stroke_dasharray=dashes, class_=f"line {style}")
        )
        pieces.append(_label(label, at + 24, base, "legend"))
        at += width
    cells = next((mark for mark in marks if isinstance(mark, Cells) and mark.low), None)
    if cells is not None:
        pieces += _shades(cells, left, top + LINE_HEIGHT * line)
    return pieces, LINE_HEIGHT * (line + 1) + 4 if pieces else 0.0


def _shades(cells: Cells, left: float, base: float) -> Iterator[Markup]:
    """The shades of cells from the lightest to the darkest, with what both mean."""
    yield _label(cells.low, left, base, "tick")
    start = left + LETTER * len(cells.low) + 8
    for at in range(8):
        yield tag(
            "rect",
            x=start + 14 * at,
            y=base - 10,
            width=13,
            height=11,
            fill=COLORS["main"],
            fill_opacity=0.06 + 0.12 * at,
            class_="cell",
        )
    yield _label(cells.high, start + 14 * 8 + 6, base, "tick")


# the drawn column of a table


def strip_svg(drawn: Drawn | None, scale: Scale, strip: Strip, *, style: str = "main", **attributes: Any) -> Markup:
    """The picture of one row; places across are percentages, so that it fits any width."""
    drawn, middle = drawn or Drawn(), STRIP_HEIGHT / 2
    color = COLORS[style]
    pieces = [_upright(scale(value), GRID, "rule") for value in scale.ticks(6)]
    if strip.line is not None:
        pieces.append(_upright(scale(strip.line), SOFT, "zero"))
    if drawn.wide is not None:
        pieces.append(_flat(scale(drawn.wide[0]), scale(drawn.wide[1]), middle, color, 1.2, "wide-span"))
    if drawn.low is not None and drawn.high is not None:
        pieces.append(_flat(scale(drawn.low), scale(drawn.high), middle, color, 3.5, "span"))
    if drawn.start is not None and drawn.value is not None:
        pieces.append(_flat(scale(drawn.start), scale(drawn.value), middle, color, 2, "span"))
        pieces.append(
            tag("circle", cx=f"{scale(drawn.start):.2f}%", cy=middle, r=4, fill="#fff", stroke=color, class_="start")
        )
    for point, tip in drawn.points:
        title = tag("title", tip) if tip else ""
        pieces.append(
            tag(
                "circle", title, cx=f"{scale(point):.2f}%", cy=middle, r=2.6, fill=color, fill_opacity=0.5, class_="dot"
            )
        )
    if drawn.value is not None:
        if drawn.value > scale.high:
            text = f"{number(drawn.value)} →"
            pieces.append(tag("text", text, x="99%", y=middle + 4, text_anchor="end", fill=SOFT, class_="off"))
        else:
            pieces.append(
                tag("circle", cx=f"{scale(drawn.value):.2f}%", cy=middle, r=4.5, fill=color, class_=f"value {style}")
            )
    return tag(
        "svg",
        *pieces,
        width="100%",
        height=STRIP_HEIGHT,
        role="img" if drawn.words else None,
        aria_label=drawn.words or None,
        aria_hidden=None if drawn.words else "true",
        class_=f"strip {style}",
        xmlns="http://www.w3.org/2000/svg",
        **attributes,
    )


def strip_axis(scale: Scale) -> Markup:
    """The scale below all rows of a strip; where it is narrow a page leaves out every other tick."""
    places = scale.ticks(6)
    named = zip(places, tick_words(places), strict=True)
    pieces = [_place_text(text, scale(value), at) for at, (value, text) in enumerate(named)]
    return tag(
        "svg",
        *pieces,
        width="100%",
        height=18,
        aria_hidden="true",
        class_="strip",
        font_size=11,
        xmlns="http://www.w3.org/2000/svg",
    )


def _place_text(text: str, place: float, at: int) -> Markup:
    kind = "tick" + " spare" * (at % 2)
    return tag("text", text, x=f"{place:.2f}%", y=13, class_=kind, text_anchor="middle", fill=SOFT)


def _upright(place: float, color: str, kind: str) -> Markup:
    ends = {"x1": f"{place:.2f}%", "x2": f"{place:.2f}%", "y1": 0, "y2": STRIP_HEIGHT}
    return tag("line", **ends, stroke=color, class_=kind)


def _flat(start: float, stop: float, y: float, color: str, width: float, kind: str) -> Markup:
    ends = {"x1": f"{start:.2f}%", "x2": f"{stop:.2f}%", "y1": y, "y2": y}
    return tag("line", **ends, stroke=color, stroke_width=width, stroke_linecap="round", class_=kind)
