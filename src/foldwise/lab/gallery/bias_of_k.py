"""Few folds train on fewer rows: the bias of K-fold cross-validation against K."""

from __future__ import annotations

from functools import partial
from typing import Any

from foldwise.lab.decomposition import cv_means, risks
from foldwise.lab.exhibit import Exhibit, Panel, Shown, times
from foldwise.lab.learners import find_learner
from foldwise.lab.problems import find_problem
from foldwise.lab.replications import mean_error, replicate_all
from foldwise.show.plots import BLUE, GREY, ORANGE

ROWS, FOLDS = 60, (2, 3, 5, 10, 20, 60)


def make(size: float, seed: int) -> Shown:
    """Mean estimates of k-NN on 60 rows, beside the mean risk at the training size and at all rows."""
    import pandas as pd

    problem, count = find_problem("smooth"), times(8000, size, least=500)
    learner = find_learner("k-nn", problem.task)
    works: dict[str, Any] = {f"bias cv {k}": partial(cv_means, problem, learner, ROWS, k) for k in FOLDS}
    works |= {f"bias risk {k}": partial(risks, problem, learner, ROWS - ROWS // k) for k in FOLDS}
    works["bias risk all"] = partial(risks, problem, learner, ROWS)
    found = {name: values["value"] for name, values in replicate_all(works, count, seed=seed, jobs=1).items()}
    full = float(found["bias risk all"].mean())
    frame = pd.DataFrame(
        {
            "K": k,
            "training rows": ROWS - ROWS // k,
            "mean estimate": float(found[f"bias cv {k}"].mean()),
            "error": mean_error(found[f"bias cv {k}"]),
            "mean risk at these rows": float(found[f"bias risk {k}"].mean()),
            "mean risk at all rows": full,
        }
        for k in FOLDS
    )
    first, last = (frame["mean estimate"].iloc[at] / full - 1 for at in (0, -1))
    words = (
        f"On {ROWS} rows 2-fold cross-validation is {100 * first:.0f} % above the risk at all rows, leave-one-out "
        f"{100 * last:.1f} %. Each estimate agrees with the risk at its own number of training rows."
    )
    own = (frame["mean estimate"] - frame["mean risk at these rows"]).abs() / frame["error"]

    def draw(axes: Any) -> None:
        at = range(len(frame))
        axes.errorbar(
            at,
            frame["mean estimate"],
            yerr=2 * frame["error"],
            fmt="o",
            color=BLUE,
            capsize=3,
            label="mean K-fold estimate",
        )
        axes.plot(at, frame["mean risk at these rows"], "x", color=ORANGE, label="risk at its training rows")
        axes.axhline(full, color=GREY, linestyle="--", linewidth=1, label=f"risk at all {ROWS} rows")
        axes.set_xticks(at, [str(k) for k in FOLDS])
        axes.set_xlabel("folds K")
        axes.set_ylabel("mean squared error")
        axes.legend(fontsize=8, frameon=False)

    is_true = bool(first > last and own.max() < 6)  # the other mean has an error of its own
    return Shown(EXHIBIT.name, EXHIBIT.title, words, frame, (Panel(draw),), is_true)


EXHIBIT = Exhibit(
    "bias-of-k",
    "The bias of K-fold cross-validation against K",
    "K-fold cross-validation estimates the risk at m (1 - 1/K) rows, so fewer folds are more pessimistic.",
    make,
    section="K-fold CV; the training size of an estimate",
)
