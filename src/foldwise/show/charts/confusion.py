"""Which classes are taken for which, as counts and shares."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from foldwise.blocks.numbers import plain
from foldwise.show.charts.svg import tag


def confusion_table(found: Mapping[str, Any], *, caption: str, thresholds: Mapping[str, Any] | None = None) -> Markup:
    """True classes down, predicted ones across: rows, their share of the true class, and a shade of that share.

    With `thresholds` of two classes a script may count the rows again at another threshold.
    """
    classes, counts = [plain(name) for name in found["classes"]], found["counts"]
    heads = [tag("th", "true ↓ predicted →", scope="col"), *(tag("th", name, scope="col") for name in classes)]
    rows = [
        tag(
            "tr",
            tag("th", name, scope="row"),
            *(_cell(count, sum(line), at == place) for place, count in enumerate(line)),
        )
        for at, (name, line) in enumerate(zip(classes, counts, strict=True))
    ]
    above = None if thresholds is None else json.dumps(thresholds["above"], separators=(",", ":"))
    return tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", *heads)),
        tag("tbody", *rows),
        class_="confusion",
        data_above=above,
    )


def threshold_tool(thresholds: Mapping[str, Any], *, key: str) -> Markup:
    """A slider for the threshold of the confusion matrix before it; without scripts it stays hidden."""
    words = f"threshold: {plain(thresholds['of'])} from probability"
    top = {"type": "range", "min": 0, "max": len(thresholds["above"][0]) - 1, "value": 50, "step": 1}
    return tag(
        "div",
        tag("label", words, for_=f"threshold-{key}"),
        Markup(_slider(top, f"threshold-{key}")),
        tag("output", "as predicted", for_=f"threshold-{key}"),
        class_="threshold",
        hidden="",
    )


def _slider(facts: Mapping[str, Any], name: str) -> str:
    """An input has no end tag."""
    return f'<input id="{name}" ' + " ".join(f'{key}="{value}"' for key, value in facts.items()) + ">"


def _cell(count: int, of: int, is_right: bool) -> Markup:
    share = count / of if of else 0.0
    kind = "right" if is_right else "wrong"
    words = tag("small", f"{100 * share:.0f}%", class_="beside")
    return tag("td", tag("span", count, class_="rows"), words, class_=f"{kind} shade-{round(10 * share)}")
