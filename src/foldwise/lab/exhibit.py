"""`fw.lab.show`: claims of the manual with the simulations that show them, run on this machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from io import StringIO
from typing import TYPE_CHECKING, Any

from foldwise.errors import BadOption, nearest
from foldwise.shown import words_html

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, GREY = "#0a5fa5", "#b4470f", "#12704f", "#66717f"
MOST_LINES = 20  # of a table that is printed
SIZES = {"small": 0.1, "full": 1.0}
Draw = Callable[[Any], None]  # puts its marks on axes of Matplotlib


@dataclass(frozen=True, eq=False)
class Exhibit:
    """What an exhibit shows: a table, one sentence that says what to see in it, and a picture.

    >>> Exhibit({"n": [1, 2]}, "Two is more than one.", is_true=True, draw={}, title="A title")
    A title
    Two is more than one.
    <BLANKLINE>
     n
     1
     2
    """

    data: Any  # of the table, as pandas takes it
    sentence: str
    is_true: bool  # did the claim hold in these simulations?
    draw: Draw | Mapping[str, Draw]  # one panel, or more by their titles
    size: tuple[float, float] = (5.0, 3.2)  # of a panel, in inches
    columns: int = 2  # of panels
    name: str = ""
    title: str = ""

    def table(self) -> pd.DataFrame:
        """The numbers behind the picture."""
        import pandas as pd

        return pd.DataFrame(self.data)

    def plot(self, ax: Axes | None = None) -> Figure:
        """The picture as a Matplotlib figure; with `ax`, its first panel is drawn there."""
        panels = {"": self.draw} if callable(self.draw) else self.draw
        if ax is not None:
            next(iter(panels.values()))(ax)
            return ax.figure  # type: ignore[return-value]
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise BadOption("pictures need Matplotlib", 'Install it with pip install "foldwise[plot]"') from None

        columns = min(self.columns, len(panels))
        rows = -(-len(panels) // columns)
        figure = Figure(figsize=(self.size[0] * columns, self.size[1] * rows), layout="constrained")
        for number, (title, draw) in enumerate(panels.items()):
            axes = figure.add_subplot(rows, columns, number + 1)
            axes.spines[["top", "right"]].set_visible(False)
            draw(axes)
            axes.set_title(title, fontsize=10)
        return figure

    def svg(self) -> str:
        """The picture as SVG; the same bytes for the same numbers."""
        import matplotlib as mpl

        text = StringIO()
        with mpl.rc_context({"svg.hashsalt": self.name, "svg.fonttype": "path"}):
            self.plot().savefig(text, format="svg", metadata={"Date": None, "Creator": None})
        return text.getvalue()

    def lines(self) -> str:
        """The table as text; of a long one every so many lines."""
        table = self.table()
        return table.iloc[:: -(-len(table) // MOST_LINES)].to_string(index=False, float_format="{:.4g}".format)

    def __repr__(self) -> str:
        return f"{self.title}\n{self.sentence}\n\n{self.lines()}"

    def _repr_html_(self) -> str:
        try:
            picture = self.svg()
        except (BadOption, ImportError):
            picture = ""
        return words_html(self.title, self.sentence) + picture[picture.find("<svg") :]


EXHIBITS: dict[str, tuple[str, Callable[[float, int], Exhibit]]] = {}


def exhibit(name: str, title: str) -> Callable[[Callable[[float, int], Exhibit]], Callable[[float, int], Exhibit]]:
    """Decorator: list a function of how much to simulate and a seed as the exhibit of that name."""

    def listed(make: Callable[[float, int], Exhibit]) -> Callable[[float, int], Exhibit]:
        EXHIBITS[name] = title, make
        return make

    return listed


def exhibits() -> dict[str, str]:
    """The exhibits by name, with their titles.

    >>> import foldwise as fw
    >>> list(fw.lab.exhibits())[:3]
    ['knn-fits', 'knn-curves', 'folds']
    """
    for file in ("gallery", "honesty"):
        import_module(f"foldwise.lab.{file}")
    return {name: title for name, (title, _) in EXHIBITS.items()}


def show(name: str, *, size: str | float = "small", seed: int = 0) -> Exhibit:
    """Show a claim of the manual by simulation: a table, a sentence and a picture.

    `name`: an exhibit, see `fw.lab.exhibits()`.
    `size`: "small" (seconds), "full" (as in the manual), or a share of it.
    `seed`: names the random draws; the same seed gives the same answer.

    >>> import foldwise as fw
    >>> bound = fw.lab.show("dev-bound")
    >>> bound.is_true, len(bound.table()) > 3
    (True, True)
    """
    share = SIZES.get(size) if isinstance(size, str) else size
    if share is None or not 0 < share <= 10:
        raise BadOption(f"there is no size {size!r}", 'Use "small", "full" or a share between 0 and 10')
    if name not in exhibits():
        raise BadOption(f"there is no exhibit {name!r}", nearest(name, EXHIBITS))
    title, make = EXHIBITS[name]
    return replace(make(float(share), seed), name=name, title=title)


def times(count: int, size: float, *, least: int = 20) -> int:
    """How many replications that size asks for.

    >>> times(1000, 0.1), times(100, 0.01)
    (100, 20)
    """
    return max(least, round(count * size))


def curves(data: Mapping[str, Any], styles: Mapping[str, tuple[str, str]], *labels: str, scale: str = "linear") -> Draw:
    """A picture of columns against the first column, each in its colour and style."""

    def draw(axes: Any) -> None:
        for column, (color, style) in styles.items():
            axes.plot(next(iter(data.values())), data[column], style, color=color, label=column)
        axes.set_xscale(scale)
        finish(axes, *labels)

    return draw


def finish(axes: Any, x: str, y: str, **legend: Any) -> None:
    """Name the axes, and the marks in a legend."""
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.legend(fontsize=8, frameon=False, **legend)
