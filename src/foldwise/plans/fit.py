"""One fit, and batches of fits."""

from __future__ import annotations

from dataclasses import dataclass

from foldwise.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class MemberPredictions:
    """What the members of a stack predicted: `learn[train row]` to fit the final learner, `answer[row]` to predict."""

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
    point: tuple[int, tuple[float, ...]] | None = None  # of a candidate that a search proposed
    members: MemberPredictions | None = None  # of a final learner: its table in place of the data


class SharedBatch(tuple[Fit, ...]):
    """Fits of one method that a solver does at once."""

    __slots__ = ()


Batch = tuple[Fit, ...]
