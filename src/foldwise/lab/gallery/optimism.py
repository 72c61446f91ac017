"""The smallest cross-validation score is too good, and the more so the more candidates there are."""

from __future__ import annotations

from typing import Any

import numpy as np

from foldwise.lab.exhibit import Exhibit, Panel, Shown, times
from foldwise.show.plots import BLUE, GREY, ORANGE

ROWS, FOLDS, COUNTS = 60, 5, (1, 2, 5, 10, 20, 50, 100, 200)


def make(size: float, seed: int) -> Shown:
    """A target that depends on nothing; candidate j is a straight line in column j. All are models of 48 rows."""
    import pandas as pd

    rng, count = np.random.default_rng([seed, 7]), times(2000, size, least=100)
    best, nested, truth = (np.zeros((count, len(COUNTS))) for _ in range(3))
    for at in range(count):
        X, y = rng.normal(size=(ROWS, max(COUNTS))), rng.normal(size=ROWS)
        parts = np.array_split(rng.permutation(ROWS), FOLDS)
        scores = _scores(X, y, parts)
        for place, tried in enumerate(COUNTS):
            best[at, place] = scores[:tried].min()
            nested[at, place], truth[at, place] = np.mean([_outer(X, y, parts, k, tried) for k in range(FOLDS)], axis=0)
    frame = pd.DataFrame(
        {
            "candidates": COUNTS,
            "smallest CV score": best.mean(0),
            "nested CV": nested.mean(0),
            "true risk": truth.mean(0),
            "optimism": (truth - best).mean(0),
        }
    )
    last = frame.iloc[-1]
    score, claimed, true = last["smallest CV score"], last["nested CV"], last["true risk"]
    found = (
        f"Nothing can be learned here: the noise alone has risk 1. With {COUNTS[-1]} candidates the smallest score "
        f"claims {score:.2f}, the true risk of what was chosen is {true:.2f}, and nested cross-validation says "
        f"{claimed:.2f}."
    )
    is_true = bool(score < 1 <= true and abs(claimed - true) < 0.1 < true - score)

    def draw(axes: Any) -> None:
        for name, colour, style in (
            ("smallest CV score", ORANGE, "o-"),
            ("nested CV", BLUE, "s-"),
            ("true risk", GREY, "x--"),
        ):
            axes.plot(frame["candidates"], frame[name], style, color=colour, label=name)
        axes.set_xscale("log")
        axes.set_xticks(COUNTS, [str(value) for value in COUNTS])
        axes.minorticks_off()
        axes.set_xlabel("candidates tried")
        axes.set_ylabel("mean squared error")
        axes.legend(fontsize=8, frameon=False)

    return Shown(EXHIBIT.name, EXHIBIT.title, found, frame, (Panel(draw),), is_true)


def _line(X: Any, y: Any) -> tuple[Any, Any]:
    """Column means and the slopes of all one-column lines."""
    means = X.mean(0)
    centred = X - means
    return means, centred.T @ (y - y.mean()) / (centred**2).sum(0)


def _losses(X: Any, y: Any, train: Any, test: Any) -> Any:
    means, slopes = _line(X[train], y[train])
    predictions = y[train].mean() + (X[test] - means) * slopes
    return ((predictions - y[test][:, None]) ** 2).mean(0)


def _scores(X: Any, y: Any, parts: list[Any]) -> Any:
    """The mean over folds of every candidate's loss."""
    trains = [np.concatenate(parts[:k] + parts[k + 1 :]) for k in range(len(parts))]
    return np.mean([_losses(X, y, train, test) for train, test in zip(trains, parts, strict=True)], axis=0)


def _outer(X: Any, y: Any, parts: list[Any], k: int, tried: int) -> tuple[float, float]:
    """Loss on the outer fold and true risk of the candidate that the other folds chose."""
    others = parts[:k] + parts[k + 1 :]
    train = np.concatenate(others)
    chosen = int(_scores(X[:, :tried], y, others).argmin())
    means, slopes = _line(X[train][:, [chosen]], y[train])
    shift = y[train].mean() - slopes[0] * means[0]
    # the risk of a + b x is 1 + a^2 + b^2 for standard normal columns and noise
    return float(_losses(X[:, [chosen]], y, train, parts[k])[0]), float(1 + shift**2 + slopes[0] ** 2)


EXHIBIT = Exhibit(
    "optimism",
    "The smallest CV score against nested CV",
    "The smallest cross-validation score falls below the true risk as candidates grow; nested cross-validation does "
    "not.",
    make,
    section="nested K1 x K2 CV; the cheap estimate min CV",
    further='fw.compare(["k-nn"], "diabetes", optimism=True).plot_optimism()',
)
