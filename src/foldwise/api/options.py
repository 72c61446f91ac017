"""The keywords of `compare` as a type, so that type checkers know them in every form of the call."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict

from foldwise.estimates.intervals import IntervalMethod
from foldwise.executors.executor import Executor
from foldwise.records.store import Store
from foldwise.tuners.tuner import Tuner


class CompareOptions(TypedDict, total=False):
    """What `compare` and the functions that hand it on take by keyword; `help(fw.compare)` explains each."""

    effort: str
    loss: Any
    outer: Any
    inner: Any
    repeats: int | None
    groups: Any
    time: Any
    weights: Any
    stratify: Any
    task: str | None
    positive: Any
    drop_missing_target: bool
    tuner: str | Tuner | None
    budget: int | str | None
    rule: str
    stop: str | None
    seed: int
    jobs: int | None
    engine: str | Executor
    address: str | None
    isolate: bool | None
    solvers: Any
    fit_threads: int
    fit_timeout: float | None
    fit_memory: float | None
    time_limit: float | str | None
    store: str | Path | Store | None
    level: float
    interval: str | IntervalMethod | None
    optimism: bool
    importance: bool
    defaults: bool | None
    on_failure: str
    retry_failed: bool
    progress: bool | None
    guards: bool
    silence: str | Sequence[str] | None
