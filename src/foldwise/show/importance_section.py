"""Permutation importance as a section of the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from foldwise.blocks.numbers import MISSING, number, plain
from foldwise.show import charts
from foldwise.show.charts import Row
from foldwise.show.importance_text import column_numbers, measured_methods
from foldwise.show.sections import MOST_DOTS, ranked
from foldwise.show.text import by_risk

Found = Mapping[str, Any]
MOST_DRAWN = 15  # columns of a chart; the record has all


def importance_panels(answer: Found) -> list[dict[str, Any]]:
    """By method the chart of its columns, that of the best method open."""
    known = dict(measured_methods(by_risk(answer)))
    return [
        {
            "key": at,
            "title": plain(method["name"]),
            "is_open": method["name"] == next(iter(known)),
            "chart": _chart(plain(method["name"]), known[method["name"]]),
            "words": _words(known[method["name"]]),
            "shuffles": known[method["name"]]["shuffles"],
        }
        for at, method in ranked(answer)
        if method["name"] in known
    ]


def _chart(name: str, found: Found) -> Markup:
    rows = []
    for column in found["columns"][:MOST_DRAWN]:
        label, (value, around) = plain(column["name"]), column_numbers(column)
        folds = list(enumerate(column["folds"]))
        points = tuple((one, f"outer split {at}: {number(one)}") for at, one in folds[:: -(-len(folds) // MOST_DOTS)])
        cells = ((value, column["increase"]), around)
        words = f"{label}: {value}" + ("" if around == MISSING else f", outer splits {around}")
        rows.append(Row(label, value=column["increase"], points=points, cells=cells, words=words))
    heads = ("column", "mean increase", "outer splits")
    caption = f"Increase of the {plain(found['loss'])} loss of {name} with a column shuffled"
    return charts.dots(rows, heads=heads, caption=caption, picture="worse →", line=0.0)


def _words(found: Found) -> str:
    columns = found["columns"]
    sure = sum(column["low"] > 0 for column in columns)
    all_of = f"all {found['of']} outer splits" if found["of"] > 1 else "the outer split"
    pace = found.get("seconds_per_1000")
    times = f" 1,000 rows are predicted in {number(pace, digits=2)} s, the rows of a split at once." if pace else ""
    most = f" The {MOST_DRAWN} largest are shown; the record has all." if len(columns) > MOST_DRAWN else ""
    text = f"The loss grows on {all_of} for {sure} of {len(columns)} columns."
    return text + most + times
