"""Nested cross-validation with Foldwise beside scikit-learn's nested loops and other peers: same folds, same numbers.

Every measurement runs in a process of its own with one thread, one after the other; CPU seconds count, imports do
not. The quick run (the default) has small sizes and fails if a ratio fell below the stored one by more than 1.5; the
full run has the sizes of the goals, then the tables of `growth.py` and `workers.py`, and takes about half an hour.

    python benchmarks/speed.py [--full] [--tasks NAME,NAME] [--checks NAME,NAME] [--keep] [--profile TASK]

`--keep` stores the ratios of this run in benchmarks/ratios.json. Both runs write docs/speed.md, the full one also
its picture.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from measure import in_own_process
from page import Row, day_and_commit, line_of, write_page
from r_peers import R_PACKAGES, has_package
from tasks import Size, Task, tasks

RATIOS = Path(__file__).with_name("ratios.json")
SLOWER = 1.5  # a ratio this much below the stored one is a step back
ROUNDS = 3  # a step back is measured again: the machine may have been busy
TIGHT = 1e-6  # what solvers that iterate promise
PACKAGES = {"optuna": "optuna", "dask-ml": "dask_ml", "intelex": "sklearnex"}


def measure(task: Task, size: Size) -> Row:
    """One task: ours, one fit, the nested loops and the other peers, in this order."""
    mine, naive = (in_own_process(size, task.name, peer) for peer in ("ours", "naive"))
    row = Row(task.name, task.title, task.goal, task.most_ones, task.share, remark=task.remark)
    row.measured = day_and_commit()
    for who, report in (("ours", mine), ("naive", naive)):
        if "problem" in report:
            row.problems.append(f"{who}: {report['problem']}")
    if row.problems:
        return row
    row.ours, row.naive = mine["cpu"], naive["cpu"]
    row.one = naive["one"] if naive["one"] > 0 else float("nan")  # no reading is not a fast one
    row.wall, row.naive_wall, row.answering, row.fits = mine["wall"], naive["wall"], mine["answering"], mine["fits"]
    row.megabytes, row.naive_megabytes = mine["megabytes"], naive["megabytes"]
    try:
        row.difference, row.other_choices = check_same(task, mine, naive), other_choices(mine, naive)
        if row.difference > 1e-12:  # else the plain loop did it, at scikit-learn's own tolerance
            row.tight = check_tight(mine, naive)
    except AssertionError as problem:
        row.problems.append(str(problem))
        return row
    for peer in wanted_peers(task, size):
        report = in_own_process(size, task.name, peer)
        row.peers[label(task, peer)] = report.get("cpu", report.get("problem"))
        if "wall" in report and "two jobs" in peer:
            row.peers[f"{label(task, peer)}, wall"] = report["wall"]
        if "losses" in report and any(report["losses"].values()):
            row.peer_differences[label(task, peer)] = worst(mine["losses"], report["losses"])
    return row


def check_same(task: Task, mine: dict[str, Any], naive: dict[str, Any]) -> float:
    """The largest relative difference; it must be within the tolerance of the task.

    Losses of outer folds are compared; where the naive side did not do all inner splits, the candidates' losses
    on those it did. An iterative learner that stops early differs most at candidates that nobody chooses, and may
    choose another one: its losses count where the choices agree.
    """
    is_iterative = task.tolerance > 1e-6
    compared = [worst(*(agreeing(one, mine, naive) if is_iterative else one["losses"] for one in (mine, naive)))]
    if not is_iterative or compared == [None]:
        compared.append(worst(mine["scores"], naive["scores"], is_median=is_iterative))
    difference = max((found for found in compared if found is not None), default=0.0)
    assert difference <= task.tolerance, f"the numbers differ by {difference:.2g}"
    return difference


def agreeing(report: dict[str, Any], *both: dict[str, Any]) -> dict[str, list[float]]:
    """Losses of the outer folds in which both sides chose the same candidate."""
    return {
        name: [
            loss
            for loss, *choices in zip(values, *(one["choices"][name] for one in both), strict=False)
            if len(set(choices)) == 1
        ]
        for name, values in report["losses"].items()
    }


def other_choices(mine: dict[str, Any], naive: dict[str, Any]) -> int:
    """Outer folds in which the naive side, having done all inner splits, chose another candidate."""
    return sum(
        ours != theirs
        for name, choices in naive["choices"].items()
        if naive["losses"][name]
        for ours, theirs in zip(mine["choices"][name], choices, strict=False)
    )


def check_tight(mine: dict[str, Any], naive: dict[str, Any]) -> float | None:
    """At a tight tolerance scikit-learn comes to our numbers."""
    gaps = [abs(mine["scores"][name][0][found[0]] / found[1] - 1) for name, found in naive["tight"].items() if found]
    assert all(gap <= TIGHT for gap in gaps), f"the optimum differs by {max(gaps):.2g}"
    return max(gaps, default=None)


def worst(one: dict[str, Any], other: dict[str, Any], *, is_median: bool = False) -> float | None:
    """The largest (or the middle) relative difference of what both have."""
    found = []
    for name, values in other.items():
        theirs = np.asarray(values, dtype=float)
        ours = np.asarray(one[name], dtype=float)[: len(theirs)]
        if theirs.size:
            gaps = np.abs(ours - theirs) / np.maximum(np.abs(theirs), 1e-12)
            found.append(float(np.median(gaps) if is_median else gaps.max()))
    return max(found, default=None)


def wanted_peers(task: Task, size: Size) -> list[str]:
    """The further peers of a task that are installed."""
    asked = ["shortcut"] if task.shortcut and size == "full" else []
    for peer in task.peers:
        if peer == "two jobs":
            asked += ["naive, two jobs", "ours, two jobs"]
        elif has_package(peer) if peer in R_PACKAGES else find_spec(PACKAGES[peer]):
            asked.append(peer)
        else:
            print(f"  {peer} is not installed: left out")
    return asked


def label(task: Task, peer: str) -> str:
    if peer == "shortcut":
        assert task.shortcut is not None
        return task.shortcut.name
    return {"naive, two jobs": "scikit-learn, 2 jobs", "ours, two jobs": "Foldwise, 2 jobs"}.get(peer, peer)


def stored_ratios(path: Path = RATIOS) -> dict[str, dict[str, float]]:
    return json.loads(path.read_text()) if path.exists() else {}


def steps_back(rows: list[Row], stored: dict[str, float]) -> list[str]:
    """Tasks whose ratio is more than 1.5 times smaller than the stored one, or that have none any more."""
    return [
        f"{row.name}: {row.ratio:.2f} times faster than the nested loops, and it was {stored[row.name]:.2f}"
        for row in rows
        if row.name in stored and not row.ratio * SLOWER >= stored[row.name]
    ]


def run(chosen: dict[str, Task], size: Size, stored: dict[str, float]) -> Iterator[Row]:
    """Rows as they come, so that a long run can be ended and leaves what it has."""
    for task in chosen.values():
        row = measure(task, size)
        for _ in range(0 if size == "tiny" else ROUNDS - 1):
            if not steps_back([row], stored):
                break
            row = max(row, measure(task, size), key=lambda one: one.ratio)
        print(line_of(row), flush=True)
        yield row


def profile(task: Task, lines: int = 25) -> None:
    """Where our call spends its time."""
    import cProfile
    import pstats

    import peers

    X, y = task.data()
    words = {**peers.words_of(task, len(y)), "solvers": task.solvers}
    peers._warm_up(task, X, y, words)
    with cProfile.Profile() as seen:
        peers.fw.compare(peers.learners_of(task), X, y, jobs=1, **words)
    pstats.Stats(seen).sort_stats("tottime").print_stats(lines)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Foldwise beside its peers")
    parser.add_argument("--full", action="store_true", help="the sizes of the goals")
    parser.add_argument("--tiny", action="store_true", help="one small task, to see that it works")
    parser.add_argument("--tasks", help="only these, by name")
    parser.add_argument("--checks", help="only these tables beside the tasks, by name; '' for none")
    parser.add_argument("--keep", action="store_true", help="store the ratios of this run")
    parser.add_argument("--ratios", type=Path, default=RATIOS, help="where the stored ratios are")
    parser.add_argument("--docs", type=Path, default=Path(__file__).parents[1] / "docs", help="where the page goes")
    parser.add_argument("--profile", metavar="TASK", help="profile our call on this task")
    return parser.parse_args()


def main() -> int:
    words = parsed()
    size: Size = "full" if words.full else "tiny" if words.tiny else "quick"
    chosen = tasks(size)
    if words.profile:
        profile(*named(words.profile, chosen, "task").values())
        return 0
    if words.tasks or words.checks is not None:
        chosen = named(words.tasks or "", chosen, "task")
    started, stored = time.perf_counter(), stored_ratios(words.ratios)
    if not shutil.which("R"):
        print("R is not installed: glmnet, FNN, caret and ranger are left out")
    rows, checks, order = list[Row](), dict[str, str](), list(tasks(size))
    for row in run(chosen, size, {} if words.keep else stored.get(size, {})):
        rows.append(row)
        write_page(words.docs, size, rows, checks, order)
    for name, check in wanted_checks(words, size).items():
        checks[name] = stamped(check())
        write_page(words.docs, size, rows, checks, order)
    minutes = (time.perf_counter() - started) / 60
    print(f"{size} run on {platform.machine()}, Python {platform.python_version()}: {minutes:.1f} minutes")
    return conclude(rows, size, stored, words)


def wanted_checks(words: argparse.Namespace, size: Size) -> dict[str, Callable[[], str]]:
    """The tables beside the tasks: all of a full run, unless some tasks or tables are named."""
    import growth
    import workers

    known = {**growth.CHECKS, **workers.CHECKS}
    if words.checks is not None:
        return named(words.checks, known, "check")
    return known if size == "full" and not words.tasks else {}


def named(names: str, known: dict[str, Any], kind: str) -> dict[str, Any]:
    """Those of `known` that are asked for, by names with commas between."""
    wanted = [name for name in names.split(",") if name]
    if unknown := [name for name in wanted if name not in known]:
        sys.exit(f"no {kind} is called {unknown[0]!r}; there are {', '.join(known)}")
    return {name: known[name] for name in wanted}


def stamped(table: str) -> str:
    return f"{table}\n\nMeasured {day_and_commit()}, load {os.getloadavg()[1]:.1f} on {os.cpu_count()} cores."


def conclude(rows: list[Row], size: Size, stored: dict[str, dict[str, float]], words: argparse.Namespace) -> int:
    """Store the ratios, or hold them against the stored ones."""
    missed = [f"{row.name}: {problem}" for row in rows for problem in row.problems]
    if not words.keep and not stored.get(size):
        print(f"no ratios of a {size} run are stored: nothing was compared (--keep stores these)", file=sys.stderr)
    back = [] if words.keep else steps_back([row for row in rows if not row.problems], stored.get(size, {}))
    if words.keep:
        kept = {**stored.get(size, {}), **{row.name: round(row.ratio, 3) for row in rows if not row.problems}}
        words.ratios.write_text(json.dumps({**stored, size: kept}, indent=2, sort_keys=True) + "\n")
    for line in (*missed, *back):
        print(f"slower or failed: {line}", file=sys.stderr)
    return 1 if missed or back else 0


if __name__ == "__main__":
    sys.exit(main())
