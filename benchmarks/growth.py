"""How the cost of our call grows, how much memory it takes, and whether a solver is chosen only where it pays.

python benchmarks/growth.py [growth | reach | memory | alone | rule]
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from measure import in_own_process, least, limit_seconds, peak_megabytes, timed
from tasks import Method, fold_labels, linear_rows, smooth_rows

import foldwise as fw

AXES = {"n": "rows", "d": "columns", "K": "outer folds", "L": "candidates"}
# what the formulas of each family say of rows, columns, outer folds and candidates
FORMULAS = {
    "k-nn": {"n": "1 to 2", "d": "0 to 1", "K": "<= 1", "L": "<= 1"},
    "ridge": {"n": "<= 1", "d": "1 to 3", "K": "1", "L": "<= 1"},
    "lasso": {"n": "<= 1", "d": "1 to 3", "K": "1", "L": "<= 1"},
    "tree": {"n": "1", "d": "1", "K": "1", "L": "<= 1"},
}
SIZES: dict[str, dict[str, tuple[int, ...]]] = {
    "k-nn": {"n": (2_000, 4_000, 8_000, 16_000), "d": (3, 6, 12), "K": (4, 8, 16), "L": (8, 16, 32)},
    "ridge": {"n": (1_000, 4_000, 16_000), "d": (50, 100, 200), "K": (4, 8, 16), "L": (10, 30, 90)},
    "lasso": {"n": (500, 1_000, 2_000), "d": (50, 100, 200), "K": (4, 8, 16), "L": (10, 30, 90)},
    "tree": {"n": (1_000, 2_000, 4_000), "d": (5, 10, 20), "K": (3, 6, 12), "L": (5, 15, 45)},
}
START = {
    "k-nn": {"n": 4_000, "d": 5, "K": 5, "L": 16},
    "ridge": {"n": 1_000, "d": 100, "K": 5, "L": 20},
    "lasso": {"n": 1_000, "d": 100, "K": 5, "L": 20},
    "tree": {"n": 1_500, "d": 5, "K": 4, "L": 10},
}

# far ends: 10^6 rows, 5,000 columns, 2,000 outer folds, 2,000 candidates
FAR: dict[str, dict[str, tuple[int, ...]]] = {
    "ridge": {
        "n": (10_000, 100_000, 1_000_000),
        "d": (500, 1_600, 5_000),
        "K": (20, 200, 2_000),
        "L": (20, 200, 2_000),
    },
    "k-nn": {"n": (10_000, 30_000, 100_000), "d": (50, 200, 800), "K": (20, 200, 2_000), "L": (20, 200, 1_500)},
    "tree": {"n": (1_000, 10_000, 100_000), "d": (5, 50, 500), "K": (5, 20, 80), "L": (20, 200, 2_000)},
}
FAR_START = {
    "ridge": {"n": 4_000, "d": 10, "K": 3, "L": 5},
    "k-nn": {"n": 4_000, "d": 4, "K": 3, "L": 5},
    "tree": {"n": 1_000, "d": 5, "K": 3, "L": 5},
}


@dataclass(frozen=True)
class Case:
    """A study whose size is known in four numbers; three inner folds."""

    family: str
    rows: int
    columns: int
    folds: int
    candidates: int
    solvers: Any = "all"

    def seconds(self) -> float:
        X, y = self.data()
        method = method_of(self.family, self.candidates)
        labels = fold_labels(self.rows, self.folds)

        def call() -> Any:
            learner = fw.tune(method.estimator, space=method.grid)
            return fw.compare(
                {self.family: learner}, X, y, outer=labels, inner=3, jobs=1, solvers=self.solvers
            ).to_dict()

        return least(call, seconds=1.0, most=4)[1]

    def data(self) -> tuple[Any, Any]:
        make = partial(linear_rows, used=10) if self.family in ("ridge", "lasso", "logistic") else smooth_rows
        X, y = make(self.rows, self.columns)
        return (X, np.where(y > np.median(y), 1, 0)) if self.family in ("logistic", "svm") else (X, y)


def method_of(family: str, count: int) -> Method:
    from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
    from sklearn.linear_model import Lasso, LogisticRegression, Ridge
    from sklearn.neighbors import KNeighborsRegressor
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeRegressor

    numbers = [float(value) for value in np.logspace(0.5, -2, count)]
    counts = list(range(1, count + 1))
    known = {
        "k-nn": Method(KNeighborsRegressor(), {"n_neighbors": counts}),
        "ridge": Method(Ridge(), {"alpha": numbers}),
        "lasso": Method(Lasso(), {"alpha": numbers}),
        "logistic": Method(LogisticRegression(max_iter=1000), {"C": numbers}),
        "tree": Method(DecisionTreeRegressor(random_state=0), {"ccp_alpha": [value / 1000 for value in numbers]}),
        "forest": Method(RandomForestRegressor(random_state=0), {"n_estimators": [10 * one for one in counts]}),
        "boosting": Method(
            HistGradientBoostingRegressor(early_stopping=False, random_state=0), {"max_iter": [10 * c for c in counts]}
        ),
        "svm": Method(SVC(), {"C": numbers}),
    }
    return known[family]


def exponents(family: str) -> dict[str, float]:
    """Slopes of log seconds over log size, one axis at a time."""
    Case(family, 300, 3, 3, 2).seconds()  # imports
    found = {}
    for axis, sizes in SIZES[family].items():
        spent = []
        for size in sizes:
            at = {**START[family], axis: size}
            spent.append(Case(family, at["n"], at["d"], at["K"], at["L"]).seconds())
        found[axis] = float(np.polyfit(np.log(sizes), np.log(spent), 1)[0])
    return found


def growth() -> str:
    lines = [
        "## Growth",
        "",
        "Fitted exponents of the whole call over small sizes, so that what a study costs beside its fits weighs in; in",
        "brackets what the formulas say.",
        "",
        "| family | " + " | ".join(AXES.values()) + " |",
        "| --- " * 5 + "|",
    ]
    for family, formula in FORMULAS.items():
        found = _own_process("exponents", family)
        cells = [f"{found[axis]:.2f} ({formula[axis]})" for axis in AXES] if "problem" not in found else [str(found)]
        lines.append(f"| {family} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def reach() -> str:
    """CPU seconds at far ends, one axis at a time, and the exponent between the two largest sizes."""
    lines = [
        "## Far ends",
        "",
        "CPU seconds of the whole call and its answer (3 inner folds, final tuning included), one axis at a time; the",
        "exponent is that of the last step, and in brackets what the formulas say. The peak is that of the largest",
        "size, above an imported process, and the limit 3 x the data + 200 MB. Ridge at 5,000 columns has more columns",
        "than training rows, and goes by products of rows.",
        "",
        "| family | axis | sizes | seconds | exponent | peak (MB) | limit (MB) |",
        "| --- " * 7 + "|",
    ]
    for family, axes in FAR.items():
        for axis, sizes in axes.items():
            at = [{**FAR_START[family], axis: size} for size in sizes]
            cases = [[str(one[name]) for name in AXES] for one in at]
            found = [_own_process("far", family, *case) for case in cases]
            spent = [one.get("seconds", float("nan")) for one in found]
            slope = np.log(spent[-1] / spent[-2]) / np.log(sizes[-1] / sizes[-2])
            cells = [family, AXES[axis], ", ".join(f"{size:,}" for size in sizes), ", ".join(f"{s:.2f}" for s in spent)]
            limit = 3 * at[-1]["n"] * at[-1]["d"] * 8 / 2**20 + 200
            cells += [
                f"{slope:.2f} ({FORMULAS[family][axis]})",
                f"{found[-1].get('peak', float('nan')):.0f}",
                f"{limit:.0f}",
            ]
            lines.append("| " + " | ".join(cells) + " |")
            print(lines[-1], flush=True)
    return "\n".join(lines)


def far(family: str, *sizes: int) -> dict[str, float]:
    """Seconds of one case, once where it is long, and megabytes above a process that has done a small study."""
    Case(family, 300, 3, 3, 2).seconds()
    before = peak_megabytes()
    return {"seconds": Case(family, *sizes).seconds(), "peak": peak_megabytes() - before}


def memory() -> str:
    lines = [
        "## Memory",
        "",
        "Peak above an imported process, answer included, and the limit: 3 x the data + 200 MB.",
        "",
    ]
    lines += ["| study | data (MB) | peak (MB) | limit (MB) | within |", "| --- " * 5 + "|"]
    for family, rows, columns, scheme in MEMORY:
        found = _own_process("peak", family, str(rows), str(columns), scheme)
        title = f"{family} {scheme}, 10 candidates, n = {rows:,}, d = {columns}"
        data = rows * columns * 8 / 2**20
        peak = found.get("peak", float("nan"))
        within = "yes" if peak <= 3 * data + 200 else f"**no** {found.get('problem', '')}"
        lines.append(f"| {title} | {data:.0f} | {peak:.0f} | {3 * data + 200:.0f} | {within} |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def peak(family: str, rows: int, columns: int, scheme: str) -> dict[str, float]:
    """Megabytes above those of a process that has done a small study."""
    Case(family, 300, 3, 3, 2).seconds()
    before = peak_megabytes()
    outer, inner = (13, "lines") if scheme == "13 x 4 on lines" else (5, 3)
    X, y = Case(family, rows, columns, outer, 10).data()
    learner = fw.tune(method_of(family, 10).estimator, space=method_of(family, 10).grid)
    fw.compare({family: learner}, X, y, outer=fold_labels(rows, outer), inner=inner, jobs=1, solvers="all").to_dict()
    return {"peak": peak_megabytes() - before}


def alone() -> str:
    """Leave-one-out, which has as many training sets as rows at the outer level and again at the inner one."""
    lines = [
        "## Leave-one-out",
        "",
        "Leave-one-out with 5 inner folds and the final tuning, 5 columns: CPU seconds of the study and its answer.",
        "The built-in k-NN has 80 candidates and scales the columns inside every training set; a user's own has",
        "k = 1..30 and does not.",
        "",
        "| learner | rows | fits | seconds | exponent of the last step |",
        "| --- " * 5 + "|",
    ]
    for learner, sizes in ALONE.items():
        found = [_own_process("one-out", learner, str(rows)) for rows in sizes]
        spent = [one.get("seconds", float("nan")) for one in found]
        slope = np.log(spent[-1] / spent[-2]) / np.log(sizes[-1] / sizes[-2])
        fits = ", ".join(f"{one.get('fits', 0):,}" for one in found)
        cells = [learner, ", ".join(f"{rows:,}" for rows in sizes), fits, ", ".join(f"{one:.1f}" for one in spent)]
        lines.append("| " + " | ".join([*cells, f"{slope:.2f}"]) + " |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def one_out(name: str, rows: int) -> dict[str, float]:
    X, y = smooth_rows(rows, 5)
    own = method_of("k-nn", 30)
    learner = fw.tune(own.estimator, space=own.grid) if name == "own k-nn" else name

    def call(count: int) -> Any:
        return fw.compare({"learner": learner}, X[:count], y[:count], outer="loo", inner=5, jobs=1).to_dict()

    call(60)
    told, seconds, _ = timed(lambda: call(rows))
    return {"seconds": seconds, "fits": told["fits"]}


MEMORY = (
    ("k-nn", 100_000, 10, "5 x 3"),
    ("ridge", 1_000_000, 50, "5 x 3"),
    ("ridge", 100_000, 10, "13 x 4 on lines"),
    ("k-nn", 40_000, 5, "13 x 4 on lines"),
)
ALONE = {"k-nn": (300, 500, 2_000), "own k-nn": (500, 2_000), "ridge": (300, 2_000)}

RULE = {
    "k-nn": ((60, 3, 2), (5_000, 10, 20)),
    "ridge": ((60, 3, 2), (4_000, 50, 20)),
    "lasso": ((60, 3, 2), (1_000, 200, 20)),
    "logistic": ((60, 3, 2), (1_500, 30, 10)),
    "tree": ((60, 3, 2), (4_000, 10, 10)),
    "forest": ((60, 3, 2), (500, 10, 5)),
    "boosting": ((60, 3, 2), (1_000, 10, 5)),
    "svm": ((60, 3, 2), (800, 10, 6)),
}


def rule() -> str:
    """The whole call with solvers and with the plain loop, at both ends."""
    lines = [
        "## With a solver and without",
        "",
        "CPU seconds of the plain loop over those with solvers, at both ends.",
        "",
    ]
    lines += ["| family | small | large |", "| --- " * 3 + "|"]
    for family in RULE:
        found = _own_process("ratios", family)
        cells = [f"{ratio:.2f}" for ratio in found["ratios"]] if "ratios" in found else [str(found), ""]
        lines.append(f"| {family} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def ratios(family: str) -> dict[str, list[float]]:
    found = []
    for rows, columns, candidates in RULE[family]:
        case = Case(family, rows, columns, 3, candidates)
        case.seconds()
        plain = Case(family, rows, columns, 3, candidates, solvers=False)
        found.append(plain.seconds() / case.seconds())
    return {"ratios": found}


def _own_process(*words: str) -> dict[str, Any]:
    return in_own_process(*words, program=Path(__file__))


CHECKS = {"memory": memory, "growth": growth, "alone": alone, "reach": reach, "rule": rule}


def main() -> None:
    what, *rest = sys.argv[1:] or ["all"]
    limit_seconds()
    if what == "exponents":
        print(json.dumps(exponents(rest[0])))
    elif what == "ratios":
        print(json.dumps(ratios(rest[0])))
    elif what == "far":
        print(json.dumps(far(rest[0], *map(int, rest[1:]))))
    elif what == "peak":
        print(json.dumps(peak(rest[0], int(rest[1]), int(rest[2]), rest[3])))
    elif what == "one-out":
        print(json.dumps(one_out(rest[0], int(rest[1]))))
    else:
        for check in [CHECKS[what]] if what in CHECKS else CHECKS.values():
            check()


if __name__ == "__main__":
    main()
