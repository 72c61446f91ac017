"""Theorem 1: the expected leave-one-out estimate on m + 1 rows is the expected risk at m rows."""

from __future__ import annotations

from typing import Any

from foldwise.lab.decomposition import theorem_one
from foldwise.lab.exhibit import Exhibit, Panel, Shown, times
from foldwise.show.plots import BLUE, ORANGE

CASES = (
    ("smooth", 10, None),
    ("smooth", 20, None),
    ("smooth", 40, None),
    ("linear", 20, None),
    ("linear", 40, 5),
    ("linear", 40, 11),
)
MOST_Z = 3.5  # of six comparisons, by chance in about 1 of 400 runs


def make(size: float, seed: int) -> Shown:
    """Both means with their Monte-Carlo errors, from separate data sets."""
    import pandas as pd

    count = times(20_000, size, least=1000)
    lines = []
    for problem, rows, folds in CASES:
        found = theorem_one(problem, rows=rows, folds=folds, replications=count, seed=seed, jobs=1)
        scheme = (
            f"leave-one-out on {rows + 1} rows"
            if folds is None
            else f"{folds}-fold on {rows + rows // (folds - 1)} rows"
        )
        lines.append(
            {
                "problem": problem,
                "estimate": scheme,
                "m": rows,
                "mean estimate": found["cv"],
                "mean risk at m": found["risk"],
                "error": found["error"],
                "z": found["z"],
            }
        )
    frame = pd.DataFrame(lines)
    worst = float(frame["z"].abs().max())
    found_words = (
        f"In {len(CASES)} settings, {count:,} data sets each, the two means differ by at most {worst:.1f} of their "
        f"Monte-Carlo standard errors. If they were equal, the largest of {len(CASES)} such differences would exceed "
        f"2.6 in one run of 20; so the theorem is not contradicted."
    )

    def draw(axes: Any) -> None:
        at = range(len(frame))
        axes.errorbar(at, frame["z"], yerr=1, fmt="o", color=BLUE, capsize=3, label="mean estimate less mean risk at m")
        axes.axhline(0, color=ORANGE, linestyle="--", linewidth=1, label="the theorem")
        axes.set_ylim(-4, 4)
        axes.set_xticks(at, [f"{row.problem}\n{row.estimate}" for row in frame.itertuples()], fontsize=6)
        axes.set_ylabel("difference in standard errors")
        axes.legend(fontsize=8, frameon=False)

    return Shown(EXHIBIT.name, EXHIBIT.title, found_words, frame, (Panel(draw),), worst < MOST_Z, width=8)


EXHIBIT = Exhibit(
    "theorem-one",
    "Theorem 1: leave-one-out on m + 1 rows estimates the risk at m",
    "The expected leave-one-out estimate on m + 1 rows equals the expected risk at m rows; K-fold on m + m / (K - 1) "
    "rows matches m rows.",
    make,
    section="Theorem 1",
    further="fw.lab.theorem_one(rows=40, folds=5)",
)
