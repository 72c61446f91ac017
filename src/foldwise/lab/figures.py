"""Our simulated figure beside the one a source gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.lab.coverage import covered, monte_carlo_error

SLACK = 0.02  # published shares carry rounding, other seeds and small differences of design


@dataclass(frozen=True)
class Figure:
    """One simulated number with its Monte-Carlo error, and what is expected of it, if anything."""

    case: str
    quantity: str
    ours: float
    error: float
    expected: float | None = None
    expected_error: float = 0.0
    source: str = ""
    slack: float = SLACK

    @property
    def agrees(self) -> bool | None:
        """Whether the two are within three of their joint Monte-Carlo errors and the slack of a published digit."""
        if self.expected is None:
            return None
        return abs(self.ours - self.expected) <= 3 * float(np.hypot(self.error, self.expected_error)) + self.slack


def share_figures(
    case: str,
    ends: Mapping[str, tuple[FloatArray, FloatArray]],
    truths: Mapping[str, FloatArray | float],
    expected: Mapping[str, Sequence[float | None]],
    *,
    runs: int,
    source: str,
) -> list[Figure]:
    """Coverage of each interval for each truth, beside the expected shares in the order of the truths."""
    figures = []
    for name, (low, high) in ends.items():
        for place, (target, truth) in enumerate(truths.items()):
            found = covered(low, high, truth)
            wanted = expected.get(name, ())
            value = wanted[place] if place < len(wanted) else None
            figures.append(
                Figure(
                    case,
                    f"{name}, coverage of {target}",
                    found["coverage"],
                    found["error"],
                    value,
                    0.0 if value is None else monte_carlo_error(value, runs),
                    source if value is not None else "",
                )
            )
    return figures


def mean_figure(case: str, quantity: str, values: FloatArray, expected: float | None, **known: Any) -> Figure:
    """The mean over replications beside its expectation."""
    return Figure(case, quantity, float(values.mean()), mean_error(values), expected, **{"slack": 0.01} | known)


def mean_error(values: FloatArray) -> float:
    """The standard error of a mean over replications."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def figures_frame(design: str, figures: Sequence[Figure]) -> Any:
    """Figures as a data frame."""
    import pandas as pd

    lines = [{"design": design, **asdict(figure), "agrees": figure.agrees} for figure in figures]
    return pd.DataFrame(lines).drop(columns="slack")


Runner = Callable[..., list[Figure]]
