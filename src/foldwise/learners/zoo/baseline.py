"""The featureless learner that every other has to beat."""

from __future__ import annotations

from typing import Any

from foldwise.learners.zoo.entry import Entry, Facts, nothing


def _make_baseline(facts: Facts) -> Any:
    from sklearn.dummy import DummyClassifier, DummyRegressor

    return DummyClassifier(strategy="prior") if facts.is_classification else DummyRegressor(strategy="mean")


ENTRIES = (
    Entry(
        "baseline",
        "the mean, or the class frequencies, of the training rows",
        _make_baseline,
        nothing,
        {},
        is_prepared=False,
    ),
)
