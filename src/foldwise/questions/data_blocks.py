"""The data of a study: columns by type, missing values, and the target."""

from __future__ import annotations

from collections.abc import Iterator

from foldwise.blocks.block import Block, Facts, Panels
from foldwise.blocks.figure import Axis, Bars, Figure, Level
from foldwise.blocks.numbers import listed, number, plain
from foldwise.data.dataset import Dataset
from foldwise.questions.answer import Answer
from foldwise.questions.pictures.table import read_table, table_facts, target_facts
from foldwise.questions.predicted import Summary

KINDS = {"number": "numeric", "text": "text", "category": "categorical", "boolean": "boolean", "date": "date"}
MOST_NAMED = 8  # columns with missing values
RARE = 0.2  # of an equal share


def data_blocks(answer: Answer, data: Dataset | None) -> Iterator[Block]:
    """What is known of the table, which no store keeps, and how its target is distributed."""
    table = read_table(answer.reading.store) if data is None else table_facts(data)
    name = plain((table or {}).get("target") or "target")
    if table:
        kinds = [f"{count:,} {KINDS.get(kind, plain(kind))}" for kind, count in table["kinds"].items()]
        columns = f"{table['columns']:,}" + (f": {listed(kinds)}" if kinds else "")
        missing = missing_words(table, answer.study.rows)
        yield Facts(
            (("target", name), ("rows", f"{answer.study.rows:,}"), ("columns", columns), ("missing values", missing))
        )
    target = target_facts(answer.study)
    if target:
        yield Panels((class_figure(target, name) if "classes" in target else number_figure(target, name),))


def missing_words(table: Summary, rows: int) -> str:
    """Which columns lack values, the most first.

    >>> missing_words({"missing": {"age": 5}, "columns_with_missing": 1}, 20)
    'age 5 (25%)'
    """
    if not table["missing"]:
        return "none"
    shown = list(table["missing"].items())[:MOST_NAMED]
    words = [f"{plain(name)} {count:,} ({100 * count / max(1, rows):.2g}%)" for name, count in shown]
    left = int(table.get("columns_with_missing") or len(table["missing"])) - len(shown)
    return ", ".join(words) + (f" and {left} more columns" if left > 0 else "")


def number_figure(target: Summary, name: str) -> Figure:
    """A histogram of the target."""
    edges, counts = target["edges"], target["counts"]
    low, middle, high = (number(value) for value in target["quartiles"])
    bars = Bars(edges[:-1], edges[1:], [0.0] * len(counts), [float(count) for count in counts])
    words = f"Half of the rows lie between {low} and {high}; the median is {middle}, the mean {number(target['mean'])}."
    axes = Axis(name), Axis("rows", 0.0)
    median = Level(target["quartiles"][1], "second", "median", is_upright=True)
    return Figure(f"Distribution of {name}", *axes, (bars, median), words, is_wide=True)


def class_figure(target: Summary, name: str) -> Figure:
    """The rows of every class."""
    classes = target["classes"]
    label, count = classes[-1]
    share = count / target["rows"]
    is_rare = share * (len(classes) + target["left"]) < RARE
    words = f"The smallest class is {plain(label)} with {100 * share:.2g}% of the rows."
    words = f"{words} An error rate hardly notices it." if is_rare else words
    words += f" {target['left']} more classes are not shown." if target["left"] else ""
    places = range(len(classes))
    bars = Bars(
        [0.0] * len(classes),
        [float(rows) for _, rows in classes],
        [place - 0.32 for place in places],
        [place + 0.32 for place in places],
        tips=[f"{plain(label)}: {rows:,} rows" for label, rows in classes],
    )
    y = Axis(
        "", ticks=tuple((float(place), plain(label)) for place, (label, _) in enumerate(classes)), is_reversed=True
    )
    return Figure(f"Classes of {name}", Axis("rows", 0.0), y, (bars,), words, is_wide=True)
