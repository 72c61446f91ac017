"""One tuning as a tuner sees it: it asks for looks at candidates, and hears their scores from the records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.splits.split import Split, Splits
from foldwise.studies.ladder import Ladder
from foldwise.studies.study import Method
from foldwise.tuners.field import Ask, Look

if TYPE_CHECKING:
    from foldwise.studies.reading import Reading


class Seen(NamedTuple):
    """What became of one look."""

    score: float
    is_failed: bool


class Course(NamedTuple):
    """How a tuning went, as far as the records tell."""

    asked: list[Ask]
    missing: list[Ask]  # of the last round
    failed: int  # full fits that failed


@dataclass(eq=False)
class _Following:
    """A tuner at work, and how far it has come."""

    rounds: Iterator[Sequence[Ask]]
    asked: list[Ask] = field(default_factory=list)
    missing: list[Ask] = field(default_factory=list)
    failed: int = 0


class RecordedField:
    """A field whose scores are read from the records of a study."""

    def __init__(self, reading: Reading, method: Method, splits: Splits, ladder: Ladder) -> None:
        self.reading, self.method, self.splits, self.ladder = reading, method, splits, ladder
        self.candidates, self.folds = method.entrants, len(splits)
        self.height, self.looks = ladder.height(splits), ladder.looks(splits)
        loss = reading.study.losses[0]
        self.bounds = loss.bounds or (0.0 if loss.is_nonnegative else -np.inf, np.inf)
        self._seen: dict[Ask, Seen] = {}
        self._following: _Following | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_following": None}  # a tuner at work cannot be pickled: it begins again

    def fit(self, ask: Ask) -> tuple[int, Split]:
        """The candidate and the split of a look."""
        return self.ladder.candidate(*ask), self.ladder.split(self.splits, ask[1])

    def find(self, ask: Ask) -> Seen | None:
        """What became of a look; None where it is still to be had."""
        if ask not in self._seen:
            found = self.reading.seen(self.method, *self.fit(ask))
            if found is None:
                return None
            self._seen[ask] = Seen(*found)
        return self._seen[ask]

    def is_failed(self, ask: Ask) -> bool:
        """Did the fit of a look fail?"""
        found = self.find(ask)
        return found is not None and found.is_failed

    def score(self, candidate: int, look: Look) -> float:
        return self._seen[candidate, look].score

    def losses(self, candidate: int, look: Look) -> FloatArray | None:
        return self.reading.seen_losses(self.method, *self.fit((candidate, look)))

    def mixed(self) -> IntArray:
        return np.random.default_rng([self.reading.study.seed, self.candidates]).permutation(self.candidates)

    def follow(self, begin: Callable[[], Iterator[Sequence[Ask]]]) -> Course:
        """Play a tuner's rounds as far as the records go; one that fails ends it where that is the policy.

        Called again, it goes on where it was: what was seen stays as it is.
        """
        going = self._following = self._following or _Following(begin())
        while True:
            seen = [(ask, self.find(ask)) for ask in going.missing]
            going.missing = [ask for ask, found in seen if found is None]
            # a fit on fewer rows may fail where the full one would not: it only loses its candidate the round
            going.failed += sum(found is not None and found.is_failed and ask[1].rung == 0 for ask, found in seen)
            if going.failed and self.reading.study.on_failure == "fail":
                return Course(list(going.asked), [], going.failed)
            round_ = None if going.missing else next(going.rounds, None)
            if round_ is None:
                return Course(list(going.asked), list(going.missing), going.failed)
            going.asked += round_
            going.missing = list(round_)

    def final_scores(self, asked: Sequence[Ask]) -> FloatArray:
        """Scores on the full splits, scores[candidate, split]; NaN where they were not asked for."""
        scores = np.full((self.candidates, self.folds), np.nan)
        for candidate, look in asked:
            if look.rung == 0 and (candidate, look) in self._seen:
                scores[candidate, look.fold] = self._seen[candidate, look].score
        return scores
