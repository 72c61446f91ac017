"""Histograms of probabilities by true class."""

from __future__ import annotations

from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray

BINS = 20
MOST_CLASSES = 20


def histogram(truth: AnyArray, table: FloatArray, classes: tuple[Any, ...]) -> dict[str, Any] | None:
    """Rows of each true class by the probability of the second of two classes, or of the true one of several.

    >>> found = histogram(np.array([0, 1]), np.array([[0.9, 0.1], [0.0, 1.0]]), ("no", "yes"))
    >>> found["of"], found["counts"][0].index(1), found["counts"][1].index(1)
    ('yes', 2, 19)
    """
    if len(classes) > MOST_CLASSES:
        return None
    said = table[:, 1] if len(classes) == 2 else table[np.arange(len(truth)), truth]
    at = np.minimum((said * BINS).astype(int), BINS - 1)
    counts = [np.bincount(at[truth == code], minlength=BINS).tolist() for code in range(len(classes))]
    return {
        "of": str(classes[1]) if len(classes) == 2 else None,
        "classes": [str(label) for label in classes],
        "counts": counts,
    }
