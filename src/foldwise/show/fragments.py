"""Small pieces for notebooks: self-contained, no script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from foldwise.blocks.numbers import candidate_words, loss_words, number, plain
from foldwise.show.charts import learning_panel, tag
from foldwise.show.html import asset
from foldwise.show.verdict import rows_words

SEARCH = {"train": "selection score", "test": "risk"}  # the last is drawn above the first


def curve_fragment(curve: Mapping[str, Any]) -> str:
    """A curve as a picture, with its numbers as a table below."""
    name = "training rows" if curve["parameter"] == "train_rows" else plain(curve["parameter"])
    rows = [
        (candidate_words({"": point["value"]})[1:], *(number(point[key]) for key in ("train", "test", "gap")))
        for point in curve["points"]
    ]
    return _fragment(
        f"{plain(curve['learner'])}, {plain(loss_words(curve))}",
        learning_panel(curve, title=plain(curve["learner"])),
        words=[_best_words(curve), rows_words(curve)],
        table=_table((name, "training error", "test error", "gap"), rows),
    )


def search_fragment(curve: Mapping[str, Any]) -> str:
    """What more candidates brought as a picture, with its numbers as a table below."""
    points = curve["points"]
    steps = [{"value": point["tried"], "train": point["selection_score"], "test": point["risk"]} for point in points]
    rows = [
        (str(point["tried"]), *(number(point[key]) for key in ("selection_score", "spread", "risk")), _p_words(point))
        for point in points
    ]
    return _fragment(
        f"{plain(curve['learner'])}, {len(points)} candidates, {plain(loss_words(curve))}",
        learning_panel(
            {"parameter": "candidates tried", "points": steps}, title=plain(curve["learner"]), names=SEARCH
        ),
        words=[f"{plain(curve['words'])}.", *(plain(note) for note in curve["notes"])],
        table=_table(("candidates tried", "selection score", "spread", "risk", "p"), rows),
    )  # fmt: skip


def _fragment(head: str, picture: Markup, *, words: Sequence[str], table: Markup) -> str:
    return str(
        tag(
            "div",
            tag("style", asset("fragment.css")),
            tag("p", head, class_="study"),
            picture,
            *(tag("p", text) for text in words if text),
            tag("details", tag("summary", "Numbers"), tag("div", table, class_="wide")),
            class_="foldwise",
        )
    )


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Markup:
    first, *rest = heads
    head = tag("tr", tag("th", first, scope="col"), *(tag("th", text, scope="col", class_="number") for text in rest))
    body = [
        tag("tr", tag("th", name, scope="row"), *(tag("td", text, class_="number") for text in cells))
        for name, *cells in rows
    ]
    return tag("table", tag("thead", head), tag("tbody", *body))


def _best_words(curve: Mapping[str, Any]) -> str:
    known = [point["test"] for point in curve["points"] if point["test"] is not None]
    if curve["parameter"] == "train_rows" or not known or curve.get("best") is None:
        return ""
    at = candidate_words({curve["parameter"]: curve["best"]})
    return f"The smallest test error is {number(min(known))}, at {at}; as it was chosen by it, it is optimistic."


def _p_words(point: Mapping[str, Any]) -> str:
    return number(point["p"], digits=2)
