"""How often what was said with a probability was so, and which classes are taken for which."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from foldwise.answers.numbers import number
from foldwise.reports.charts.panel import Axis, across, panel, path, upwards
from foldwise.reports.charts.svg import Scale, tag


def calibration_panel(found: Mapping[str, Any], *, title: str) -> Markup:
    """Observed share against the probability said; points above the diagonal were said too low."""
    unit = Scale(0.0, 1.0)
    x, y = across(unit), upwards(unit)
    most = max(part["rows"] for part in found["bins"])
    points = [(x(part["said"]), y(part["so"])) for part in found["bins"]]
    marks = [path([(x(0), y(0)), (x(1), y(1))], class_="line diagonal"), path(points, class_="line score")]
    for part, (at, up) in zip(found["bins"], points, strict=True):
        tip = f"said {number(part['said'], digits=2)}, was so {number(part['so'], digits=2)} ({part['rows']} rows)"
        size = 2.5 + 5 * (part["rows"] / most) ** 0.5
        marks.append(tag("circle", tag("title", tip), cx=at, cy=up, r=size, class_="point score"))
    words = f"observed share by predicted probability of {found['of']}, in {len(points)} bins"
    return panel(*marks, x=Axis(x, "probability said"), y=Axis(y, "share observed"), title=title, words=words)


def confusion_table(found: Mapping[str, Any], *, caption: str) -> Markup:
    """True classes down, predicted ones across; the shade is the share of the true class."""
    classes, counts = found["classes"], found["counts"]
    heads = [tag("th", "true ↓ predicted →", scope="col"), *(tag("th", name, scope="col") for name in classes)]
    rows = [
        tag(
            "tr",
            tag("th", name, scope="row"),
            *(_cell(count, sum(line), at == place) for place, count in enumerate(line)),
        )
        for at, (name, line) in enumerate(zip(classes, counts, strict=True))
    ]
    return tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", *heads)),
        tag("tbody", *rows),
        class_="confusion",
    )


def _cell(count: int, of: int, is_right: bool) -> Markup:
    share = count / of if of else 0.0
    kind = "right" if is_right else "wrong"
    tip = f"{100 * share:.0f}% of this class"
    return tag("td", count, class_=f"{kind} shade-{round(10 * share)}", title=tip)
