"""The critical-difference picture: mean ranks on one line, and a bar over those that are not told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from foldwise.blocks.numbers import number, plain
from foldwise.show.charts.svg import Scale, join, tag

LEFT, RIGHT = 190, 530  # the axis; names stand on both sides of it
AXIS = 56
STEP = 24  # between names
BAR_STEP = 9  # between bars
MOST_LETTERS = 24
LETTER = 8  # width of a letter of a name, in the widest common font


def critical_difference(
    mean_ranks: Mapping[str, float], *, reach: float, groups: Sequence[Sequence[str]], title: str
) -> Markup:
    """Ranks from 1 (best, left) to the number of methods; bars join methods whose ranks differ by less than `reach`."""
    ordered = sorted(mean_ranks, key=lambda name: mean_ranks[name])
    scale = Scale(1, max(2, len(ordered)), LEFT + 14, RIGHT - 14)
    bars = [_bar(group, mean_ranks, scale, at) for at, group in enumerate(groups)]
    first = AXIS + 16 + BAR_STEP * len(groups)
    half = (len(ordered) + 1) // 2
    # the best from the left downwards, the worst from the right: lines to the names do not cross
    sides = [(name, at, False) for at, name in enumerate(ordered[:half])]
    sides += [(name, at, True) for at, name in enumerate(reversed(ordered[half:]))]
    marks = [_mark(name, mean_ranks[name], scale, first + STEP * at, right) for name, at, right in sides]
    height = first + STEP * half
    longest = max(len(_label(name, rank)) for name, rank in mean_ranks.items())
    room = 12 + LETTER * longest  # for the names on both sides
    return tag(
        "svg",
        tag("title", title),
        tag("desc", _words(ordered, mean_ranks, reach, groups)),
        _axis(scale, len(ordered)),
        _reach(scale, reach),
        *marks,
        *bars,
        view_box=f"{LEFT - room} 0 {RIGHT - LEFT + 2 * room} {height}",
        class_="critical",
        role="img",
    )


def _axis(scale: Scale, count: int) -> Markup:
    places = range(1, max(2, count) + 1)
    every = -(-len(places) // 12)
    ticks = [
        join(
            (
                tag("line", x1=scale(rank), x2=scale(rank), y1=AXIS - 5, y2=AXIS, class_="ruler"),
                tag("text", str(rank), x=scale(rank), y=AXIS - 9, class_="tick", text_anchor="middle"),
            )
        )
        for rank in places[::every]
    ]
    line = tag("line", x1=scale.start, x2=scale.stop, y1=AXIS, y2=AXIS, class_="ruler")
    return join([line, *ticks])


def _reach(scale: Scale, reach: float) -> Markup:
    """The critical difference itself, drawn above the axis from its left end; no longer than the axis."""
    start, stop = scale(1), scale(1 + reach)
    words = f"critical difference {number(reach, digits=3)}"
    return join(
        (
            tag("line", tag("title", words), x1=start, x2=stop, y1=22, y2=22, class_="span"),
            *(tag("line", x1=x, x2=x, y1=18, y2=26, class_="end") for x in (start, stop)),
            tag("text", words, x=start, y=12, class_="axis"),
        )
    )


def _mark(name: str, rank: float, scale: Scale, y: float, right: bool) -> Markup:
    x, end = scale(rank), RIGHT if right else LEFT
    at, anchor = (end + 6, "start") if right else (end - 6, "end")
    return join(
        (
            tag("path", d=f"M{x:.1f} {AXIS}V{y:.1f}H{end}", class_="leader"),
            tag(
                "circle", tag("title", f"{plain(name)}: mean rank {number(rank)}"), cx=x, cy=AXIS, r=4.5, class_="value"
            ),
            tag("text", _label(name, rank), x=at, y=y + 4, class_="method-name", text_anchor=anchor),
        )
    )


def _bar(group: Sequence[str], mean_ranks: Mapping[str, float], scale: Scale, at: int) -> Markup:
    ends = [scale(mean_ranks[name]) for name in group]
    y = AXIS + 12 + BAR_STEP * at
    words = f"not told apart: {', '.join(map(plain, group))}"
    return tag("line", tag("title", words), x1=min(ends) - 5, x2=max(ends) + 5, y1=y, y2=y, class_="tie")


def _label(name: str, rank: float) -> str:
    text = plain(name)
    short = text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"
    return f"{short} {number(rank, digits=3)}"


def _words(
    ordered: Sequence[str], mean_ranks: Mapping[str, float], reach: float, groups: Sequence[Sequence[str]]
) -> str:
    ranks = ", ".join(f"{plain(name)} {number(mean_ranks[name], digits=3)}" for name in ordered)
    together = "; ".join(" and ".join(map(plain, group)) for group in groups) or "none"
    return f"Mean ranks: {ranks}. Critical difference {number(reach, digits=3)}. Not told apart: {together}."
