"""A model (api/saved_model.py) comes back from its file as it was, and a file cannot bring code along."""

from __future__ import annotations

import json
import os
import re
import zipfile
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import foldwise as fw
from foldwise.api.model_file import check_model_path, load_model, save_model
from foldwise.api.saved_model import predict_table
from foldwise.data.conform import conform
from foldwise.data.dataset import make_dataset
from foldwise.data.sources import read, read_table
from foldwise.errors import BadData, BadLearner
from foldwise.learners.catalogue import builtin


class HomeMade(BaseEstimator):
    """A learner that no list knows."""

    def fit(self, X, y):
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


@pytest.fixture
def mixed():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "size": rng.normal(size=60),
            "is_new": rng.random(60) < 0.5,
            "shop": rng.choice(["north", "south", None], 60),
            "kind": pd.Categorical(rng.choice(["a", "b"], 60)),
            "day": pd.date_range("2020-01-01", periods=60),
        }
    )


def fitted(frame, y, name):
    data = make_dataset(frame, y)
    return data, builtin(name, data).estimator.fit(data.X, data.y)


BOTH = ["baseline", "k-nn", "ridge", "tree", "forest", "extra-trees", "boosting", "svm", "gaussian-process", "gam"]
CLASSIFIERS = [*BOTH, "logistic", "naive-bayes", "lda", "qda"]


@pytest.mark.few(3)
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_every_built_in_classifier_predicts_the_same_after_a_round_trip(mixed, name, tmp_path):
    data, model = fitted(mixed, np.where(mixed["size"] > 0, "yes", "no"), name)
    file = load_model(save_model(tmp_path / "m.skops", model, data))

    table = predict_table(file, mixed)

    assert table["prediction"].tolist() == model.predict(data.X).tolist()
    if hasattr(model, "predict_proba"):
        np.testing.assert_array_equal(table[["p_no", "p_yes"]].to_numpy(), model.predict_proba(data.X))


@pytest.mark.few(3)
@pytest.mark.parametrize("name", [*BOTH, "linear", "lasso", "elastic-net", "kernel-ridge"])
def test_every_built_in_regressor_predicts_the_same_after_a_round_trip(mixed, name, tmp_path):
    data, model = fitted(mixed, mixed["size"] * 2 + 0.1, name)
    file = load_model(save_model(tmp_path / "m.skops", model, data))

    table = predict_table(file, mixed)

    assert list(table.columns) == ["row", "prediction"]
    np.testing.assert_array_equal(table["prediction"], model.predict(data.X))


@pytest.mark.parametrize("container", ["array", "sparse"])
def test_models_of_nameless_tables_take_columns_x0_x1(container, tmp_path):
    X = np.random.default_rng(1).normal(size=(30, 3))
    from scipy import sparse

    data = make_dataset(X if container == "array" else sparse.csr_matrix(X), X @ [1.0, 2.0, 3.0])
    model = Ridge().fit(data.X, data.y)
    file = load_model(save_model(tmp_path / "m.skops", model, data))

    table = predict_table(file, pd.DataFrame(X, columns=["x0", "x1", "x2"])[["x2", "x0", "x1"]])

    np.testing.assert_allclose(table["prediction"], model.predict(X), rtol=1e-12)


@pytest.fixture
def ridge_file(mixed, tmp_path):
    data, model = fitted(mixed, mixed["size"] * 2 + 0.1, "ridge")
    about = {"method": "ridge", "candidate": {"alpha": 1.0}, "target": "price", "estimate": {"risk": 0.5}}
    return load_model(save_model(tmp_path / "new" / "m.skops", model, data, about=about))


def test_the_order_of_columns_and_further_columns_do_not_matter(ridge_file, mixed):
    shuffled = mixed.assign(extra=1, price="?")[["price", "day", "kind", "extra", "shop", "is_new", "size"]]

    pd.testing.assert_frame_equal(predict_table(ridge_file, shuffled), predict_table(ridge_file, mixed))


def test_what_is_known_of_the_model_is_kept(ridge_file):
    about = ridge_file.about

    assert about["names"] == ["size", "is_new", "shop", "kind", "day"]
    assert about["kinds"] == ["number", "boolean", "text", "category", "date"]
    assert (about["task"], about["target"], about["estimate"]) == ("regression", "price", {"risk": 0.5})
    assert {"foldwise", "scikit-learn"} <= set(about["versions"])


def test_one_row_predicts_what_it_predicts_among_many(ridge_file, mixed):
    alone = pd.concat([predict_table(ridge_file, mixed.iloc[[k]]) for k in range(8)])["prediction"]

    np.testing.assert_allclose(alone, predict_table(ridge_file, mixed)["prediction"][:8], rtol=1e-12)


def test_missing_columns_are_refused_by_name(ridge_file, mixed):
    with pytest.raises(BadData, match=r"lacks 'shop', which the model needs. Did you mean 'shop_'"):
        predict_table(ridge_file, mixed.rename(columns={"shop": "shop_"}))


def test_text_in_a_number_column_is_refused_by_name(ridge_file, mixed):
    with pytest.raises(BadData, match=r"column 'size' holds text values, but the model was trained on number values"):
        predict_table(ridge_file, mixed.assign(size="large"))


def test_numbers_in_a_text_column_become_their_text(ridge_file, mixed):
    X = conform(mixed.assign(shop=[3.0, 2.5, np.nan] * 20), ridge_file.about)

    assert X["shop"].isna().tolist() == [False, False, True] * 20
    assert X["shop"].tolist()[:2] == ["3", "2.5"]


def test_zero_and_one_are_booleans_and_two_is_not(ridge_file, mixed):
    as_numbers = mixed.assign(is_new=mixed["is_new"].astype(int))

    pd.testing.assert_frame_equal(predict_table(ridge_file, as_numbers), predict_table(ridge_file, mixed))
    with pytest.raises(BadData, match="'is_new' holds"):
        predict_table(ridge_file, mixed.assign(is_new=2))


@pytest.mark.parametrize("column", ["size", "shop", "kind", "day"])
def test_a_column_of_nothing_still_predicts(ridge_file, mixed, column):
    assert np.isfinite(predict_table(ridge_file, mixed.assign(**{column: None}))["prediction"]).all()


def test_a_table_without_rows_is_refused(ridge_file, mixed):
    with pytest.raises(BadData, match="no rows to predict"):
        predict_table(ridge_file, mixed.iloc[:0])


def test_another_version_of_scikit_learn_is_noted(mixed, tmp_path):
    data, model = fitted(mixed, mixed["size"] * 2 + 0.1, "ridge")
    file = load_model(save_model(tmp_path / "m.skops", model, data, about={"versions": {"scikit-learn": "0.1"}}))

    assert "saved with scikit-learn 0.1" in file.notes[0]


def test_a_home_made_type_is_named_and_refused_until_trusted(mixed, tmp_path):
    data = make_dataset(mixed, mixed["size"] * 2)
    path = save_model(tmp_path / "m.skops", HomeMade().fit(data.X, data.y), data)

    with pytest.raises(BadLearner, match=r"types that are not on the list: .*HomeMade.*--trust"):
        load_model(path)
    assert predict_table(load_model(path, trust=True), mixed)["prediction"].nunique() == 1


@pytest.mark.parametrize("function", [np.save, np.fromfile, json.dumps])
def test_a_function_of_a_known_package_is_still_refused(mixed, function, tmp_path):
    """A file that may name any function of NumPy may write files when it predicts."""
    data = make_dataset(mixed[["size"]], mixed["size"] * 2)
    path = save_model(tmp_path / "m.skops", FunctionTransformer(function), data)

    with pytest.raises(BadLearner, match="not on the list"):
        load_model(path)


@pytest.mark.parametrize("suffix", [".pkl", ".joblib"])
def test_a_pickle_is_written_and_read_only_when_asked(mixed, suffix, tmp_path):
    data, model = fitted(mixed, mixed["size"] * 2 + 0.1, "ridge")
    path = tmp_path / f"m{suffix}"
    with pytest.raises(BadLearner, match=r"would be a pickle, which runs code .*--pickle"):
        save_model(path, model, data)
    assert not path.exists()

    save_model(path, model, data, pickle=True)

    with pytest.raises(BadLearner, match=r"is a pickle, which runs code .*--trust"):
        load_model(path)
    np.testing.assert_array_equal(
        predict_table(load_model(path, trust=True), mixed)["prediction"], model.predict(data.X)
    )


@pytest.mark.parametrize(
    ("name", "pickle", "sentence"),
    [
        ("m.txt", False, r"cannot save a model as m.txt. Name it MODEL.skops"),
        ("m", False, r"cannot save a model as m\."),
        ("m.skops", True, r"a pickle cannot be named m.skops"),
    ],
)
def test_other_file_names_are_refused(name, pickle, sentence):
    with pytest.raises(BadLearner, match=sentence):
        check_model_path(name, pickle=pickle)


def test_a_missing_model_file_is_named(tmp_path):
    with pytest.raises(BadLearner, match=r"no model file .*none.skops"):
        load_model(tmp_path / "none.skops")


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04 broken"])
def test_a_damaged_file_is_one_sentence(content, tmp_path):
    (tmp_path / "m.skops").write_bytes(content)
    with pytest.raises(BadLearner, match="is not a model file, or is damaged"):
        load_model(tmp_path / "m.skops")


def test_a_zip_without_a_schema_is_one_sentence(tmp_path):
    with zipfile.ZipFile(tmp_path / "m.skops", "w") as packed:
        packed.writestr("schema.json", "[]")
    with pytest.raises(BadLearner, match="is not a model file, or is damaged"):
        load_model(tmp_path / "m.skops")


def test_a_skops_file_of_somebody_else_is_told_apart(tmp_path):
    from skops import io

    io.dump(Ridge(), tmp_path / "m.skops")
    with pytest.raises(BadLearner, match="was not saved by Foldwise"):
        load_model(tmp_path / "m.skops")


def test_a_failed_save_leaves_no_part_behind(mixed, tmp_path, monkeypatch):
    from skops import io

    def fail(*_, **__):
        raise TypeError("no way to write it")

    monkeypatch.setattr(io, "dump", fail)
    data, model = fitted(mixed, mixed["size"] * 2 + 0.1, "ridge")
    with pytest.raises(BadLearner, match=r"skops cannot write this Pipeline: no way .*--pickle"):
        save_model(tmp_path / "m.skops", model, data)
    assert list(tmp_path.iterdir()) == []


def test_a_partial_of_a_function_that_is_not_on_the_list_is_refused(tmp_path):
    data = make_dataset(np.arange(6.0).reshape(3, 2), [1.0, 2.0, 3.0])
    model = make_pipeline(FunctionTransformer(partial(os.path.join, "a")), Ridge())
    path = save_model(tmp_path / "m.skops", model, data)
    with pytest.raises(BadLearner, match=r"not on the list: posixpath\.join"):
        load_model(path)


def ridge_on(data, path):
    return load_model(save_model(path / "m.skops", builtin("ridge", data).estimator.fit(data.X, data.y), data))


def test_a_model_of_dates_in_a_file_predicts_from_such_a_file(tmp_path):
    days = pd.date_range("2024-01-01", periods=40)
    pd.DataFrame({"day": days, "price": np.arange(40.0)}).to_csv(tmp_path / "old.csv", index=False)
    (tmp_path / "new.csv").write_text("day\n2024-02-10T00:00\n\n")
    data = read(tmp_path / "old.csv", target="price")
    found = predict_table(ridge_on(data, tmp_path), read_table(tmp_path / "new.csv"))["prediction"]
    assert found[0] == pytest.approx(40, abs=1)


@pytest.mark.parametrize("written", ["2024-01-31", "2024-01-31T08:30:00"])
def test_dates_where_the_model_saw_text_become_their_text(written, tmp_path):
    table = pd.DataFrame({"when": [written, "later"] * 10})
    file = ridge_on(make_dataset(table, np.tile([1.0, 2.0], 10)), tmp_path)
    new = conform(pd.DataFrame({"when": pd.to_datetime([written, None])}), file.about)
    assert new["when"].tolist()[0] == written
    assert new["when"].isna().tolist() == [False, True]


def test_a_model_of_version_0_1_is_read_where_its_parts_are_now(tmp_path):
    """Such a file names `foldwise.recipes...`, where the parts of built-in learners were then."""
    X = pd.DataFrame({"a": [1.0, 2.0, np.nan, 4.0] * 5, "b": ["x", "y"] * 10})
    y = np.arange(20.0)
    model = fw.compare(["k-nn:small"], X, y, outer=2, inner=2, jobs=1).refit("k-nn:small")
    save_model(tmp_path / "new.skops", model, make_dataset(X, y))
    with zipfile.ZipFile(tmp_path / "new.skops") as new, zipfile.ZipFile(tmp_path / "old.skops", "w") as old:
        for entry in new.infolist():
            content = new.read(entry)
            if entry.filename == "schema.json":
                moved = rb"foldwise\.learners\.(?:preprocessing|estimators)\."
                content, count = re.subn(moved, b"foldwise.recipes.", content)
                assert count > 1
            old.writestr(entry, content)
    found = load_model(tmp_path / "old.skops")
    np.testing.assert_array_equal(found.model.predict(X), model.predict(X))


class Doubled(BaseEstimator):
    """An estimator that keeps another one as `model_`, as wrappers of other packages do."""

    def fit(self, X, y):
        self.model_ = Ridge().fit(X, y)
        return self

    def predict(self, X):
        return 2 * self.model_.predict(X)


def test_a_step_that_happens_to_have_a_model_of_its_own_is_saved_whole(tmp_path):
    data = make_dataset(np.arange(12.0).reshape(6, 2), np.arange(6.0))
    model = make_pipeline(FunctionTransformer(), Doubled()).fit(data.X, data.y)
    path = save_model(tmp_path / "m.joblib", model, data, pickle=True)
    loaded = load_model(path, trust=True).model
    np.testing.assert_array_equal(loaded.predict(data.X), model.predict(data.X))
