"""One tuning as a tuner sees it: it asks for looks at candidates, and hears their scores."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from foldwise.arrays import FloatArray, IntArray


class Look(NamedTuple):
    """One fit of a candidate: on rung 0 all of the resource, on rung k a part of 1 / factor^k; on an inner split."""

    rung: int
    fold: int


Ask = tuple[int, Look]


class Field(Protocol):
    """The candidates of one tuning and what is known of them."""

    @property
    def candidates(self) -> int: ...
    @property
    def folds(self) -> int:
        """Inner splits."""

    @property
    def height(self) -> int:
        """Rungs below the full splits."""

    @property
    def looks(self) -> int:
        """Inner splits that those rungs use."""

    @property
    def bounds(self) -> tuple[float, float]:
        """Between which a score can be."""

    def score(self, candidate: int, look: Look) -> float:
        """The loss of a look that was asked for before; NaN where it failed or is undefined."""

    def losses(self, candidate: int, look: Look) -> FloatArray | None:
        """The same row by row, weighted to have the score as their mean; None where the loss has none."""

    def mixed(self) -> IntArray:
        """The candidates in a random order that belongs to the study."""
