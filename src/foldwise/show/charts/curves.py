"""Validation curves and learning curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from foldwise.blocks.numbers import candidate_words, number
from foldwise.show.charts.panel import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    Axis,
    across,
    area,
    panel,
    path,
    upwards,
)
from foldwise.show.charts.svg import Scale, make_scale, tag

Point = Mapping[str, Any]
LOG_RATIO = 50  # values that span more than this are drawn on a logarithmic axis
FLATTEST = 2.0  # how far beyond the curve, in its own heights, an error may lie to be drawn in scale
MOST_MARKED = 25  # values with a mark of their own; the chosen ones always have one
ERRORS = {"test": "test error", "train": "training error"}
MOST_NAMED = 6  # unordered values whose names fit below an axis


def curve_panel(
    curve: Mapping[str, Any], *, title: str, train_risk: float | None = None, risk: float | None = None
) -> Markup:
    """The scores of one parameter by value, with the values the outer splits chose and the errors they came to."""
    points = [point for point in curve["points"] if point["score"] is not None]
    if len(points) < 2:
        return Markup("")
    x, places, ticks = _across([point["value"] for point in points], bool(curve["is_ordered"]))
    known = [point[key] for point in points for key in ("score", "low", "high", "train", "test")]
    y = upwards(_high_enough(known, (train_risk, risk)))
    middle = [(at, y(point["score"])) for at, point in zip(places, points, strict=True)]
    # Scores that some splits lack cannot be joined: a tuner kept only the candidates that did well.
    # Nor is there anything between two values without an order.
    is_joined = bool(curve["is_ordered"]) and not curve.get("is_sparse")
    marks = [_band(points, places, y), path(middle, class_="line score")] if is_joined else _ranges(points, places, y)
    marks += [_level(y, risk, "risk", "risk"), _level(y, train_risk, "train", "training risk", beside=risk)]
    for key in ("train", "test"):
        line = [(at, y(point[key])) for at, point in zip(places, points, strict=True) if point[key] is not None]
        marks += _joined(line, key) if curve["is_ordered"] else _dots(line, key)
    every = -(-len(points) // MOST_MARKED)
    marks += [
        _mark(curve["parameter"], point, at, y)
        for number_of, (at, point) in enumerate(zip(places, points, strict=True))
        if number_of % every == 0 or point["folds"] or point["is_final"]
    ]
    marks += _choosers(points, places) + _ends(curve.get("sides"))
    bottom, left = Axis(x, curve["parameter"], ticks), Axis(y, "mean loss")
    return panel(*marks, x=bottom, y=left, title=title, words=_words(curve, points))


def learning_panel(curve: Mapping[str, Any], *, title: str, names: Mapping[str, str] = ERRORS) -> Markup:
    """Training and test error over the number of training rows, or over one parameter: a curve of its own.

    `names`: what the two lines are, where they are something else.
    """
    points = [point for point in curve["points"] if point["train"] is not None or point["test"] is not None]
    if not points:
        return Markup("")
    is_ordered = all(_is_number(point["value"]) for point in points)
    x, places, ticks = _across([point["value"] for point in points], is_ordered)
    y = upwards(make_scale([point[key] for point in points for key in names]))
    size = 3.5 if len(points) <= MOST_MARKED else 1.8
    marks = _legend(names)
    for key, words in names.items():
        line = [(at, y(point[key])) for at, point in zip(places, points, strict=True) if point[key] is not None]
        marks += _joined(line, key) if is_ordered else []
        for at, point in zip(places, points, strict=True):
            if point[key] is not None:
                tip = f"{candidate_words({curve['parameter']: point['value']})}: {words} {number(point[key])}"
                marks.append(tag("circle", tag("title", tip), cx=at, cy=y(point[key]), r=size, class_=f"point {key}"))
    first, last = points[0], points[-1]
    words = f"{names['test']} from {number(first['test'])} to {number(last['test'])}"
    name = str(curve["parameter"]).replace("train_rows", "training rows")
    return panel(*marks, x=Axis(x, name, ticks), y=Axis(y, "mean loss"), title=title, words=words)


def _joined(line: Sequence[tuple[float, float]], kind: str) -> list[Markup]:
    return [path(line, class_=f"line {kind}")] if len(line) > 1 else []


def _dots(line: Sequence[tuple[float, float]], kind: str) -> list[Markup]:
    return [tag("circle", cx=at, cy=up, r=2.6, class_=f"point {kind}") for at, up in line]


def _ranges(points: Sequence[Point], places: Sequence[float], y: Scale) -> list[Markup]:
    """The range of every value by itself, as an upright line."""
    known = [(at, point) for at, point in zip(places, points, strict=True) if point["low"] is not None]
    return [tag("line", x1=at, x2=at, y1=y(one["low"]), y2=y(one["high"]), class_="whisker") for at, one in known]


def _legend(names: Mapping[str, str]) -> list[Markup]:
    """The names of both lines above the plot, where they meet neither each other nor a line."""
    marks: list[Markup] = []
    for key, start in (("test", RIGHT - 190), ("train", RIGHT - 104)):
        marks.append(path([(start, TOP - 7), (start + 18, TOP - 7)], class_=f"line {key}"))
        marks.append(tag("text", names[key], x=start + 24, y=TOP - 3, class_=f"line-name {key}"))
    return marks


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _across(values: Sequence[Any], is_ordered: bool) -> tuple[Scale, list[float], list[tuple[float, str]] | None]:
    """A scale for the values, where each is, and the ticks where they are words."""
    if is_ordered:
        is_log = min(values) > 0 and max(values) / min(values) > LOG_RATIO
        x = across(Scale(float(min(values)), float(max(values)), is_log=is_log))
        whole = None if is_log or not all(isinstance(value, int) for value in values) else _whole_ticks(x)
        return x, [x(float(value)) for value in values], whole
    x = across(Scale(-0.5, len(values) - 0.5))
    every = -(-len(values) // MOST_NAMED)
    named = [(float(at), candidate_words({"": value})[1:]) for at, value in enumerate(values) if at % every == 0]
    return x, [x(float(at)) for at in range(len(values))], named


def _whole_ticks(x: Scale) -> list[tuple[float, str]]:
    """Ticks of an axis of whole numbers: none between two of them."""
    return [(value, f"{value:.0f}") for value in x.ticks(5) if value == round(value)]


def _high_enough(known: Sequence[float | None], levels: Sequence[float | None]) -> Scale:
    """A scale for the curve, with the levels that do not flatten it."""
    own = make_scale(known)
    room = FLATTEST * (own.high - own.low)
    return make_scale([*known, *(v for v in levels if v is not None and own.low - room <= v <= own.high + room)])


def _band(points: Sequence[Point], places: Sequence[float], y: Scale) -> Markup:
    known = [(at, point) for at, point in zip(places, points, strict=True) if point["low"] is not None]
    upper, lower = ([(at, y(point[end])) for at, point in known] for end in ("high", "low"))
    return area(upper, lower, class_="band") if known else Markup("")


def _level(y: Scale, value: float | None, kind: str, words: str, *, beside: float | None = None) -> Markup:
    """A level across the panel; one that lies beyond it is told in words, which keep off the level `beside` it."""
    if value is None:
        return Markup("")
    tip = f"{words} of the chosen candidates: {number(value)}"
    if not y.low <= value <= y.high:
        arrow, base, away = ("↓", BOTTOM - 32, -18) if value < y.low else ("↑", TOP + 24, 18)
        if beside is not None and base - 14 < _shown_at(y, beside) < base + 4:
            base += away
        return tag("text", f"{arrow} {words} {number(value)}", x=LEFT + 4, y=base, class_=f"off {kind}")
    return tag("line", tag("title", tip), x1=LEFT, x2=RIGHT, y1=y(value), y2=y(value), class_=f"level {kind}")


def _shown_at(y: Scale, value: float) -> float:
    """Where a level is drawn, or told in words."""
    return y(value) if y.low <= value <= y.high else BOTTOM - 36 if value < y.low else TOP + 20


def _mark(name: str, point: Point, at: float, y: Scale) -> Markup:
    parts = [f"{candidate_words({name: point['value']})}: score {number(point['score'])}"]
    parts += [f"test error {number(point['test'])}"] if point["test"] is not None else []
    parts += [f"training error {number(point['train'])}"] if point["train"] is not None else []
    parts += [f"chosen by {point['folds']} outer splits"] if point["folds"] else []
    tip = ", ".join(parts + (["chosen on all rows"] if point["is_final"] else []))
    kind = "point final" if point["is_final"] else "point score"
    return tag(
        "circle",
        tag("title", tip),
        cx=at,
        cy=y(point["score"]),
        r=5 if point["is_final"] else 2.6,
        class_=kind,
    )


def _choosers(points: Sequence[Point], places: Sequence[float]) -> list[Markup]:
    """Small bars at the bottom: how many outer splits chose each value."""
    most = max(point["folds"] for point in points) or 1
    return [
        tag("line", x1=at, x2=at, y1=BOTTOM, y2=BOTTOM - 26 * point["folds"] / most, class_="chooser")
        for at, point in zip(places, points, strict=True)
        if point["folds"]
    ]


def _ends(sides: Mapping[str, str] | None) -> list[Markup]:
    if not sides:
        return []
    left, right = f"← {sides['left']}", f"{sides['right']} →"
    return [
        tag("text", left, x=LEFT, y=HEIGHT - 10, class_="side"),
        tag("text", right, x=RIGHT, y=HEIGHT - 10, class_="side", text_anchor="end"),
    ]


def _words(curve: Mapping[str, Any], points: Sequence[Point]) -> str:
    best = min(points, key=lambda point: point["score"])
    values = candidate_words({curve["parameter"]: best["value"]})
    text = f"{len(points)} values; the smallest mean inner score is {number(best['score'])}, at {values}"
    return f"{text}. {curve['edge']}" if curve.get("edge") else text
