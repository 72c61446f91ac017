"""What a forest costs by its solver, side by side with scikit-learn's own fit and prediction.

Forests of 100 trees on 15 columns, three quarters of the rows to learn from and the others to answer for; the
same answers on both sides, to the last bit (asserted). CPU seconds in one thread, the smallest of alternating rounds.

    python benchmarks/forests.py [--quick]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
from threadpoolctl import threadpool_limits

from foldwise.solvers.forests import Forests

KINDS = (RandomForestRegressor, ExtraTreesRegressor, RandomForestClassifier, ExtraTreesClassifier)


def sides(forest: Any, rows: int) -> list[Callable[[], Any]]:
    """Predictions by scikit-learn and by the solver."""
    rng = np.random.default_rng(rows)
    X = rng.normal(size=(rows, 15))
    y: Any = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=rows)
    y, cut = (np.digitize(y, [-1, 1]) if hasattr(forest, "predict_proba") else y), rows * 3 // 4
    forest = clone(forest).set_params(random_state=rows)

    def public() -> Any:
        return clone(forest).fit(X[:cut], y[:cut]).predict(X[cut:])

    def ours() -> Any:
        solver = Forests()
        given = solver.answers(solver.fit([forest], X[:cut], y[:cut], {}), [forest], X[cut:], ("predict",))
        return given[0].values["predict"] if given[0] else None

    return [public, ours]


def seconds(both: list[Callable[[], Any]], rounds: int) -> list[float]:
    """The smallest CPU seconds of each, after a first call that is not counted and must agree."""
    np.testing.assert_array_equal(*[side() for side in both])
    spent = []
    for _ in range(rounds):
        for side in both:
            start = time.process_time()
            side()
            spent.append(time.process_time() - start)
    return [min(spent[::2]), min(spent[1::2])]


def main() -> None:
    rounds = 2 if "--quick" in sys.argv else 5
    print(f"{'rows':>6}  {'forest':24}{'scikit-learn':>13}{'solver':>10}{'ratio':>8}")
    for rows in (150, 300, 1_000, 3_500):
        for kind in KINDS:
            public, ours = seconds(sides(kind(max_features=0.33), rows), rounds)
            print(f"{rows:>6}  {kind.__name__:24}{public:>11.3f} s{ours:>8.3f} s{public / ours:>8.2f}", flush=True)


if __name__ == "__main__":
    with threadpool_limits(limits=1):
        main()
