"""`benchmark`: the same comparison over several data sets, one store for each."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from foldwise.api.benchmark_data import data_parts, folder_name, name_data
from foldwise.api.benchmark_result import Benchmark
from foldwise.api.compare import run_comparison
from foldwise.api.options import OPTIONS
from foldwise.api.request import as_data, request
from foldwise.api.result import Result
from foldwise.api.study_file import StudySpec
from foldwise.blocks.numbers import plain
from foldwise.data.dataset import Dataset
from foldwise.data.roles import Roles
from foldwise.errors import BadInterval, BadLearner, BadStudy, FitsFailed, FoldwiseError, Terminated, nearest
from foldwise.executors.progress import Progress
from foldwise.learners.catalogue import find_entry
from foldwise.learners.checks import task_of
from foldwise.learners.named import Named
from foldwise.plans.blends import read_blend
from foldwise.plans.methods import name_learners, task_hint
from foldwise.questions.benchmark_answer import Entry, Terms
from foldwise.records.secrets import masked
from foldwise.tuners.budget import read_seconds

_OWN = ("learners", "X", "y", "store", "time_limit", "progress")  # what a benchmark gives every `compare`


@dataclass(frozen=True)
class Source:
    """One data set of a benchmark: how its rows and options are read, its learners, and where it is kept."""

    read: Callable[[], tuple[Dataset, Mapping[str, Any]]]
    learners: Any = None
    store: str | Path | None = None
    origin: Mapping[str, Any] | None = None


def benchmark(
    data: Any,
    learners: Any = None,
    *,
    control: str | None = None,
    store: str | Path | None = None,
    time_limit: float | str | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Benchmark:
    """Compare the same learners on several data sets.

    `data`: {name: (X, y)}, {name: file or built-in set}, or {name: {"X": ..., "y": ..., "groups": ..., "loss": ...}}
      with options of its own; or a list of files and built-in names.
    `learners` and all `options` are those of `compare`; see there.
    `control`: a method named beforehand, to which alone the others are compared; else all pairs are.
    `store`: a folder with a store for each data set: the same call goes on from there.
    `time_limit`: seconds, or a time such as "10 min", for all of it. `progress`: show progress lines (None: in a
      terminal).

    A data set that fails, and a learner that fails on one, are reported and left out; the rest goes on.

    >>> import numpy as np
    >>> import foldwise as fw
    >>> x = np.linspace(0, 1, 40)
    >>> data = {"bow": (x[:, None], x**2), "wave": (x[:, None], np.sin(12 * x))}
    >>> found = fw.benchmark(data, ["linear", "k-nn:small"], outer=4)
    >>> found.ranks()["method"].tolist(), found.notes[0][:44]
    (['k-nn:small', 'linear'], 'with 2 data sets and 1 pair no p can be belo')
    """
    named = name_data(data)
    if store is not None and not isinstance(store, str | Path):
        raise BadStudy("a benchmark keeps a store for each data set", "Name the folder that is to have them")
    _check_options(options)
    sources = {name: _source(value, learners, options) for name, value in named.items()}
    terms = Terms(options.get("level", 0.95), control, options.get("seed", 0))
    limit = None if time_limit is None else read_seconds(time_limit, "time limit")
    return run_benchmark(sources, terms, store=store, time_limit=limit, progress=progress)


def run_benchmark(
    sources: Mapping[str, Source],
    terms: Terms,
    *,
    store: str | Path | None = None,
    time_limit: float | None = None,
    progress: bool | None = None,
) -> Benchmark:
    """Compare on one data set after the other; what ends a single one does not end the rest."""
    _check_control(terms.control, sources.values())
    started, entries, results = time.monotonic(), list[Entry](), dict[str, Result]()

    def so_far() -> Benchmark:
        rest = [Entry(name, "unfinished") for name in sources if name not in {entry.data for entry in entries}]
        return Benchmark([*entries, *rest], results, terms, seconds=time.monotonic() - started)

    for at, (name, source) in enumerate(sources.items(), start=1):
        left = None if time_limit is None else time_limit - (time.monotonic() - started)
        if left is not None and left <= 0:
            break
        _say(progress, f"data set {at} of {len(sources)}: {plain(name)}")
        where = source.store or (None if store is None else Path(store) / folder_name(name))
        try:
            entry, result = _compare_on(name, source, store=where, time_limit=left, progress=progress)
        except (KeyboardInterrupt, Terminated) as stopped:
            result = getattr(stopped, "result", None)
            entries.append(Entry(name, "unfinished", result.to_dict() if result else None))
            stopped.result = so_far()  # type: ignore[union-attr]
            raise
        entries.append(entry)
        results |= {name: result} if result else {}
    _refuse_nothing(entries)
    return so_far()


def _compare_on(name: str, source: Source, **run: Any) -> tuple[Entry, Result | None]:
    """The answer of one data set, or the sentence that says why there is none."""
    left_out: tuple[str, ...] = ()
    try:
        data, options = source.read()
        learners, left_out = for_task(source.learners, data.task)
        origin = None if source.origin is None else _without(source.origin, left_out)
        asked = request(learners, data, None, **{"defaults": False, **options}, **run)
        result = _answer_or_rest(lambda: run_comparison(asked, origin=origin))
    except Exception as error:  # whatever it was, the other data sets are not to blame
        words = str(error) if isinstance(error, FoldwiseError) else masked(f"{type(error).__name__}: {error}")
        return Entry(name, "failed", error=words, left_out=left_out, cause=error), None
    status = "ok" if result.is_finished else "unfinished"
    return Entry(name, status, result.to_dict(), left_out=left_out), result


def _answer_or_rest(ask: Callable[[], Result]) -> Result:
    """The answer of one data set; where every method failed, the rest of it, which says so."""
    try:
        return ask()
    except FitsFailed as failed:
        if not isinstance(failed.result, Result):
            raise
        return failed.result


def for_task(learners: Any, task: str) -> tuple[Any, tuple[str, ...]]:
    """The learners that are for a task, and the names of those that are not.

    >>> for_task(["ridge", "logistic"], "regression")
    ({'ridge': 'ridge'}, ('logistic',))
    """
    named = name_learners(learners, task)
    left_out = tuple(name for name, learner in named.items() if not _is_for(learner, task))
    if len(left_out) == len(named):
        raise BadLearner(f"none of the learners ({', '.join(named)}) is for {task}", "Name one that is")
    if not left_out:
        return learners, ()
    return {name: learner for name, learner in named.items() if name not in left_out}, left_out


def _is_for(learner: Any, task: str) -> bool:
    if read_blend(learner) is not None or isinstance(learner, type):
        return True
    if isinstance(learner, str | Named):
        return task in find_entry(learner if isinstance(learner, str) else learner.name).tasks
    kind = task_of(learner) if hasattr(learner, "get_params") else None
    return kind is None or (kind == "regression") == (task == "regression")


def _without(origin: Mapping[str, Any], left_out: Iterable[str]) -> dict[str, Any]:
    """How the study of one data set was begun: with the learners that are for its task."""
    learners = origin.get("learners")
    if learners is None:
        return dict(origin)
    return {**origin, "learners": [learner for learner in learners if learner["name"] not in left_out]}


def _source(value: Any, learners: Any, options: Mapping[str, Any]) -> Source:
    X, y, own = data_parts(value)
    _check_options(own)
    every = {**options, **own}
    roles = Roles(**{field.name: every.pop(field.name) for field in fields(Roles) if field.name in every})

    def read() -> tuple[Dataset, Mapping[str, Any]]:
        return as_data(X, y, task_hint(learners, every.get("loss")), roles), every

    return Source(read, learners)


def study_source(study: StudySpec) -> Source:
    """The data set of a study that was written down, with a store of its own if it names one."""

    def read() -> tuple[Dataset, Mapping[str, Any]]:
        return study.read_data(), {key: value for key, value in study.options().items() if key not in _OWN}

    return Source(read, study.make_learners(), study.store, study.origin())


def _check_options(options: Mapping[str, Any]) -> None:
    known = [name for name in OPTIONS if name not in _OWN]
    if unknown := next((name for name in options if name not in known), None):
        raise BadStudy(f"a benchmark has no option {unknown!r}", nearest(unknown, known))


def _check_control(control: str | None, sources: Iterable[Source]) -> None:
    """Refuse a control that is no method before the first fit."""
    every = [source.learners for source in sources]
    known = {name for learners in every for task in ("regression", "binary") for name in name_learners(learners, task)}
    if control is not None and control not in known:
        raise BadInterval(f"there is no method {control!r} to be the control", nearest(control, known))


def _refuse_nothing(entries: Sequence[Entry]) -> None:
    """Where every data set failed there is no benchmark: the first one's sentence says why."""
    if not entries or any(entry.status != "failed" for entry in entries):
        return
    first, cause = entries[0], entries[0].cause
    every = f" (and {len(entries) - 1} more without an answer)" if len(entries) > 1 else ""
    if isinstance(cause, FoldwiseError):
        raise type(cause)(f"{first.data}{every}: {cause.problem}", cause.remedy) from cause
    raise FitsFailed(f"{first.data}{every}: {first.error}") from cause


def _say(progress: bool | None, text: str) -> None:
    if Progress(progress).shown:
        print(text, file=sys.stderr)
