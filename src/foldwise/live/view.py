"""What is shown of one run: its progress, and its report, which is written again while the store grows."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foldwise.errors import FoldwiseError
from foldwise.records.lock import holder_of
from foldwise.records.sqlite import SqliteStore
from foldwise.studies.counting import Sureness
from foldwise.studies.pace import Pace, Part, duration

PAUSE = 1.0  # seconds between two looks at the store
SHARE = 0.05  # of the time that looks, and reports of a run that goes on, may take each
WAITING = "There is no study in the store yet. This page continues by itself when one starts."


@dataclass(frozen=True)
class Rendered:
    """The report of what a store holds, and how many fits its study comes to by method."""

    page: str
    title: str
    is_finished: bool
    fits: Mapping[str, int]
    sureness: Sureness


class View:
    """Looks at a store when a page asks, and not more often than it may; `render` makes the report."""

    def __init__(self, run: str | Path, render: Callable[[Path], Rendered]) -> None:
        self.run, self.render = Path(run), render
        self.asked = time.monotonic()  # when a page last asked
        self.rendered: Rendered | None = None
        self._lock, self._pace = threading.Lock(), Pace()
        self._state: dict[str, Any] = {}
        self._look_again = self._render_again = 0.0
        self._in_report: tuple[int, int | None] | None = None  # records and writer, as the last report knows them
        self._renderings = 0
        self._is_rendering = False

    def state(self) -> dict[str, Any]:
        """The head of the page in plain values: one look serves all pages that ask within a second."""
        with self._lock:
            self.asked = began = time.monotonic()
            if began >= self._look_again:
                self._state = self._look()
                self._look_again = began + max(PAUSE, (time.monotonic() - began) / SHARE)
            return self._state

    def _look(self) -> dict[str, Any]:
        writer, made = holder_of(self.run / "lock"), dict[str, Part]()
        try:
            with closing(SqliteStore(self.run, readonly=True)) as store:
                for record in store.facts():
                    part = made.setdefault(record.learner, Part(record.learner))
                    part.done, part.seconds = part.done + 1, part.seconds + record.seconds
        except FoldwiseError as problem:
            is_bad = (self.run / "records.db").exists() and writer is None
            return self._head(*(("unreadable", str(problem)) if is_bad else ("waiting", WAITING)))
        now = sum(part.done for part in made.values()), writer
        is_due = not self._is_rendering and (writer is None or time.monotonic() >= self._render_again)
        if is_due and now != self._in_report:
            self._is_rendering = True
            threading.Thread(target=self._render, args=(now,), daemon=True).start()
        if self.rendered is None:
            return self._head("waiting", WAITING)
        parts = [made.get(name, Part(name)) for name in self.rendered.fits]
        for part in parts:
            part.expected = self.rendered.fits[part.name]
        self._pace.note(time.monotonic(), parts)
        if writer is not None:
            words = f"{duration(max(0.0, time.time() - (self.run / 'lock').stat().st_mtime))} elapsed"
            left = self._pace.left(parts)
            return self._head("running", words + (f", about {duration(left)} left" if left else ""), parts)
        if now != self._in_report:
            return self._head("running", "the report is being written", parts)
        is_finished = self.rendered.is_finished
        return self._head(*(("finished", "") if is_finished else ("stopped", f"foldwise resume {self.run}")), parts)

    def _head(self, phase: str, words: str, parts: list[Part] | None = None) -> dict[str, Any]:
        title = self.run.name if self.rendered is None else self.rendered.title
        sureness = "" if self.rendered is None or phase == "finished" else self.rendered.sureness
        done = sum(part.done for part in parts or ())
        total = done if phase == "finished" else sum(part.total for part in parts or ())
        fits = f"{done:,} of {sureness} {total:,} fits".replace("  ", " ") if parts else ""
        head = {"phase": phase, "title": title, "words": words, "fits": fits, "report": self._renderings}
        return {**head, "share": done / total if total else 0.0}

    def _render(self, now: tuple[int, int | None]) -> None:
        began = time.monotonic()
        with suppress(FoldwiseError):  # nothing can be told of the study yet
            self.rendered = self.render(self.run)
            self._renderings += 1
        self._render_again = time.monotonic() + max(PAUSE, (time.monotonic() - began) / SHARE)
        self._in_report, self._is_rendering = now, False
