"""Coverage on tables like one's own, from a file or a frame: a study of it, and that study on simulated tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foldwise.api.compare import compare
from foldwise.api.coverage_check import CoverageCheck
from foldwise.stats.interval_method import IntervalMethod

USUAL = ("ridge", "k-nn")  # a table takes about a second with these; with all default learners two minutes show nothing


def coverage_like(
    data: Any,
    target: Any = None,
    *,
    learners: Any = None,
    outer: Any = None,
    inner: Any = None,
    intervals: str | Sequence[str | IntervalMethod] = "own",
    replications: int = 200,
    time_limit: float | str | None = "2 min",
    level: float = 0.95,
    seed: int = 0,
    jobs: int | None = None,
    progress: bool | None = None,
) -> CoverageCheck:
    """Compare learners on a table, then the same study on simulated tables like it: see `Result.coverage_check`.

    `target`: its column, or its values. Assumes independent rows; groups and time order are refused.

    `data`: as in `compare`.
    `learners`: ridge and k-nn if not given, as a simulated table costs what a study does.
    `outer`, `inner`: as in `compare`.
    `intervals`, `replications`, `time_limit`, `progress`: as in `Result.coverage_check`.
    `level`: the coverage that the interval is made for.
    `seed`: names the random draws; the same seed gives the same answer.
    `jobs`: worker processes (None: one per core).

    >>> import foldwise as fw
    >>> check = fw.lab.coverage_like("diabetes", learners=["linear"], outer=3, replications=20, jobs=1)
    >>> check.replications, check.false_alarms
    (20, 0.0)
    """
    words: dict[str, Any] = {"outer": outer, "inner": inner, "level": level, "seed": seed, "jobs": jobs}
    result = compare(list(USUAL) if learners is None else learners, data, target, progress=progress, **words)
    return result.coverage_check(
        intervals=intervals,
        replications=replications,
        time_limit=time_limit,
        seed=seed,
        jobs=jobs,
        progress=progress,
    )
