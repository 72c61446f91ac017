"""Write docs/map.svg from the imports themselves; a test asserts that it is up to date.

Rooms stand in the order of the layers contract in pyproject.toml, which import-linter checks. An arrow that follows
from others is left out: where A imports B and B imports C, A may import C too.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import grimp

ROOT = Path(__file__).parents[1]
WIDTH, TOP, STEP = 800, 30, 58
BOX_WIDTH, BOX_HEIGHT = 118, 32
COLUMNS = {"runner": 130, "value": 345, "reader": 590}
PLACES = {"testing": 215, "cli": 345, "lab": 500, "studies": 385, "tuners": 205}  # where the middle is in the way
COLOURS = {"runner": "#fde6cf", "reader": "#d8e8fb", "value": "#eeeeee"}
EVERYONE_IMPORTS = ("plugins", "arrays", "errors")
FAR = 3  # layers; an arrow over so many runs along the margin

Edge = tuple[str, str]


class Box(NamedTuple):
    """A room on the map."""

    x: int
    layer: int
    role: str

    @property
    def top(self) -> int:
        return TOP + STEP * self.layer

    @property
    def middle(self) -> int:
        return self.top + BOX_HEIGHT // 2

    @property
    def bottom(self) -> int:
        return self.top + BOX_HEIGHT


def page() -> str:
    """The whole picture."""
    boxes = make_boxes()
    imports = room_imports(grimp.build_graph("foldwise", cache_dir=None))
    upward = {(one, other) for one, other in imports if boxes[one].layer > boxes[other].layer}
    shown = [edge for edge in sorted(reduced(imports - upward)) if edge[1] not in EVERYONE_IMPORTS]
    height = TOP + STEP * (1 + max(box.layer for box in boxes.values())) + 70
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="14">',
        "<title>The rooms of Foldwise and what they import</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#555"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        *arrows(shown, sorted(upward), boxes),
        *(_drawn(name, box) for name, box in boxes.items()),
        *_legend(height),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def layers() -> list[list[str]]:
    """The rooms from the top down; those of one layer do not import one another."""
    found = [[name.strip() for name in layer.split("|")] for layer in contract("Left imports right")["layers"]]
    return [layer for layer in found if layer != ["__main__"]]


def contract(name: str) -> dict[str, Any]:
    """One of the import contracts."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts: list[dict[str, Any]] = settings["tool"]["importlinter"]["contracts"]
    return next(one for one in contracts if one["name"] == name)


def make_boxes() -> dict[str, Box]:
    """Where each room stands: its layer from one contract, its column from the one that parts readers and runners."""
    apart = contract("Readers never run")
    readers, runners = (_rooms(apart[part]) for part in ("source_modules", "forbidden_modules"))
    boxes: dict[str, Box] = {}
    for at, layer in enumerate(layers()):
        roles = {name: "reader" if name in readers else "runner" if name in runners else "value" for name in layer}
        for role in COLUMNS:
            own = [name for name in layer if roles[name] == role]
            for place, name in enumerate(own):
                x = COLUMNS[role] + (2 * place - len(own) + 1) * (BOX_WIDTH + 22) // 2
                boxes[name] = Box(PLACES.get(name, x), at, role)
    return boxes


def room_imports(graph: grimp.ImportGraph) -> set[Edge]:
    """Which room imports which; the names of the package itself, loaded on use, are not a room."""
    pairs = (
        (module.split(".")[1], other.split(".")[1])
        for module in graph.modules
        for other in graph.find_modules_directly_imported_by(module)
        if "." in module and "." in other
    )
    return {pair for pair in pairs if pair[0] != pair[1] and "__main__" not in pair}


def reduced(edges: set[Edge]) -> set[Edge]:
    """The edges that do not follow from others.

    >>> sorted(reduced({("a", "b"), ("b", "c"), ("a", "c")}))
    [('a', 'b'), ('b', 'c')]
    """
    below: dict[str, set[str]] = {}
    for one, other in edges:
        below.setdefault(one, set()).add(other)

    def reached(room: str) -> set[str]:
        return set().union(*({other} | reached(other) for other in below.get(room, ())))

    return {(one, other) for one, other in edges if not any(other in reached(via) for via in below[one] - {other})}


def arrows(edges: list[Edge], upward: list[Edge], boxes: dict[str, Box]) -> Iterator[str]:
    """Arrows from importer to imported; long ones along the margins, each in a lane of its own."""
    lanes = {"left": 0, "right": 0}
    for one, other in [*edges, *upward]:
        start, end = boxes[one], boxes[other]
        if abs(end.layer - start.layer) < FAR and (one, other) in edges:
            path = f"M{start.x} {start.bottom} C{start.x} {start.bottom + 22} {end.x} {end.top - 22} {end.x} {end.top}"
        else:
            side = "left" if start.role == "runner" else "right"
            path = _along(side, 14 + 12 * lanes[side], start, end)
            lanes[side] += 1
        dashes = "" if (one, other) in edges else ' stroke-dasharray="5 4"'
        yield f'<path d="{path}" fill="none" stroke="#555"{dashes} marker-end="url(#tip)"/>'


def _along(side: str, lane: int, start: Box, end: Box) -> str:
    """Out to the margin, along it, and in again."""
    way = -1 if side == "left" else 1
    x = lane if side == "left" else WIDTH - lane
    first, last = start.x + way * BOX_WIDTH // 2, end.x + way * BOX_WIDTH // 2
    turn = 8 if end.layer > start.layer else -8
    here, there = start.middle + 2 * turn // 8, end.middle - 2 * turn // 8
    return (
        f"M{first} {here} H{x - way * 8} Q{x} {here} {x} {here + turn} "
        f"V{there - turn} Q{x} {there} {x - way * 8} {there} H{last}"
    )


def _drawn(name: str, box: Box) -> str:
    left = box.x - BOX_WIDTH // 2
    return (
        f'<rect x="{left}" y="{box.top}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="5" '
        f'fill="{COLOURS[box.role]}" stroke="#777"/>'
        f'<text x="{box.x}" y="{box.middle + 5}" text-anchor="middle" fill="#111">{name}</text>'
    )


def _legend(height: int) -> Iterator[str]:
    words = (("runner", "runners"), ("reader", "readers"), ("value", "neither"))
    for at, (role, word) in enumerate(words):
        x = 60 + 110 * at
        yield f'<rect x="{x}" y="{height - 58}" width="16" height="16" rx="3" fill="{COLOURS[role]}" stroke="#777"/>'
        yield f'<text x="{x + 24}" y="{height - 45}" fill="#111">{word}</text>'
    names = ", ".join(EVERYONE_IMPORTS)
    text = f"Every room may import {names}. An arrow that follows from others is left out."
    yield f'<text x="60" y="{height - 18}" fill="#111" font-size="13">{text}</text>'
    dashed = "Dashed: a tuned learner that is fitted on its own"
    yield f'<text x="400" y="{height - 45}" fill="#111" font-size="13">{dashed}</text>'


def _rooms(modules: list[str]) -> set[str]:
    return {module.split(".")[1] for module in modules}


if __name__ == "__main__":
    Path(__file__).with_name("map.svg").write_text(page(), encoding="utf-8")
