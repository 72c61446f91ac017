"""A simulated number beside the one a source gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from designs.batched import mean_error
from foldwise.arrays import FloatArray

SLACK = 0.02  # published shares carry rounding, other seeds and small differences of design


@dataclass(frozen=True)
class Result:
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


def covered(low: FloatArray, high: FloatArray, truth: FloatArray | float) -> dict[str, float]:
    """Coverage with its Monte-Carlo error, and the misses on either side.

    >>> covered(np.array([0.0, 0.0]), np.array([1.0, 0.2]), 0.5)["coverage"]
    0.5
    """
    below, above = float(np.mean(truth < low)), float(np.mean(truth > high))
    share = 1 - below - above
    return {
        "coverage": share,
        "error": monte_carlo_error(share, len(low)),
        "truth_below": below,
        "truth_above": above,
    }


def monte_carlo_error(share: float, replications: int) -> float:
    """The standard error of a share over replications; a share of 0 or 1 is given that of one miss."""
    share = min(max(share, 1 / replications), 1 - 1 / replications)
    return float(np.sqrt(max(share * (1 - share), 0.0) / replications))


def coverage_results(
    case: str,
    ends: Mapping[str, tuple[FloatArray, FloatArray]],
    truths: Mapping[str, FloatArray | float],
    expected: Mapping[str, Sequence[float | None]],
    *,
    runs: int,
    source: str,
) -> list[Result]:
    """Coverage of each interval for each truth, beside the expected shares in the order of the truths."""
    results = []
    for name, (low, high) in ends.items():
        for place, (target, truth) in enumerate(truths.items()):
            found = covered(low, high, truth)
            wanted = expected.get(name, ())
            value = wanted[place] if place < len(wanted) else None
            results.append(
                Result(
                    case,
                    f"{name}, coverage of {target}",
                    found["coverage"],
                    found["error"],
                    value,
                    0.0 if value is None else monte_carlo_error(value, runs),
                    source if value is not None else "",
                )
            )
    return results


def mean_result(case: str, quantity: str, values: FloatArray, expected: float | None, **known: Any) -> Result:
    """The mean over replications beside its expectation."""
    return Result(case, quantity, float(values.mean()), mean_error(values), expected, **{"slack": 0.01} | known)


def results_frame(design: str, results: Sequence[Result]) -> Any:
    """Results as a data frame."""
    import pandas as pd

    lines = [{"design": design, **asdict(result), "agrees": result.agrees} for result in results]
    return pd.DataFrame(lines).drop(columns="slack")


Runner = Callable[..., list[Result]]
