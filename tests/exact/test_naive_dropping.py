"""Racing and halving choose what loops over scikit-learn choose, with the same fits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import ttest_rel
from sklearn.base import clone
from sklearn.svm import SVR

import foldwise as fw
from foldwise.splits.subset import fewer_rows

GRID = [{"C": C, "gamma": gamma} for C in (0.01, 1.0, 100.0) for gamma in (0.01, 0.3, 2.0, 20.0)]


@pytest.fixture(scope="module")
def waves():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(180, 3))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.4 * rng.normal(size=180)


class Loops:
    """Plain fits, counted by candidate and training rows."""

    def __init__(self, X, y, splits):
        self.X, self.y, self.splits, self.made = X, y, splits, set()

    def losses(self, candidate, train, test):
        self.made.add((candidate, train.tobytes()))
        model = clone(SVR()).set_params(**GRID[candidate]).fit(self.X[train], self.y[train])
        return (self.y[test] - model.predict(self.X[test])) ** 2

    def race(self, alive, most):
        """Fold by fold; then the best mean of those that came to the end."""
        seen = {candidate: [] for candidate in alive}
        for split in self.splits:
            for candidate in alive:
                seen[candidate].append(self.losses(candidate, split.train, split.test))
            whole = len(seen[alive[0]]) == len(self.splits)
            means = {candidate: np.mean([part.mean() for part in seen[candidate]]) for candidate in alive}
            best = min(alive, key=lambda candidate: means[candidate])
            if whole:
                return GRID[best]
            rows = {candidate: np.concatenate(seen[candidate]) for candidate in alive}
            alive = [
                candidate
                for candidate in alive
                if candidate == best or not ttest_rel(rows[candidate], rows[best], alternative="greater").pvalue < 0.01
            ]
            alive = sorted(sorted(alive, key=lambda candidate: (means[candidate], candidate))[: most(len(seen[best]))])
        raise AssertionError

    def climb(self, alive, factor):
        """On a part of the rows of the first split, scored on all the others: one of six goes on."""
        split = self.splits[0]
        train = fewer_rows(split.train, math.ceil(len(split.train) / factor), seed=0)
        test = np.setdiff1d(np.union1d(split.train, split.test), train)
        means = {candidate: self.losses(candidate, train, test).mean() for candidate in alive}
        return sorted(sorted(alive, key=lambda candidate: (means[candidate], candidate))[: math.ceil(len(alive) / 6)])

    def choose(self, tuner, factor):
        everyone, count = list(range(len(GRID))), len(GRID)
        if tuner == "racing":
            return self.race(everyone, lambda folds: math.ceil(count / (3 * folds)))
        finalists = self.climb(everyone, factor)
        return self.race(finalists, lambda folds: math.ceil(count / (3 * (folds + 2))))


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("tuner", "factor", "inner"),
    [
        ("racing", None, 4),
        ("halving", 1.5, 4),
        ("halving", 1.5, "aligned"),
        ("halving(least=10, factor=3)", 3, 4),
    ],
)
def test_choices_and_fits_are_those_of_the_naive_loops(waves, tuner, factor, inner):
    X, y = waves
    learner = fw.tune(SVR(), C=[0.01, 1.0, 100.0], gamma=[0.01, 0.3, 2.0, 20.0], tuner=tuner)
    result = fw.compare({"svr": learner}, X, y, outer=7 if inner == "aligned" else 3, inner=inner, jobs=1)
    study, method = result.reading.study, result.reading.study.methods[0]
    made, chosen = set(), []
    for splits in (*method.inner.splits, method.inner.final):
        loops = Loops(X, y, list(splits))
        chosen.append(loops.choose(tuner.partition("(")[0], factor))
        made |= loops.made
    found = result.to_dict()["methods"][0]
    assert [fold["candidate"] for fold in found["folds"]] == chosen[:-1]
    assert result.to_dict()["refit"] == {"method": "svr", "candidate": chosen[-1]}
    judged = {(GRID.index(one), split.train.tobytes()) for one, split in zip(chosen, study.outer, strict=False)}
    assert found["fits"] == len(made | judged) == found["fits_made"]
