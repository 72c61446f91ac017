"""A heat map of two hyperparameters: the darker, the better; the best cell is marked, and the scale stands below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from foldwise.blocks.numbers import number, plain
from foldwise.show.charts.svg import tag

WIDTH, LEFT, RIGHT, TOP = 360.0, 74.0, 348.0, 22.0
HIGHEST = 26.0  # of a line of cells
SHADES = 8
LETTER = 6.6
LEFT_LETTERS = 10


def heat_panel(found: Mapping[str, Any], *, title: str) -> Markup:
    """Cells of the smallest mean inner score; those without a candidate are empty."""
    (across, up), (columns, lines) = found["parameters"], found["values"]
    wide, high = (RIGHT - LEFT) / len(columns), min(HIGHEST, 170 / len(lines))
    bottom = TOP + high * len(lines)
    scores = [score for _, _, score in found["cells"]]
    low, spread = min(scores), (_usual(scores) - min(scores)) or 1.0

    def corner(i: int, j: int) -> tuple[float, float]:
        return LEFT + i * wide, bottom - (j + 1) * high

    shades: dict[int, list[tuple[float, float]]] = {}
    for i, j, score in found["cells"]:
        shade = SHADES - min(SHADES - 1, int(SHADES * (score - low) / spread))
        shades.setdefault(shade, []).append(corner(i, j))
    marks = [_cells(places, shade, wide, high) for shade, places in sorted(shades.items())]
    marks += _names(columns, lines, wide, high, bottom)
    marks.append(_ring(corner(*found["best"]), wide, high, "best-cell"))
    if found["final"] and found["final"] != found["best"]:
        marks.append(_ring(corner(*found["final"]), wide, high, "final-cell"))
    marks += [
        tag("text", plain(up), x=4, y=TOP - 8, class_="axis"),
        tag("text", plain(across), x=(LEFT + RIGHT) / 2, y=bottom + 32, class_="axis", text_anchor="middle"),
    ]
    marks += _scale(low, low + spread, max(scores) > low + spread, bottom + 48)
    i, j = found["best"]
    words = f"smallest mean inner score {number(low)} at {plain(across)} {columns[i]}, {plain(up)} {lines[j]}"
    head = (tag("title", title), tag("desc", words))
    return tag("svg", *head, *marks, view_box=f"0 0 {WIDTH:.0f} {bottom + 74:.0f}", class_="panel", role="img")


def _usual(scores: Sequence[float]) -> float:
    """The end of the scale: three quarters of the cells lie within it, so that a few bad ones do not hide the rest."""
    ordered = sorted(scores)
    return ordered[min(len(ordered) - 1, round(0.75 * (len(ordered) - 1)))] if len(ordered) > 4 else ordered[-1]


def _cells(places: Sequence[tuple[float, float]], shade: int, wide: float, high: float) -> Markup:
    shape = f"h{wide - 1:.4g}v{high - 1:.4g}h{1 - wide:.4g}z"
    outline = "".join(f"M{x + 0.5:.4g} {y + 0.5:.4g}{shape}" for x, y in places)
    return tag("path", d=outline, class_="cell", fill_opacity=0.08 + 0.92 * (shade - 1) / (SHADES - 1))


def _ring(corner: tuple[float, float], wide: float, high: float, kind: str) -> Markup:
    x, y = corner
    return tag("rect", x=x + 1.2, y=y + 1.2, width=wide - 2.4, height=high - 2.4, rx=2, class_=kind)


def _names(columns: Sequence[str], lines: Sequence[str], wide: float, high: float, bottom: float) -> list[Markup]:
    room = max(2, int(wide / LETTER))
    every = 1 if max(map(len, columns)) <= room else -(-max(map(len, columns)) // room)
    marks = []
    for i, text in enumerate(columns):
        if i % every == 0:
            x = LEFT + (i + 0.5) * wide
            marks.append(
                tag("text", _short(text, room * every), x=x, y=bottom + 14, class_="tick", text_anchor="middle")
            )
    for j, text in enumerate(lines):
        y = bottom - (j + 0.5) * high + 4
        marks.append(tag("text", _short(text, LEFT_LETTERS), x=LEFT - 6, y=y, class_="tick", text_anchor="end"))
    return marks


def _scale(low: float, high: float, is_cut: bool, top: float) -> list[Markup]:
    """The shades with the scores at both ends."""
    side = 16.0
    start = (LEFT + RIGHT - SHADES * side) / 2
    marks = [_cells([(start + at * side, top)], SHADES - at, side, 12) for at in range(SHADES)]
    marks.append(tag("text", number(low), x=start - 6, y=top + 10, class_="tick", text_anchor="end"))
    end = f"{number(high)}{' or more' if is_cut else ''}"
    marks.append(tag("text", end, x=start + SHADES * side + 6, y=top + 10, class_="tick"))
    return marks


def _short(text: str, most: int) -> str:
    return plain(text) if len(text) <= most else plain(text)[: max(1, most - 1)] + "…"
