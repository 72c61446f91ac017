"""Histograms of probabilities: two classes back to back, several as one strip each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from foldwise.blocks.numbers import plain
from foldwise.show.charts.panel import LEFT, RIGHT, WIDTH, Axis, across, panel, upwards
from foldwise.show.charts.svg import Scale, make_scale, tag, tick_words, ticks

UNIT = Scale(0.0, 1.0)
ROOM = 168  # height of all strips, and of one
TALLEST, LEAST = 40, 18
MOST_LETTERS = 9


def histogram_panel(found: Mapping[str, Any], *, title: str) -> Markup:
    """Two classes: the second upwards, the first downwards, each as shares of its own rows."""
    if found["of"] is None:
        return _strips(found, title)
    shares = [_shares(counts) for counts in found["counts"]]
    most = max(map(max, shares)) or 1.0
    x, y = across(UNIT), upwards(make_scale([-most, most]))
    marks = []
    for sign, kind, values, name in ((1, "second", shares[1], 1), (-1, "first", shares[0], 0)):
        for at, share in enumerate(values):
            if share:
                marks.append(_bar(at, len(values), sign * share, kind, plain(found["classes"][name]), (x, y)))
    marks.append(tag("line", x1=LEFT, x2=RIGHT, y1=y(0), y2=y(0), class_="base"))
    places = ticks(0, most, 3)
    named = [(sign * value, word) for value, word in zip(places, tick_words(places), strict=True) for sign in (-1, 1)]
    words = f"shares of the rows of both classes by the probability of class {plain(found['of'])}"
    bottom, left = Axis(x, f"probability of {plain(found['of'])}"), Axis(y, "share of the class", named)
    return panel(*marks, x=bottom, y=left, title=title, words=words)


def _bar(at: int, bins: int, share: float, kind: str, name: str, axes: tuple[Scale, Scale]) -> Markup:
    x, y = axes
    left, right = x(at / bins), x((at + 1) / bins)
    tip = f"{name}: {100 * abs(share):.1f}% of its rows have {at / bins:.2f} to {(at + 1) / bins:.2f}"
    top, bottom = sorted((y(share), y(0)))
    return tag(
        "rect",
        tag("title", tip),
        x=left + 0.5,
        width=right - left - 1,
        y=top,
        height=max(bottom - top, 0.6),
        class_=f"tally {kind}",
    )


def _strips(found: Mapping[str, Any], title: str) -> Markup:
    """One strip per class: the darker, the more of its rows have this probability of their own class."""
    x = Scale(0.0, 1.0, LEFT + 20, RIGHT - 6)
    marks, strip = [], max(LEAST, min(TALLEST, ROOM // len(found["classes"])))
    for line, (name, rows) in enumerate(zip(found["classes"], found["counts"], strict=True)):
        shares, top = _shares(rows), 14.0 + strip * line
        most = max(shares) or 1.0
        text = plain(name) if len(plain(name)) <= MOST_LETTERS else plain(name)[: MOST_LETTERS - 1] + "…"
        marks.append(tag("text", text, x=LEFT + 14, y=top + strip / 2 + 2, class_="tick", text_anchor="end"))
        for at, share in enumerate(shares):
            if share:
                place = {"x": x(at / len(shares)) + 0.5, "width": x(1 / len(shares)) - x(0) - 1}
                tip = f"{plain(name)}: {100 * share:.1f}% of its rows have {at / len(shares):.2f} or a little more"
                look = {"class_": "cell", "fill_opacity": round(0.12 + 0.88 * share / most, 2)}
                marks.append(tag("rect", tag("title", tip), **place, y=top, height=strip - 4, **look))
    bottom = 14.0 + strip * len(found["classes"])
    for value in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        marks.append(tag("text", f"{value:g}", x=x(value), y=bottom + 14, class_="tick", text_anchor="middle"))
    name = "probability of the true class"
    marks.append(tag("text", name, x=(LEFT + RIGHT) / 2, y=bottom + 34, class_="axis", text_anchor="middle"))
    words = "rows of each class by the probability that was given to their own class"
    head = (tag("title", title), tag("desc", words))
    return tag("svg", *head, *marks, view_box=f"0 0 {WIDTH} {bottom + 44}", class_="panel", role="img")


def _shares(counts: Sequence[int]) -> list[float]:
    return [count / (sum(counts) or 1) for count in counts]
