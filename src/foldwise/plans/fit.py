"""One fit, and fits that travel together."""

from __future__ import annotations

from dataclasses import dataclass

from foldwise.arrays import IntArray


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


class Pass(tuple[Fit, ...]):
    """Fits of one method that a solver answers together."""

    __slots__ = ()


Batch = tuple[Fit, ...]
