"""A snapshot as the parts of the page; everything that is not our own text is escaped."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foldwise.blocks.block import Cell, Column, Drawn, Strip, Table
from foldwise.blocks.block import Row as Line
from foldwise.blocks.numbers import MISSING, measured, number, plain
from foldwise.live.state import Row, Snapshot
from foldwise.show.notebook import as_html
from foldwise.show.page import asset

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

PHASES = {
    "waiting": ("Waiting", "There is no study in the store yet. This page continues by itself when one starts."),
    "running": ("Running", ""),
    "ending": ("Running", "All fits are done; the answer is being computed."),
    "stopped": ("Stopped", "No run is writing to this store, and its study is not finished."),
    "finished": ("Finished", "All fits are done."),
    "unreadable": ("Cannot be read", ""),
}
PARTS = ("study", "status", "tiles", "findings", "risks", "progress", "failures")


def parts(snapshot: Snapshot) -> dict[str, str]:
    """The parts of the page by their ids."""
    words = {"snapshot": snapshot, **_words(snapshot)}
    return {name: _environment().get_template(f"{name}.html").render(**words).strip() for name in PARTS}


def page(snapshot: Snapshot) -> str:
    """The whole page; it is readable, and renews itself, without its script."""
    return _environment().get_template("page.html").render(
        parts={name: _markup(text) for name, text in parts(snapshot).items()},
        snapshot=snapshot,
        title=plain(Path(snapshot.run).name or snapshot.run),
        styles=styles(),
        script=script(),
    )  # fmt: skip


def message(snapshot: Snapshot) -> str:
    """The message that is sent to open pages."""
    return json.dumps({"phase": snapshot.phase, "parts": parts(snapshot)})


def styles() -> list[str]:
    return [asset("page.css"), _file("live.css")]


def script() -> Markup:
    return _file("live.js")


def _words(snapshot: Snapshot) -> dict[str, Any]:
    head, words = PHASES[snapshot.phase]
    percent = 100 * snapshot.done / snapshot.total if snapshot.total else 0.0
    return {
        "head": head,
        "words": snapshot.problem or _measuring(snapshot) or words,
        "percent": min(percent, 100.0),
        "total": f"{snapshot.sureness} {snapshot.total:,}".strip(),
        "left": _left_words(snapshot),
        "without_risk": [plain(row.name) for row in snapshot.rows if row.risk is None and not row.is_hidden],
        "risk_chart": _risk_chart(snapshot),
        "plain": plain,
        "number": number,
    }


def _measuring(snapshot: Snapshot) -> str:
    """What is done after the last fit, where the importance of columns was asked for."""
    if snapshot.measured is None:
        return ""
    done, count = snapshot.measured
    return f"All fits are done; which columns the picked method needs is being measured: {done} of {count} models."


def _left_words(snapshot: Snapshot) -> str:
    if snapshot.phase == "ending" and snapshot.measured is not None:
        return MISSING if snapshot.left is None else duration(snapshot.left)
    if snapshot.phase in ("finished", "ending"):
        return "none"
    if snapshot.phase not in ("running", "stopped") or snapshot.left is None:
        return MISSING
    sureness = snapshot.sureness if snapshot.is_timed else "at least"
    return f"{sureness} {duration(snapshot.left)}".strip()


def duration(seconds: float) -> str:
    """A length of time in words.

    >>> duration(4.2), duration(250), duration(8000), duration(300_000)
    ('5 s', '4 min', '2.2 h', '3.5 days')
    """
    if seconds < 90:
        return f"{max(5, round(seconds / 5) * 5)} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else f"{seconds / 86_400:.1f} days"


def _risk_chart(snapshot: Snapshot) -> Markup | None:
    """Risks so far on a common scale, the smallest first; methods with folds to come are at the end, marked."""
    known = [(row.is_partial, row.risk, row) for row in snapshot.rows if row.risk is not None and not row.is_hidden]
    if not known:
        return None
    known.sort(key=lambda one: one[:2])
    columns = (Column("learner", is_text=True), *map(Column, ("risk so far", "interval", "rests on")))
    table = Table(columns, tuple(_line(row) for *_, row in known), Strip(), 1, "Risks of the outer folds that are done")
    return _markup(as_html([table]))


def _line(row: Row) -> Line:
    risk, around = measured(row.risk, row.low, row.high)
    cells = (Cell(plain(row.name)), Cell(risk, row.risk), Cell(around), Cell(_kind(row)))
    drawn = Drawn(row.risk, row.low, row.high, words=f"{plain(row.name)}: {risk}, {around}")
    return Line(cells, drawn, "quiet" if row.is_partial else "")


def _kind(row: Row) -> str:
    if row.is_partial:
        return f"partial: {row.folds} of {row.all_folds} folds"
    return f"all folds, {row.interval}" if row.interval else "all folds"


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("foldwise.live")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


@cache
def _file(name: str) -> Markup:
    return _markup(files("foldwise.live").joinpath("templates", name).read_text(encoding="utf-8"))


def _markup(text: str) -> Markup:
    from markupsafe import Markup

    return Markup(text)
