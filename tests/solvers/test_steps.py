"""Steps fitted once for all learners of a study."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import Ridge
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from foldwise.data.dataset import make_dataset
from foldwise.learners.model import make_fitting
from foldwise.solvers import steps as room
from foldwise.solvers.steps import bytes_of, fit_behind_steps, fit_steps

STEPS = (("scale", StandardScaler()),)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    return make_dataset(rng.normal(size=(40, 3)), rng.normal(size=40), weights=rng.uniform(1, 2, 40))


def test_equal_steps_and_equal_rows_share_one_table(data):
    rows = np.arange(30)
    first = fit_steps(STEPS, rows, data)
    assert fit_steps((("other name", StandardScaler()),), rows.copy(), data) is first
    assert fit_steps((("scale", StandardScaler(with_mean=False)),), rows, data) is not first
    assert fit_steps(STEPS, rows[:-1], data) is not first
    assert_array_equal(first.X, StandardScaler().fit_transform(data.X[rows]))
    asked = first.transform(np.arange(30, 40), data)
    assert_array_equal(asked, StandardScaler().fit(data.X[rows]).transform(data.X[30:]))
    assert first.transform(np.arange(30, 40), data) is asked


def test_other_data_of_the_same_shape_share_nothing(data):
    other = make_dataset(data.X + 1, data.y)
    assert fit_steps(STEPS, np.arange(30), data) is not fit_steps(STEPS, np.arange(30), other)


def test_the_tables_asked_for_longest_ago_go_first(data, monkeypatch):
    parts = [np.arange(start, start + 20) for start in range(3)]
    monkeypatch.setattr(room, "MOST_BYTES", 2 * 20 * 3 * 8)
    first, second = (fit_steps(STEPS, part, data) for part in parts[:2])
    assert fit_steps(STEPS, parts[0], data) is first
    fit_steps(STEPS, parts[2], data)
    assert fit_steps(STEPS, parts[0], data) is first
    assert fit_steps(STEPS, parts[1], data) is not second


def test_tables_go_with_their_data():
    data = make_dataset(np.arange(12.0).reshape(6, 2), np.arange(6.0))
    kept = weakref.ref(fit_steps(STEPS, np.arange(4), data))
    del data
    gc.collect()
    assert kept() is None


def test_the_model_is_that_of_the_plain_fit(data):
    fitting = make_fitting(Pipeline([("prepare", StandardScaler()), ("learner", Ridge())]))
    rows = np.arange(5, 35)
    model = fit_behind_steps(fitting, data, rows, seed=1)
    assert_array_equal(model.predict(data.X), fitting.fit(data, rows, 1).predict(data.X))
    weighted = Ridge().fit(StandardScaler().fit_transform(data.X[rows]), data.y[rows], sample_weight=data.weights[rows])
    assert_array_equal(model.named_steps["learner"].coef_, weighted.coef_)


def test_a_learner_that_writes_into_its_table_leaves_the_others_theirs(data):
    fitting = make_fitting(Pipeline([("prepare", StandardScaler()), ("learner", Ridge(copy_X=False, solver="svd"))]))
    found = fit_steps(STEPS, np.arange(30), data)
    before = found.X.copy()
    fit_behind_steps(fitting, data, np.arange(30), seed=0)
    assert_array_equal(found.X, before)


@pytest.mark.parametrize("step", [SelectKBest(f_classif, k=-1), FunctionTransformer(lambda X: X)], ids=["fails", "own"])
def test_steps_that_fail_or_may_draw_numbers_are_left_to_the_plain_fit(step, data):
    fitting = make_fitting(Pipeline([("prepare", step), ("learner", Ridge())]))
    assert fit_behind_steps(fitting, data, np.arange(30), seed=0) is None


def test_steps_that_warn_are_never_kept():
    """A kept table would give the warning to one learner and hide it from the next."""
    data = make_dataset(np.column_stack([np.arange(10.0), np.ones(10)]), np.tile(["a", "b"], 5))
    steps = (("select", SelectKBest(f_classif, k=1)),)
    assert fit_steps(steps, np.arange(8), data) is None
    assert fit_steps(steps, np.arange(8), data) is None


def test_bytes_are_those_of_the_arrays_inside():
    table = np.zeros((10, 3))
    matrix = sp.csr_matrix(np.eye(5))
    assert bytes_of(pd.DataFrame(table)) == bytes_of(table) == 240
    assert bytes_of(matrix) == matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes


def shifted(X, by):
    return X + float(by[0])


def test_steps_told_apart_by_their_place_in_memory_are_never_mixed_up(data):
    """Such arrays are compared by where they are: a later one must not be taken for one that is gone."""
    rows = np.arange(30)
    for by in range(50):
        step = FunctionTransformer(shifted, kw_args={"by": np.array([by], dtype=object)})
        assert_array_equal(fit_steps((("shift", step),), rows, data).X, data.X[rows] + by)
        del step
