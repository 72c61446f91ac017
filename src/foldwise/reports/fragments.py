"""Small pieces for notebooks: self-contained, no script."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foldwise.answers.numbers import candidate_words, number, plain
from foldwise.reports.charts import learning_panel, tag
from foldwise.reports.html import asset
from foldwise.reports.verdict import rows_words


def curve_fragment(curve: Mapping[str, Any]) -> str:
    """A curve as a picture, with its numbers as a table below."""
    name = "training rows" if curve["parameter"] == "train_rows" else plain(curve["parameter"])
    heads = [tag("th", text, scope="col") for text in (name, "training error", "test error", "gap")]
    rows = [
        tag(
            "tr",
            tag("th", candidate_words({"": point["value"]})[1:], scope="row"),
            *(tag("td", number(point[key]), class_="number") for key in ("train", "test", "gap")),
        )
        for point in curve["points"]
    ]
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows))
    words = [tag("p", text)] if (text := rows_words(curve)) else []
    return str(
        tag(
            "div",
            tag("style", asset("fragment.css")),
            learning_panel(curve, title=plain(curve["learner"])),
            *words,
            tag("details", tag("summary", "Numbers"), table),
            class_="foldwise",
        )
    )
