"""What is told while fits are done: what they will cost, the methods that are finished, and the time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TextIO

from foldwise.executors.display import Display, NotebookLines, TerminalLine, in_notebook
from foldwise.executors.stop import Stop
from foldwise.plans.fit import Fit, parts_of
from foldwise.records.block import RecordBlock, record_parts
from foldwise.records.record import Record
from foldwise.studies.counting import Sureness, expected_fits
from foldwise.studies.pace import Pace, Part, duration, work_left
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method

PAUSE = 0.2  # seconds between two lines
SHORT = 3.0  # seconds of a run about which nothing need be said before it is over
PATIENCE = 4.0  # seconds after which the cost is told although not every method has been timed
LONG = 180.0  # seconds of a run that one may want to shorten
SHORTER = ('effort="quick"', "time_limit=60", "fewer learners")
SHORTER_FLAGS = ("--effort quick", "--time-limit 60", "fewer --learners")
Judge = Callable[[Reading, Method], str]


class Progress:
    """Shows a line that changes a few times a second; silent when `shown` is False or there is nobody to see it.

    `judge` gives the risk of a finished method in words, or nothing while it has none. The command says what a run will
    cost even where its stderr is no terminal.
    """

    def __init__(
        self,
        shown: bool | None = None,
        *,
        stream: TextIO | None = None,
        judge: Judge | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        place = stream or sys.stderr
        is_terminal = place is not None and place.isatty()  # services may have no stderr at all
        is_notebook = stream is None and in_notebook()
        self.shown = is_terminal or is_notebook if shown is None else shown
        self.tells = (self.shown or (shown is None and Stop.is_command)) and (place is not None or is_notebook)
        self.display: Display = NotebookLines() if is_notebook else TerminalLine(place)
        self._judge, self._clock = judge, clock
        self._parts: dict[str, Part] = {}
        self._reading: Reading | None = None
        self._finished: list[str] = []  # in words, until the cost was told
        self._is_open = self._has_told = False
        self._sureness: Sureness = ""
        self._last_learner = ""
        self._limit: float | None = None
        self._started = self._last = 0.0
        self._begin_clock()

    def begin(self, reading: Reading, *, workers: int | None = None, limit: float | None = None) -> None:
        """This study is about to be run, by so many workers at a time, for so many seconds at most."""
        self._begin_clock(workers)
        self._limit = limit
        if not self.tells:
            return
        self._reading = reading
        expected, self._sureness = expected_fits(reading, set(reading.store.keys()))
        self._parts = {name: Part(name, expected=fits) for name, fits in expected.items()}

    def expect(self, fits: Sequence[Fit], *, is_open: bool = False) -> None:
        """These fits are about to be done; `is_open`: nobody knows how many will follow."""
        self._is_open = is_open
        if self.tells and self._reading is not None:
            for part in parts_of(fits):
                self._parts[self._reading.study.methods[part.method].name].handed += len(part.keys)

    def advance(self, records: Sequence[Record]) -> None:
        """These records have come, or none for some time."""
        if not self.tells:
            return
        for came in record_parts(records):
            part = self._parts.setdefault(came.learner, Part(came.learner))
            count = len(came) if isinstance(came, RecordBlock) else 1
            part.done, part.seconds = part.done + count, part.seconds + count * came.seconds
            self._last_learner = came.learner
        now = self._clock()
        self._pace.note(now, list(self._parts.values()))
        if not self._has_told:
            self._tell(now)
        if self.shown and self._last_learner and now - self._last > PAUSE:
            self._last = now
            self._try(self.display.show, self._line())

    def settle(self, methods: Sequence[int]) -> None:
        """These methods ask for no more fits."""
        if not self.tells or self._reading is None:
            return
        for at in methods:
            method = self._reading.study.methods[at]
            words = self._judge(self._reading, method) if self._judge is not None and self.shown else ""
            self._parts[method.name].is_over = self._has_ended(method, words)
            if words and not method.is_hidden and not method.defaults_of:
                self._finished.append(f"{method.name}: {words}, finished in {duration(self._clock() - self._started)}")
        self._show_finished()

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.shown:
            done = sum(part.done for part in self._parts.values())
            self._try(self.display.close, f"{done:,} fits in {duration(self._clock() - self._started)}")

    def _has_ended(self, method: Method, words: str) -> bool:
        """Does it ask for nothing because it has all, and not because it waits for others?"""
        if method.defaults_of:
            return self._parts[method.defaults_of].is_over
        return not method.members or bool(words)

    def _begin_clock(self, workers: int | None = None) -> None:
        self._pace = Pace(workers=workers or 1)
        self._workers = workers
        self._started = self._last = self._clock()
        self._pace.note(self._started, [])

    def _tell(self, now: float) -> None:
        """Say once what the run will cost, when every method that has begun was timed."""
        parts = list(self._parts.values())
        is_timed = all(part.done for part in parts if part.handed)
        if not is_timed and now - self._started < PATIENCE:
            return
        left = self._pace.left(parts)
        if left is None or (seconds := now - self._started + left) < SHORT:
            return
        self._has_told = True
        least = "at least" if self._is_open or not is_timed else "about"
        text = told(parts, seconds, least=least, sureness=self._sureness, cores=self._workers)
        self._try(self.display.keep, text + _how_to_shorten(seconds, self._limit))
        self._show_finished()

    def _show_finished(self) -> None:
        if self._has_told and self.shown:
            for text in self._finished:
                self._try(self.display.keep, text)
            self._finished.clear()

    def _line(self) -> str:
        parts = list(self._parts.values())
        done, every = (sum(getattr(part, name) for part in parts) for name in ("done", "total"))
        sure = "at least " if self._is_open else f"{self._sureness} " if self._sureness else ""
        text = f"{self._last_learner}: {done:,} of {sure}{every:,} fits"
        left = self._pace.left(parts)
        about = "at least " if self._is_open else "about "
        return text if left is None or done >= every else f"{text}, {about}{duration(max(left, 1.0))} left"

    def _try(self, write: Callable[[str], None], text: str) -> None:
        try:
            write(text)
        except (OSError, ValueError):  # the terminal is gone, which is no reason to stop
            self.shown = self.tells = False


def told(parts: Sequence[Part], seconds: float, *, least: str, sureness: str, cores: int | None) -> str:
    """What a run will cost, and where that goes, in one line.

    >>> parts = [Part("ridge", 500, done=500, seconds=0.1), Part("boosting", 3777, done=10, seconds=0.6)]
    >>> told(parts, 118.0, least="about", sureness="", cores=2)
    '4,277 fits, about 2 min on 2 cores, most of it boosting'
    """
    fits = f"{sureness} {sum(part.total for part in parts):,} fits".strip()
    where = f" on {cores} cores" if cores is not None and cores > 1 else ""
    return f"{fits}, {least} {duration(seconds)}{where}{_most_of_it(parts)}"


def _how_to_shorten(seconds: float, limit: float | None) -> str:
    """What would make a long run shorter, in the words of the door it came in by."""
    if limit is not None:
        return f"; the time limit of {duration(limit)} ends it" if limit < seconds else ""
    words = SHORTER_FLAGS if Stop.is_command else SHORTER
    return f". Shorter with {', '.join(words[:-1])} or {words[-1]}" if seconds > LONG else ""


def _most_of_it(parts: Sequence[Part]) -> str:
    """The methods that take most of the time, if there are others besides the baseline."""
    work = [part.seconds + left for part, left in zip(parts, work_left(parts), strict=True)]
    order = sorted(range(len(parts)), key=lambda at: -work[at])
    if not sum(work):
        return ""
    few = order[: 1 if work[order[0]] > sum(work) / 2 else 2]
    is_all = len(few) >= sum(part.name != "baseline" for part in parts)
    if is_all or (len(few) > 1 and sum(work[at] for at in few) < 0.6 * sum(work)):
        return ""
    return f", most of it {' and '.join(parts[at].name for at in few)}"
