"""Learners of other packages get categories and gaps raw, and survive what only held-out rows have."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from foldwise.data.dataset import make_dataset
from foldwise.learners.catalogue import builtin

pytestmark = pytest.mark.extras
LEARNERS = ["lightgbm", "xgboost", "catboost"]


def towns(rows: int = 300):
    """A target that only the towns tell, in no order a number could have."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "size [m] <net>": np.where(rng.random(rows) < 0.1, np.nan, rng.normal(size=rows)),
            "town": pd.Series(rng.choice(list("abcdefgh"), rows)).where(rng.random(rows) > 0.05).astype("str"),
            "kind": pd.Categorical(rng.choice(["x", "y"], rows)),
            "street": pd.Series([f"s{i}" for i in rng.integers(0, 250, rows)], dtype="str"),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 99, rows), "D"),
        }
    )
    return table, table["town"].isin(["a", "d", "g"]).to_numpy() * 1.0 + 0.05 * rng.normal(size=rows)


@pytest.mark.parametrize("task", ["regression", "binary", "multiclass"])
@pytest.mark.parametrize("name", LEARNERS)
def test_categories_are_learnt_and_new_ones_do_no_harm(name, task):
    table, y = towns()
    labels = {"regression": y, "binary": np.where(y > 0.5, "yes", "no"), "multiclass": np.digitize(y, [0.02, 0.5])}[
        task
    ]
    data = make_dataset(table, labels)
    model = clone(builtin(name, data).estimator).set_params(learner__random_state=0).fit(data.X, data.y)
    right = model.predict(data.X) == data.y if task != "regression" else np.abs(model.predict(data.X) - y) < 0.3
    assert np.mean(right) > 0.8
    new = data.X.assign(town="never seen", street=None, day=pd.NaT).astype({"street": "str"})
    assert len(model.predict(new)) == len(table)


@pytest.mark.parametrize("name", LEARNERS)
def test_columns_without_any_training_value_do_no_harm(name):
    table, y = towns(80)
    data = make_dataset(table, y)
    empty = data.X.assign(town=None, day=pd.NaT, **{"size [m] <net>": np.nan})
    empty = empty.astype({"town": "str", "day": "datetime64[us]"})
    model = clone(builtin(name, data).estimator).fit(empty, data.y)
    assert np.isfinite(model.predict(data.X)).all()
