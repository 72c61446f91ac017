"""One risk, under every loss that was asked for, as blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from foldwise.blocks.block import Block, Cell, Column, Drawn, Row, Sentence, Strip, Table
from foldwise.blocks.numbers import plain
from foldwise.questions.method import MethodAnswer
from foldwise.questions.units import Unit, places_for, unit_of
from foldwise.questions.value import Value
from foldwise.stats.estimate import Estimate, plain_number


@dataclass(frozen=True)
class RiskUnder(Value):
    """A risk under one of several losses, and the unit that it is shown in."""

    value: float | None
    low: float | None
    high: float | None
    interval: str | None
    unit: Unit


def risks_under(method: MethodAnswer) -> dict[str, RiskUnder]:
    """The risk of a method under every loss of its study, the first one first."""
    found = {}
    for number, loss in enumerate(method.study.losses):
        estimate = method.estimate(number)
        ends = plain_number(estimate.low), plain_number(estimate.high)
        found[loss.name] = RiskUnder(plain_number(estimate.value), *ends, estimate.interval, unit_of(loss))
    return found


def risk_blocks(estimate: Estimate, *, of: str) -> Iterator[Block]:
    """A sentence, a line for every loss, and the notes."""
    risks: list[RiskUnder] = list(estimate.details.get("risks", {}).values())
    unit = risks[0].unit if risks else Unit("risk")
    ends = unit.ends(estimate.low, estimate.high)
    places = places_for([ends])
    level = f"{100 * estimate.level:g}%"
    around = "no interval is valid here" if ends is None else f"{level} CI {unit.span(ends, places)}"
    yield Sentence(
        f"The {unit.name} of {plain(of)} on new rows is about {unit.text(estimate.value, places)} ({around})."
    )
    rows = [_row(risk.unit, risk.value, risk.low, risk.high, risk.interval) for risk in risks]
    rows = rows or [_row(unit, estimate.value, estimate.low, estimate.high, estimate.interval)]
    heads = ("loss", "on new rows", f"{level} CI", "interval")
    columns = tuple(Column(head, is_text=head in ("loss", "interval")) for head in heads)
    strip = Strip(has_zero=not unit.is_better_high) if len(rows) == 1 else None
    yield Table(columns, tuple(rows), strip, strip_after=3)
    if estimate.target:
        yield Sentence(f"It is the risk of {_target(estimate)}.")
    for code, text in estimate.notes:
        # a finding has its own first word
        yield Sentence(plain(text)) if code.startswith("FW") else Sentence(f"{plain(text)}.", "note")


def _row(unit: Unit, value: float | None, low: float | None, high: float | None, interval: str | None) -> Row:
    ends = unit.ends(low, high)
    places = places_for([ends])
    cells = (Cell(unit.name), Cell(unit.text(value, places)), Cell(unit.span(ends, places)), Cell(interval or ""))
    return Row(cells, Drawn(unit.shown(value), *(ends or (None, None))))


def _target(estimate: Estimate) -> str:
    target = plain(estimate.target)
    if estimate.train_rows is None or "training rows" in target:
        return target
    return f"{target} at {estimate.train_rows:g} training rows"
