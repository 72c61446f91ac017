"""A study whose fits take their time; the same line again goes on with it, at another pace if it is told so.

SECONDS=0.5 python slow_study.py STORE [ERROR]
"""

from __future__ import annotations

import os
import sys
import time

import numpy as np
from sklearn.linear_model import Ridge

import foldwise as fw


class Slow(Ridge):
    """Sleeps before it fits; with `text` it fails with these words instead."""

    def __init__(self, alpha=1.0, text=""):
        super().__init__(alpha=alpha)
        self.text = text

    def fit(self, X, y):
        time.sleep(float(os.environ.get("SECONDS", "0")))
        if self.text:
            raise ValueError(self.text)
        return super().fit(X, y)


def main(store, text=""):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X[:, 0] + rng.normal(size=60)
    learners = {"slow": fw.tune(Slow(), alpha=[0.1, 10.0]), "plain": Slow()}
    if text:
        learners["failing"] = Slow(text=text)
    result = fw.compare(learners, X, y, outer=3, inner=2, jobs=1, store=store)
    print(result.best)


if __name__ == "__main__":
    main(*sys.argv[1:])
