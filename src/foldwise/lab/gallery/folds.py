"""Which rows train and which rows judge: every scheme, drawn from the splits themselves."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from foldwise.lab.exhibit import Exhibit, Panel, Shown

ROWS = 26
COLOURS = {"unused": "#ffffff", "train": "#9ecae1", "dev": "#fdae6b", "test": "#D55E00"}


def schemes() -> dict[str, dict[str, Any]]:
    """The schemes with the words of `compare` that ask for them."""
    from foldwise.splits.folds import LeaveOneOut
    from foldwise.splits.temporal import TimeOrdered

    rows = np.arange(ROWS)
    return {
        "holdout: outer=0.2, inner=0.25": {"outer": 0.2, "inner": 0.25},
        "K-fold: outer=5": {"outer": 5, "inner": None},
        'leave-one-out: outer="loo"': {"outer": LeaveOneOut(), "inner": None},
        "nested: outer=4, inner=3": {"outer": 4, "inner": 3},
        'lines: outer=7, inner="lines"': {"outer": 7, "inner": "lines"},
        'pairs: outer=4, inner="pairs"': {"outer": 4, "inner": "pairs"},
        "groups of two rows: outer=4": {"outer": 4, "inner": None, "groups": rows // 2},
        "time: outer=TimeOrdered(5)": {"outer": TimeOrdered(5), "inner": None, "time": rows},
    }


def make(size: float, seed: int) -> Shown:
    """A tiny study of each scheme and its `splits()`; `size` changes nothing."""
    import pandas as pd
    from sklearn.linear_model import Ridge

    from foldwise.api.compare import compare
    from foldwise.learners.tuned import tune

    rng = np.random.default_rng([seed, 5])
    X = rng.normal(size=(ROWS, 2))
    y = X.sum(axis=1) + rng.normal(size=ROWS)
    lines, panels, is_true = [], [], True
    for title, options in schemes().items():
        learner = Ridge() if options["inner"] is None else tune(Ridge(), alpha=[0.1, 1.0])
        result = compare({"ridge": learner}, X, y, seed=seed, jobs=1, progress=False, guards=False, **options)
        picture = _picture(result.splits())
        tests = (picture == list(COLOURS).index("test")).sum(axis=0)
        lines.append({"scheme": title, "lines": len(picture), "fits": result.to_dict()["methods"][0]["fits"]})
        is_true &= tests.max() >= 1
        panels.append(Panel(partial(_draw, picture), title))
    found = (
        "Each line is one model: the rows it trains on (blue), the rows that tune it (light orange) and the rows that "
        "judge it (dark orange). A row that judges never trains or tunes in the same line."
    )
    return Shown(
        EXHIBIT.name,
        EXHIBIT.title,
        found,
        pd.DataFrame(lines),
        tuple(panels),
        is_true,
        columns=2,
        width=4.6,
        height=2.6,
    )


def _picture(splits: Any) -> Any:
    """Codes[model, row] of the parts, the outer test rows marked in every line; rows in the order of the folds."""
    names = list(COLOURS)
    lines = []
    for (_, fold), outer in splits[splits["level"] == "outer"].groupby(["repeat", "fold"], sort=False):
        tests = outer.loc[outer["part"] == "test", "row"]
        inner = splits[(splits["level"] == "inner") & (splits["fold"].astype(str) == str(fold))]
        for _, one in inner.groupby("inner_fold", sort=False):
            line = np.zeros(ROWS)
            line[one.loc[one["part"] == "train", "row"]] = names.index("train")
            line[one.loc[one["part"] == "test", "row"]] = names.index("dev")
            line[tests] = names.index("test")
            lines.append(line)
        if not len(inner):
            line = np.zeros(ROWS)
            line[outer.loc[outer["part"] == "train", "row"]] = names.index("train")
            line[tests] = names.index("test")
            lines.append(line)
    picture = np.array(lines)
    is_tested = picture == names.index("test")
    first = np.where(is_tested.any(axis=0), is_tested.argmax(axis=0), -1)
    return picture[:, np.argsort(first, kind="stable")]


def _draw(picture: Any, axes: Any) -> None:
    from matplotlib.colors import BoundaryNorm, ListedColormap

    axes.imshow(
        picture,
        aspect="auto",
        interpolation="nearest",
        cmap=ListedColormap(list(COLOURS.values())),
        norm=BoundaryNorm([-0.5, 0.5, 1.5, 2.5, 3.5], 4),
    )
    axes.set_xlabel("rows, in the order of the folds that judge", fontsize=8)
    axes.set_ylabel("model", fontsize=8)
    axes.set_yticks([])
    axes.set_xticks([])


EXHIBIT = Exhibit(
    "folds",
    "Fold diagrams of every scheme",
    "A row that judges a model has neither trained nor tuned it, at every level of every scheme.",
    make,
    section="fold shapes; nested K1 x K2 CV; the aligned schemes",
    further='fw.compare(["linear"], "diabetes", outer=4).splits()  # the same of a study, as a data frame',
)
