"""Curves have their training errors, leave the study of a store alone, and make no fit too many."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor

import foldwise as fw
from foldwise.errors import BadStudy


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return X, X @ [1.0, -2.0, 0.5] + rng.normal(size=60)


def test_a_learning_curve_tunes_no_learner_on_all_rows(rows):
    found = fw.learning_curve(fw.tune(Ridge(), alpha=[0.1, 1.0]), *rows, outer=5, inner=3, sizes=[0.5, 1.0])
    assert found.fits == 2 * 5 * (3 * 2 + 1)


def test_curves_of_many_splits_have_their_training_errors(rows):
    """A comparison leaves them out above fifty splits; a curve is about them."""
    X, y = rows
    learning = fw.learning_curve(Ridge(), X, y)
    assert len(learning.values) * 10 > 50
    ridge = Ridge().fit(X, y)
    assert learning.train[-1] == pytest.approx(np.mean((ridge.predict(X) - y) ** 2), rel=0.1)
    assert np.isfinite(learning.gap).all()
    assert np.isfinite(fw.curve(Ridge(), X, y, alpha=[0.1, 1.0], outer="loo").gap).all()


def test_curves_and_a_risk_share_the_records_of_a_store_and_leave_its_study_alone(rows, tmp_path):
    learners = {"k-nn": fw.tune(KNeighborsRegressor(), n_neighbors=[1, 5])}
    fw.compare(learners, *rows, outer=5, inner="pairs", store=tmp_path / "run")
    before = without_seconds(fw.load(tmp_path / "run").to_dict())
    curve = fw.curve(KNeighborsRegressor(), *rows, n_neighbors=[1, 5, 9], outer=5, store=tmp_path / "run")
    assert curve.fits == 15
    assert curve.fits_made < 15  # some of the outer fits answered for their training rows
    fw.learning_curve(KNeighborsRegressor(), *rows, outer=5, sizes=[0.5], store=tmp_path / "run")
    fw.risk(KNeighborsRegressor(), *rows, outer=5, store=tmp_path / "run")
    assert without_seconds(fw.load(tmp_path / "run").to_dict()) == before


def without_seconds(answer):
    return answer | {"methods": [method | {"seconds": None} for method in answer["methods"]]}


def test_a_learning_curve_over_bootstrap_draws_is_refused():
    """Its sizes would count rows that were drawn twice."""
    X, y = np.arange(40.0).reshape(20, 2), np.arange(20.0)
    with pytest.raises(BadStudy, match="a bootstrap draws some of them twice"):
        fw.learning_curve("ridge", X, y, outer=fw.Bootstrap(3))


def test_a_side_is_told_only_where_the_curve_leaves_the_best_by_more_than_its_error():
    rng = np.random.default_rng(3)
    X = rng.uniform(size=(120, 1))
    y = np.sin(6 * X[:, 0]) + 0.3 * rng.normal(size=120)
    found = fw.curve(KNeighborsRegressor(), X, y, n_neighbors=[1, 8, 9, 10, 90], outer=fw.KFold(10))
    table = found.table().set_index("n_neighbors")
    best = int(found.best)

    assert table.loc[1, "side"] == "overfitting"
    assert table.loc[90, "side"] == "underfitting"
    assert best in (8, 9, 10)
    near = [value for value in (8, 9, 10) if value != best]
    assert table.loc[near, "side"].isna().all()  # which of them is the best is noise
    place = found.values.index(near[0])
    apart = found.test[place] - found.test[found.values.index(best)]
    assert 0 < apart <= found.errors[place]
