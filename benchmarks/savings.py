"""What a tuner saved by dropping candidates, and what that cost: read from the records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foldwise.studies.reading import Reading
from foldwise.studies.study import Method
from foldwise.studies.tuning_run import MISSING, TuningRun
from foldwise.tuners.rules import choose


@dataclass(frozen=True)
class Savings:
    """Fits of a method's tunings compared with those of its whole grid.

    `work` weights every fit by its training rows and its share of the resource; the whole grid is 1.
    `same` of `compared` tunings chose what the whole grid chooses; only tunings with records of the whole grid are.
    """

    tuner: str
    candidates: int
    dropped: float  # candidates not scored on all inner splits, mean over the tunings
    fits: int
    grid_fits: int
    work: float
    same: int
    compared: int


def savings(reading: Reading, method: Method) -> Savings | None:
    """What a method's tuner saved; None where it drops no candidates, is unfinished, or was ended by a failed fit."""
    if method.tuner.is_exhaustive:
        return None
    study, asked, grid = reading.study, dict[str, float](), dict[str, float]()
    dropped, same = [], list[bool]()
    for run in reading.runs(method):
        if run.state() != "over" or (run.failed and study.on_failure == "fail"):
            return None
        work = [run.place.share(cells.split, cells.level) * len(run.inner[cells.split].train) for cells in run.asked]
        for cells, each in zip(run.asked, work, strict=True):
            asked |= dict.fromkeys(run.fit_keys([cells]), each)
        for split in run.inner:
            keys = study.keys(method, study.rows_name(split))
            grid |= dict.fromkeys(keys[: method.listed], split.train_rows)
        scores = run.scores()
        dropped.append(int(np.isnan(scores).any(axis=1).sum()))
        same += _is_same(reading, run, choose(scores))
    return Savings(
        tuner=method.tuner.name,
        candidates=method.listed,
        dropped=float(np.mean(dropped)),
        fits=len(asked),
        grid_fits=len(grid),
        work=sum(asked.values()) / sum(grid.values()),
        same=sum(same),
        compared=len(same),
    )


def _is_same(reading: Reading, run: TuningRun, chosen: int | None) -> list[bool]:
    """Whether the whole grid chooses the same; empty where records of the grid are missing, or nothing was chosen."""
    if chosen is None:
        return []
    scores = np.full((run.candidates, run.splits), np.nan)
    for at, split in enumerate(run.inner):
        scores[:, at], status = reading.scores_on(run.method, range(run.candidates), split)
        if (status == MISSING).any():
            return []
    return [choose(scores) == chosen]
