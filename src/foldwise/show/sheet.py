"""What a Matplotlib picture is drawn on: a figure of its own, as wide as a paper wants it, or axes that are there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from foldwise.errors import BadOption, BadStudy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTHS = {"column": 3.5, "page": 7.16}  # inches: one column of a paper with two, and both
USUAL = 6.4  # inches
NARROWEST = 2.5  # inches: below, names leave no room for what is drawn
SMALL = 8  # points of the letters of a paper's figures
PER_INCH = 4.7  # letters of a name beside an axis for each inch of the figure: a third of it
ROOM = 1.3  # times the height of a legend within axes, which a layout may make smaller
PART_END = re.compile(r"[=:/_+|,](?=\w)|(?<=[a-zA-Z])-(?=[a-zA-Z])")  # a long word is broken after it
NAME_SHARE = 1.5  # a figure is wider than its axes by about this


class Sheet:
    """The axes of a picture, and how long its names may be.

    Names are broken into lines to fit: nothing is cut off, and nothing is drawn smaller than it can be read.

    >>> Sheet(width="column").wrapped("a learner with a long name")
    'a learner with a\\nlong name'
    """

    def __init__(self, *, ax: Axes | None = None, width: str | float | None = None, usual: float = USUAL) -> None:
        self.ax = _one_panel(ax, width)
        self.width = _on(ax) if ax is not None else usual if width is None else _inches(width)
        self.size = None if width is None else SMALL  # else the reader's own
        self.letters = max(10, round(PER_INCH * self.width * (1 if self.size is None else 1.1)))

    @property
    def is_narrow(self) -> bool:
        return self.width < USUAL - 1

    def wrapped(self, name: str, *, times: float = 1) -> str:
        """A name in lines that fit; not read as a formula. `times`: how much more room it has than one beside an axis.

        >>> Sheet().wrapped("$5$-nn")
        '\\\\$5\\\\$-nn'
        """
        return "\n".join(_lines(name, round(times * self.letters))).replace("$", r"\$")

    def row(self, names: Sequence[str], *, least: float) -> float:
        """The inches of one row that is named by the longest of these."""
        lines = max((self.wrapped(name).count("\n") + 1 for name in names), default=1)
        return max(least, 0.1 + 0.16 * lines)

    def panels(self, heights: Sequence[float]) -> tuple[Figure, list[Axes]]:
        """Panels of these heights, one below the other, in a figure that a notebook shows and `savefig` saves."""
        figure, axes = self._axes(heights)
        for axis in axes:
            axis.spines[["top", "right"]].set_visible(False)
            if self.size is not None:
                axis.tick_params(labelsize=self.size)
                for text in (axis.title, axis.xaxis.label, axis.yaxis.label):
                    text.set_fontsize(self.size)
        return figure, axes

    def _axes(self, heights: Sequence[float]) -> tuple[Figure, list[Axes]]:
        if self.ax is not None:
            if len(heights) > 1:
                raise BadOption(
                    f"ax= is one panel, and this picture has {len(heights)}, one for each tuned method",
                    "Name one with method=, or leave ax= out",
                )
            return self.ax.figure, [self.ax]
        try:
            from foldwise.show.picture import Picture
        except ModuleNotFoundError:
            raise BadStudy(
                "plots need Matplotlib, which is not installed", "Run pip install 'foldwise[plot]'"
            ) from None
        figure = Picture(figsize=(self.width, sum(heights)))
        axes = figure.subplots(len(heights), 1, squeeze=False, sharex=True, height_ratios=list(heights))[:, 0]
        return figure, list(axes)

    def title(self, axis: Axes, text: str) -> None:
        axis.set_title(self.wrapped(text, times=1.5), **self._sized)

    def name_marks(self, figure: Figure, axis: Axes) -> None:
        """What each mark means, below the picture: within, it would hide some of them."""
        if self.ax is None:
            figure.legend(loc="outside lower center", ncols=1 if self.is_narrow else 3, frameon=False, **self._sized)
            return
        # The figure is another's, who may leave no room around these axes: they get room within, above the marks.
        legend = axis.legend(loc="upper left", fontsize="small", framealpha=1, edgecolor="none")
        share = min(0.6, ROOM * legend.get_window_extent().height / axis.get_window_extent().height)
        bottom, top = axis.get_ylim()
        axis.set_ylim(bottom, bottom + (top - bottom) / (1 - share))

    @property
    def _sized(self) -> dict[str, Any]:
        return {} if self.size is None else {"fontsize": self.size}


def _lines(text: str, width: int) -> Iterator[str]:
    """Text in lines of so many letters: words are whole, those too long are broken between their parts.

    >>> list(_lines("alpha=3.1623, max_features=0.316228", 15))
    ['alpha=3.1623,', 'max_features=', '0.316228']
    """
    line = ""
    for word in text.split():
        if len(line) + 1 + len(word) <= width or not line:
            line = f"{line} {word}".strip()
        else:
            yield line
            line = word
        while len(line) > width:
            cut = max(
                (found.end() for found in PART_END.finditer(line, 0, width + 1) if found.end() <= width), default=width
            )
            yield line[:cut]
            line = line[cut:]
    yield line


def _one_panel(ax: Any, width: Any) -> Any:
    if ax is None:
        return None
    if width is not None:
        raise BadOption("ax= is as wide as it is, and width= asks for another", "Leave one of them out")
    if not hasattr(ax, "set_xlabel"):
        raise BadOption(
            f"ax= is one panel of a Matplotlib figure, not {type(ax).__name__}", "Give one, such as axes[0]"
        )
    return ax


def _on(ax: Axes) -> float:
    """The inches that the figure would have if these axes were its only ones."""
    return float(ax.get_window_extent().width / ax.figure.dpi * NAME_SHARE)


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
