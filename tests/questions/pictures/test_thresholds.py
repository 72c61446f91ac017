"""A confusion matrix for every threshold, as scikit-learn counts it."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import confusion_matrix

from foldwise.questions.pictures.thresholds import STEPS, thresholds


def test_every_threshold_has_the_matrix_of_scikit_learn():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 300)
    said = np.concatenate([rng.random(200), rng.integers(0, 101, 100) / 100])  # also at thresholds themselves
    above = np.array(thresholds(truth, said, ("no", "yes"))["above"])

    for at in range(STEPS + 1):
        expected = confusion_matrix(truth, said >= at / STEPS, labels=[0, 1])
        got = [[above[code, 0] - above[code, at], above[code, at]] for code in (0, 1)]
        assert got == expected.tolist()
