"""Designs of the survey by its names: our results beside those expected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from designs import cv_designs, exact, selection
from designs.results import Runner, results_frame
from foldwise.errors import BadStudy, nearest


@dataclass(frozen=True)
class Design:
    """One design: what it is, how it runs, and the replications of its full size."""

    title: str
    run: Runner
    replications: int = 2000


DESIGNS: Mapping[str, Design] = {
    "D1": Design("least squares on noise: eight intervals", cv_designs.d1),
    "D5": Design("selection without models: minimum, Tibshirani, BBC, nested", selection.d5, 500),
    "D6": Design("shrunken centroids on null data", selection.d6, 500),
    "D7": Design("near-twins: the difference of two penalties", cv_designs.d7),
    "D9": Design("a pick among twelve rules", selection.d9, 1000),
    "D10": Design("the majority learner, exactly", exact.d10, 100_000),
}


def run_design(name: str, *, replications: int | None = None, seed: int = 0) -> Any:
    """A data frame of one design: our results with their Monte-Carlo errors, and the expected ones beside them."""
    if name not in DESIGNS:
        raise BadStudy(f"there is no design {name!r}", nearest(name, DESIGNS))
    design = DESIGNS[name]
    return results_frame(name, design.run(replications=replications or design.replications, seed=seed))
