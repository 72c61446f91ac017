"""A Matplotlib figure as a file."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from foldwise.errors import BadOption

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDINGS = (".svg", ".png", ".pdf")


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


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure as SVG, PNG or PDF, by the ending of its name."""
    path = check_figure_path(path)
    try:
        figure.savefig(path, dpi=200, bbox_inches="tight")
    except OSError as error:
        raise BadOption(
            f"cannot write {str(path)!r}: {error.strerror or error}", "Name a file in a folder that is there"
        ) from None
