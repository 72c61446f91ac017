from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB

import foldwise as fw


def table(kind, n=60):
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"), index=[f"row {at}" for at in range(n)][::-1])
    y = (X["a"] + rng.normal(size=n) > 0).to_numpy()
    return X, {"text": np.where(y, "yes", "no"), "whole": np.where(y, 7, 3), "boolean": y}[kind]


@pytest.mark.parametrize(("kind", "dtype"), [("whole", "int64"), ("boolean", "bool")])
def test_classes_keep_their_type(kind, dtype):
    X, y = table(kind)
    result = fw.compare({"bayes": GaussianNB()}, X, y, outer=3, jobs=1)
    found, losses = result.predictions(), result.losses()

    assert (found["truth"].dtype, found["prediction"].dtype) == (dtype, dtype)
    assert (losses["target"].dtype, losses["prediction"].dtype) == (dtype, dtype)
    assert found["row"].dtype == found["fold"].dtype == found["repeat"].dtype == "int64"


def test_predictions_are_those_of_a_plain_loop_under_the_users_own_labels():
    X, y = table("text")
    result = fw.compare({"bayes": GaussianNB(), "ridge": RidgeClassifier()}, X, y, outer=3, repeats=2, jobs=1)
    found = result.predictions()

    assert list(found["method"].unique()) == ["bayes", "ridge", "baseline"]
    assert len(found) == 3 * 2 * len(y)
    assert found["row_label"].tolist() == X.index[found["row"]].tolist()
    assert found["truth"].tolist() == y[found["row"]].tolist()
    for _, part in found[found["method"] == "bayes"].groupby(["repeat", "fold"]):
        rest = np.setdiff1d(np.arange(len(y)), part["row"])
        model = GaussianNB().fit(X.iloc[rest], y[rest])
        np.testing.assert_allclose(part[["p_no", "p_yes"]], model.predict_proba(X.iloc[part["row"]]))
        assert part["prediction"].tolist() == model.predict(X.iloc[part["row"]]).tolist()
    assert found.loc[found["method"] == "ridge", ["p_no", "p_yes"]].isna().all(axis=None)


def test_the_positive_class_that_was_named_has_its_own_probability():
    X, y = table("text")
    found = fw.compare({"bayes": GaussianNB()}, X, y, outer=3, positive="no", jobs=1).predictions()
    found = found[found["method"] == "bayes"]
    assert list(found.columns[-2:]) == ["p_yes", "p_no"]
    assert found["prediction"].tolist() == np.where(found["p_no"] > 0.5, "no", "yes").tolist()


def test_labels_may_come_with_the_target_or_have_levels():
    X, y = table("whole")
    of_target = fw.compare({"bayes": GaussianNB()}, X.to_numpy(), pd.Series(y, X.index), outer=3, jobs=1)
    assert of_target.predictions()["row_label"].tolist() == X.index[of_target.predictions()["row"]].tolist()
    X.index = pd.MultiIndex.from_arrays([np.arange(len(X)) // 2, np.arange(len(X)) % 2], names=["who", "when"])
    deep = fw.compare({"bayes": GaussianNB()}, X, y, outer=3, jobs=1).predictions()
    assert deep["row_label"].tolist() == [(row // 2, row % 2) for row in deep["row"]]


def test_a_store_knows_rows_by_their_positions(tmp_path):
    X, y = table("whole")
    result = fw.compare({"bayes": GaussianNB()}, X, y, outer=3, jobs=1, store=tmp_path / "run")
    again = fw.load(tmp_path / "run").predictions()

    assert again["row_label"].tolist() == again["row"].tolist()
    pd.testing.assert_frame_equal(again.drop(columns="row_label"), result.predictions().drop(columns="row_label"))


def test_numbers_have_no_probabilities_and_weights_are_shown():
    X, _ = table("whole")
    result = fw.compare(["ridge"], X, X["a"] * 2, outer=3, inner=3, weights=np.arange(1, 61), jobs=1)
    found = result.predictions()
    columns = ["method", "repeat", "fold", "row", "row_label", "truth", "prediction", "own", "weight"]
    assert list(found) == columns
    assert found["weight"].tolist() == (found["row"] + 1).tolist()


def test_losses_are_by_row_or_by_fold():
    X, y = table("whole")
    result = fw.compare({"bayes": GaussianNB()}, X, y, outer=3, jobs=1)
    assert list(result.losses(by="fold")) == ["method", "repeat", "fold", "rows", "own", "loss"]
    with pytest.raises(fw.FoldwiseError, match="there are no losses by 'folds'"):
        result.losses(by="folds")
