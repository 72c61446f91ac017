"""One split jumps about; cross-validation of the same rows hardly does."""

from __future__ import annotations

from typing import Any

import numpy as np

from foldwise.lab.exhibit import Exhibit, Panel, Shown, times
from foldwise.lab.problems import find_problem
from foldwise.show.plots import BLUE, ORANGE

ROWS, FOLDS = 150, 10


def make(size: float, seed: int) -> Shown:
    """Least squares on one table, judged by many random splits and by many cross-validations."""
    import pandas as pd

    problem, rng, count = find_problem("linear"), np.random.default_rng([seed, 6]), times(1000, size, least=100)
    X, y = problem.draw(ROWS, rng)
    held = ROWS // 5
    single = np.array([_loss(X, y, rng.permutation(ROWS)[:held]) for _ in range(count)])
    folds = np.array(
        [
            np.mean([_loss(X, y, part) for part in np.array_split(rng.permutation(ROWS), FOLDS)])
            for _ in range(count // 4)
        ]
    )
    names = [f"one split, {held} test rows", f"{FOLDS}-fold cross-validation"]
    rows = [
        {
            "estimate": name,
            "mean": values.mean(),
            "SD over seeds": values.std(ddof=1),
            "smallest": values.min(),
            "largest": values.max(),
        }
        for name, values in zip(names, (single, folds), strict=True)
    ]
    ratio = single.std(ddof=1) / folds.std(ddof=1)
    found = (
        f"The same {ROWS} rows and the same learner: single splits give anything from {single.min():.2f} to "
        f"{single.max():.2f}; the spread over seeds is {ratio:.0f} times that of {FOLDS}-fold cross-validation."
    )

    def draw(axes: Any) -> None:
        edges = np.linspace(single.min(), single.max(), 41)
        for values, colour, name in ((single, ORANGE, names[0]), (folds, BLUE, names[1])):
            axes.hist(values, edges, density=True, color=colour, alpha=0.7, label=name)
        axes.set_xlabel("estimated risk (squared loss)")
        axes.set_yticks([])
        axes.legend(fontsize=8, frameon=False)

    return Shown(EXHIBIT.name, EXHIBIT.title, found, pd.DataFrame(rows), (Panel(draw),), bool(ratio > 2))


def _loss(X: Any, y: Any, test: Any) -> float:
    train = np.setdiff1d(np.arange(len(y)), test)
    design = np.column_stack([np.ones(len(y)), X])
    slopes = np.linalg.lstsq(design[train], y[train], rcond=None)[0]
    return float(((design[test] @ slopes - y[test]) ** 2).mean())


EXHIBIT = Exhibit(
    "one-split",
    "One split is one draw",
    "The error on a single test set depends on the seed far more than a cross-validation of the same rows.",
    make,
    section="test error; K-fold CV",
)
