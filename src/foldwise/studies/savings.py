"""What a tuner saved that drops candidates on the way, and what that cost: read from the records."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from foldwise.studies.field import RecordedField
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method
from foldwise.tuners.field import Look
from foldwise.tuners.rounds import rounds
from foldwise.tuners.rules import choose
from foldwise.tuners.schedule import base_name


@dataclass(frozen=True)
class Savings:
    """Fits of a method's tunings beside those of its whole grid.

    `work` weighs every fit by the rows it trains on and the share of its resource, the whole grid being 1.
    `same` of `compared` tunings chose what the whole grid chooses; those are compared whose grid is in the records.
    """

    tuner: str
    candidates: int
    dropped: float  # before the end of all full splits, in the mean of the tunings
    fits: int
    grid_fits: int
    work: float
    same: int
    compared: int
    failed: int = 0  # of the fits

    def __str__(self) -> str:
        words = f"{self.tuner} dropped {self.dropped:.0f} of {self.candidates} candidates"
        words += f": {self.fits} of {self.grid_fits} fits"
        words += f" ({self.failed} of them failed)" if self.failed else ""
        if abs(self.work - self.fits / self.grid_fits) > 0.005:
            words += f", {self.work:.0%} of the work"
        return words + (
            f"; it chose what the whole grid chooses in {self.same} of {self.compared} tunings" if self.compared else ""
        )


def savings(reading: Reading, method: Method) -> Savings | None:
    """What a method's tuner saved; None where it drops no candidates, is not finished, or was ended by a failed fit."""
    if method.schedule is None:
        return None
    study, asked, grid = reading.study, dict[str, float](), dict[str, float]()
    dropped, same, failed = [], [], set[str]()
    for splits in study.tunings(method):
        field = reading.field(method, splits)
        course = reading.course(field)
        if course.missing or (course.failed and study.on_failure == "fail"):
            return None
        asked |= {study.key(method, *field.fit(ask)): _work(field, *ask) for ask in course.asked}
        failed |= {study.key(method, *field.fit(ask)) for ask in course.asked if field.is_failed(ask)}
        everyone = range(method.entrants)
        grid |= {study.key(method, at, split): len(split.train) for split in splits for at in everyone}
        scores = field.final_scores(course.asked)
        dropped.append(int(np.isnan(scores).any(axis=1).sum()))
        same += _is_same(reading, field, choose(scores))
    return Savings(
        tuner=base_name(method.tuner) or "",
        candidates=method.entrants,
        dropped=float(np.mean(dropped)),
        fits=len(asked),
        grid_fits=len(grid),
        work=sum(asked.values()) / sum(grid.values()),
        same=sum(same),
        compared=len(same),
        failed=len(failed),
    )


def most_looks(reading: Reading, method: Method) -> int:
    """Fits that the tunings make at most: where all candidates tie, nobody is dropped before they must be.

    Tunings that share a training set may each keep other candidates for it.
    """
    assert method.schedule is not None
    study = reading.study
    if method.is_pruned:  # fit after fit would take long to play, to come to the whole grid
        return method.entrants * len({study.rows_name(split) for split in study.tuning_splits(method)})
    counts: Counter[tuple[str, int]] = Counter()
    for splits in study.tunings(method):
        field = _Tied(reading, method, splits, reading.ladder(method))
        for candidate, look in (ask for round_ in rounds(method.schedule, field) for ask in round_):
            place, split = field.fit((candidate, look))
            counts[study.rows_name(split), place // method.entrants] += 1
    return sum(min(count, method.entrants) for count in counts.values())


class _Tied(RecordedField):
    """A field of candidates that are all the same."""

    def score(self, candidate: int, look: Look) -> float:
        return 0.0

    def losses(self, candidate: int, look: Look) -> None:
        return None


def _work(field: RecordedField, candidate: int, look: Look) -> float:
    """Rows of a fit, in the rows of a full one."""
    return len(field.splits[look.fold].train) * field.ladder.share(field.splits, look)


def _is_same(reading: Reading, field: RecordedField, chosen: int | None) -> list[bool]:
    """Whether the whole grid chooses the same; nothing where the records do not hold it, or nothing was chosen."""
    if chosen is None:
        return []
    scores = np.full((field.candidates, field.folds), np.nan)
    for at in range(field.candidates):
        for number, split in enumerate(field.splits):
            found = reading.seen(field.method, at, split)
            if found is None:
                return []
            scores[at, number] = found[0]
    return [choose(scores) == chosen]
