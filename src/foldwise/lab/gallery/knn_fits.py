"""k-nearest neighbours with few, enough and too many neighbours, beside the regression function."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from foldwise.lab.exhibit import Exhibit, Panel, Shown
from foldwise.lab.learners import Nearest
from foldwise.lab.problems import find_problem
from foldwise.show.plots import BLUE, GREY, ORANGE

ROWS, KS = 100, (1, 9, 60)


def make(size: float, seed: int) -> Shown:
    """One data set of the lectures' kind and three fits; `size` changes nothing."""
    import pandas as pd

    problem, rng = find_problem("smooth"), np.random.default_rng([seed, 3])
    X, y = problem.draw(ROWS, rng)
    grid = np.linspace(0.002, 0.998, 499)[:, None]
    lines, panels = [], []
    for k, words in zip(
        KS, ("too few: it follows the noise", "about right", "too many: it flattens the wave"), strict=True
    ):
        model = Nearest(k).fit(X[None], y[None])
        fit = model.predict(grid)[0]
        lines.append(
            {
                "k": k,
                "training error": round(float(((model.predict(X)[0] - y) ** 2).mean()), 12),
                "risk": float(problem.bayes + ((fit - problem.mean(grid)) ** 2).mean()),
            }
        )
        panels.append(Panel(partial(_draw, X, y, grid, fit, problem.mean(grid)), f"k = {k}: {words}"))
    frame = pd.DataFrame(lines)
    small, right, large = frame["risk"]
    found = (
        f"With k = {KS[1]} the risk is {right:.3f}; with k = {KS[0]} it is {small:.3f} although the training error is "
        f"{frame['training error'][0]:.3f}, and with k = {KS[2]} it is {large:.3f}. "
        f"Nothing can be below {problem.bayes:.3f}."
    )
    return Shown(
        EXHIBIT.name, EXHIBIT.title, found, frame, tuple(panels), bool(right < min(small, large)), columns=3, width=3.6
    )


def _draw(X: Any, y: Any, grid: Any, fit: Any, mean: Any, axes: Any) -> None:
    axes.scatter(X[:, 0], y, s=9, color=GREY, alpha=0.7, label="rows")
    axes.plot(grid[:, 0], mean, color=BLUE, linewidth=1.5, label="regression function")
    axes.plot(grid[:, 0], fit, color=ORANGE, linewidth=1.3, label="k-NN")
    axes.set_xlabel("x")
    axes.set_ylabel("y")
    axes.legend(fontsize=7, frameon=False)


EXHIBIT = Exhibit(
    "knn-fits",
    "k-nearest neighbours: too few, enough, too many",
    "A small k follows the noise, a large k flattens the signal; the training error prefers the wrong one.",
    make,
    section="k-nearest neighbours; training error and test error",
)
