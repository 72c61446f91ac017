"""The lecture's nested cross-validation of k-NN, in five lines."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from foldwise.lab.exhibit import Exhibit, Panel, Shown
from foldwise.lab.problems import find_problem
from foldwise.show.plots import BLUE, GREY

ROWS = 200


def make(size: float, seed: int) -> Shown:
    """Nested 8 x 5 cross-validation, k from 1 to 30, folds of ceil(m / K) rows; `size` changes nothing."""
    import pandas as pd
    from sklearn.neighbors import KNeighborsRegressor

    from foldwise.api.compare import compare
    from foldwise.learners.tuned import tune
    from foldwise.splits.folds import KFold

    problem = find_problem("smooth")
    X, y = problem.draw(ROWS, np.random.default_rng([seed, 9]))
    knn = tune(KNeighborsRegressor(), n_neighbors=range(1, 31), inner=KFold(5, folds="ceiling"))
    result = compare({"k-nn": knn}, X, y, outer=KFold(8, folds="ceiling"), seed=seed, jobs=1, progress=False)
    choices = result.choices().query("method == 'k-nn'")
    frame = pd.DataFrame(
        {"fold": choices["fold"], "k": [c["n_neighbors"] for c in choices["candidate"]], "loss": choices["loss"]}
    )
    risk = result.table().set_index("method").loc["k-nn"]
    found = (
        f"Tuned k-NN has an estimated risk of {risk['risk']:.3f} ({risk['low']:.3f} to {risk['high']:.3f}); the Bayes "
        f"risk is {problem.bayes:.3f}. The folds chose k = {', '.join(str(k) for k in sorted(Counter(frame['k'])))}."
    )

    def draw(axes: Any) -> None:
        axes.scatter(frame["k"], frame["loss"], color=BLUE)
        axes.axhline(problem.bayes, color=GREY, linestyle=":", label="Bayes risk")
        axes.set_xlabel("k chosen by the inner folds")
        axes.set_ylabel("loss on the outer fold")
        axes.legend(fontsize=8, frameon=False)

    is_true = bool(risk["low"] <= risk["risk"] <= risk["high"] and len(frame) == 8)
    return Shown(EXHIBIT.name, EXHIBIT.title, found, frame, (Panel(draw),), is_true)


EXHIBIT = Exhibit(
    "lecture",
    "The lecture's example in five lines",
    "Nested 8 x 5 cross-validation of k-NN with k = 1, ..., 30 is one call.",
    make,
    section="tuning by CV; nested K1 x K2 CV",
    further=(
        "import numpy as np\n"
        "from sklearn.neighbors import KNeighborsRegressor\n"
        'X, y = fw.lab.find_problem("smooth").draw(200, np.random.default_rng([0, 9]))  # the same in five lines\n'
        'inner, outer = fw.KFold(5, folds="ceiling"), fw.KFold(8, folds="ceiling")\n'
        "knn = fw.tune(KNeighborsRegressor(), n_neighbors=range(1, 31), inner=inner)\n"
        "fw.risk(knn, X, y, outer=outer)"
    ),
)
