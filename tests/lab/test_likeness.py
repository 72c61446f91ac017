"""Tables like a given one: same columns, kinds, class shares, noise and tails."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import foldwise as fw
from foldwise.errors import BadStudy
from foldwise.lab.likeness import Likeness, likeness_of


def table(rows: int = 300, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "x": rng.normal(size=rows),
            "count": rng.poisson(40, size=rows),
            "kind": rng.choice(["a", "b"], size=rows),
        }
    )


def like(X, y, learner: str) -> Likeness:
    return likeness_of(fw.compare([learner], X, y, outer=4, inner=2, budget=2, jobs=1, guards=False))


@pytest.fixture(scope="module")
def numbers() -> Likeness:
    X, rng = table(), np.random.default_rng(2)
    return like(X, 2 * X["x"] + 0.5 * (1 + X["x"].clip(0)) * rng.standard_t(3, len(X)), "ridge")


def test_rows_are_rows_of_the_table(numbers):
    X, original = numbers.draw(500, np.random.default_rng(0), "0").X, numbers.data.X
    assert (X.dtypes == original.dtypes).all()
    assert X["x"].isin(original["x"]).all()
    assert stats.ks_2samp(X["x"], original["x"]).pvalue > 0.001


def test_noise_has_its_size_its_tails_and_its_place(numbers):
    drawn = numbers.draw(4000, np.random.default_rng(0), "0")
    residuals = drawn.y - numbers.model.predict(drawn.X)
    original = numbers.data.y - numbers.model.predict(numbers.data.X)
    assert residuals.std() == pytest.approx(original.std(), rel=0.25)
    assert stats.kurtosis(residuals) > 1
    high = drawn.X["x"].to_numpy() > 0.5
    assert residuals[high].std() > 1.2 * residuals[~high].std()


def test_two_draws_are_independent_and_a_seed_names_them(numbers):
    first, same, other = (numbers.draw(50, np.random.default_rng(seed), "0") for seed in (1, 1, 2))
    assert np.array_equal(first.y, same.y)
    assert not np.array_equal(first.y, other.y)


@pytest.mark.few(1)
@pytest.mark.parametrize(("classes", "learner"), [(2, "logistic"), (3, "lda")])
def test_classes_keep_their_shares_and_are_as_hard_as_they_were(classes, learner):
    X, rng = table(400), np.random.default_rng(3)
    cuts = [1.0] if classes == 2 else [-0.5, 1.0]
    y = np.digitize(X["x"] + rng.normal(size=len(X)), cuts)
    model = like(X, np.array(["low", "mid", "high"])[y], learner)
    drawn = model.draw(4000, np.random.default_rng(0), "0")
    assert drawn.classes == model.data.classes
    shares = np.bincount(drawn.codes, minlength=classes) / 4000
    assert shares == pytest.approx(np.bincount(model.data.codes) / 400, abs=0.06)
    errors = np.mean(model.model.predict(drawn.X) != drawn.y)
    out_of_fold = np.mean((model.predicted > 0.5 if classes == 2 else model.predicted) != model.truth)
    assert errors == pytest.approx(out_of_fold, abs=0.07)


def test_counts_stay_counts():
    X, rng = table(), np.random.default_rng(4)
    y = rng.poisson(np.exp(0.5 * X["x"] + 1)).astype(float)
    drawn = like(X, y, "ridge").draw(500, np.random.default_rng(0), "0")
    assert (drawn.y >= 0).all()
    assert (drawn.y == np.rint(drawn.y)).all()


def test_few_tested_rows_are_refused():
    X = table(40)[["x"]]
    result = fw.compare(["ridge"], X, X["x"] + np.random.default_rng(0).normal(size=40), outer=0.2, inner=3, jobs=1)
    with pytest.raises(BadStudy, match="8 tested rows are too few to draw others like them"):
        likeness_of(result)


@pytest.mark.parametrize("role", ["groups", "time"])
def test_rows_that_are_not_independent_are_refused(role):
    X = table(60)[["x"]]
    result = fw.compare(["ridge"], X, X["x"] ** 2, outer=4, jobs=1, guards=False, **{role: np.arange(60) // 2})
    with pytest.raises(BadStudy, match="groups or in the order of time are not simulated"):
        likeness_of(result)
