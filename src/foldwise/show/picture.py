"""A Matplotlib figure that a notebook shows once, with no magic before it. Needs Matplotlib."""

from __future__ import annotations

import io
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

MARGIN = 0.1  # inches
SHARP = 2  # pixels of the picture for each point of the screen


class Picture(Figure):
    """A figure that is its own picture.

    Pyplot does not hold it, so that the inline backend does not draw it a second time at the end of the cell, and a
    figure that is kept in a variable is not drawn at all.

    >>> picture = Picture(figsize=(4, 3))
    >>> data, size = picture._repr_png_()
    >>> data[1:4], size
    (b'PNG', {'width': 400, 'height': 300})
    """

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **{"layout": ConstrainedLayoutEngine(w_pad=MARGIN, h_pad=MARGIN), **options})
        FigureCanvasAgg(self)

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """What a notebook shows: the picture, and the size to show it at."""
        out = io.BytesIO()
        self.savefig(out, format="png", dpi=SHARP * self.dpi)
        width, height = (round(size * self.dpi) for size in self.get_size_inches())
        return out.getvalue(), {"width": width, "height": height}
