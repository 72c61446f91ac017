"""Do the intervals cover? Studies of simulated tables with known truth, and published designs run again.

python benchmarks/coverage_page.py --write docs/coverage.md    the page, which takes hours
python benchmarks/coverage_page.py --design D1                 one published design in full size
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from designs.auc import auc_coverage
from designs.catalogue import DESIGNS, run_design
from designs.selection import REAL_SETS, selection_bias
from evidence.problems import blocks, find_problem
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import foldwise as fw

LEARNERS: dict[str, Any] = {
    "least squares": LinearRegression(),
    "ridge": Ridge(10.0),
    "tuned ridge": fw.tune(Ridge(), alpha=np.geomspace(0.5, 500, 12), inner=5),
    "k-nn": KNeighborsRegressor(7),
    "lda": LinearDiscriminantAnalysis(),
    "logistic": LogisticRegression(),
    "k-nn of classes": KNeighborsClassifier(7),
}
ORDINARY = (
    ("linear", "least squares"),
    ("linear", "ridge"),
    ("heteroscedastic", "least squares"),
    ("smooth", "k-nn"),
    ("logistic", "logistic"),
    ("two classes", "lda"),
    ("noise classes", "lda"),
)
CLASSES = ("5% positive", "13% positive", "26% positive", "three classes", "five classes")
REPEATED = (("linear", "least squares"), ("noise", "least squares"), ("13% positive", "lda"), ("smooth", "k-nn"))
REPEATS = (1, 2, 5, 10)
HARD = (("noise", "least squares"), ("heavy-tailed", "least squares"), ("sparse", "ridge"))
ROWS, FOLDS = (51, 99, 501), (5, 10, 13)
DESIGNS_HEAD = "## Published designs"
COLUMNS = ("case", "quantity", "ours", "error", "expected", "agrees")  # of a design
SHORT = 0.02  # how far below its level a default may lie and still be called covering
# the share of a design's full size that the page runs
SHARES = {"D1": 0.25, "D5": 0.4, "D6": 0.4, "D7": 0.5, "D9": 0.5}

HEAD = """# Do the intervals cover?

Written by `python benchmarks/coverage_page.py --write docs/coverage.md`; do not edit by hand. Level 95% unless said
otherwise; {replications} simulated tables per cell, so that a coverage of 0.95 has a Monte-Carlo error of {error:.3f}.
On each table the whole study is run, as a user has it.

A number is the share of tables in which the interval holds its **own target**, nothing else: for cross-validation
(corrected t) the risk of the learner at the training rows of a fold, for test rows the risk of the very predictor that
was tested. Coverage for another target is lower: see T1 in design D1 below.
Any cell can be had again, for example `foldwise lab coverage --problem smooth --learners k-nn --rows 50 --outer 13`.
"""


def page(*, replications: int = 1000, seed: int = 0, jobs: int | None = None, kept: str | None = None) -> str:
    """The whole page in Markdown; `kept` stands for the section on published designs, if given."""
    asked: dict[str, Any] = {"replications": replications, "seed": seed, "jobs": jobs}
    error = (0.95 * 0.05 / replications) ** 0.5
    parts = [HEAD.format(replications=f"{replications:,}", error=error)]
    parts += [*_cross_validation(asked), *_others(asked), *_test_rows(asked), *_auc(asked)]
    parts += [*_comparisons(asked), *_selection(asked)]
    parts.append(_designs(replications, seed) if kept is None else kept)
    return "\n".join(parts)


def cells(pairs: Any, asked: dict[str, Any], *, rows: Any = None, folds: Any = None, **options: Any) -> pd.DataFrame:
    """Coverage of every interval on every problem; the baseline of a study comes with it."""
    found = []
    for problem, learner in pairs:
        for n in rows or ROWS:
            for k in folds or FOLDS:
                words: dict[str, Any] = {"rows": n, "outer": k, "time_limit": None, "progress": False} | asked | options
                judged = fw.lab.coverage(find_problem(problem), {learner: LEARNERS[learner]}, **words).intervals
                found.append(judged.assign(problem=problem, rows=n, folds=k, oracle=judged["estimate_sd"] * 2 * 1.96))
    frame = pd.concat(found).rename(columns={"method": "learner"})
    return frame[frame["answered"] > 0]


def _cross_validation(asked: dict[str, Any]) -> list[str]:
    ordinary = _without_baseline(cells((*ORDINARY, ("grouped", "least squares")), asked))
    hard = _without_baseline(cells(HARD, asked))
    classes = cells([(problem, "lda") for problem in CLASSES], asked, rows=(300, 500), folds=(10,))
    tuned = _without_baseline(cells([("ridge", "tuned ridge")], asked, rows=(100,)))
    repeated = pd.concat(
        _without_baseline(cells(REPEATED, asked, rows=(100,), folds=(10,), repeats=repeats)).assign(repeats=repeats)
        for repeats in REPEATS
    )
    return [
        "## Cross-validation: the corrected t\n",
        "Beside the coverage stands the width of the interval over that of an oracle, which knows how far the "
        "estimates of the simulated tables scatter.\n",
        f"Ordinary problems. {_verdict(ordinary)}\n",
        _grid(ordinary),
        "Classes of unequal shares, on stratified folds: the fold means do not show how the shares vary from table to "
        f"table, and the interval has to know it from the rows. {_verdict(classes)}\n",
        _grid(classes),
        f"A tuned learner (ridge, 12 penalties, 5 inner folds, tuned inside every outer fold). {_verdict(tuned)}\n",
        _grid(tuned),
        f"Repeated 10-fold cross-validation: more repeats do not widen the interval. {_verdict(repeated)}\n",
        _markdown(repeated, ["problem", "learner", "rows", "repeats", "coverage", "error", "width", "oracle"]),
        f"Hard problems: many columns for few rows, heavy tails. {_verdict(hard)} There the interval is too short, and "
        "the plain intervals of the next table are shorter still.\n",
        _grid(hard),
    ]


def _others(asked: dict[str, Any]) -> list[str]:
    pairs = (("linear", "least squares"), ("noise", "least squares"), ("smooth", "k-nn"), ("logistic", "logistic"))
    names = ["corrected t", "fold t", "naive z", "Bayle"]
    found = _without_baseline(cells(pairs, asked, rows=(50, 100), folds=(10,), intervals=names))
    return [
        "## Other intervals on the same tables, 10 folds\n",
        "`fold t` and `naive z` are what other tools print, and are not offered; `Bayle` is judged on its own target, "
        "the average risk of these K models.\n",
        _markdown(found, ["problem", "learner", "rows", "interval", "coverage", "error", "width"]),
    ]


def _test_rows(asked: dict[str, Any]) -> list[str]:
    names = ["Clopper-Pearson", "betting", "Hoeffding", "empirical Bernstein"]
    classes = (("logistic", "logistic"), ("two classes", "lda"))
    numbers = (("linear", "least squares"), ("smooth", "k-nn"), ("heavy-tailed", "least squares"))
    words: dict[str, Any] = {"rows": tuple(2 * n for n in ROWS), "folds": (0.5,)}
    found = [cells(classes, asked, **words, intervals=names), cells(numbers, asked, **words, intervals=["t"])]
    frame = _without_baseline(pd.concat(found))
    frame["test rows"] = frame["rows"] // 2
    return [
        "## Test rows\n",
        "As many test rows as training rows. Clopper-Pearson (0-1 loss) and betting (bounded loss) have guarantees at "
        "every size; the t interval of an unbounded loss is approximate, and short where losses are skewed and rows "
        f"few. {_verdict(frame)}\n",
        _markdown(frame, ["problem", "learner", "test rows", "interval", "coverage", "error", "width", "truth_above"]),
    ]


def _auc(asked: dict[str, Any]) -> list[str]:
    found = auc_coverage(ROWS, replications=asked["replications"], seed=asked["seed"])
    return [
        "## The area under the ROC curve\n",
        "Two normal classes and the rule that projects on the difference of their means; its AUC has a formula. DeLong "
        "on as many test rows as training rows (T1); over 10 folds the influence curve (T3) and the corrected t "
        "(T2).\n",
        _markdown(found, ["rows", "interval", "target", "coverage", "error", "width"]),
    ]


def false_alarms(task: str, methods: int, *, lead: float = 0.0, **words: Any) -> dict[str, Any]:
    """How often methods of equal risk are told apart; with a `lead` of the first, how often it is called better."""
    problem, learners = blocks(task, 0.5 * (1 + lead * (np.arange(methods) == 0)))
    judged = fw.lab.coverage(problem, learners, time_limit=None, progress=False, **words)
    pair = judged.differences.iloc[0]
    rate = pair["told_apart"] if lead else judged.false_alarms
    error = (max(rate * (1 - rate), 1 / judged.replications) / judged.replications) ** 0.5
    shape = {"task": task, "methods": methods, "rows": words["rows"], "folds": words["outer"], "lead": lead}
    return {**shape, "repeats": words.get("repeats", 1), "difference": pair["truth"], "rate": rate, "error": error}


def _comparisons(asked: dict[str, Any]) -> list[str]:
    shapes = [("regression", 2, n, k) for n in ROWS for k in FOLDS]
    shapes += [("binary", 2, 100, 10), ("regression", 7, 100, 10), ("binary", 7, 100, 10), ("imbalanced", 4, 150, 10)]
    null = [false_alarms(task, j, rows=n, outer=k, **asked) for task, j, n, k in shapes]
    null += [false_alarms("regression", 2, rows=100, outer=10, repeats=r, **asked) for r in REPEATS[1:]]
    leads = [(n, lead) for n in (100, 500) for lead in (0.25, 0.5, 1.0)]
    power = [false_alarms("regression", 2, lead=lead, rows=n, outer=10, **asked) for n, lead in leads]
    power += [false_alarms("regression", 2, lead=0.5, rows=100, outer=10, repeats=r, **asked) for r in REPEATS[1:]]
    most = max(line["rate"] for line in null)
    return [
        "## Comparisons of equal learners: false alarms\n",
        "Each learner sees its own block of columns and all blocks are alike: predictions differ, risks do not. The "
        "share of tables in which some method is called better than another one, by intervals that hold for all pairs "
        f"at once: nominal 5%, the largest rate is {most:.3f}.\n",
        _markdown(pd.DataFrame(null), ["methods", "task", "rows", "folds", "repeats", "rate", "error"]),
        "Power: the first block says more than the second (`difference` is the true difference of risks).\n",
        _markdown(pd.DataFrame(power), ["rows", "folds", "repeats", "lead", "difference", "rate", "error"]),
    ]


def _selection(asked: dict[str, Any]) -> list[str]:
    count = max(asked["replications"] // 5, 2)
    found = pd.concat([selection_bias(name, replications=count, seed=asked["seed"]) for name in ("noise", *REAL_SETS)])
    return [
        "## Selection: the smallest error of many candidates\n",
        "Bias against the true risk of the rule that was picked and fitted again: pure noise (12 rules, 60 rows), and "
        "two real sets of which 40 rows are learnt from and all others held back (60 rules). Nested CV and BBC judge "
        "picks made from fewer rows than the final one (36 of 40), so that a little pessimism is their due; on pure "
        "noise BBC corrects most of the bias, not all of it.\n",
        _markdown(found, ["data", "estimate", "mean", "truth", "bias", "error"], digits=4),
    ]


def _designs(replications: int, seed: int) -> str:
    parts = [f"{DESIGNS_HEAD}\n"]
    parts.append(
        "Ours beside what the literature or our survey of it gives; `agrees` is within three joint Monte-Carlo errors "
        "and the slack of a published digit. Full size: `python benchmarks/coverage_page.py --design D1`.\n"
    )
    for name, design in DESIGNS.items():
        count = max(int(design.replications * SHARES.get(name, 1.0) * min(replications / 1000, 1)), 2)
        found = run_design(name, replications=count, seed=seed)
        parts.append(f"### {name}: {design.title}\n")
        parts.append(f"{_agreement(found)} ({count:,} replications; costly intervals on fewer).\n")
        parts.append(_markdown(found, COLUMNS, digits=4))
    return "\n".join(parts)


def _without_baseline(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["learner"] != "baseline"]


def _grid(frame: Any) -> str:
    """One line per problem and rows, one column per number of folds: coverage, then the width over the oracle's."""
    wide = frame.assign(ratio=frame["width"] / frame["oracle"]).pivot_table(
        index=["problem", "learner", "rows"], columns="folds", values=["coverage", "ratio"], sort=False
    )
    folds = sorted(frame["folds"].unique())
    head = ["problem", "learner", "rows", *(f"K = {k}" for k in folds), *(f"width / oracle, K = {k}" for k in folds)]
    lines = []
    for index, row in wide.iterrows():
        shares = [f"{row['coverage', k]:.3f}" for k in folds] + [f"{row['ratio', k]:.2f}" for k in folds]
        lines.append([*(str(part) for part in index), *shares])
    return _rows(head, lines)


def _markdown(frame: Any, columns: Sequence[str], digits: int = 3) -> str:
    def cell(value: Any) -> str:
        if isinstance(value, float):
            return "" if value != value else f"{value:.{digits}f}"
        return {"None": "", "True": "yes", "False": "no"}.get(str(value), str(value))

    lines = [[cell(value) for value in row] for row in frame[list(columns)].itertuples(index=False)]
    return _rows([name.replace("_", " ") for name in columns], lines)


def _rows(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rule = ["---"] * len(head)
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, rule, *lines)) + "\n"


def _named(frame: Any) -> str:
    return "; ".join(
        f"{row.problem} ({row.learner}), n = {row.rows}"
        + (f", K = {row.folds}" if row.folds > 1 else "")
        + f": {row.coverage:.3f}"
        for row in frame.itertuples()
    )


def _verdict(frame: Any) -> str:
    """Whether all cells cover, or which do not and by how much; and the other end, where an interval is too wide."""
    floor = 0.95 - SHORT
    short = frame[frame["coverage"] < floor]
    ends = f"the smallest coverage is {frame['coverage'].min():.3f}, the largest {frame['coverage'].max():.3f}"
    if short.empty:
        return f"All {len(frame)} cells cover at least {floor:.2f}: {ends}."
    return f"{len(short)} of {len(frame)} cells fall short of {floor:.2f}, {ends}. Short are {_named(short)}."


def _agreement(frame: Any) -> str:
    judged = [value for value in frame["agrees"] if value is not None]
    return f"{sum(map(bool, judged))} of {len(judged)} expected values agree"


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the page, or print one design."""
    parser = argparse.ArgumentParser(description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", type=Path, help="the file to write")
    what.add_argument("--design", choices=DESIGNS, help="print this design")
    parser.add_argument("--replications", type=int, help="1000 per cell, or the full size of the design, if not given")
    parser.add_argument("--keep-designs", action="store_true", help="leave the published designs as the page has them")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int)
    asked = parser.parse_args(arguments)
    if asked.design:
        found = run_design(asked.design, replications=asked.replications, seed=asked.seed)
        print(f"{_agreement(found)}\n\n{_markdown(found, COLUMNS, digits=4)}", end="")
        return
    start = time.perf_counter()
    kept = None
    if asked.keep_designs:
        kept = DESIGNS_HEAD + asked.write.read_text(encoding="utf-8").split(DESIGNS_HEAD)[1]
    text = page(replications=asked.replications or 1000, seed=asked.seed, jobs=asked.jobs, kept=kept)
    asked.write.write_text(text.rstrip() + "\n", encoding="utf-8")
    print(f"wrote {asked.write} in {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
