"""What was measured, as a line, a page and a picture."""

from __future__ import annotations

import json
import subprocess
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

ROWS = Path(__file__).with_name("measured.json")
NOTES = Path(__file__).with_name("speed_notes.md")  # how to read the rows, written by hand

HEAD = """\
# How fast it is

Written by `benchmarks/speed.py` (`make bench` is the quick run, `make bench FULL=1` the full one). Foldwise's whole
call (`fw.compare(...)` and the risks, one job, the baseline row included) beside scikit-learn's nested loops:
for every outer fold a `GridSearchCV` on the same inner splits, a refit and the loss of the fold, then a grid search on
all rows. Same folds, same numbers (asserted). CPU seconds of one thread, imports left out; where the loops would take
too long, a share of them is measured and scaled up. Ratios count, seconds depend on the machine. *One* is one fit and
one prediction of all rows. *Answer* is what the rest of the answer takes when it is first read (intervals, comparisons,
corrections), for which the loops have nothing; it is not part of the ratio. *Measured* has the day and the commit of
each row and table; a run replaces those that it measures and leaves the others as they were.

The default study, of several learners, is measured in [effort](effort.md) and [beside FLAML and AutoGluon](rivals.md).
"""


@dataclass
class Row:
    """One task as it was measured."""

    name: str
    title: str
    goal: float | None = None
    most_ones: float | None = None
    share: str = ""
    remark: str = ""
    ours: float = float("nan")
    one: float = float("nan")
    naive: float = float("nan")
    answering: float = float("nan")
    wall: float = float("nan")
    naive_wall: float = float("nan")
    megabytes: float = float("nan")
    naive_megabytes: float = float("nan")
    fits: int = 0
    difference: float = float("nan")
    tight: float | None = None  # difference where scikit-learn comes to the optimum too
    other_choices: int = 0  # outer folds in which the naive side chose another candidate
    peers: dict[str, Any] = field(default_factory=dict)
    peer_differences: dict[str, float] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    measured: str = ""  # the day and the commit

    @property
    def ratio(self) -> float:
        return self.naive / self.ours

    @property
    def ones(self) -> float:
        return self.ours / self.one

    @property
    def is_met(self) -> bool | None:
        if self.goal is None:
            return None
        return self.ratio >= self.goal and (self.most_ones is None or self.ones <= self.most_ones)


def line_of(row: Row) -> str:
    """A row for the terminal."""
    if row.problems:
        return f"{row.title}: {'; '.join(row.problems)}"
    met = {None: "", True: ", goal met", False: f", GOAL MISSED ({goal_of(row)})"}[row.is_met]
    peers = "".join(f"\n    {name}: {seconds(value)}" for name, value in row.peers.items())
    return (
        f"{row.title}: {row.ours:.3g} s for {row.naive:.4g} s, {row.ratio:.1f} x, {row.ones:.1f} x one, "
        f"answer {row.answering:.2g} s, "
        f"{row.megabytes:.0f} MB for {row.naive_megabytes:.0f} MB, differs by {_difference(row)}{met}{peers}"
    )


def day_and_commit() -> str:
    """When and at which state of the code this is measured."""
    told = subprocess.run(
        ["git", "rev-parse", "--short=7", "HEAD"], capture_output=True, text=True, check=False, cwd=ROWS.parent
    )
    return " ".join([date.today().isoformat(), told.stdout.strip()]).strip()


def goal_of(row: Row) -> str:
    if row.goal is None:
        return ""
    return f">= {row.goal:g}" + (f", <= {row.most_ones:g} x one" if row.most_ones else "")


def seconds(value: Any) -> str:
    return f"{value:.3g} s" if isinstance(value, float) else str(value)


def write_page(folder: Path, size: str, rows: list[Row], checks: dict[str, str], order: list[str]) -> None:
    """Put this run on the page, in the place of what it measured again and beside what it did not."""
    kept = json.loads(ROWS.read_text()) if ROWS.exists() and size != "tiny" else {}
    before = kept.get(size, {"rows": [], "checks": {}})
    known = {values["name"]: values for values in before["rows"]} | {row.name: asdict(row) for row in rows}
    kept[size] = {"rows": [known[name] for name in order if name in known], "checks": before["checks"] | checks}
    if size != "tiny":
        draft = ROWS.with_suffix(".draft")
        draft.write_text(json.dumps(kept, indent=1) + "\n")
        draft.replace(ROWS)  # a run that is killed leaves the rows it had
    parts = [HEAD]
    for name, title in (("full", "## The goals"), ("quick", "## The quick run"), ("tiny", "## A trial")):
        if name in kept:
            shown = [Row(**values) for values in kept[name]["rows"]]
            parts += [title, *(["![seconds of both sides](speed.svg)"] if name == "full" else []), table_of(shown)]
            parts += [*([NOTES.read_text()] if name == "full" else []), *kept[name]["checks"].values()]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "speed.md").write_text("\n\n".join(part.rstrip() for part in parts) + "\n")
    if size != "quick":
        (folder / "speed.svg").write_text(picture([Row(**values) for values in kept[size]["rows"]]))


def table_of(rows: list[Row]) -> str:
    lines = [
        "| task | one (s) | naive (s) | ours (s) | naive / ours | ours / one | goal | met | answer (s) "
        "| wall, ours (s) | peak MB, ours / naive | difference | other peers (s) | measured |",
        "| --- " * 14 + "|",
    ]
    for row in rows:
        if row.problems:
            lines.append(f"| {row.title} | " + "| " * 11 + f"| {'; '.join(row.problems)} | {row.measured} |")
            continue
        met = {None: "", True: "yes", False: "**no**"}[row.is_met]
        naive = f"{row.naive:.3g}" + (f" (scaled from {row.share})" if row.share else "")
        lines.append(
            f"| {row.title} | {row.one:.2g} | {naive} | {row.ours:.3g} | **{row.ratio:.1f}** | {row.ones:.3g} "
            f"| {goal_of(row)} | {met} | {row.answering:.2g} | {row.wall:.3g} "
            f"| {row.megabytes:.0f} / {row.naive_megabytes:.0f} | {_difference(row)} | {_peers(row)} | {row.measured} |"
        )
    return "\n".join(lines)


def _difference(row: Row) -> str:
    words = f"{row.difference:.0e}" + ("" if row.tight is None else f" ({row.tight:.0e} at a tight tolerance)")
    return words + (f"; another choice in {row.other_choices} folds" if row.other_choices else "")


def _peers(row: Row) -> str:
    found = []
    for name, value in row.peers.items():
        gap = row.peer_differences.get(name)
        found.append(f"{name}: {seconds(value)}" + (f" (differs by {gap:.0e})" if gap and gap > 1e-6 else ""))
    return "; ".join(found)


def picture(rows: list[Row]) -> str:
    """Seconds of both sides on a logarithmic axis, as a drawing without dependencies."""
    import math

    known = [row for row in rows if not row.problems]
    low = math.floor(math.log10(min((min(row.ours, row.one) for row in known), default=0.1)))
    high = math.ceil(math.log10(max((row.naive for row in known), default=1.0)))
    left, width, step = 440, 460, 24

    def across(value: float) -> float:
        return left + width * (math.log10(value) - low) / (high - low)

    height = 50 + step * len(known) + 30
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 980 {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="980" height="{height}" fill="white"/>',
        '<text x="10" y="20" font-weight="bold">CPU seconds: '
        '<tspan fill="#999">one fit</tspan>, <tspan fill="#0a7">Foldwise</tspan>, '
        '<tspan fill="#c33">scikit-learn, nested loops</tspan></text>',
    ]
    for power in range(low, high + 1):
        x = across(10.0**power)
        parts.append(f'<line x1="{x:.1f}" y1="32" x2="{x:.1f}" y2="{height - 28}" stroke="#ddd"/>')
        parts.append(f'<text x="{x:.1f}" y="{height - 12}" text-anchor="middle">{10.0**power:g}</text>')
    for at, row in enumerate(known):
        y = 50 + step * at
        first, last = across(row.ours), across(row.naive)
        parts += [
            f'<text x="{left - 12}" y="{y + 4}" text-anchor="end">{row.title}</text>',
            f'<line x1="{first:.1f}" y1="{y}" x2="{last:.1f}" y2="{y}" stroke="#bbb" stroke-width="2"/>',
            f'<circle cx="{across(row.one):.1f}" cy="{y}" r="3" fill="#999"/>',
            f'<circle cx="{first:.1f}" cy="{y}" r="5" fill="#0a7"/>',
            f'<circle cx="{last:.1f}" cy="{y}" r="5" fill="#c33"/>',
            f'<text x="{last + 9:.1f}" y="{y + 4}">{row.ratio:.3g} x</text>',
        ]
    return "\n".join([*parts, "</svg>", ""])
