"""Do the intervals cover? Simulations with known truth, and published designs run again.

python benchmarks/coverage_page.py --write docs/coverage.md    the page, which takes hours
python benchmarks/coverage_page.py --design D1                 one published design in full size
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from designs.auc import auc_coverage
from designs.catalogue import DESIGNS, run_design
from designs.selection import REAL_SETS, selection_bias
from evidence.alarms import false_alarms

from foldwise.lab.interval_coverage import Setting, coverage, coverage_of

ORDINARY = (
    ("linear", "least squares"),
    ("linear", "ridge"),
    ("heteroscedastic", "least squares"),
    ("smooth", "k-nn"),
    ("logistic", "least squares"),
    ("two classes", "centroid"),
    ("noise classes", "centroid"),
)
# learners that call the rarer classes by their share; nearest class means do not, and are among the hard ones
IMBALANCED = tuple(
    (problem, learner)
    for problem in ("5% positive", "13% positive", "26% positive", "rare and hard", "unequal costs")
    for learner in ("least squares", "majority")
)
MANY_CLASSES = tuple((p, learner) for p in ("three classes", "five classes") for learner in ("centroid", "majority"))
COSTLY = (("5% positive", "logistic"), ("13% positive", "logistic"), ("13% positive", "k-nn"), ("26% positive", "k-nn"))
REPEATED = (
    ("linear", "least squares", 100),
    ("noise", "least squares", 100),
    ("13% positive", "least squares", 150),
    ("three classes", "centroid", 150),
    ("smooth", "k-nn", 100),
    ("grouped", "least squares", 99),
)
REPEATS = (1, 2, 5, 10)
HARD = (
    ("5% positive", "centroid"),
    ("rare and hard", "centroid"),
    ("noise", "least squares"),
    ("heavy-tailed", "least squares"),
    ("sparse", "ridge"),
)
TESTED = ("linear", "smooth", "heavy-tailed", "logistic", "two classes", "bounded")
ROWS, FOLDS = (50, 100, 500), (5, 10, 13)
GROUPED = (("grouped", "least squares"),)
DESIGNS_HEAD = "## Published designs"
COLUMNS = ("case", "quantity", "ours", "error", "expected", "agrees")  # of a design
SHORT = 0.02  # how far below its level a default may lie and still be called covering
# the share of a design's full size that the page runs
SHARES = {"D1": 0.25, "D2": 0.25, "D3": 0.2, "D4": 0.25, "D5": 0.4, "D6": 0.4, "D7": 0.5, "D8": 0.25, "D9": 0.5}

HEAD = """# Do the intervals cover?

Written by `python benchmarks/coverage_page.py --write docs/coverage.md`; do not edit by hand. Level 95% unless said
otherwise; {replications} simulated data sets per cell, so that a coverage of 0.95 has a Monte-Carlo error of
{error:.3f}.

A number is the share of data sets in which the interval holds its **own target**, nothing else: for cross-validation
(corrected t) the risk of the learner at the training rows of a fold (T2; T4 for a tuned learner), for test rows the
risk of the very predictor that was tested (T1). Coverage for another target is lower: see design D1 below.
Problems and learners are those of `foldwise.lab`; any cell can be had again, for example
`foldwise lab coverage --problem smooth --rows 50 --folds 13`.
"""


def page(
    *,
    replications: int = 2000,
    seed: int = 0,
    jobs: int | None = None,
    designs: Sequence[str] = tuple(DESIGNS),
    kept: str | None = None,
) -> str:
    """The whole page in Markdown; `kept` stands for the section on published designs, if given."""
    asked: dict[str, Any] = {"replications": replications, "seed": seed, "jobs": jobs}
    error = (0.95 * 0.05 / replications) ** 0.5
    parts = [HEAD.format(replications=f"{replications:,}", error=error)]
    parts += [*_cross_validation(asked), *_tuned_and_grouped(asked), *_rivals(asked), *_test_rows(asked)]
    parts += [*_auc(asked), *_comparisons(asked), *_selection(asked)]
    parts.append(_designs(designs, replications, seed, jobs) if kept is None else kept)
    return "\n".join(parts)


def _cross_validation(asked: dict[str, Any]) -> list[str]:
    import pandas as pd

    ordinary = pd.concat([_cells(ORDINARY, asked), _cells(GROUPED, asked, rows=ROWS[1:])])
    hard = pd.concat([_cells(GROUPED, asked, rows=ROWS[:1]), _cells(HARD, asked)])
    classes = _cells((*IMBALANCED, *MANY_CLASSES), asked, rows=(150, 500))
    fewer = asked | {"replications": max(asked["replications"] // 2, 2)}
    costly = _cells(COSTLY, fewer, rows=(150,), folds=(10,))
    return [
        "## Cross-validation: the corrected t\n",
        "Beside the coverage stands the width of the interval over that of an oracle, which knows how far the "
        "estimates of the simulated data sets scatter.\n",
        f"Ordinary problems. {_verdict(ordinary)}\n",
        _grid(ordinary),
        "Classes of unequal shares, on stratified folds: the fold means do not show how the shares vary from data set "
        f"to data set, and the interval has to know it from the rows. {_verdict(classes)}\n",
        _grid(classes),
        f"The same with costlier learners, half the data sets. {_verdict(costly)}\n",
        _grid(costly),
        *_repeats(fewer),
        "Hard problems: few groups, many columns for few rows, heavy tails, and a rule that takes all classes as "
        f"equally frequent where they are not. {_verdict(hard)} There the interval is too short, and the plain "
        "intervals of the next tables are shorter still.\n",
        _grid(hard),
    ]


def _repeats(asked: dict[str, Any]) -> list[str]:
    settings = [
        Setting(problem, learner, rows, 10, repeats=repeats)
        for problem, learner, rows in REPEATED
        for repeats in REPEATS
    ]
    found = coverage_of(settings, ["corrected t"], **asked)
    return [
        "Repeated 10-fold cross-validation, half the data sets: more repeats do not widen the interval. "
        f"{_verdict(found)}\n",
        _markdown(found, ["problem", "learner", "rows", "repeats", "coverage", "error", "width", "oracle"]),
    ]


def _tuned_and_grouped(asked: dict[str, Any]) -> list[str]:
    fewer = asked | {"replications": max(asked["replications"] // 2, 2)}
    tuned = _cells((("ridge", "tuned ridge"),), fewer, rows=(100,))
    whole, split = (
        coverage(["grouped"], ["corrected t"], rows=ROWS[:2], folds=(10,), learner="k-nn", by_rows=is_split, **fewer)
        for is_split in (False, True)
    )
    return [
        "A tuned learner (ridge, 12 penalties, 5 inner folds, tuned inside every outer fold; T4), half the data sets. "
        f"{_verdict(tuned)}\n",
        _grid(tuned),
        "Grouped rows, k-NN: first with whole groups in a fold, then with groups split across folds, as happens "
        "without `groups=`. What is known of a group then leaks from training to test rows.\n",
        _grid(whole),
        _grid(split),
    ]


def _rivals(asked: dict[str, Any]) -> list[str]:
    found = coverage(
        ["linear", "noise", "smooth", "logistic"],
        ["corrected t", "Bates", "fold t", "naive z", "Bayle"],
        rows=(50, 100),
        folds=(10,),
        **asked | {"replications": max(asked["replications"] // 4, 2)},
    )
    return [
        "## Other intervals on the same data, 10 folds\n",
        "A quarter of the data sets. `Bates` from 5 runs of pair fits; `fold t` and `naive z` are what other tools "
        "print, and are not offered; `Bayle` is judged on its own target, the average risk of these K models (T3).\n",
        _markdown(found, ["problem", "learner", "rows", "interval", "target", "coverage", "error", "width"]),
    ]


def _test_rows(asked: dict[str, Any]) -> list[str]:
    names = ["Clopper-Pearson", "betting", "t", "Hoeffding", "empirical Bernstein"]
    found = coverage(list(TESTED), names, rows=ROWS, **asked)
    return [
        "## Test rows\n",
        "As many test rows as training rows. Clopper-Pearson (0-1 loss) and betting (bounded loss) have guarantees at "
        "every size; the t interval of an unbounded loss is approximate, and short where losses are skewed and rows "
        f"few. {_verdict(found)}\n",
        _markdown(found, ["problem", "learner", "rows", "interval", "coverage", "error", "width", "truth_above"]),
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


def _comparisons(asked: dict[str, Any]) -> list[str]:
    import pandas as pd

    runs = [(2, "regression", n, k) for n in ROWS for k in FOLDS]
    runs += [(2, "binary", 100, 10), (7, "regression", 100, 10), (7, "regression", 100, 13), (7, "binary", 100, 10)]
    runs += [(2, "imbalanced", 150, 10), (4, "imbalanced", 150, 10)]
    found = [false_alarms(j, task=task, rows=n, folds=k, **asked) for j, task, n, k in runs]
    found += [false_alarms(2, rows=100, folds=k, repeats=r, **asked) for k in (5, 10) for r in REPEATS[1:]]
    null = pd.concat([frame[frame["claim"] != "the first is better than the second"] for frame in found])
    most = null.loc[null["test"] == "corrected t", "rate"].max()
    tried = [(n, more) for n in (100, 500) for more in (0.25, 0.5, 1.0)]
    again = [false_alarms(2, rows=100, advantage=0.5, repeats=r, **asked) for r in REPEATS[1:]]
    power = pd.concat([*(false_alarms(2, rows=n, advantage=more, **asked) for n, more in tried), *again])
    power = power[power["claim"] == "the first is better than the second"]
    columns = ["methods", "task", "rows", "folds", "repeats", "test", "claim", "rate", "error"]
    return [
        "## Comparisons of equal learners: false alarms\n",
        "Each learner sees its own block of columns and all blocks are alike: predictions differ, risks do not. "
        f"Nominal 5%; the largest rate of the corrected t is {most:.3f}. The plain t over folds is shown for contrast "
        "and is not offered.\n",
        _markdown(null, columns),
        "Power: the first block says more than the second (`difference` is the true difference of risks).\n",
        _markdown(power, ["rows", "folds", "repeats", "advantage", "difference", "test", "rate", "error"]),
    ]


def _selection(asked: dict[str, Any]) -> list[str]:
    import pandas as pd

    fewer = asked | {"replications": max(asked["replications"] // 10, 2)}
    found = pd.concat([selection_bias(name, **fewer) for name in ("noise", *REAL_SETS)])
    return [
        "## Selection: the smallest error of many candidates\n",
        "Bias against the true risk of the rule that was picked and fitted again: pure noise (12 rules, 60 rows), and "
        "two real sets of which 40 rows are learnt from and all others held back (60 rules). Nested CV and BBC judge "
        "picks made from fewer rows than the final one (36 of 40), so that a little pessimism is their due; on pure "
        "noise BBC corrects most of the bias, not all of it.\n",
        _markdown(found, ["data", "estimate", "mean", "truth", "bias", "error"], digits=4),
    ]


def _designs(names: Sequence[str], replications: int, seed: int, jobs: int | None) -> str:
    parts = [f"{DESIGNS_HEAD}\n"]
    parts.append(
        "Ours beside what the literature or our survey of it gives; `agrees` is within three joint Monte-Carlo errors "
        "and the slack of a published digit. Full size: `python benchmarks/coverage_page.py --design D1`.\n"
    )
    for name in names:
        design = DESIGNS[name]
        count = max(int(design.replications * SHARES.get(name, 1.0) * min(replications / 2000, 1)), 2)
        found = run_design(name, replications=count, seed=seed, jobs=jobs)
        parts.append(f"### {name}: {design.title}\n")
        parts.append(f"{_agreement(found)} ({count:,} replications; costly intervals on fewer).\n")
        parts.append(_markdown(found, COLUMNS, digits=4))
    return "\n".join(parts)


def _cells(pairs: Sequence[tuple[str, str]], asked: dict[str, Any], rows: Any = ROWS, folds: Any = FOLDS) -> Any:
    settings = [Setting(problem, learner, n, k) for problem, learner in pairs for n in rows for k in folds]
    return coverage_of(settings, ["corrected t"], **asked)


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
        f"{row.problem} ({row.learner}, {row.interval}), n = {row.rows}"
        + (f", K = {row.folds}" if row.folds else "")
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
    parser.add_argument("--replications", type=int, help="2000 per cell, or the full size of the design, if not given")
    parser.add_argument("--keep-designs", action="store_true", help="leave the published designs as the page has them")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int)
    asked = parser.parse_args(arguments)
    if asked.design:
        found = run_design(asked.design, replications=asked.replications, seed=asked.seed, jobs=asked.jobs)
        print(f"{_agreement(found)}\n\n{_markdown(found, COLUMNS, digits=4)}", end="")
        return
    start = time.perf_counter()
    kept = None
    if asked.keep_designs:
        kept = DESIGNS_HEAD + asked.write.read_text(encoding="utf-8").split(DESIGNS_HEAD)[1]
    text = page(replications=asked.replications or 2000, seed=asked.seed, jobs=asked.jobs, kept=kept)
    asked.write.write_text(text.rstrip() + "\n", encoding="utf-8")
    print(f"wrote {asked.write} in {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
