"""How much worse than the best the chosen candidate is, beside the bound of a development set."""

from __future__ import annotations

from typing import Any

import numpy as np

from foldwise.lab.exhibit import Exhibit, Panel, Shown, times
from foldwise.show.plots import BLUE, GREEN, ORANGE
from foldwise.stats.bounds import excess_bound

DEV_ROWS, DELTA, COUNTS = 500, 0.05, (2, 5, 20, 100, 500)


def make(size: float, seed: int) -> Shown:
    """Classifiers with error rates spread over 0.2 to 0.4, judged on a development set."""
    import pandas as pd

    rng, count = np.random.default_rng([seed, 8]), times(4000, size, least=400)
    lines = []
    for candidates in COUNTS:
        rates = np.linspace(0.2, 0.4, candidates)
        seen = rng.binomial(DEV_ROWS, rates, size=(count, candidates)) / DEV_ROWS
        excess = rates[seen.argmin(axis=1)] - rates.min()
        lines.append(
            {
                "candidates": candidates,
                "mean excess": excess.mean(),
                "95% of excesses below": np.quantile(excess, 1 - DELTA),
                "bound": excess_bound(DEV_ROWS, candidates, DELTA),
            }
        )
    frame = pd.DataFrame(lines)
    found = (
        f"With {DEV_ROWS} development rows and {COUNTS[-1]} candidates the chosen one is on average "
        f"{frame['mean excess'].iloc[-1]:.3f} worse than the best; the bound allows {frame['bound'].iloc[-1]:.3f}. It "
        f"grows by the root of the logarithm of the candidates only."
    )
    is_true = bool((frame["95% of excesses below"] <= frame["bound"]).all())

    def draw(axes: Any) -> None:
        for name, colour, style in (
            ("bound", ORANGE, "o-"),
            ("95% of excesses below", BLUE, "s-"),
            ("mean excess", GREEN, "x-"),
        ):
            axes.plot(frame["candidates"], frame[name], style, color=colour, label=name)
        axes.set_xscale("log")
        axes.set_ylim(0)
        axes.set_xlabel("candidates")
        axes.set_ylabel("risk above that of the best")
        axes.legend(fontsize=8, frameon=False)

    return Shown(EXHIBIT.name, EXHIBIT.title, found, frame, (Panel(draw),), is_true)


EXHIBIT = Exhibit(
    "dev-bound",
    "The development-set bound against what happens",
    "With probability 1 - delta the chosen candidate is worse than the best by at most sqrt(2 / n ln(2 |T| / delta)).",
    make,
    section="tuning on a development set",
    further="fw.excess_bound(500, 100, 0.05)",
)
