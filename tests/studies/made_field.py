"""A field whose scores are given as arrays, for tests of tuners alone."""

from __future__ import annotations

import numpy as np


class MadeField:
    """`rows[candidate][fold]` are losses of rows; `low[rung][candidate, fold]` scores on the rungs below."""

    def __init__(self, rows, low=(), looks=1, bounds=(0.0, np.inf), seed=0):
        self.rows, self.low, self.looks, self.bounds, self.seed = rows, low, looks, bounds, seed
        self.candidates, self.folds, self.height = len(rows), len(rows[0]), len(low)

    def score(self, candidate, look):
        if look.rung:
            return self.low[look.rung - 1][candidate, look.fold]
        return float(np.mean(self.rows[candidate][look.fold]))

    def losses(self, candidate, look):
        return self.rows[candidate][look.fold]

    def mixed(self):
        return np.random.default_rng([self.seed, self.candidates]).permutation(self.candidates)
