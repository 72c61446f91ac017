"""What each effort costs, and what its pick is worth on rows that were held out.

    python benchmarks/effort.py                     quick and normal on all sets, thorough on two; writes docs/effort.md
    python benchmarks/effort.py --levels quick      one level again; the rest of the page stays
    python benchmarks/effort.py --page              the page again from what was measured

Each data set gives at most 400 rows for training and 2,000 for the test, drawn once. One call of `fw.compare` with the
level alone, in this process on one thread; the method it picks is refitted and meets the test rows. What was measured
is kept beside this file after every call, so that a run that is stopped loses nothing.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import default_study
import numpy as np
import sets

import foldwise as fw
from foldwise.plans.effort import (
    LEAST_ROWS,
    LEVELS,
    MORE_REPEATS,
    MOST_COLUMNS,
    MOST_FITS,
    WIDE,
    Effort,
    Scheme,
)

ROWS = Path(__file__).with_name("effort.json")
PAGE = Path(__file__).resolve().parents[1] / "docs" / "effort.md"
TRAIN, TEST = 400, 2_000
SETS = (
    *("diabetes", "breast cancer", "wine", "digits", "penguins", "pima", "german", "phoneme", "vehicle"),
    *("contraceptive", "compactiv", "laser", "white wine", "airfoil"),
)
FEW = ("diabetes", "pima")  # what thorough is run on
HEAD = """\
# Effort

`effort="quick"`, `"normal"` (the default) or `"thorough"` (`--effort`) is one dial over learners, spaces, splits and
repeats. Every other word wins over it: with `outer=5` there are 5 folds at any effort, `forest:large` has its large
space, and learners that are named are those that are compared. What a level holds is one table, `LEVELS` in
`plans/effort.py`.
"""
LIMIT = """\
## The splits follow the rows

Where `outer` is not given, the number of rows (of groups, where there are some) chooses the splits, and the first line
of the answer says so. One test set is taken only where every class has 500 rows; data with time keep their time-ordered
folds. With a standard deviation *s* of the row losses and *n* rows, half the width of the 95 % interval is about
3.2 *s* / sqrt(*n*) by 13 folds, 3.6 by 7 folds, and 4.4 by a fifth of the rows, at 6.5 : 3.5 : 1 tunings.
"""
# By benchmarks/shortlists.py on 2026-11-18.
PICKED = """\
## How the spaces were picked

By `benchmarks/shortlists.py`: test losses after a choice from few candidates over those after a choice from many (the
spaces of version 0.1: 12 forests, 10 boosting runs), 500 training rows, one split of each data set. *The study's pick*
is the row with the smallest inner loss, of all learners and the blend over that of the earlier default set. These sets
were used to pick; [others](rivals.md) to report. The means are geometric.

| list | compactiv | diamonds | laser | airfoil | white wine | diabetes | pima | german | phoneme | vehicle | mean |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
| forest: 3 of 12 | 1.039 | 1.000 | 1.000 | 1.000 | 0.981 | 0.994 | 1.063 | 1.016 | 0.991 | 1.000 | 1.008 |
| forest: 2 shares | 1.039 | 1.000 | 1.000 | 1.000 | 0.981 | 0.994 | 1.159 | 0.977 | 0.991 | 1.000 | 1.013 |
| extra-trees: 3 of 12 | 1.000 | 1.000 | 1.000 | 1.000 | 1.000 | 1.000 | 0.892 | 0.892 | 1.016 | 1.000 | 0.979 |
| boosting: 2 runs of 10 | 1.060 | 0.934 | 0.812 | 1.119 | 0.998 | 0.984 | 1.032 | 0.992 | 0.970 | 0.977 | 0.985 |
| boosting: 1 run | 1.060 | 0.934 | 0.812 | 1.352 | 0.982 | 0.984 | 1.032 | 1.008 | 1.051 | 0.977 | 1.012 |
| the study's pick | 0.911 | 0.922 | 0.701 | 1.041 | 0.964 | 0.990 | 1.032 | 0.992 | 0.948 | 0.930 | 0.938 |

Kernel ridge joined for numbers later. The pick of the same lists with it has 0.518 (laser), 0.931 (diamonds), 1.000
(compactiv) and 1.012 (airfoil) of the loss without it, on the four of these sets that were collected again (both with
the small tree, and a third forest of half the columns instead of 0.6). Two cheaper lists were refused there: forests of
0.7 of the columns instead of all (the pick 1.000 to 1.040; extra-trees alone up to 1.128) and boosting on 64 bins
instead of 255 (boosting alone 0.985 to 1.098).
"""
COST = """\
## What the default study costs

By `benchmarks/default_study.py`: CPU seconds of `fw.compare(X, y)` on one thread, 15 columns, regression, and how many
times one fit and prediction of scikit-learn's `RandomForestRegressor` (100 trees) on the same table that is. On a busy
or slower machine (the load is told) a second of CPU does less, for the forest as for the study: *where the goals were
set* is the ratio times the seconds of one forest on that machine (0.116, 0.184, 0.614 and 3.909), a slower one than
that of the rows below.

"""


@dataclass
class Row:
    """One level on one data set."""

    data: str
    level: str
    best: str
    loss: float  # of the pick on the test rows, over that of the baseline
    seconds: float  # of CPU
    fits: int
    rows: int
    columns: int


def measure(data: str, level: str) -> Row:
    """One comparison of the default learners, and the loss of its refitted pick on rows it has not seen."""
    table = sets.load(data, most=TRAIN + TEST)
    order = np.random.default_rng(1).permutation(len(table.y))
    count = min(TRAIN, 2 * len(order) // 3)
    train, test = np.sort(order[:count]), np.sort(order[count:])
    X, y = table.X.iloc[train].reset_index(drop=True), table.y[train]
    task = "regression" if table.is_number else "classification"
    started = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = fw.compare(None, X, y, effort=level, task=task, jobs=1, isolate=False, progress=False)
        seconds = time.process_time() - started
        unseen = table.X.iloc[test].reset_index(drop=True)
        losses = [_loss(model, unseen, table.y[test]) for model in (result.refit(), result.refit("baseline"))]
    return Row(data, level, str(result.best), losses[0] / losses[1], seconds, result.fits, count, X.shape[1])


def kept() -> dict[tuple[str, str], Row]:
    """What was measured so far."""
    rows = json.loads(ROWS.read_text()) if ROWS.exists() else []
    return {(row["data"], row["level"]): Row(**row) for row in rows}


def _loss(model: object, X: object, y: np.ndarray) -> float:
    predicted = model.predict(X)  # type: ignore[attr-defined]
    is_number = y.dtype.kind == "f"
    return float(np.mean((predicted - y) ** 2 if is_number else np.asarray(predicted) != y))


def write_page(rows: Iterable[Row]) -> None:
    found = {(row.data, row.level): row for row in rows}
    parts = [
        HEAD,
        _levels_table(),
        LIMIT,
        _schemes_table(),
        _cheap_text(),
        _wide_text(),
        COST + default_study.table(),
        PICKED,
        _measured(found),
    ]
    PAGE.write_text("\n".join(parts), encoding="utf-8")


def _levels_table() -> str:
    lines = [
        "| effort | learners where none is named | spaces | splits of small tables |",
        "| --- | --- | --- | --- |",
    ]
    for level in LEVELS.values():
        learners = ", ".join(name.replace("linear learner", "ridge or logistic") for name in level.learners)
        learners += "".join(f", {name} for numbers" for name in level.for_numbers)
        learners += f", kernel-ridge for numbers up to {level.kernel_rows:,} rows" if level.kernel_rows else ""
        more = "".join(f", {name} of them" for name in level.more)
        lines.append(f"| {level.name} | {learners}{more} | {_sizes(level)} | {_splits(level.schemes[0])} |")
    return "\n".join([*lines, ""])


def _sizes(level: Effort) -> str:
    other = [f"{name} {size}" for name, size in level.sizes.items()]
    other += [
        f"{name} with {', '.join(f'{key} {value}' for key, value in values.items())}"
        for name, values in level.own.items()
    ]
    return level.size + (f" ({'; '.join(other)})" if other else "")


def _splits(scheme: Scheme) -> str:
    words = f"outer={scheme.outer}, inner={scheme.inner!r}".replace("'", '"')
    return f"`{words}`" + (f", {scheme.repeats} repeats" if scheme.repeats > 1 else "")


def _schemes_table() -> str:
    lines = ["| effort | rows | splits |", "| --- | --- | --- |"]
    for level in LEVELS.values():
        for scheme in level.schemes:
            rows = "more" if scheme.most_rows == float("inf") else f"up to {scheme.most_rows:,}"
            lines.append(f"| {level.name} | {rows} | {_splits(scheme)} |")
    return "\n".join([*lines, ""])


def _cheap_text() -> str:
    return (
        f"Thorough studies with repeats have {MORE_REPEATS} of them where further fits are cheap: all learners linear, "
        f"ridge, k-NN, naive Bayes, LDA or QDA, at least {LEAST_ROWS} rows, at most {MOST_COLUMNS} columns, and "
        f"{MOST_FITS:,} further fits ([what they gain](decide.md#tighter-intervals-and-what-they-cost)).\n"
    )


def _wide_text() -> str:
    words = [f"{name} beyond {small:,} and {most:,}" for name, (small, most) in WIDE.items()]
    text = "Of the default learners, those whose cost grows with the columns get a small space, and are left out, where"
    end = "A note says so; a learner that is named is never left out."
    return f"{text} there are many: {', '.join(words)} columns. {end}\n"


def _measured(found: dict[tuple[str, str], Row]) -> str:
    head = f"""\
## Measured

By `benchmarks/effort.py`: at most {TRAIN} training rows, the loss of the refitted pick on rows held out, over that of
the baseline (squared loss for numbers, zero-one for classes), and seconds of CPU. These rows of *normal* are older than
its kernel ridge for numbers and its small tree.

| data | rows | columns | {" | ".join(f"{level} | seconds" for level in LEVELS)} | quick over normal |
|{" --- |" * (4 + 2 * len(LEVELS))}
"""
    lines = [_line(data, found) for data in dict.fromkeys(data for data, _ in found)]
    return head + "\n".join([*lines, "", *_summary(found), ""])


def _line(data: str, found: dict[tuple[str, str], Row]) -> str:
    any_row = next(row for (name, _), row in found.items() if name == data)
    cells = [data, str(any_row.rows), str(any_row.columns)]
    for level in LEVELS:
        row = found.get((data, level))
        cells += ["", ""] if row is None else [f"{row.loss:.3f} ({row.best})", f"{row.seconds:.1f}"]
    ratio = _ratio(data, found)
    return f"| {' | '.join([*cells, '' if ratio is None else f'{ratio:.3f}'])} |"


def _ratio(data: str, found: dict[tuple[str, str], Row]) -> float | None:
    quick, normal = found.get((data, "quick")), found.get((data, "normal"))
    if quick is None or normal is None:
        return None
    return quick.loss / normal.loss if quick.loss and normal.loss else None  # none where there are no errors


def _summary(found: dict[tuple[str, str], Row]) -> list[str]:
    names = dict.fromkeys(data for data, _ in found)
    both = [name for name in names if (name, "quick") in found and (name, "normal") in found]
    if not both:
        return []
    ratios = [ratio for name in both if (ratio := _ratio(name, found)) is not None]
    lost = [found[name, "quick"].loss - found[name, "normal"].loss for name in both]
    cost = [sum(found[name, level].seconds for name in both) for level in ("quick", "normal")]
    geometric, middle = float(np.exp(np.mean(np.log(ratios)))), float(np.median(ratios))
    return [
        f"Over {len(both)} data sets quick costs {cost[0] / len(both):.1f} s and normal {cost[1] / len(both):.1f} s on "
        f"average. The loss of quick's pick is {geometric:.3f} of that of normal's (geometric mean; median "
        f"{middle:.3f}); as a share of the baseline's loss it differs by {np.mean(lost):+.3f} on average. What quick "
        "holds was chosen on laser, airfoil, compactiv, white wine and pima."
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--levels", default="quick,normal,thorough")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--page", action="store_true")
    asked = parser.parse_args()
    for level in [] if asked.page else asked.levels.split(","):
        for data in asked.sets.split(","):
            if level == "thorough" and data not in FEW:
                continue
            try:
                row = measure(data, level)
            except sets.NotThere as package:
                print(f"{data}: needs {package}")
                continue
            print(f"{row.data}, {row.level}: {row.loss:.3f} ({row.best}), {row.seconds:.1f} s", flush=True)
            known = {**kept(), (data, level): row}  # another run may have written meanwhile
            ROWS.write_text(json.dumps([asdict(one) for one in known.values()], indent=1) + "\n")
    write_page(kept().values())


if __name__ == "__main__":
    main()
