"""One fit, and fits that travel together."""

from __future__ import annotations

from dataclasses import dataclass

from foldwise.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class LevelOne:
    """What members predicted, which a final learner is fitted on: `learn[train row]` and `answer[row]`."""

    learn: FloatArray
    answer: FloatArray
    members: int


@dataclass(frozen=True, eq=False)
class Fit:
    """One learner at one candidate, the rows to train on and the rows to answer for."""

    key: str
    method: int
    candidate: int
    train: IntArray
    rows: IntArray
    responses: tuple[str, ...]
    seed: int
    point: tuple[int, tuple[float, ...]] | None = None  # where a candidate is that was found on the way
    members: LevelOne | None = None  # of a final learner: the table it is given in the place of the data


class SharedBatch(tuple[Fit, ...]):
    """Fits of one method that a solver answers together."""

    __slots__ = ()


Batch = tuple[Fit, ...]
