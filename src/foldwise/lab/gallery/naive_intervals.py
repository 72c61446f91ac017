"""How often the usual interval over folds covers, beside one that is valid."""

from __future__ import annotations

from typing import Any

import numpy as np

from foldwise.lab.exhibit import Exhibit, Panel, Shown, times
from foldwise.lab.interval_coverage import coverage
from foldwise.show.plots import BLUE, GREY, ORANGE

CASES = (("linear", 50), ("linear", 200), ("smooth", 50), ("13% positive", 100), ("two classes", 100))
LEVEL, FOLDS = 0.95, 10
NAMES = {"naive z": "losses taken as independent", "fold t": "SD / sqrt(K) over folds", "corrected t": "corrected t"}


def make(size: float, seed: int) -> Shown:
    """Coverage of the mean risk at the training size, for what other tools print and for the corrected t."""
    import pandas as pd

    count = times(4000, size, least=300)
    lines = []
    for problem, rows in CASES:
        found = coverage([problem], list(NAMES), rows=[rows], folds=[FOLDS], replications=count, seed=seed, jobs=1)
        covered = dict(zip(found["interval"], found["coverage"], strict=True))
        lines.append({"problem": problem, "rows": rows, **{words: covered[name] for name, words in NAMES.items()}})
    frame = pd.DataFrame(lines)
    naive = float(frame[[NAMES["naive z"], NAMES["fold t"]]].to_numpy().min())
    ours = float(frame["corrected t"].min())
    found_words = (
        f"Intervals that promise 95 % and take folds or losses for independent cover {100 * naive:.0f} % at worst "
        f"here; the corrected t covers {100 * ours:.0f} % or more."
    )

    def draw(axes: Any) -> None:
        at = np.arange(len(frame))
        for (name, colour), shift in zip(
            zip(NAMES.values(), ("#fdae6b", ORANGE, BLUE), strict=True), (-0.27, 0, 0.27), strict=True
        ):
            axes.bar(at + shift, frame[name], width=0.25, color=colour, label=name)
        axes.axhline(LEVEL, color=GREY, linestyle="--", linewidth=1, label="promised")
        axes.set_ylim(0.6, 1)
        axes.set_xticks(at, [f"{row.problem}\n{row.rows} rows" for row in frame.itertuples()], fontsize=7)
        axes.set_ylabel("share of intervals that cover")
        axes.legend(fontsize=7, frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4)

    return Shown(EXHIBIT.name, EXHIBIT.title, found_words, frame, (Panel(draw),), bool(ours > 0.92 > naive), width=7)


EXHIBIT = Exhibit(
    "naive-intervals",
    "Naive against valid intervals",
    "SD / sqrt(K) over folds is no standard error of the risk: its intervals cover less than they promise.",
    make,
    section="what a valid answer may say",
    further='fw.lab.coverage(["linear"], ["corrected t"], rows=[50])',
)
