"""Histograms of probabilities count every row of a class once."""

from __future__ import annotations

import numpy as np

from foldwise.questions.pictures.probabilities import BINS, histogram


def test_two_classes_are_counted_by_the_probability_of_the_second():
    rng = np.random.default_rng(0)
    said, truth = rng.random(500), rng.integers(0, 2, 500)
    got = histogram(truth, np.column_stack([1 - said, said]), ("no", "yes"))

    for code in (0, 1):
        assert got["counts"][code] == np.histogram(said[truth == code], bins=BINS, range=(0, 1))[0].tolist()
    assert got["of"] == "yes"


def test_several_classes_are_counted_by_the_probability_of_their_own():
    rng = np.random.default_rng(1)
    table, truth = rng.dirichlet([1, 1, 1], 400), rng.integers(0, 3, 400)
    got = histogram(truth, table, ("a", "b", "c"))

    for code in range(3):
        own = table[truth == code, code]
        assert got["counts"][code] == np.histogram(own, bins=BINS, range=(0, 1))[0].tolist()
    assert histogram(truth, table, tuple(range(30))) is None
