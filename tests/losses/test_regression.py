from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from sklearn import metrics

from foldwise.errors import BadLoss
from foldwise.losses.loss import make_losses
from foldwise.losses.regression import absolute, pinball, poisson, squared

finite = st.floats(-1e6, 1e6, allow_nan=False)
pairs = arrays(np.float64, (2, 7), elements=finite)


@given(pairs)
def test_squared_and_absolute_equal_scikit_learn(values):
    y, prediction = values
    assert_allclose(squared.fold(y, prediction), metrics.mean_squared_error(y, prediction), rtol=1e-12)
    assert_allclose(absolute.fold(y, prediction), metrics.mean_absolute_error(y, prediction), rtol=1e-12)


@given(pairs, st.floats(0.01, 0.99))
def test_pinball_equals_scikit_learn(values, q):
    y, prediction = values
    expected = metrics.mean_pinball_loss(y, prediction, alpha=q)
    assert_allclose(pinball(q).fold(y, prediction), expected, rtol=1e-12, atol=1e-9)


def test_pinball_is_smallest_at_the_quantile():
    y = np.arange(1.0, 101)
    risks = [pinball(0.9).fold(y, np.full(100, value)) for value in y]
    assert y[int(np.argmin(risks))] == 90


def test_pinball_by_name_keeps_its_quantile(numbers):
    loss = make_losses("pinball( 0.9 )", numbers([1.0, 2.5]))[0]
    assert (loss.name, loss.spec, loss.quantile, loss.needs) == ("pinball(0.9)", "pinball(0.9)", 0.9, ("predict",))


@given(
    arrays(np.float64, 7, elements=st.integers(0, 50).map(float)),
    arrays(np.float64, 7, elements=st.floats(0.01, 100)),
)
def test_poisson_deviance_equals_scikit_learn(y, prediction):
    expected = metrics.mean_poisson_deviance(y, prediction)
    assert_allclose(poisson.fold(y, prediction), expected, rtol=1e-9, atol=1e-12)


def test_a_poisson_prediction_that_is_not_above_zero_costs_infinitely_much():
    assert poisson.rows(np.array([0.0, 1.0, 0.0]), np.array([0.0, -1.0, 2.0])).tolist() == [np.inf, np.inf, 4.0]
    assert np.isnan(poisson.rows(np.array([1.0]), np.array([np.nan]))).all()


def test_negative_targets_are_refused_before_any_fit(numbers):
    with pytest.raises(BadLoss, match=r"needs targets of 0 or more, and 1 row is below 0 \(row 1 is -2\)"):
        make_losses("poisson", numbers([1.0, -2.0, 3.5]))
    with pytest.raises(BadLoss, match=r"2 rows are below 0 \(row 1 is -2\)"):
        make_losses("poisson", numbers([1.0, -2.0, -3.5]))


@pytest.mark.parametrize("loss", [squared, absolute, poisson, pinball(0.5)])
def test_losses_of_numbers_have_no_range_unless_one_is_stated(loss):
    assert loss.bounds is None
