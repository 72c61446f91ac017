"""Curves of training and test error, and of a search, as blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from foldwise.blocks.block import Block, Cell, Column, Drawn, Row, Sentence, Strip, Table
from foldwise.blocks.figure import Axis, Figure, Level, Line, Marks, Points
from foldwise.blocks.numbers import candidate_words, loss_words, number, plain
from foldwise.questions.predicted import Summary

TRAIN_ROWS = "train_rows"
FLAT = 0.01  # share of the test error that a last step may change and still mean nothing


def _name(curve: Summary) -> str:
    return "training rows" if curve["parameter"] == TRAIN_ROWS else plain(curve["parameter"])


def curve_blocks(curve: Summary) -> tuple[Block, ...]:
    """A curve (`curve.to_dict()`) as a table with the gap drawn, and what it says."""
    points = curve["points"]
    rows = []
    for point in points:
        texts = [candidate_words({"": point["value"]})[1:], *(number(point[key]) for key in ("train", "test", "gap"))]
        rows.append(Row(tuple(map(Cell, texts)), Drawn(point["test"], start=point["train"])))
    columns = (Column(_name(curve), is_text=True), *map(Column, ("training error", "test error", "gap")))
    head = f"{plain(curve['learner'])} over {_name(curve)}, {plain(loss_words(curve))}: ○ training error, ● test error"
    words = _rows_words(points) if curve["parameter"] == TRAIN_ROWS else _best_words(curve, points)
    return (Sentence(head), Table(columns, tuple(rows), Strip(), strip_after=4), Sentence(words))


def curve_figure(curve: Summary) -> Figure:
    """Training and test error over the values, and the value with the smallest test error."""
    points = curve["points"]
    x, names, is_log = _places([point["value"] for point in points])
    marks: list[Marks] = []
    for key, style, label in (("test", "test", "test error"), ("train", "train", "training error")):
        known = [(at, point[key]) for at, point in zip(x, points, strict=True) if point[key] is not None]
        marks.append(Line([at for at, _ in known], [error for _, error in known], style, label))  # type: ignore[arg-type]
        marks.append(Points([at for at, _ in known], [error for _, error in known], style))  # type: ignore[arg-type]
    if curve.get("best") is not None:
        place = next(at for at, point in zip(x, points, strict=True) if point["value"] == curve["best"])
        label = f"smallest test error: {plain(candidate_words({'': curve['best']})[1:])}"
        marks.append(Level(place, "best", label, is_upright=True))
    words = _rows_words(points) if curve["parameter"] == TRAIN_ROWS else _best_words(curve, points)
    axes = Axis(_name(curve), ticks=names, is_log=is_log), Axis(plain(loss_words(curve)))
    return Figure(f"{plain(curve['learner'])} over {_name(curve)}", *axes, tuple(marks), words)


def _places(values: Sequence[object]) -> tuple[list[float], tuple[tuple[float, str], ...] | None, bool]:
    """Where values stand, their names where they are words, and whether the axis is logarithmic."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        numbers = [float(value) for value in values]  # type: ignore[arg-type]
        return numbers, None, min(numbers) > 0 and max(numbers) / min(numbers) > 50
    names = tuple((float(place), candidate_words({"": value})[1:]) for place, value in enumerate(values))
    return [place for place, _ in names], names, False


def _best_words(curve: Summary, points: Sequence[Summary]) -> str:
    """Where the test error is smallest, and whether that is an end of what was tried."""
    place = next((place for place, point in enumerate(points) if point["value"] == curve["best"]), None)
    if place is None or points[place]["test"] is None:
        return "No value has a test error."
    best = candidate_words({plain(curve["parameter"]): curve["best"]})
    words = f"The test error is smallest at {best}: {number(points[place]['test'])}."
    if place in (0, len(points) - 1) and len(points) > 2:
        words += f" That is the {'first' if place == 0 else 'last'} value tried: the best may lie beyond it."
    return f"{words} It chose the value, so it is optimistic; fw.risk gives the error of tuning it."


def _rows_words(points: Sequence[Summary]) -> str:
    """How much the last rows helped."""
    if len(points) < 2 or points[-1]["test"] is None or points[-2]["test"] is None:
        return "There is no second size to compare with."
    before, last = points[-2:]
    share = (before["test"] - last["test"]) / abs(before["test"]) if before["test"] else 0.0
    sizes = f"from {number(before['value'])} to {number(last['value'])} training rows"
    if share > FLAT:
        return f"The test error still falls, by {100 * share:.1f}% {sizes}: more rows may help."
    if share < -FLAT:
        return f"The test error rose by {100 * -share:.1f}% {sizes}, which may be chance."
    return f"The test error hardly changes any more, by {100 * -share:+.1f}% {sizes}: more rows may help little."


def search_blocks(curve: Summary) -> Iterator[Block]:
    """What more candidates brought, step by step."""
    yield Sentence(f"{plain(curve['learner'])}, {len(curve['points'])} candidates, {plain(loss_words(curve))}")
    columns = ("candidates tried", "inner CV error", "spread", "risk", "p")
    rows = []
    for point in curve["points"]:
        numbers = [
            number(point[key], digits=4 if key != "p" else 2) for key in ("selection_score", "spread", "risk", "p")
        ]
        rows.append(Row(tuple(map(Cell, [str(point["tried"]), *numbers]))))
    yield Table(tuple(map(Column, columns)), tuple(rows))
    yield Sentence(f"{plain(curve['words'])}.")
    for note in curve["notes"]:
        yield Sentence(f"{plain(note)}.", "note")


def search_figure(curve: Summary) -> Figure:
    """Inner CV error and risk over the candidates tried, and after how many no further gain is shown."""
    tried = [point["tried"] for point in curve["points"]]
    marks: list[Marks] = []
    for key, style, label in (("risk", "test", "risk"), ("selection_score", "train", "inner CV error")):
        known = [(at, point[key]) for at, point in zip(tried, curve["points"], strict=True) if point[key] is not None]
        marks.append(Line([at for at, _ in known], [error for _, error in known], style, label))  # type: ignore[arg-type]
    if curve["enough"] is not None:
        label = f"no further gain is shown after {curve['enough']}"
        marks.append(Level(curve["enough"], "best", label, is_upright=True))
    axes = Axis("candidates tried", is_whole=True), Axis(plain(loss_words(curve)))
    return Figure(
        f"{plain(curve['learner'])}: what more candidates bring", *axes, tuple(marks), f"{plain(curve['words'])}."
    )
