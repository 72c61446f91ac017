"""api/models.py and api/model_card.py: models from Python to files, to the command line, and back."""

from __future__ import annotations

import json
import os

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import foldwise as fw
from foldwise.cli import run
from foldwise.errors import BadLearner


class HomeMade(RegressorMixin, BaseEstimator):
    """A learner that no list knows."""

    def fit(self, X, y):
        self.mean_, self.n_features_in_ = float(np.mean(y)), X.shape[1]
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=80),
            "shop": rng.choice(["north", "south", None], 80),
            "day": pd.date_range("2020-01-01", periods=80),
        }
    )
    return frame, pd.Series(np.where(frame["size"] + rng.normal(size=80) > 0, "yes", "no"), name="sold")


@pytest.fixture(scope="module")
def result(table):
    return fw.compare(["logistic", "tree"], *table, outer=3, inner=2, budget=3, jobs=1)


def predicted(capsys, model, rows, folder):
    rows.to_csv(folder / "new.csv", index=False)
    assert run(["predict", str(model), str(folder / "new.csv"), "--out", str(folder / "out.csv")]) == 0
    capsys.readouterr()
    return pd.read_csv(folder / "out.csv")


def test_a_model_of_python_is_served_by_the_command_line(result, table, tmp_path, capsys):
    X, _ = table
    model, path = result.refit(), tmp_path / "m.skops"
    assert fw.save_model(model, path) == path

    found = predicted(capsys, path, X, tmp_path)

    assert found["prediction"].tolist() == model.predict(X).tolist()
    np.testing.assert_allclose(found[["p_no", "p_yes"]], model.predict_proba(X))


def test_unseen_categories_extra_and_reordered_columns_are_served(result, table, tmp_path, capsys):
    X, _ = table
    path = result.save_model(tmp_path / "m.skops", "logistic")
    usual = predicted(capsys, path, X, tmp_path)

    turned = X.assign(extra="?", sold="no")[["extra", "day", "sold", "shop", "size"]]
    pd.testing.assert_frame_equal(predicted(capsys, path, turned, tmp_path), usual)
    strange = predicted(capsys, path, X.assign(shop="the moon"), tmp_path)
    model = fw.load_model(path)
    assert strange["prediction"].tolist() == model.predict(X.assign(shop="the moon")).tolist()
    assert strange[["p_no", "p_yes"]].notna().all(axis=None)
    empty = predicted(capsys, path, X.assign(shop=None), tmp_path)
    assert empty["prediction"].notna().all()


def test_a_missing_column_is_one_sentence(result, table, tmp_path, capsys):
    path = result.save_model(tmp_path / "m.skops")
    table[0].drop(columns="shop").to_csv(tmp_path / "new.csv", index=False)

    assert run(["predict", str(path), str(tmp_path / "new.csv")]) == 2
    assert "the table lacks 'shop', which the model needs" in capsys.readouterr().err


def test_python_reads_what_the_command_line_saved(table, tmp_path, capsys):
    X, y = table
    X.assign(sold=y).to_csv(tmp_path / "rows.csv", index=False)
    line = f"compare {tmp_path}/rows.csv --target sold --learners tree --outer 3 --inner 2 --budget 2 --quiet --jobs 1"
    assert run([*line.split(), "--save", str(tmp_path / "m.skops")]) == 0

    model = fw.load_model(tmp_path / "m.skops")

    assert type(model).__module__.startswith("sklearn")
    assert set(model.predict(X)) <= {"yes", "no"}
    card = fw.model_card(tmp_path / "m.skops")
    assert (card["target"], card["method"], card["rows"]) == ("sold", "tree", 80)
    assert fw.model_card(model) == card
    again = fw.save_model(model, tmp_path / "again.skops")  # the card goes with it
    assert fw.model_card(again) == card


def test_the_card_says_what_the_result_says(result, tmp_path):
    path = result.save_model(tmp_path / "m.skops", "tree")
    card, row = fw.model_card(path), result.table().set_index("method").loc["tree"]

    assert card["columns"] == [
        {"name": "size", "type": "number"},
        {"name": "shop", "type": "text"},
        {"name": "day", "type": "date"},
    ]
    assert (card["target"], card["task"], card["classes"]) == ("sold", "binary", ["no", "yes"])
    estimate = card["estimate"]
    assert [estimate["risk"], estimate["low"], estimate["high"]] == row[["risk", "low", "high"]].tolist()
    assert (card["method"], card["candidate"]) == ("tree", result.candidate("tree"))
    assert card["versions"] == result.to_dict()["versions"]
    assert card["date"].startswith("20")
    assert card["fingerprint"] == result.to_dict()["fingerprint"]


def test_what_inner_splits_picked_has_the_risk_of_letting_them_pick(result):
    auto = result.table().set_index("method").loc["auto"]
    assert fw.model_card(result.refit(pick="inner"))["estimate"]["risk"] == auto["risk"]


def test_info_prints_the_card(result, tmp_path, capsys):
    path = result.save_model(tmp_path / "m.skops")
    assert run(["info", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == fw.model_card(path)
    assert run(["info", str(path)]) == 0
    text = capsys.readouterr().out
    risk = fw.model_card(path)["estimate"]["risk"]
    for words in (
        f"model: {result.best}",
        "predicts: sold (binary: no, yes)",
        "80 rows, 3 columns",
        f"risk: {risk:.4g}",
    ):
        assert words in text
    assert [line.split() for line in text.splitlines()[-3:]] == [["size", "number"], ["shop", "text"], ["day", "date"]]


def test_models_that_are_handed_over_stay_plain_estimators(result):
    model = result.refit("tree")
    assert type(model).__module__.startswith("sklearn")
    assert "card" not in " ".join(vars(model))


def test_the_chosen_model_of_a_tuned_learner_is_saved(table, tmp_path, capsys):
    X = table[0][["size"]]
    tuned = fw.tune(KNeighborsRegressor(), n_neighbors=[1, 5]).fit(X, 2 * X["size"].rename("weight"))
    path = fw.save_model(tuned, tmp_path / "m.skops")

    assert isinstance(fw.load_model(path), KNeighborsRegressor)
    card = fw.model_card(path)
    assert (card["candidate"], card["target"], card["estimate"]) == (tuned.candidate_, "weight", None)
    np.testing.assert_allclose(predicted(capsys, path, X, tmp_path)["prediction"], tuned.predict(X))
    assert run(["info", str(path)]) == 0
    assert "risk: not estimated" in capsys.readouterr().out


def test_a_blend_is_saved_and_served(table, tmp_path, capsys):
    X, y = table
    learners = {"tree": "tree", "logistic": "logistic", "both": fw.blend(["tree", "logistic"])}
    result = fw.compare(learners, X, y, outer=2, inner=2, budget=2, jobs=1)
    path = result.save_model(tmp_path / "m.skops", "both")
    model = fw.load_model(path)
    assert predicted(capsys, path, X, tmp_path)["prediction"].tolist() == model.predict(X).tolist()
    assert fw.model_card(path)["method"] == "both"


@pytest.mark.parametrize("kind", ["frame", "array", "search"])
def test_estimators_of_others_are_described_by_what_they_know(kind, table, tmp_path, capsys):
    X = table[0][["size"]].assign(other=1.0)
    y = X["size"] * 3
    model = GridSearchCV(Ridge(), {"alpha": [1.0, 2.0]}, cv=3) if kind == "search" else Ridge()
    model.fit(X.to_numpy() if kind == "array" else X, y)
    path = fw.save_model(model, tmp_path / "m.skops")
    names = ["x0", "x1"] if kind == "array" else ["size", "other"]

    assert [column["name"] for column in fw.model_card(path)["columns"]] == names
    rows = X.set_axis(names, axis=1)[names[::-1]]
    np.testing.assert_allclose(predicted(capsys, path, rows, tmp_path)["prediction"], 3 * X["size"], atol=0.2)


def test_data_beside_an_estimator_give_its_columns_their_types(table, tmp_path, capsys):
    X, y = table[0][["size"]], table[1]
    model = LogisticRegression().fit(X.to_numpy(), y)
    path = fw.save_model(model, tmp_path / "m.skops", X=X, y=y)
    assert fw.model_card(path)["columns"] == [{"name": "size", "type": "number"}]
    assert predicted(capsys, path, X, tmp_path)["prediction"].tolist() == model.predict(X.to_numpy()).tolist()
    with pytest.raises(BadLearner, match="X and y describe a model together"):
        fw.save_model(model, tmp_path / "m.skops", X=X)


def test_types_that_are_not_on_the_list_need_trust_and_their_card_does_not(tmp_path):
    path = fw.save_model(HomeMade().fit(np.zeros((3, 2)), np.arange(3.0)), tmp_path / "m.skops")

    with pytest.raises(BadLearner, match=r"not on the list: .*HomeMade.*trust=True"):
        fw.load_model(path)
    assert fw.load_model(path, trust=True).predict(np.zeros((1, 2))) == [1.0]
    assert fw.model_card(path)["method"] == "HomeMade"


def test_a_pickle_is_written_and_its_card_read_only_when_asked(result, tmp_path):
    with pytest.raises(BadLearner, match="would be a pickle"):
        result.save_model(tmp_path / "m.pkl")
    path = result.save_model(tmp_path / "m.pkl", pickle=True)
    with pytest.raises(BadLearner, match="is a pickle"):
        fw.model_card(path)
    assert fw.model_card(path, trust=True)["method"] == result.best


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (Ridge(), "cannot save this Ridge: it is not fitted"),
        ("ridge", "cannot save this str: it is no fitted estimator"),
    ],
    ids=["unfitted", "text"],
)
def test_what_cannot_be_saved_is_one_sentence(model, sentence, tmp_path):
    with pytest.raises(BadLearner, match=sentence):
        fw.save_model(model, tmp_path / "m.skops")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("content", [b"", b"PK\x05\x06" + bytes(18), b"no model"], ids=["empty", "empty zip", "text"])
def test_the_card_of_no_model_file_is_one_sentence(content, tmp_path):
    (tmp_path / "m.skops").write_bytes(content)
    with pytest.raises(BadLearner, match="is not a model file"):
        fw.model_card(tmp_path / "m.skops")
    with pytest.raises(BadLearner, match="there is no model file"):
        fw.model_card(tmp_path / "none.skops")


def test_a_strangers_card_cannot_command_a_terminal(tmp_path, capsys):
    from foldwise.api.model_file import write_model

    about = {"names": ["a\x1b[2J"], "kinds": ["any"], "container": "frame", "task": "regression", "versions": {}}
    bad = {"method": "\x1b]0;x\x07", "estimate": ["?"], "rows": "many", "candidate": 3, "classes": [], "date": {}}
    write_model(tmp_path / "m.skops", Ridge().fit([[0.0], [1.0]], [0, 1]), about | bad)
    assert run(["info", str(tmp_path / "m.skops")]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_a_pipeline_with_a_tuned_learner_at_its_end_is_saved_as_what_was_chosen(tmp_path):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = make_pipeline(StandardScaler(), fw.learner("ridge", alpha=[1.0, 10.0])).fit(X, y)
    path = fw.save_model(model, tmp_path / "m.skops", X=X, y=y)
    np.testing.assert_array_equal(fw.load_model(path).predict(X), model.predict(X))
    assert "model_" in vars(model.steps[-1][1])
