"""A curve for a terminal: a table with the gap drawn, and what it says in sentences."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from foldwise.blocks.numbers import candidate_words, loss_words, number, plain
from foldwise.show.bars import OTHER, VALUE, gap_bar

TRAIN_ROWS = "train_rows"
LONGEST, SHORTEST = 40, 10  # characters of a drawing
GAP = "   "
FLAT = 0.01  # share of the test error that a last step may change and still mean nothing
Point = Mapping[str, Any]


def curve_text(curve: Mapping[str, Any], *, width: int = 80) -> str:
    """The curve (`curve.to_dict()`) as text.

    >>> points = [{"value": 1, "train": 0.0, "test": 4.0}, {"value": 5, "train": 1.0, "test": 2.0}]
    >>> curve = {"learner": "k-nn", "parameter": "n_neighbors", "loss": "squared", "best": 5, "points": points}
    >>> print(curve_text(curve).splitlines()[0])
    k-nn over n_neighbors, squared loss: training error ○, test error ●, gap ─
    """
    points: Sequence[Point] = curve["points"]
    is_over_rows = curve["parameter"] == TRAIN_ROWS
    over = "training rows" if is_over_rows else plain(curve["parameter"])
    head = (
        f"{plain(curve['learner'])} over {over}, {loss_words(curve)}: training error {OTHER}, test error {VALUE}, gap ─"
    )
    words = _rows_words(points) if is_over_rows else _best_words(curve, points)
    return "\n\n".join([textwrap.fill(head, width), _table(over, points, width), textwrap.fill(words, width)])


def _table(over: str, points: Sequence[Point], width: int) -> str:
    """One line for each value, with the two errors drawn on one scale where there is room."""
    known = [point[key] for point in points for key in ("train", "test") if point[key] is not None]
    start, stop = (min(known), max(known)) if known else (0.0, 1.0)
    cells = [[over, "train", "test", "gap"], *map(_cells, points)]
    wide = [max(len(row[at]) for row in cells) for at in range(4)]
    lines = [GAP.join([row[0].ljust(wide[0]), *(row[at].rjust(wide[at]) for at in (1, 2, 3))]) for row in cells]
    room = min(LONGEST, width - len(lines[0]) - len(GAP))
    if room >= SHORTEST:
        bars = [gap_bar(point["train"], point["test"], start=start, stop=stop, width=room) for point in points]
        lines = [f"{line}{GAP}{bar}".rstrip() for line, bar in zip(lines, ["", *bars], strict=True)]
    return "\n".join(lines)


def _cells(point: Point) -> list[str]:
    errors = (point["train"], point["test"], _gap(point))
    return [candidate_words({"": point["value"]})[1:], *map(number, errors)]


def _gap(point: Point) -> float | None:
    return None if point["train"] is None or point["test"] is None else point["test"] - point["train"]


def _best_words(curve: Mapping[str, Any], points: Sequence[Point]) -> str:
    """Where the test error is smallest, and whether that is an end of what was tried."""
    name = plain(curve["parameter"])
    at = next((at for at, point in enumerate(points) if point["value"] == curve["best"]), None)
    if at is None or points[at]["test"] is None:
        return "No value has a test error."
    best = candidate_words({name: curve["best"]})
    words = f"The test error is smallest at {best}: {number(points[at]['test'])}."
    if at in (0, len(points) - 1) and len(points) > 2:
        words += f" That is the {'first' if at == 0 else 'last'} value tried: the best may lie beyond it."
    return f"{words} It chose the value, so it is too good: for the risk of tuning it use `foldwise risk`."


def _rows_words(points: Sequence[Point]) -> str:
    """How much the last rows helped."""
    if len(points) < 2 or points[-1]["test"] is None or points[-2]["test"] is None:
        return "There is no second size to compare with."
    (before, last), fall = points[-2:], points[-2]["test"] - points[-1]["test"]
    share = fall / abs(before["test"]) if before["test"] else 0.0
    sizes = f"from {number(before['value'])} to {number(last['value'])} training rows"
    if share > FLAT:
        return f"The test error still falls, by {100 * share:.1f}% {sizes}: more rows may help."
    if share < -FLAT:
        return f"The test error rose by {100 * -share:.1f}% {sizes}, which may be chance."
    return f"The test error hardly changes any more, by {100 * -share:+.1f}% {sizes}: more rows may help little."
