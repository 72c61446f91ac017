"""Seven learners on a real data set, as in a paper."""

from __future__ import annotations

from typing import Any

from foldwise.lab.exhibit import Exhibit, Panel, Shown
from foldwise.show.plots import BLUE

LEARNERS = ("logistic", "lda", "naive-bayes", "k-nn", "tree", "forest", "svm")


def study(size: float, seed: int) -> Any:
    """The comparison itself; at sizes below 1 with small spaces and fewer folds."""
    from foldwise.api.compare import compare

    if size >= 1:
        return compare(
            list(LEARNERS), "breast_cancer", loss=["log", "zero_one", "roc_auc"], seed=seed, jobs=1, progress=False
        )
    small = [name if name == "lda" or name == "naive-bayes" else f"{name}:small" for name in LEARNERS]
    return compare(
        small, "breast_cancer", loss=["log", "zero_one"], outer=3, inner="pairs", seed=seed, jobs=1, progress=False
    )


def make(size: float, seed: int) -> Shown:
    """The table of risks, the smallest first."""
    return shown_of(study(size, seed))


def shown_of(result: Any) -> Shown:
    """The exhibit from a study that has been made."""
    table = result.table()
    table = table[table["method"] != "auto"].sort_values("risk").reset_index(drop=True)
    frame = table[
        [
            "method",
            "risk",
            "low",
            "high",
            "interval",
            "difference",
            *[name for name in table if name.startswith("risk: ")],
        ]
    ]
    found = (
        f"{result.best} has the smallest estimated risk ({table['risk'][0]:.3f}, log loss). The report has the "
        f"verdict, the curves and the methods paragraph."
    )

    def draw(axes: Any) -> None:
        at = range(len(frame))
        errors = [frame["risk"] - frame["low"], frame["high"] - frame["risk"]]
        axes.errorbar(frame["risk"], at, xerr=errors, fmt="o", color=BLUE, capsize=3)
        axes.set_yticks(at, frame["method"])
        axes.invert_yaxis()
        axes.set_xlabel("risk (log loss), 95 % interval")

    beaten = table["risk"][0] < table.set_index("method").loc["baseline", "risk"]
    return Shown(EXHIBIT.name, EXHIBIT.title, found, frame, (Panel(draw),), bool(beaten), width=6)


EXHIBIT = Exhibit(
    "seven-learners",
    "Seven learners on the breast cancer data",
    "A comparison as a paper would report it: every learner tuned inside the folds, intervals, differences, a report.",
    make,
    section="the four-step comparison; picking a method",
    further=(
        'learners = ["logistic", "lda", "naive-bayes", "k-nn", "tree", "forest", "svm"]\n'
        'result = fw.compare(learners, "breast_cancer", loss=["log", "zero_one", "roc_auc"])\n'
        'result.report("seven.html")'
    ),
)
