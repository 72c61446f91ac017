"""Every outcome of a fit (executors/worker.py) is a record with the status and the words that name it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin

from foldwise.api.request import make_comparison
from foldwise.executors.worker import Worker
from foldwise.executors.workload import workload_of
from foldwise.testing.executors import first_fits


class Ending(RegressorMixin, BaseEstimator):
    """Raises an error, or answers with numbers that are none."""

    def __init__(self, error=None):
        self.error = error

    def fit(self, X, y):
        if self.error is not None:
            raise self.error("over")
        return self

    def predict(self, X):
        return np.full(len(X), np.nan)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ValueError, "error"),
        (SystemExit, "error"),
        (KeyboardInterrupt, "error"),
        (MemoryError, "out of memory"),
        (None, "invalid output"),
    ],
)
def test_the_status_of_a_record_names_what_happened(error, status):
    X = np.arange(30.0).reshape(-1, 1)
    runnable = make_comparison({"ending": Ending(error)}, X, X[:, 0], outer=3)
    (fit, *_) = (fit for fit in first_fits(runnable) if fit.method == 0)
    (record,) = Worker(workload_of(runnable)).do((fit,))
    assert record.status == status
    assert record.responses == {}
    assert error is None or record.error == f"{error.__name__}: over (in fit)"
