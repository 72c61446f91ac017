"""Tables like a given one: same columns, kinds, class shares, noise and tails."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import foldwise as fw
from foldwise.api.likeness import World, make_world
from foldwise.errors import BadStudy


def table(rows: int = 300, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "x": rng.normal(size=rows),
            "count": rng.poisson(40, size=rows),
            "few": rng.integers(0, 3, size=rows),
            "kind": rng.choice(["a", "b"], size=rows),
        }
    )


def world_of(X, y, learner: str) -> World:
    result = fw.compare([learner], X, y, outer=4, inner=2, budget=2, jobs=1)
    method = next(one for one in result.methods if one.method.name == learner)
    return make_world(result.data, method, result.refit(learner))


@pytest.fixture(scope="module")
def numbers() -> World:
    X, rng = table(), np.random.default_rng(2)
    return world_of(X, 2 * X["x"] + 0.5 * (1 + X["x"].clip(0)) * rng.standard_t(3, len(X)), "ridge")


def test_columns_keep_their_names_kinds_and_ranges(numbers):
    X = numbers.draw(500, np.random.default_rng(0), "0").X
    original = numbers.data.X
    assert list(X.columns) == list(original.columns)
    assert (X.dtypes == original.dtypes).all()
    assert X["x"].between(original["x"].min(), original["x"].max()).all()
    assert set(X["few"]) <= set(original["few"])
    assert set(X["kind"]) == {"a", "b"}
    assert not X["x"].isin(original["x"]).all()  # moved, not copied
    assert stats.ks_2samp(X["x"], original["x"]).pvalue > 0.001


def test_noise_has_its_size_its_tails_and_its_place(numbers):
    drawn = numbers.draw(4000, np.random.default_rng(0), "0")
    left = drawn.y - numbers.model.predict(drawn.X)
    original = numbers.data.y - numbers.model.predict(numbers.data.X)
    assert left.std() == pytest.approx(original.std(), rel=0.25)
    assert stats.kurtosis(left) > 1
    high = drawn.X["x"].to_numpy() > 0.5
    assert left[high].std() > 1.2 * left[~high].std()


def test_two_draws_are_independent_and_a_seed_names_them(numbers):
    one, same, other = (numbers.draw(50, np.random.default_rng(seed), "0") for seed in (1, 1, 2))
    assert np.array_equal(one.y, same.y)
    assert not np.array_equal(one.y, other.y)


@pytest.mark.few(1)
@pytest.mark.parametrize(("classes", "learner"), [(2, "logistic"), (3, "lda")])
def test_classes_keep_their_shares_and_are_as_hard_as_they_were(classes, learner):
    X, rng = table(400), np.random.default_rng(3)
    cuts = [1.0] if classes == 2 else [-0.5, 1.0]
    y = np.digitize(X["x"] + rng.normal(size=len(X)), cuts)
    world = world_of(X, np.array(["low", "mid", "high"])[y], learner)
    drawn = world.draw(4000, np.random.default_rng(0), "0")
    assert drawn.classes == world.data.classes
    shares = np.bincount(drawn.codes, minlength=classes) / 4000
    assert shares == pytest.approx(np.bincount(world.data.codes) / 400, abs=0.06)
    errors = np.mean(world.model.predict(drawn.X) != drawn.y)
    out_of_fold = np.mean((world.told > 0.5 if classes == 2 else world.told) != world.truth)
    assert errors == pytest.approx(out_of_fold, abs=0.07)


def test_counts_stay_counts():
    X, rng = table(), np.random.default_rng(4)
    y = rng.poisson(np.exp(0.5 * X["x"] + 1)).astype(float)
    drawn = world_of(X, y, "ridge").draw(500, np.random.default_rng(0), "0")
    assert (drawn.y >= 0).all()
    assert (drawn.y == np.rint(drawn.y)).all()


def test_few_tested_rows_are_refused():
    X = table(40)[["x"]]
    result = fw.compare(["ridge"], X, X["x"] + np.random.default_rng(0).normal(size=40), outer=0.2, inner=3, jobs=1)
    with pytest.raises(BadStudy, match="8 tested rows are too few to draw others like them"):
        result.coverage_check(replications=2, jobs=1)
