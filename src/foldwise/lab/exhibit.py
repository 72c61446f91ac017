"""A claim of the manual with the simulation that shows it: numbers, a sentence, and a picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from io import StringIO
from typing import TYPE_CHECKING, Any

from foldwise.errors import BadOption
from foldwise.shown import words_html

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_LINES = 20  # of a table that is printed
Draw = Callable[[Any], None]  # puts its marks on axes of Matplotlib


@dataclass(frozen=True, eq=False)
class Panel:
    """One pair of axes of a picture."""

    draw: Draw
    title: str = ""


@dataclass(frozen=True, eq=False)
class Shown:
    """What an exhibit showed: a table, one sentence that says what to see in it, and a picture.

    >>> import pandas as pd
    >>> shown = Shown("a", "A title", "Two is more than one.", pd.DataFrame({"n": [1, 2]}), (), is_true=True)
    >>> print(shown)
    A title
    Two is more than one.
    <BLANKLINE>
     n
     1
     2
    """

    name: str
    title: str
    found: str
    frame: pd.DataFrame
    panels: tuple[Panel, ...]
    is_true: bool  # did the claim hold in these simulations?
    width: float = 5.0
    height: float = 3.2
    columns: int = field(default=2)

    def table(self) -> pd.DataFrame:
        """The numbers behind the picture."""
        return self.frame.copy()

    def plot(self, ax: Axes | None = None) -> Figure:
        """The picture as a Matplotlib figure; with `ax`, its first panel is drawn there."""
        if ax is not None:
            self.panels[0].draw(ax)
            return ax.figure  # type: ignore[return-value]
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise BadOption("pictures need Matplotlib", 'Install it with pip install "foldwise[plot]"') from None

        columns = min(self.columns, len(self.panels))
        rows = -(-len(self.panels) // columns)
        figure = Figure(figsize=(self.width * columns, self.height * rows), layout="constrained")
        for number, panel in enumerate(self.panels):
            axes = figure.add_subplot(rows, columns, number + 1)
            axes.spines[["top", "right"]].set_visible(False)
            panel.draw(axes)
            if panel.title:
                axes.set_title(panel.title, fontsize=10)
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
        step = -(-len(self.frame) // MOST_LINES)
        return self.frame.iloc[::step].to_string(index=False, float_format="{:.4g}".format)

    def __repr__(self) -> str:
        return f"{self.title}\n{self.found}\n\n{self.lines()}"

    def _repr_html_(self) -> str:
        try:
            picture = self.svg()
        except (BadOption, ImportError):
            picture = ""
        return words_html(self.title, self.found) + picture[picture.find("<svg") :]


@dataclass(frozen=True)
class Exhibit:
    """A claim, the lines a reader can type, and what makes it: a function of how much to simulate and a seed."""

    name: str
    title: str
    claim: str
    make: Callable[[float, int], Shown]
    section: str = ""  # of what the system computes, in docs/understand
    further: str = ""  # lines of Python beside `fw.lab.show`

    def show(self, *, size: float = 1.0, seed: int = 0) -> Shown:
        """Run the simulation; `size` scales how many data sets are drawn."""
        return self.make(size, seed)


def times(count: int, size: float, *, least: int = 20) -> int:
    """How many replications that size asks for.

    >>> times(1000, 0.1), times(100, 0.01)
    (100, 20)
    """
    return max(least, round(count * size))
