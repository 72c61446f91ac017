"""Tables of all kinds of columns (learners/preprocessing/table_columns.py) in whole studies: nothing leaks."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import foldwise as fw
from foldwise.data.dataset import make_dataset
from foldwise.learners.catalogue import builtin
from foldwise.learners.preprocessing.table_columns import TableColumns

ROWS = 60
FOLDS = np.arange(ROWS) // 20  # the first fold holds rows 0 to 19
SPACES = {
    "ridge": {"alpha": [0.1, 10.0]},
    "k-nn": {"n_neighbors": [3, 7]},
    "tree": {"max_depth": [2, 4]},
    "boosting": {"max_iter": [5, 10], "min_samples_leaf": [2]},
}
QUICK = {name: fw.learner(name, **space) for name, space in SPACES.items()}
SCALED = {name: QUICK[name] for name in ("ridge", "k-nn")}


def mixed_table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "size": np.where(rng.random(ROWS) < 0.2, np.nan, rng.normal(size=ROWS)),
            "constant": 1.0,
            "nothing": np.nan,
            "is_new": rng.random(ROWS) < 0.5,
            "shop": pd.Series(rng.choice(["a", "b", "c"], ROWS)).where(rng.random(ROWS) > 0.1).astype("str"),
            "grade": pd.Categorical(rng.choice(["x", "y"], ROWS)),
            "name": pd.Series([f"n{i}" for i in rng.integers(0, 50, ROWS)], dtype="str"),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, ROWS), "D"),
        }
    )
    # what only the first fold has, and what it lacks altogether
    table.loc[0, "shop"] = "only here"
    table.loc[FOLDS == 1, "day"] = pd.NaT
    table["late"] = np.where(FOLDS == 0, rng.normal(size=ROWS), np.nan)  # empty in the training rows of fold 0
    return table.astype({"day": "datetime64[us]"})


def target() -> np.ndarray:
    table = mixed_table()
    return table["is_new"] * 2.0 + table["size"].fillna(1) + (table["shop"] == "a") + 0.01 * np.arange(ROWS)


def run(table, y=None, learners=None, **words):
    words = {"outer": 0.3, "inner": 0.3, "jobs": 1, "isolate": False, **words}
    return fw.compare(SCALED if learners is None else learners, table, target() if y is None else y, **words)


def predictions(found, name: str) -> pd.Series:
    losses = found.losses()
    return losses[losses["method"] == name].set_index("row")["prediction"].sort_index()


@pytest.mark.few(1)
@pytest.mark.parametrize("task", ["regression", "binary", "multiclass"])
def test_all_kinds_of_columns_run_through_a_study(task):
    y = {"regression": target(), "binary": target() > 1, "multiclass": np.digitize(target(), [0.5, 1.5])}[task]
    found = run(mixed_table(), y, QUICK)
    assert set(found.table()["failed"]) == {0}


def test_every_container_gives_the_same_numbers():
    table = mixed_table()
    expected = run(table).table()["risk"].to_numpy()
    for other in (pl.from_pandas(table), pa.Table.from_pandas(table)):
        assert_allclose(run(other).table()["risk"].to_numpy(), expected, rtol=1e-12)


def test_the_order_of_the_columns_does_not_matter():
    table = mixed_table()
    expected = run(table).table().set_index("method")["risk"]
    turned = run(table[table.columns[::-1]]).table().set_index("method")["risk"]
    assert_allclose(turned.loc[expected.index], expected, rtol=1e-9)


@pytest.mark.few(1)
@pytest.mark.parametrize("name", SPACES)
def test_poisoned_held_out_rows_change_no_model_that_does_not_train_on_them(name):
    """Rows 1 to 19 are predicted by models of rows 20 to 59: whatever row 0 holds, they must stay what they were."""
    table = mixed_table()
    poisoned, far = table.copy(), target().copy()
    poisoned.loc[0, ["size", "late"]] = 1e12
    poisoned.loc[0, ["shop", "name"]] = "poison"
    poisoned.loc[0, "day"] = pd.Timestamp("2200-01-01")
    far[0] = 1e12
    clean, bad = (
        predictions(run(X, y, {name: QUICK[name]}, outer=FOLDS), name) for X, y in ((table, target()), (poisoned, far))
    )
    assert_array_equal(clean.loc[1:19], bad.loc[1:19])


@pytest.mark.few(1)
@pytest.mark.parametrize("solvers", ["auto", False])
def test_the_table_is_prepared_once_per_training_part_for_all_candidates_and_learners(solvers, monkeypatch):
    fits = Counter()
    plain = TableColumns.fit_transform

    def counted(self, X, y=None, **params):
        fits[repr(self.get_params(deep=True)), pd.util.hash_pandas_object(X).to_numpy().tobytes()] += 1
        return plain(self, X, y, **params)

    monkeypatch.setattr(TableColumns, "fit_transform", counted)
    run(mixed_table(), learners=SCALED, solvers=solvers, inner=2)
    assert (max(fits.values()) == 1) == (solvers == "auto")
    assert len(fits) >= 1 + 2  # the outer training part, and its two inner ones


@pytest.mark.few(1)
@pytest.mark.parametrize("learners", [SCALED, QUICK], ids=["scaled", "all"])
def test_shared_preparation_changes_no_number(learners):
    fast, slow = (run(mixed_table(), learners=learners, solvers=solvers) for solvers in ("auto", False))
    for name in learners:
        assert_allclose(predictions(fast, name), predictions(slow, name), rtol=1e-6)


def test_learners_that_know_categories_and_gaps_get_them_raw():
    data = make_dataset(mixed_table(), target())
    pipeline = builtin("boosting", data).estimator
    seen = clone(pipeline.named_steps["prepare"]).fit_transform(data.X, data.y)
    assert seen["x0"].isna().any()
    assert [str(dtype) for dtype in seen.dtypes].count("category") == 2  # shop and grade; the names hardly repeat
    model = clone(pipeline).fit(data.X, data.y)
    assert model.named_steps["learner"].is_categorical_.sum() == 2


def test_a_model_takes_periods_and_spans_of_time_as_it_was_trained_on_them():
    """They are read as moments and as seconds, in training and later."""
    months = pd.period_range("2020-01", periods=ROWS, freq="M")
    hours = pd.Series(pd.to_timedelta(np.arange(ROWS) % 7, "h"))
    table = pd.DataFrame({"month": months, "took": hours, "town": ["a", "b"] * (ROWS // 2)})
    plain = table.assign(month=months.to_timestamp(), took=hours.dt.total_seconds())
    y = np.arange(ROWS) % 7 + 0.1 * np.arange(ROWS)
    models = [
        fw.compare({"ridge": QUICK["ridge"]}, X, y, outer=2, inner=2, jobs=1, progress=False).refit("ridge")
        for X in (table, plain)
    ]
    assert_allclose(models[0].predict(table), models[1].predict(plain))
