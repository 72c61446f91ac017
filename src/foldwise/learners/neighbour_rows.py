"""More neighbours than there are rows to find them among, known before any fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from foldwise.errors import BadSpace
from foldwise.learners.learner import Learner
from foldwise.learners.trial import final_part
from foldwise.spaces.draw import Block
from foldwise.spaces.parameter import Choice, Distribution, Parameter

_KINDS = ("KNeighborsClassifier", "KNeighborsRegressor", "NearestClassifier", "NearestRegressor")


def check_neighbours(learner: Learner, rows: int) -> None:
    """Refuse a nearest-neighbour learner that may ask for more neighbours than its smallest training part has rows."""
    for block in ((),) if learner.space is None else learner.space.blocks:
        name, most = _most_neighbours(learner, block)
        if most > rows:
            found = f"asks for {name}={most:.0f}, but its smallest training part has {rows} rows"
            remedy = f"Use at most {rows} neighbours, or splits with larger training parts"
            raise BadSpace(f"learner {learner.name!r} {found}", remedy)


def _most_neighbours(learner: Learner, block: Block) -> tuple[str, float]:
    """The largest number that may be asked for, with its name; 0 for other learners."""
    found = final_part(learner.at({name: parameter.at(0.0) for name, parameter in block}))
    if found is None or not _is_nearest(found[1]):
        return "", 0
    prefix, part = found
    full = f"{prefix}__n_neighbors" if prefix else "n_neighbors"
    tuned = next(((name, parameter) for name, parameter in block if learner.names[name] == full), None)
    if tuned is not None:
        # Our own space is cut to the rows.
        return tuned[0], 0 if learner.is_default else _highest(tuned[1])
    return "n_neighbors", int(part.n_neighbors) if isinstance(part.n_neighbors, int | np.integer) else 0


def _is_nearest(part: Any) -> bool:
    kind = type(part)
    return kind.__name__ in _KINDS and kind.__module__.startswith(("sklearn.", "foldwise."))


def _highest(parameter: Parameter) -> float:
    """The largest of its numbers; of a distribution without an end, nothing is known."""
    if isinstance(parameter, Choice):
        return max(
            (float(value) for value in parameter.values if isinstance(value, int | float | np.integer)), default=0
        )
    if isinstance(parameter, Distribution):
        end = float(parameter.frozen.support()[1])
        return end if end < float("inf") else 0
    return parameter.low if parameter.n == 1 else parameter.high
