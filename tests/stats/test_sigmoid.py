from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from foldwise.stats.sigmoid import platt, sigmoid


def by_search(values, is_class, weights):
    """Platt's loss, minimised by a general method from several starts."""
    above, below = weights[is_class].sum(), weights[~is_class].sum()
    aims = np.where(is_class, (above + 1) / (above + 2), 1 / (below + 2))

    def loss(at):
        said = at[0] * values + at[1]
        return weights @ (np.logaddexp(0, said) - aims * said)

    found = [minimize(loss, start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-13, "maxiter": 5000})
             for start in ([0.0, 0.0], [1.0, 0.5])]  # fmt: skip
    return min(found, key=lambda one: one.fun).x


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_sigmoid_has_the_smallest_loss(scale, is_weighted):
    rng = np.random.default_rng(3)
    values = rng.normal(size=80)
    is_class = rng.uniform(size=80) < sigmoid(1.5 * values - 0.5)
    weights = rng.uniform(0.5, 2.0, size=80) if is_weighted else np.ones(80)

    slope, offset = platt(values * scale, is_class, weights if is_weighted else None)

    assert_allclose([slope * scale, offset], by_search(values, is_class, weights), rtol=1e-5, atol=1e-6)


def test_it_agrees_with_scikit_learn():
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.frozen import FrozenEstimator
    from sklearn.svm import LinearSVC

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 3)), rng.integers(0, 2, 90)
    fitted = LinearSVC().fit(X, y)
    slope, offset = platt(fitted.decision_function(X), y == 1)
    theirs = CalibratedClassifierCV(FrozenEstimator(fitted), method="sigmoid").fit(X, y).predict_proba(X)[:, 1]
    assert_allclose(sigmoid(slope * fitted.decision_function(X) + offset), theirs, atol=1e-5)


@pytest.mark.parametrize("values", [[-1.0, -1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0], [1e300, 1e300, -1e300, -1e300]])
def test_values_that_part_the_classes_or_do_not_differ_leave_finite_numbers(values):
    found = platt(np.array(values) / 1e150, np.array([False, False, True, True]))
    assert np.isfinite(found).all()
