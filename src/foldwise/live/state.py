"""The state of a run, read from its store and never written: one reader for all pages."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from foldwise.errors import FoldwiseError
from foldwise.live.counts import Counts, MethodCount
from foldwise.live.folds import partial_risk, update_folds
from foldwise.live.workers import workers
from foldwise.records.following import FollowedStore
from foldwise.studies.counting import Sureness
from foldwise.studies.finding import finding_words
from foldwise.studies.measured import read_measured
from foldwise.studies.pace import Pace, work_left
from foldwise.studies.reading import Reading
from foldwise.studies.stored import read_study
from foldwise.studies.study import Method

Phase = Literal["waiting", "running", "ending", "stopped", "finished", "unreadable"]
MOST_FAILURES = 20
QUIET = 60.0  # seconds without a new record after which a run on another machine counts as ended
MOST_SECONDS = 0.5  # of computing for one snapshot


class Judged(NamedTuple):
    """The risk of a method whose outer splits are all done, with the interval that is valid for it."""

    risk: float
    low: float | None
    high: float | None
    interval: str | None


class Report(NamedTuple):
    """The page of the whole answer."""

    text: str
    is_finished: bool


Judge = Callable[[Reading, Method], Judged]
Writer = Callable[[Path], Report]


@dataclass(frozen=True)
class Row:
    """One learner: its progress, and the risk over its finished outer splits."""

    name: str
    is_hidden: bool
    done: int
    total: int
    sureness: Sureness
    failed: int
    seconds: float
    folds: int
    all_folds: int
    risk: float | None = None
    low: float | None = None
    high: float | None = None
    interval: str | None = None
    is_partial: bool = True


@dataclass(frozen=True)
class Snapshot:
    """All that a page shows at one time."""

    phase: Phase
    run: str
    problem: str = ""
    study: str = ""
    loss: str = ""
    level: float = 0.95
    done: int = 0
    total: int = 0
    sureness: Sureness = ""
    measured: tuple[int, int] | None = None  # outer models whose importance is known, of how many, at the end of a run
    left: float | None = None  # seconds until the end; of a run that was stopped, of work for one core
    is_timed: bool = True  # has every method done a fit by which its time is known?
    failed: int = 0
    workers: int | None = None
    writer: int | None = None
    rows: tuple[Row, ...] = ()
    findings: tuple[tuple[str, str], ...] = ()  # of the checks before the fits: severity, words
    failures: tuple[tuple[str, str, int, str], ...] = ()  # learner, status, how often, first error
    has_report: bool = False


class State:
    """Follows one store. Only one thread reads it at a time; others wait and get the same snapshot."""

    def __init__(self, run: str | Path, *, judge: Judge, write: Writer) -> None:
        self.run = Path(run)
        self._judge, self._write = judge, write
        self._lock = threading.Lock()
        self._store: FollowedStore | None = None
        self._counts: Counts | None = None
        self._judged: dict[str, Judged] = {}
        self._report: Report | None = None
        self._pace = Pace()
        self._moved = -QUIET
        self._errors: dict[tuple[str, str], str] = {}

    def snapshot(self) -> Snapshot:
        """The run as it is now; what cannot be read is a sentence, not an exception."""
        with self._lock:
            try:
                return self._read()
            except FoldwiseError as problem:
                self._counts, self._store = None, None
                phase: Phase = "unreadable" if (self.run / "records.db").exists() else "waiting"
                return Snapshot(phase, str(self.run), problem=str(problem) if phase == "unreadable" else "")

    def report(self) -> Report | None:
        """The page of the answer when the run has ended, finished or not; None while it runs."""
        with self._lock:
            if self._store is None or self._phase() in ("running", "ending", "waiting"):
                return None
            return self._written()

    def _read(self) -> Snapshot:
        if self._store is None:
            self._store = FollowedStore(self.run)
        facts, is_anew = self._store.read_new()
        if self._store.document("study") is None:
            return Snapshot("waiting", str(self.run))
        if is_anew or self._counts is None:
            self._begin(self._store)
        counts = self._counts
        assert counts is not None
        if facts:
            self._report = None
            self._moved = -QUIET if is_anew else time.monotonic()
        if not all(count.method.tuner.is_listed for count in counts.methods):
            counts.reading.refresh()
            counts.ask_again()
        counts.add(facts)
        update_folds(counts, seconds=MOST_SECONDS)
        self._pace.note(time.monotonic(), counts.methods)
        return self._snapshot(counts)

    def _begin(self, store: FollowedStore) -> None:
        """Start with a study that is new, or was started again."""
        self._counts = Counts(Reading(read_study(store), store))
        self._judged.clear()
        self._errors.clear()
        self._pace.clear()
        self._report = None

    def _phase(self) -> Phase:
        counts, store = self._counts, self._store
        if counts is None or store is None:
            return "waiting"
        has_ended = store.has_ended or counts.is_over or time.monotonic() - self._moved > QUIET
        if store.writer is None and has_ended:
            return "finished" if self._written().is_finished else "stopped"
        return "ending" if counts.is_over else "running"

    def _written(self) -> Report:
        if self._report is None:
            self._report = self._write(self.run)
        return self._report

    def _snapshot(self, counts: Counts) -> Snapshot:
        assert self._store is not None
        study, phase, writer = counts.study, self._phase(), self._store.writer
        if phase == "finished":
            update_folds(counts)  # the report has just read all records: so must the page
            for count in counts.methods:
                count.is_over = True
        return Snapshot(
            phase=phase,
            run=str(self.run),
            study=f"{study.rows} rows, {study.task}, outer splits: {study.outer.scheme}",
            loss=study.losses[0].name,
            level=study.level,
            done=counts.done,
            total=counts.done if counts.is_over else counts.total,
            sureness=counts.sureness,
            measured=None if (measured := self._measured(counts, phase)) is None else measured[:2],
            left=self._left(counts, phase) if measured is None else measured[2],
            is_timed=all(count.done for count in counts.methods if count.total),
            failed=len({key for *_, key in counts.failures}),
            workers=workers(writer),
            writer=writer,
            rows=tuple(self._row(counts, count) for count in counts.methods),
            findings=tuple((one.severity, finding_words(one.to_dict())) for one in study.findings),
            failures=tuple(self._failures(counts)),
            has_report=phase in ("finished", "stopped"),
        )

    def _measured(self, counts: Counts, phase: Phase) -> tuple[int, int, float | None] | None:
        """How far the importance of columns has come after the last fit, and the seconds left by the models so far."""
        if phase != "ending" or not counts.study.wants_importance:
            return None
        count, found = len(counts.study.outer), Counter[str]()
        for method in counts.study.shown:
            kept = read_measured(counts.reading.store, method)
            if kept is not None and len(kept.models) < count:
                found["models"] += len(kept.models)
                found["ms"] += round(1e3 * sum(one.seconds for one in kept.models.values()))
        done = min(found["models"], count)
        return done, count, found["ms"] / 1e3 / done * (count - done) if done else None

    def _left(self, counts: Counts, phase: Phase) -> float | None:
        if phase == "stopped":
            return sum(work_left(counts.methods)) or None
        return self._pace.left(counts.methods) if phase == "running" else None

    def _row(self, counts: Counts, count: MethodCount) -> Row:
        all_folds, name = len(counts.study.outer), count.method.name
        risk, low, high, folds = partial_risk(count, counts.study.level)
        interval = None
        if folds == all_folds and count.is_over:
            if name not in self._judged:
                self._judged[name] = self._judge(counts.reading, count.method)
            risk, low, high, interval = self._judged[name]
        return Row(
            name=name,
            is_hidden=count.method.is_hidden,
            done=count.done,
            total=count.total,
            sureness="" if count.is_over else count.sureness,
            failed=count.failed,
            seconds=count.seconds,
            folds=folds,
            all_folds=all_folds,
            risk=risk,
            low=low,
            high=high,
            interval=interval,
            is_partial=name not in self._judged,
        )

    def _failures(self, counts: Counts) -> list[tuple[str, str, int, str]]:
        """Failed fits by learner and status, with the first error of each."""
        kinds = Counter((name, status) for name, status, _ in counts.failures)
        for name, status, key in counts.failures:
            if len(self._errors) >= MOST_FAILURES:
                break
            if (name, status) not in self._errors:
                record = counts.reading.store.get(key)
                self._errors[name, status] = "" if record is None else record.error
        return [(*kind, count, self._errors.get(kind, "")) for kind, count in kinds.most_common(MOST_FAILURES)]
