"""Outer folds as lines down the methods: lines that run in parallel agree on which method is better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from foldwise.blocks.numbers import number, plain
from foldwise.show.charts.panel import path
from foldwise.show.charts.svg import make_scale, tag, tick_words

WIDTH, RIGHT, TOP = 360.0, 348.0, 12.0
STEP = 26.0
LETTER = 6.8
FEWEST_LETTERS, MOST_LETTERS = 15, 22  # that names have room for
MOST_LINES = 60


def fold_lines(methods: Sequence[Mapping[str, Any]], wins: Mapping[str, float], *, title: str) -> Markup:
    """A line per outer fold through its loss under each method, methods from the best down; winners are marked."""
    folds = list(zip(*([fold["loss"] for fold in method["folds"]] for method in methods), strict=True))
    folds = folds[:: -(-len(folds) // MOST_LINES)]
    letters = max(FEWEST_LETTERS, min(MOST_LETTERS, max(len(plain(method["name"])) for method in methods)))
    left = 10 + LETTER * letters
    x = make_scale([loss for fold in folds for loss in fold], pad=0.03).within(left, RIGHT)
    lines = [TOP + STEP * (at + 0.5) for at in range(len(methods))]
    bottom = TOP + STEP * len(methods)
    marks = [tag("line", x1=left, x2=RIGHT, y1=y, y2=y, class_="rule") for y in lines]
    for number_of, fold in enumerate(folds):
        marks.append(path([(x(loss), y) for loss, y in zip(fold, lines, strict=True)], class_="line fold-line"))
        best = min(range(len(fold)), key=lambda at: fold[at])
        tip = f"outer split {number_of}: {plain(methods[best]['name'])} wins with {number(fold[best])}"
        marks.append(tag("circle", tag("title", tip), cx=x(fold[best]), cy=lines[best], r=3.4, class_="point score"))
    for method, y in zip(methods, lines, strict=True):
        name = plain(method["name"])
        text = name if len(name) <= letters else name[: letters - 1] + "…"
        marks.append(tag("text", text, x=left - 10, y=y + 4, class_="tick name", text_anchor="end"))
    places = x.ticks(4)
    for value, words in zip(places, tick_words(places), strict=True):
        marks.append(tag("text", words, x=x(value), y=bottom + 14, class_="tick", text_anchor="middle"))
    middle = (left + RIGHT) / 2
    marks.append(tag("text", "mean loss of the fold", x=middle, y=bottom + 32, class_="axis", text_anchor="middle"))
    told = ", ".join(f"{plain(name)} {number(count, digits=3)}" for name, count in wins.items() if count)
    head = (tag("title", title), tag("desc", f"outer splits won: {told}"))
    return tag("svg", *head, *marks, view_box=f"0 0 {WIDTH:.0f} {bottom + 42:.0f}", class_="panel", role="img")
