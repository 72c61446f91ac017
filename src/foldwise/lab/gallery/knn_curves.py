"""Training error, test error and their gap against k."""

from __future__ import annotations

from typing import Any

import numpy as np

from foldwise.lab.exhibit import Exhibit, Panel, Shown, times
from foldwise.lab.problems import find_problem
from foldwise.show.plots import BLUE, GREEN, GREY, ORANGE

ROWS, LARGEST, GRID = 100, 60, 400


def make(size: float, seed: int) -> Shown:
    """Means over data sets of the errors of k-NN for every k at once."""
    import pandas as pd

    problem, rng, count = find_problem("smooth"), np.random.default_rng([seed, 4]), times(400, size)
    grid = (np.arange(GRID) + 0.5) / GRID
    train, test = np.zeros(LARGEST), np.zeros(LARGEST)
    for _ in range(count):
        X, y = problem.draw(ROWS, rng)
        train += ((_paths(X[:, 0], y, X[:, 0]) - y[:, None]) ** 2).mean(0) / count
        test += (
            problem.bayes + ((_paths(X[:, 0], y, grid) - problem.mean(grid[:, None])[:, None]) ** 2).mean(0)
        ) / count
    ks = np.arange(1, LARGEST + 1)
    frame = pd.DataFrame({"k": ks, "training error": train, "test error": test, "gap": test - train})
    best = int(ks[test.argmin()])
    found = (
        f"Over {count} data sets of {ROWS} rows the training error grows with k, the gap shrinks, and their sum, the "
        f"test error, is smallest at k = {best} ({test.min():.3f}; Bayes risk {problem.bayes:.3f})."
    )
    is_true = bool(
        train[0] < train[best - 1] < train[-1] and (test - train)[0] > (test - train)[best - 1] and 1 < best < LARGEST
    )

    def draw(axes: Any) -> None:
        for name, colour in (("training error", ORANGE), ("test error", BLUE), ("gap", GREEN)):
            axes.plot(frame["k"], frame[name], color=colour, label=name)
        axes.axhline(problem.bayes, color=GREY, linestyle=":", label="Bayes risk")
        axes.axvline(best, color=GREY, linewidth=0.8)
        axes.annotate(
            "overfitting", (best, test.max()), xytext=(-6, 0), textcoords="offset points", ha="right", fontsize=8
        )
        axes.annotate("underfitting", (best, test.max()), xytext=(6, 0), textcoords="offset points", fontsize=8)
        axes.set_xlabel("number of neighbours k")
        axes.set_ylabel("mean squared error")
        axes.legend(fontsize=8, frameon=False, loc="center", bbox_to_anchor=(0.6, 0.27), ncols=2)

    return Shown(EXHIBIT.name, EXHIBIT.title, found, frame, (Panel(draw),), is_true)


def _paths(x: Any, y: Any, at: Any) -> Any:
    """Predictions[point, k - 1] of all k at once: running means over the neighbours in order of distance."""
    near = np.argsort(np.abs(at[:, None] - x), axis=1, kind="stable")[:, :LARGEST]
    return np.cumsum(y[near], axis=1) / np.arange(1, LARGEST + 1)


EXHIBIT = Exhibit(
    "knn-curves",
    "Training error, test error and gap",
    "The training error of k-NN grows with k and the gap shrinks; their sum, the test error, is U-shaped.",
    make,
    section="validation curve over one parameter",
    further='fw.curve("k-nn", "diabetes", n_neighbors=range(1, 31)).plot()',
)
