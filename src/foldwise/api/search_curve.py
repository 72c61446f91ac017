"""What `result.search_curve` gives back: the steps of a search, which can be drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foldwise.questions.curves import search_blocks, search_figure
from foldwise.questions.search_curve import SearchSteps
from foldwise.show.figures import draw
from foldwise.show.notebook import as_html, figure_html

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class SearchCurve(SearchSteps):
    """Selection score and outer risk after 1, 2, 3, ... candidates: prints the steps that changed something.

    `learner`: its name.
    `loss`, `loss_label`: the loss, and how it is written.
    `selection`: the smallest score so far, averaged over outer folds; `spread`: its standard deviation over them.
    `outer`: the outer risk of the candidate with that score.
    `p`: of the test of the list so far against the whole list, or None.
    `level`: the coverage that the interval is made for.
    `notes`: sentences.

    >>> import foldwise as fw
    >>> result = fw.compare(["k-nn:small"], "diabetes", outer=3, inner=2, jobs=1)
    >>> curve = result.search_curve()
    >>> curve.learner, len(curve.selection)
    ('k-nn:small', 9)
    >>> figure = curve.plot()
    """

    def plot(self, *, ax: Axes | None = None, width: str | float | None = None) -> Figure:
        """Selection score and outer risk over the candidates tried; `ax` and `width` as in `Result.plot`.

        `ax`, `width`: as in `Result.plot`.
        """
        return draw(search_figure(self.to_dict()), ax=ax, width=width)

    def _repr_html_(self) -> str:
        return figure_html(search_figure(self.to_dict())) + as_html(search_blocks(self.to_dict()))
