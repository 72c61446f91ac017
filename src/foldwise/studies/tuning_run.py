"""One tuning of a method, replayed from the records: what its tuner asked for, what is missing, what was chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from foldwise.arrays import BoolArray, FloatArray, IntArray
from foldwise.errors import BadStudy
from foldwise.spaces.point import Point
from foldwise.splits.split import Split, Splits
from foldwise.studies.levels import Levels
from foldwise.studies.study import Method
from foldwise.tuners.rules import choose
from foldwise.tuners.tuner import OVER, PROPOSE, Evaluate

if TYPE_CHECKING:
    from foldwise.studies.reading import Reading

State = Literal["evaluate", "propose", "over"]
THERE, FAILED, MISSING = 0, 1, 2  # status of an evaluation


@dataclass(frozen=True, eq=False)
class Choice:
    """The result of a tuning; `candidate` is None where nothing could be chosen."""

    candidate: int | None
    score: float
    scores: FloatArray  # scores[place, split] on the whole splits
    tried: Sequence[int]  # the candidate at each place
    failed: int  # failed fits among them
    missing: int  # fits not done yet

    def means(self, candidates: int) -> FloatArray:
        """The mean score of each of so many candidates of a method; NaN where this tuning did not try it."""
        every = np.full(candidates, np.nan)
        every[list(self.tried)] = self.scores.mean(axis=1)
        return every


class Cells(NamedTuple):
    """Evaluations on one split of a level, by the places of their candidates."""

    level: int
    split: int
    places: IntArray


class TuningRun:
    """One tuning as its tuner sees it (`foldwise.tuners.tuner.Seen`).

    What was seen never changes, so a tuner is asked once for every step.
    """

    def __init__(self, reading: Reading, method: Method, name: str, splits: Splits) -> None:
        self.reading, self.name, self.inner = reading, name, splits
        self.tuner, self._method = method.tuner, method.name
        self.place = Levels(reading.study, method, splits)
        self.splits, self.levels, self.level_splits = len(splits), self.place.count, self.place.level_splits
        loss = reading.study.losses[0]
        self.bounds = loss.bounds or (0.0 if loss.is_nonnegative else -np.inf, np.inf)
        self.failed = 0  # full fits that failed; with less of the rows a fit may fail where the full one would not
        self.asked: list[Cells] = []
        self._missing: list[Cells] = []
        self._end: State | None = None
        self._scores = [np.full((0, self.splits), np.nan) for _ in range(self.levels + 1)]
        self._is_seen = [np.zeros((0, self.splits), bool) for _ in range(self.levels + 1)]
        self._is_asked = [np.zeros((0, self.splits), bool) for _ in range(self.levels + 1)]

    @property
    def method(self) -> Method:
        return self.reading.method(self._method)

    # what a tuner sees

    @property
    def numbers(self) -> Sequence[int]:
        """The method's candidates that this tuning may try."""
        method = self.method
        return range(method.listed) if self.tuner.is_listed else method.proposals.of(self.name, self.tuner.limits)

    @property
    def candidates(self) -> int:
        return len(self.numbers)

    @property
    def points(self) -> Sequence[Point]:
        proposed = self.method.proposals.points
        return [proposed[number] for number in self.numbers] if proposed else ()

    @property
    def seconds(self) -> float:
        """Recorded seconds, times the number of tunings; a fit that several share is paid for by all."""
        study, runs = self.reading.study, self.reading.runs(self.method)
        uses = Counter(key for run in runs for key in run.fit_keys())
        spent = self.method.proposals.seconds.get(self.name, 0.0)
        for key in self.fit_keys():
            record = self.reading.store.get(key)
            spent += record.seconds / uses[key] if record is not None else 0.0
        return spent * len(study.named_tunings(self.method))

    def scores(self, level: int = 0) -> FloatArray:
        self._grow()
        return self._scores[level]

    def is_seen(self, level: int = 0) -> BoolArray:
        self._grow()
        return self._is_seen[level]

    def losses(self, candidate: int, split: int) -> FloatArray | None:
        return self.reading.seen_losses(self.method, self.numbers[candidate], self.inner[split])

    def shuffled(self) -> IntArray:
        return np.random.default_rng([self.reading.study.seed, self.candidates]).permutation(self.candidates)

    def training_set(self, split: int, level: int = 0) -> str:
        return self.reading.study.rows_name(self.place.split(split, level))

    # how far it has come

    def state(self, *, is_quick: bool = False) -> State:
        """Replay the tuner as far as the records go. `is_quick` stops at the first missing fit."""
        while True:
            self._look(is_quick)
            if self._missing:
                return "evaluate"
            self._end = self._end or self._next()
            if self._end is not None:
                return OVER if self.name in self.method.proposals.over else self._end

    def wanted(self) -> list[Cells]:
        """What the tuner asked for: all of it for an exhaustive tuner, since a record may lack a response."""
        self.state(is_quick=True)
        return list(self.asked if self.tuner.is_exhaustive else self._missing)

    def missing(self) -> list[Cells]:
        """What the tuner asked for and has no record yet."""
        self.state(is_quick=True)
        return list(self._missing)

    def choice(self, rule: str) -> Choice:
        """The candidate chosen by a rule among those that were scored on every whole split."""
        state, method, policy = self.state(), self.method, self.reading.study.on_failure
        missing = sum(len(cells.places) for cells in self._missing)
        if state == PROPOSE and not self.reading.has_failed(method):
            missing = 1
        scores, numbers = self.scores().copy(), self.numbers
        may_choose = not missing and (not self.failed or policy != "fail")
        ranks = None if method.ranks is None else [method.ranks[number] for number in numbers]
        chosen = choose(scores, rule=rule, ranks=ranks) if may_choose else None
        # the selection score is the smallest one, whatever the rule then takes
        score = np.nan if chosen is None else float(np.nanmin(scores.mean(axis=1)))
        return Choice(None if chosen is None else numbers[chosen], score, scores, numbers, self.failed, missing)

    def fits(self, cells: Sequence[Cells]) -> Iterator[tuple[Split, list[int]]]:
        """Evaluations as a split and the numbers of its candidates."""
        numbers = self.numbers
        for level, at, places in cells:
            if level == 0 and isinstance(numbers, range):  # all candidates of a list: their places are their numbers
                yield self.place.split(at, level), places.tolist()
            else:
                found = [self.place.number(numbers[place], level) for place in places.tolist()]
                yield self.place.split(at, level), found

    def fit_keys(self, cells: Sequence[Cells] | None = None) -> Iterator[str]:
        """Names of the fits of these evaluations, or of all that were asked for."""
        study, method = self.reading.study, self.method
        for split, candidates in self.fits(self.asked if cells is None else cells):
            keys = study.keys(method, study.rows_name(split))
            yield from (keys[candidate] for candidate in candidates)

    def possible_keys(self) -> Iterator[str]:
        """Names of all fits the tuner may ask for, as far as its candidates are known."""
        study, method = self.reading.study, self.method
        everyone = self.numbers if not self.tuner.is_listed else range(len(method.candidates))
        for split in self.place.every_split():
            keys = study.keys(method, study.rows_name(split))
            yield from (keys[candidate] for candidate in everyone)

    def _next(self) -> State | None:
        """Take the tuner's next step: None where it asked for evaluations."""
        if self.failed and self.reading.study.on_failure == "fail":
            return OVER
        step = self.tuner.next(self)
        if isinstance(step, str):
            return step
        if not self._ask(step):
            raise BadStudy(
                f"the tuner {self.tuner} of {self._method!r} asks again for evaluations it has",
                "Let its next() return OVER when there is nothing more to evaluate",
            )
        return None

    def _ask(self, step: Sequence[Evaluate]) -> bool:
        """Note the evaluations that were not asked for before."""
        before = len(self.asked)
        for candidates, splits, level in step:
            places = np.asarray(list(candidates), dtype=np.int64)
            for at in splits:
                new = places[~self._is_asked[level][places, at]]
                self._is_asked[level][new, at] = True
                self.asked += [Cells(level, at, new)] if new.size else []
        self._missing = self.asked[before:]
        return len(self.asked) > before

    def look(self) -> None:
        """Read what has arrived, without asking the tuner for more."""
        self._look(is_quick=False)

    def _look(self, is_quick: bool) -> None:
        """Read the records that have arrived of what was missing."""
        self._grow()
        left: list[Cells] = []
        for place, cells in enumerate(self._missing):
            still = self._read(cells)
            if still.size:
                left.append(cells._replace(places=still))
                if is_quick:
                    left += self._missing[place + 1 :]
                    break
        self._missing = left

    def _read(self, cells: Cells) -> IntArray:
        """Read the scores of these evaluations; returns the places without a record."""
        level, at, places = cells
        (found,) = self.fits([cells])
        scores, status = self.reading.scores_on(self.method, found[1], found[0])
        is_there = status != MISSING
        self._scores[level][places[is_there], at] = scores[is_there]
        self._is_seen[level][places[is_there], at] = True
        self.failed += int((status == FAILED).sum()) if level == 0 else 0
        return np.asarray(places[~is_there])

    def _grow(self) -> None:
        """Make room for candidates that were proposed since."""
        count = self.candidates
        more = count - len(self._scores[0])
        if more > 0:
            self._end = None
            none = np.zeros((more, self.splits), bool)
            self._scores = [np.vstack([old, np.full((more, self.splits), np.nan)]) for old in self._scores]
            self._is_seen = [np.vstack([old, none]) for old in self._is_seen]
            self._is_asked = [np.vstack([old, none]) for old in self._is_asked]
