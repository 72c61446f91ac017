"""The training risk is that of the model as it predicts, also where it was trained on cross-fitted encodings."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeRegressor

import foldwise as fw
from foldwise.learners.preprocessing.category_means import CategoryMeans


def shops(n=160, values=50):
    rng = np.random.default_rng(0)
    shop = rng.integers(0, values, n)
    X = pd.DataFrame({"shop": [f"shop {number}" for number in shop], "size": rng.normal(size=n)})
    return X, rng.normal(size=values)[shop] + X["size"].to_numpy() + rng.normal(size=n)


def training_risk(result, model, X, y):
    table = result.splits()
    losses = []
    chosen = result.choices().query("method == 'm'").set_index("fold")["candidate"]
    for fold, part in table[table["level"] == "outer"].groupby("fold"):
        inside = part.loc[part["part"] == "train", "row"].to_numpy()
        fitted = model(chosen[fold]).fit(X.iloc[inside], y[inside])
        losses.append(np.mean((y[inside] - fitted.predict(X.iloc[inside])) ** 2))
    return np.mean(losses)


@pytest.mark.parametrize(
    ("learner", "parameter", "values"),
    [
        (Ridge(), "alpha", [0.1, 10.0]),
        (KNeighborsRegressor(), "n_neighbors", [1, 7]),
        (DecisionTreeRegressor(random_state=0), "max_depth", [2, 5]),
    ],
    ids=["ridge", "k-nn", "tree"],
)
def test_training_rows_pass_the_encoder_as_new_rows_do(learner, parameter, values):
    X, y = shops()
    X = X[["shop"]]
    whole = make_pipeline(CategoryMeans(), learner)
    result = fw.compare({"m": fw.tune(whole, **{parameter: values})}, X, y, outer=2, inner=2, solvers="all", jobs=1)
    step = whole.steps[-1][0]

    def model(chosen):
        return whole.set_params(**{f"{step}__{parameter}": chosen[parameter]})

    assert result.table()["train_risk"][0] == pytest.approx(training_risk(result, model, X, y), rel=1e-9)
