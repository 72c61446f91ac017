"""The data of a study on its page: columns by type, missing values, and the target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foldwise.blocks.numbers import listed, number, plain
from foldwise.show import charts
from foldwise.show.figure import Figure

Found = Mapping[str, Any]
KINDS = {"number": "numeric", "text": "text", "category": "categorical", "boolean": "boolean", "date": "date"}
MOST_SHOWN = 8
RARE = 0.2  # of an equal share


def data_facts(answer: Found, table: Found | None) -> list[tuple[str, str]]:
    """What is known of the table, as terms and words."""
    if not table:
        return []
    kinds = [f"{number(count)} {KINDS.get(kind, plain(kind))}" for kind, count in table["kinds"].items()]
    found = [("columns", f"{number(table['columns'])}: {listed(kinds)}" if kinds else number(table["columns"]))]
    if table.get("target"):
        found.insert(0, ("target", plain(table["target"])))
    return [*found, ("missing values", missing_words(table, int(answer.get("rows") or 0)))]


def missing_words(table: Found, rows: int) -> str:
    """Which columns lack values, the most first.

    >>> missing_words({"missing": {"age": 5}, "columns_with_missing": 1}, 20)
    'age 5 (25%)'
    """
    if not table["missing"]:
        return "none"
    shown = list(table["missing"].items())[:MOST_SHOWN]
    words = [f"{plain(name)} {number(count)} ({100 * count / max(1, rows):.2g}%)" for name, count in shown]
    left = int(table.get("columns_with_missing") or len(table["missing"])) - len(shown)
    return ", ".join(words) + (f" and {left} more columns" if left > 0 else "")


def target_figure(found: Found | None, table: Found | None) -> Figure | None:
    """The target's distribution, with a sentence on its middle or its rarest class."""
    if not found:
        return None
    name = plain((table or {}).get("target") or "target")
    if "classes" in found:
        return Figure(f"Classes of {name}", charts.class_panel(found), _class_words(found), is_wide=True)
    low, middle, high = (number(value) for value in found["quartiles"])
    words = f"Half of the rows lie between {low} and {high}; the median is {middle} (mark below the axis), the mean "
    words += f"{number(found['mean'])}."
    return Figure(f"Distribution of {name}", charts.target_panel(found, name=name), words, is_wide=True)


def _class_words(found: Found) -> str:
    label, count = found["classes"][-1]
    share = count / found["rows"]
    more = f" {found['left']} more classes are not shown." if found["left"] else ""
    if share * (len(found["classes"]) + found["left"]) < RARE:
        return f"{plain(label)} is rare, {100 * share:.2g}% of the rows: a 0-1 loss hardly notices it.{more}"
    return f"The smallest class is {plain(label)} with {100 * share:.2g}% of the rows.{more}"
