"""Figures and tables of intervals drawn by Matplotlib, from the values that the page draws."""

from __future__ import annotations

import io
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from foldwise.blocks.block import Table
from foldwise.blocks.figure import Axis, Band, Bars, Cells, Figure, Level, Line, Marks, Points, Whiskers
from foldwise.errors import BadOption, BadStudy
from foldwise.show.svg import COLORS, legend_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

BLUE, ORANGE, GREEN, GREY = COLORS["main"], COLORS["second"], COLORS["best"], COLORS["quiet"]
WIDTHS = {"column": 3.5, "page": 7.16}  # inches: one column of a paper with two, and both
USUAL, NARROWEST = 6.4, 2.5  # inches
SMALL = 8  # points of the letters of a paper's figures
PER_INCH = 4.7  # letters of a name beside an axis for each inch of the figure
ROW = 0.36  # inches of a named row
ENDINGS = (".svg", ".png", ".pdf")
SHARP = 2  # pixels of the picture for each point of a notebook's screen


def draw(figures: Figure | Sequence[Figure], *, ax: Axes | None = None, width: str | float | None = None) -> Picture:
    """One figure, or several below each other, on a picture of their own or on the axes `ax`."""
    figures = [figures] if isinstance(figures, Figure) else list(figures)
    size = None if width is None else SMALL
    inches = USUAL if width is None else _inches(width)
    picture, axes = _axes([_height(figure, inches) for figure in figures], inches, ax, width)
    for figure, axis in zip(figures, axes, strict=True):
        _draw(figure, axis, inches, size)
    return picture


def draw_table(
    table: Table, name: str, *, ax: Axes | None = None, width: str | float | None = None, note: str = ""
) -> Picture:
    """The drawn column of a table: a row for each method, with its interval."""
    rows = [row for row in table.rows if row.drawn is not None and row.drawn.value is not None]
    places = [float(place) for place in range(len(rows))]
    labels = tuple((place, row.cells[0].text) for place, row in zip(places, rows, strict=True))
    marks: list[Marks] = []
    for place, row in zip(places, rows, strict=True):
        style: Any = {"best": "main", "quiet": "quiet"}.get(row.mark, "test")
        drawn = row.drawn
        assert drawn is not None
        assert drawn.value is not None
        if drawn.low is not None and drawn.high is not None:
            marks.append(Whiskers([place], [drawn.low], [drawn.high], style, is_flat=True))
        if drawn.start is not None:
            ends = sorted((drawn.start, drawn.value))
            marks.append(Whiskers([place], [ends[0]], [ends[1]], "quiet", is_flat=True))
            marks.append(Points([drawn.start], [place], "second", is_hollow=True))
        marks.append(Points([drawn.value], [place], style))
    if table.strip is not None and table.strip.line is not None:
        marks.append(Level(table.strip.line, is_upright=True))
    axes = Axis(f"{name}{f' ({note})' if note else ''}"), Axis("", ticks=labels, is_reversed=True)
    return draw(Figure(table.title, *axes, tuple(marks), is_wide=True), ax=ax, width=width)


def _height(figure: Figure, inches: float) -> float:
    if figure.is_square:
        return 0.85 * inches
    rows = len(figure.y.ticks or ()) if figure.is_wide or any(isinstance(mark, Cells) for mark in figure.marks) else 0
    return 1.2 + ROW * max(2, rows) if rows else 0.6 * inches


def _axes(heights: Sequence[float], inches: float, ax: Axes | None, width: Any) -> tuple[Picture, list[Axes]]:
    if ax is not None:
        if width is not None:
            raise BadOption("ax= is as wide as it is, and width= asks for another", "Leave one of them out")
        if not hasattr(ax, "set_xlabel"):
            kind = type(ax).__name__
            raise BadOption(f"ax= is one panel of a Matplotlib figure, not {kind}", "Give one, such as axes[0]")
        if len(heights) > 1:
            raise BadOption(
                f"ax= is one panel, and this picture has {len(heights)}", "Name one with method=, or leave ax= out"
            )
        return ax.figure, [ax]  # type: ignore[return-value]
    if find_spec("matplotlib") is None:
        raise BadStudy("plots need Matplotlib, which is not installed", "Run pip install 'foldwise[plot]'")
    picture = _shown_once(inches, sum(heights))
    axes = picture.subplots(len(heights), 1, squeeze=False, height_ratios=list(heights))[:, 0]
    return picture, list(axes)


def _shown_once(width: float, height: float) -> Picture:
    """A figure that pyplot does not hold, so that a notebook shows it once, and not at all where it is only kept."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Base

    class Picture(Base):
        def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
            out = io.BytesIO()
            self.savefig(out, format="png", dpi=SHARP * self.dpi)
            wide, high = (round(size * self.dpi) for size in self.get_size_inches())
            return out.getvalue(), {"width": wide, "height": high}

    picture = Picture(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(picture)
    return picture


def _draw(figure: Figure, axis: Axes, inches: float, size: int | None) -> None:
    letters = max(10, round(PER_INCH * inches))
    for mark in figure.marks:
        _mark(mark, axis)
    axis.spines[["top", "right"]].set_visible(False)
    text: dict[str, Any] = {} if size is None else {"fontsize": size}
    axis.set_title(_plain(fill(figure.title, 2 * letters)), **text)
    axis.set_xlabel(_plain(fill(figure.x.name, 2 * letters)), **text)
    axis.set_ylabel(_plain(fill(figure.y.name, 2 * letters)), **text)
    for side, values in ((figure.x, axis.xaxis), (figure.y, axis.yaxis)):
        if side.ticks is not None:
            names = [_plain(fill(name, letters)) for _, name in side.ticks]
            values.set_ticks([place for place, _ in side.ticks], names)
    axis.set_xlim(figure.x.low, figure.x.high)
    axis.set_ylim(figure.y.low, figure.y.high)
    if figure.x.is_log:
        axis.set_xscale("log")
    if figure.y.ticks is not None and figure.is_wide:
        axis.set_ylim(-0.6, len(figure.y.ticks) - 0.4)
    if figure.y.is_reversed:
        axis.invert_yaxis()
    if size is not None:
        axis.tick_params(labelsize=size)
    if legend_of(figure.marks):
        axis.legend(fontsize=size or "small", frameon=False)


def _mark(mark: Marks, axis: Axes) -> None:
    if isinstance(mark, Cells):
        for column, line, shade in zip(mark.x, mark.y, mark.shades, strict=True):
            axis.bar(column, 1, 1, line - 0.5, color=COLORS["main"], alpha=0.06 + 0.84 * shade)
        for column, line, text, shade in zip(mark.x, mark.y, mark.texts, mark.shades, strict=False):
            axis.text(column, line, text, ha="center", va="center", color="white" if shade > 0.55 else "black")
        for place in mark.marked:
            axis.bar(mark.x[place], 1, 1, mark.y[place] - 0.5, fill=False, edgecolor=COLORS["second"], linewidth=2)
        return
    color, label = COLORS[mark.style], _plain(mark.label) or None
    if isinstance(mark, Line):
        style = "--" if mark.is_dashed or mark.style == "diagonal" else "-"
        axis.plot(mark.x, mark.y, style, color=color, label=label, linewidth=1 if mark.is_thin else 2)
    elif isinstance(mark, Band):
        axis.fill_between(mark.x, mark.low, mark.high, color=color, alpha=0.15, label=label)
    elif isinstance(mark, Points):
        sizes = [36 * size for size in mark.sizes] or (8 if len(mark.x) > 60 else 24)
        face = "none" if mark.is_hollow else color
        axis.scatter(mark.x, mark.y, sizes, facecolors=face, edgecolors=color, label=label, zorder=3)
        for x, y, name in zip(mark.x, mark.y, mark.names, strict=False):
            axis.annotate(_plain(name), (x, y), xytext=(6, 4), textcoords="offset points")
    elif isinstance(mark, Whiskers):
        lines = axis.hlines if mark.is_flat else axis.vlines
        lines(mark.at, mark.low, mark.high, color=color, linewidth=2, label=label or "")
    elif isinstance(mark, Bars):
        widths = [right - left for left, right in zip(mark.left, mark.right, strict=True)]
        heights = [top - bottom for bottom, top in zip(mark.bottom, mark.top, strict=True)]
        axis.bar(mark.left, heights, widths, mark.bottom, align="edge", color=color, label=label)
    else:
        rule = axis.axvline if mark.is_upright else axis.axhline
        rule(mark.value, color=color, linestyle=":", label=label)


def _plain(text: str) -> str:
    """Text that is not read as a formula."""
    return text.replace("$", r"\$")


def _inches(width: Any) -> float:
    """
    >>> _inches("page"), _inches(5)
    (7.16, 5.0)
    """
    if isinstance(width, str) and width in WIDTHS:
        return WIDTHS[width]
    is_number = isinstance(width, int | float) and not isinstance(width, bool)
    if not is_number or not NARROWEST <= width <= 100:
        words = " or ".join(f'"{name}"' for name in WIDTHS)
        raise BadOption(f"width={width!r} is not a width of a figure", f"Give {words}, or inches from {NARROWEST:g}")
    return float(width)


def check_figure_path(path: str | Path) -> Path:
    """Refuse a name that no picture can have, or any where Matplotlib is missing: before the first fit, not after.

    >>> check_figure_path("curve.PDF").suffix
    '.PDF'
    """
    path = Path(path)
    if find_spec("matplotlib") is None:
        raise BadOption("pictures need Matplotlib, which is not installed", "Run pip install 'foldwise[plot]'")
    if path.suffix.lower() not in ENDINGS:
        raise BadOption(f"a picture cannot be written as {path.name!r}", f"End its name with {', '.join(ENDINGS)}")
    return path


def save_figure(picture: Picture, path: str | Path) -> None:
    """Write a picture as SVG, PNG or PDF, by the ending of its name."""
    path = check_figure_path(path)
    try:
        picture.savefig(path, dpi=200, bbox_inches="tight")
    except OSError as error:
        raise BadOption(
            f"cannot write {str(path)!r}: {error.strerror or error}", "Name a file in a folder that is there"
        ) from None
