"""How many rows of each of two classes have at least a probability: a confusion matrix for every threshold."""

from __future__ import annotations

from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray

STEPS = 100


def thresholds(truth: AnyArray, said: FloatArray, classes: tuple[Any, ...]) -> dict[str, Any]:
    """Rows by true class whose probability of the second class is at least 0, 0.01, ..., 1.

    >>> found = thresholds(np.array([0, 1, 1]), np.array([0.2, 0.9, 0.4]), ("no", "yes"))
    >>> found["above"][0][20], found["above"][0][21], found["above"][1][40]
    (1, 0, 2)
    """
    places = np.arange(STEPS + 1) / STEPS
    above = [len(own) - np.searchsorted(np.sort(own), places) for own in (said[truth == 0], said[truth == 1])]
    return {"of": str(classes[1]), "above": [counts.tolist() for counts in above]}
