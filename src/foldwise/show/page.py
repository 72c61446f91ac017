"""A document as one self-contained page: no network, everything escaped, readable without its one small script."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Mapping
from datetime import date
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foldwise.blocks.block import Block, Chapter, Document, Facts, Finding, Panels, Sentence, Table
from foldwise.blocks.numbers import plain
from foldwise.errors import BadStudy
from foldwise.show.scale import strip_scale
from foldwise.show.svg import figure_svg, strip_axis, strip_svg

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

MOST_LINKED = 400_000  # characters of JSON that are given as a link too; beyond, the script makes the link
MOST_ROWS = 2000  # of one table
LONG_NAME = 18  # letters of a name that is never broken


def page_html(document: Document, record: Mapping[str, Any], *, made: date | None = None, head: str = "") -> str:
    """The page of a document; `record` is the answer in plain values, which is in the page as JSON.

    `head`: the progress of a run that is not finished, as HTML of our own.
    """
    from markupsafe import Markup

    methods = list(dict.fromkeys(row.method for row in _rows(document.table) if row.method is not None))
    text = json.dumps(record, allow_nan=False)
    link = (
        "data:application/json;base64," + base64.b64encode(text.encode()).decode() if len(text) <= MOST_LINKED else ""
    )
    return environment().get_template("page.html").render(
        document=document,
        chapters=document.chapters,
        methods=[(name, plain(name)) for name in methods],
        places={name: place for place, name in enumerate(methods)},
        made=f"{made or date.today():%-d %B %Y}",
        head=Markup(head),
        answer_json=script_json(record),
        answer_link=link,
        **assets(),
    )  # fmt: skip


def _rows(blocks: tuple[Block, ...]) -> list[Any]:
    return [row for block in blocks if isinstance(block, Table) for row in block.rows]


@cache
def environment() -> Environment:
    """The templates; everything in them is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("foldwise.show"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    kinds = {
        "sentence": Sentence,
        "finding": Finding,
        "table": Table,
        "facts": Facts,
        "panels": Panels,
        "chapter": Chapter,
    }
    made.tests |= {name: _is_a(kind) for name, kind in kinds.items()}
    made.globals |= {
        "figure_svg": figure_svg,
        "strips": _strips,
        "breakable": breakable,
        "plain": plain,
        "most": MOST_ROWS,
    }
    return made


def _is_a(kind: type) -> Any:
    return lambda block: isinstance(block, kind)


def _strips(table: Table) -> dict[str, Any]:
    """The drawn column of a table: a picture for each row, and the scale below them."""
    if table.strip is None:
        return {"rows": [], "axis": ""}
    scale = strip_scale(table)
    drawn = [strip_svg(row.drawn, scale, table.strip, style=row.mark or "main") for row in table.rows]
    return {"rows": drawn, "axis": strip_axis(scale)}


def breakable(name: str) -> Markup:
    """A long name that a narrow column breaks between its parts, never inside a word.

    >>> breakable("forest:small"), breakable("a:learner_with_a_long_name")
    (Markup('forest:small'), Markup('a:<wbr>learner_<wbr>with_<wbr>a_<wbr>long_<wbr>name'))
    """
    from markupsafe import Markup, escape

    if len(name) <= LONG_NAME:
        return escape(name)
    return Markup("<wbr>").join(part for part in re.split(r"(?<=[:/_+.|-])(?=\w)", name))


def write_page(path: str | Path, page: str) -> Path:
    """Write a page to a file, making its folder if need be; the old one stays until the new one is whole."""
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            path.write_text(page, encoding="utf-8")  # a pipe or a device, which nothing can replace
        else:
            _replace(path.resolve(), page)
    except OSError as error:
        raise BadStudy(f"cannot write the report {path}: {error.strerror}", "Give another path") from None
    return path


def _replace(path: Path, page: str) -> None:
    part = path.with_name(f".foldwise-{os.getpid()}.part")
    try:
        with part.open("w", encoding="utf-8") as file:
            file.write(page)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def script_json(value: Any) -> Markup:
    """JSON that may stand in a script element: nothing in it can end the element or begin another."""
    from markupsafe import Markup

    text = json.dumps(value, allow_nan=False)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return Markup(text)


def assets() -> dict[str, Any]:
    """Style and script, with the hashes by which the page allows these two and nothing else."""
    style, script = asset("page.css"), asset("page.js")
    return {
        "style": style,
        "script": script,
        "policy": f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'",
    }


@cache
def asset(name: str) -> Markup:
    """A file of the page as it is: its style or its script."""
    from markupsafe import Markup

    return Markup(files("foldwise.show").joinpath("templates", name).read_text(encoding="utf-8"))


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
