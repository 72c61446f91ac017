"""Built-in learners keep their contract (testing/learners.py); and every sentence of it can be broken."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import foldwise as fw
from foldwise.learners.catalogue import all_entries

NAMES = [entry.name for entry in all_entries() if entry.extra is None]
X = np.random.default_rng(0).normal(size=(60, 3))
CLASSES = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.5, 0.5])]


@pytest.mark.few(4)
@pytest.mark.parametrize("name", NAMES)
def test_built_in_learners_keep_the_contract(name):
    tasks = next(entry.tasks for entry in all_entries() if entry.name == name)
    if "regression" in tasks:
        fw.testing.check_learner(f"{name}:small")
    else:
        fw.testing.check_learner(f"{name}:small", X, CLASSES)


@pytest.mark.parametrize(
    "learner",
    [make_pipeline(StandardScaler(), Ridge()), fw.tune(Ridge(), alpha=[0.1, 1.0]), fw.blend(["ridge", "k-nn:small"])],
    ids=["pipeline", "tuned", "blend"],
)
def test_other_learners_keep_it_too(learner):
    fw.testing.check_learner(learner)


class Mean(RegressorMixin, BaseEstimator):
    """Keeps the contract; those below break one sentence each."""

    def __init__(self, shift=0.0):
        self.shift = shift

    def fit(self, X, y):
        self.mean_ = float(np.mean(y)) + self.shift
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


class Rewriting(Mean):
    def fit(self, X, y):
        self.shift = 1.0 + self.shift
        return super().fit(X, y)


class Short(Mean):
    def predict(self, X):
        return np.zeros(1)


class Restless(Mean):
    def fit(self, X, y):
        self.mean_ = np.random.default_rng().normal()
        return self


class Sociable(Mean):
    def predict(self, X):
        return np.asarray(X)[:, 0] - np.mean(np.asarray(X)[:, 0])


class Loud(ClassifierMixin, Mean):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[np.zeros(len(X), int)]

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), 0.9)


class Picky(Mean):
    def fit(self, X, y):
        if len(y) < 60:
            raise ValueError("too few rows")
        return super().fit(X, y)


def test_a_plain_learner_keeps_it():
    fw.testing.check_learner(Mean())


class Forgetful(Mean):
    def __reduce__(self):
        return Forgetful, ()


@pytest.mark.parametrize(
    ("learner", "sentence"),
    [
        (Rewriting(), "a fit leaves its parameters as they were"),
        (Short(), "it answers every row with what it offers"),
        (Restless(), "the same seed gives the same model"),
        (Sociable(), "a row is answered the same in any company"),
        (Loud(), "it answers every row with what it offers"),
        (Picky(), "it can be compared"),
        (Forgetful(shift=2.0), "it reaches another process as it is"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Mean) else "",
)
def test_a_learner_that_breaks_a_sentence_is_told_which(learner, sentence):
    with pytest.raises(AssertionError, match=f"breaks the contract: {sentence}"):
        fw.testing.check_learner(learner)
