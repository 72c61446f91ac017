"""Blocks as the cell of a notebook.

An untrusted notebook keeps neither style sheets nor inline SVG: strips are images, styles stand in their elements.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from html import escape

from foldwise.blocks.block import Block, Cell, Chapter, Drawn, Facts, Finding, Panels, Sentence, Strip, Table
from foldwise.blocks.figure import Figure
from foldwise.show.scale import Scale, strip_scale
from foldwise.show.svg import figure_svg, strip_axis, strip_svg

WIDTH = 220  # of a strip, in pixels
TABLE = "border-collapse: collapse; font-variant-numeric: tabular-nums"
CELL = "padding: 2px 10px; text-align: {}; white-space: nowrap; background: transparent; vertical-align: middle"
SOFT = "opacity: .7"


def as_html(blocks: Iterable[Block]) -> str:
    """Blocks one below the other."""
    return "".join(part for block in blocks for part in _block(block))


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Sentence):
        words = escape(block.text)
        head = "<b>Warning:</b> " if block.role == "warning" else ""
        yield f"<p><b>{words}</b></p>" if block.role == "verdict" else f"<p>{head}{words}</p>"
    elif isinstance(block, Finding):
        kind = "Note" if block.severity == "note" else "Warning"
        yield f"<p><b>{kind} {escape(block.code)}:</b> {escape(block.text)}</p>"
    elif isinstance(block, Table):
        yield _table(block)
    elif isinstance(block, Facts):
        yield "".join(f"<p><b>{escape(name)}</b>: {escape(text)}</p>" for name, text in block.items)
    elif isinstance(block, Panels):
        yield "".join(map(figure_html, block.figures))
    elif isinstance(block, Chapter):
        yield f"<p><b>{escape(block.title)}</b></p>{as_html(block.blocks)}"


def _table(table: Table) -> str:
    scale = strip_scale(table) if table.strip is not None else None
    heads = [_cell("th", escape(column.head), is_text=column.is_text) for column in table.columns]
    rows = []
    for row in table.rows:
        cells = [
            _cell("td", _text(cell, is_best=row.mark == "best"), is_text=column.is_text, is_soft=row.mark == "quiet")
            for cell, column in zip(row.cells, table.columns, strict=True)
        ]
        rows.append(_line(cells, table, _strip(row.drawn, scale, table.strip, row.mark or "main")))
    foot = _line([_cell("td", "", is_text=True)] * len(heads), table, _axis(scale)) if scale is not None else ""
    head = _line(heads, table, _cell("th", "", is_text=True))
    return f'<table style="{TABLE}"><thead>{head}</thead><tbody>{"".join(rows)}{foot}</tbody></table>'


def _line(cells: list[str], table: Table, strip: str) -> str:
    if table.strip is not None:
        cells = [*cells[: table.strip_after], strip, *cells[table.strip_after :]]
    return f"<tr>{''.join(cells)}</tr>"


def _cell(name: str, html: str, *, is_text: bool, is_soft: bool = False) -> str:
    style = CELL.format("left" if is_text else "right") + (f"; {SOFT}" if is_soft else "")
    return f'<{name} style="{style}">{html}</{name}>'


def _text(cell: Cell, *, is_best: bool) -> str:
    html = escape(cell.text)
    html = f"<b>{html}</b>" if is_best or cell.is_strong else html
    return f"{html}<br>{escape(cell.beside)}" if cell.beside else html


def _strip(drawn: Drawn | None, scale: Scale | None, strip: Strip | None, style: str) -> str:
    if scale is None or strip is None:
        return ""
    picture = strip_svg(drawn, scale, strip, style=style)
    return _cell("td", _image(str(picture), 26, drawn.words if drawn else ""), is_text=True)


def _axis(scale: Scale) -> str:
    return _cell("td", _image(str(strip_axis(scale)), 18, ""), is_text=True)


def figure_html(figure: Figure) -> str:
    """A figure as a picture."""
    code = base64.b64encode(str(figure_svg(figure)).encode()).decode()
    words = escape(f"{figure.title}. {figure.words}")
    return f'<p><b>{escape(figure.title)}</b></p><img src="data:image/svg+xml;base64,{code}" width="420" alt="{words}">'


def _image(svg: str, height: int, words: str) -> str:
    """A picture that survives the sanitizer of an untrusted notebook."""
    svg = svg.replace('width="100%"', f'width="{WIDTH}"', 1)
    code = base64.b64encode(svg.encode()).decode()
    return (
        f'<img src="data:image/svg+xml;base64,{code}" width="{WIDTH}" height="{height}" '
        f'style="max-width: none" alt="{escape(words)}">'
    )
