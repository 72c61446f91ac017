"""Every candidate of the grid on every inner split."""

from __future__ import annotations

from typing import Any

from foldwise.spaces.space import Space
from foldwise.tuners.tuner import Tuner


class Grid(Tuner):
    """The whole grid, which must be within the budget."""

    name = "grid"
    takes_time = True

    def candidates(self, space: Space, budget: int | None, seed: int) -> list[dict[str, Any]]:
        return space.whole_grid(budget)
