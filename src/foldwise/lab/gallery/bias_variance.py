"""A risk taken apart: Bayes risk, approximation and estimation, with the truth known."""

from __future__ import annotations

from typing import Any

from foldwise.lab.decomposition import decompose
from foldwise.lab.exhibit import Exhibit, Panel, Shown, times
from foldwise.show.plots import BLUE, GREY, ORANGE

KS = (1, 2, 3, 5, 8, 12, 18, 25, 35, 45, 60)


def make(size: float, seed: int) -> Shown:
    """k-NN on the smooth problem, for many k."""
    frame = decompose(
        "smooth", "k-nn", values=KS, rows=100, replications=times(1000, size, least=100), seed=seed, jobs=1
    )
    frame = frame[["value", "bayes", "approximation", "estimation", "risk", "error"]].rename(columns={"value": "k"})
    best = frame.loc[frame["risk"].idxmin()]
    found = (
        f"With few neighbours nearly all of the avoidable risk is estimation (variance), with many it is approximation "
        f"(bias); their sum is smallest at k = {best['k']:.0f}. The Bayes risk, {best['bayes']:.3f}, is always there."
    )
    first, last = frame.iloc[0], frame.iloc[-1]
    is_true = bool(first["estimation"] > first["approximation"] and last["approximation"] > last["estimation"])

    def draw(axes: Any) -> None:
        parts = [frame["bayes"], frame["approximation"].clip(lower=0), frame["estimation"].clip(lower=0)]
        axes.stackplot(
            frame["k"],
            *parts,
            colors=[GREY, ORANGE, BLUE],
            alpha=0.75,
            labels=["Bayes risk", "approximation (bias)", "estimation (variance)"],
        )
        axes.plot(frame["k"], frame["risk"], color="black", linewidth=1, label="risk")
        axes.set_xlabel("number of neighbours k")
        axes.set_ylabel("mean squared error")
        axes.legend(fontsize=8, frameon=False, loc="upper center")

    return Shown(EXHIBIT.name, EXHIBIT.title, found, frame, (Panel(draw),), is_true)


EXHIBIT = Exhibit(
    "bias-variance",
    "Bias, variance and Bayes risk",
    "A risk is the Bayes risk, plus what the class cannot express, plus what the rows could not settle.",
    make,
    section="bias-variance decomposition",
    further='found = fw.lab.decompose("smooth", values=[1, 5, 15, 45])\n'
    'found[["value", "bayes", "approximation", "estimation", "risk"]]\n'
    "# The parts need a known truth. On a table of your own their sum is seen, beside the training error:\n"
    'fw.curve("k-nn", "diabetes", n_neighbors=range(1, 31)).plot()',
)
