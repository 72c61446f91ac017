"""Free text in tables of the built-in learners (learners/preprocessing/text_words.py)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline

import foldwise as fw
from foldwise.api.model_file import load_model, save_model
from foldwise.api.saved_model import predict_table
from foldwise.data.dataset import make_dataset
from foldwise.learners.catalogue import all_entries, builtin, is_installed
from foldwise.learners.preprocessing.column_facts import free_text
from foldwise.learners.preprocessing.text_words import TextWords

GOOD, BAD = ["lovely", "fresh", "crisp", "ripe", "bright"], ["dull", "flat", "sour", "stale", "thin"]
OTHER = [f"{a}{b}" for a in "bcdfgklm" for b in ("ando", "erin", "ilto", "ulas", "opek")]


def reviews(rows=120, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, rows)
    texts = [
        " ".join(rng.permutation([*rng.choice(GOOD if label else BAD, 2), *rng.choice(OTHER, rng.integers(4, 12))]))
        for label in labels
    ]
    return texts, np.where(labels, "good", "bad")


TEXTS, LABELS = reviews()


def test_words_are_those_of_scikit_learn():
    theirs = TfidfVectorizer(min_df=2, sublinear_tf=True).fit(TEXTS[:80])
    ours = TextWords().fit(np.array(TEXTS[:80], dtype=object)[:, None])
    assert ours.terms_[0].tolist() == theirs.get_feature_names_out().tolist()
    made = ours.transform(np.array(TEXTS[80:], dtype=object)[:, None])
    assert_allclose(made.toarray(), theirs.transform(TEXTS[80:]).toarray())


def test_factors_are_those_of_a_truncated_svd():
    vectors = TfidfVectorizer(min_df=2, sublinear_tf=True).fit(TEXTS[:80])
    svd = TruncatedSVD(10, random_state=0).fit(vectors.transform(TEXTS[:80]))
    column = np.array(TEXTS, dtype=object)[:, None]
    plain = TextWords(10).fit(column[:80]).transform(column[80:])
    assert_allclose(plain, svd.transform(vectors.transform(TEXTS[80:])), atol=1e-10)
    scaled = TextWords(10, scaled=True).fit(column[:80])
    assert_allclose(scaled.transform(column[:80]).std(axis=0).max(), 1.0)


@pytest.mark.parametrize("texts", [["", "", ""], [None, "...", "!"], ["one", "one", "one"], ["aa", "bb", "cc"]])
@pytest.mark.parametrize("factors", [None, 5])
def test_texts_without_words_or_with_few_leave_finite_numbers(texts, factors):
    column = np.array(texts, dtype=object)[:, None]
    made = TextWords(factors, scaled=True).fit(column).transform(column)
    made = made.toarray() if hasattr(made, "toarray") else made
    assert made.shape[0] == 3
    assert made.shape[1] >= 1
    assert np.isfinite(made).all()


def test_names_follow_the_words_or_are_numbered():
    column = np.array([["red wine"], ["red meat"], ["white wine"]], dtype=object)
    assert TextWords().fit(column).get_feature_names_out(["t"]).tolist() == ["t_red", "t_wine"]
    assert TextWords(1).fit(column).get_feature_names_out().tolist() == ["x0_0"]


@pytest.mark.parametrize(
    ("values", "alone", "is_free"),
    [
        (TEXTS, False, True),
        ([f"Braund, Mr. Owen {n}" for n in range(120)], False, False),  # names: four words
        ([f"row {n}" for n in range(120)], True, True),  # short, but there is nothing else
        ([f"id{n}" for n in range(120)], True, False),
        (TEXTS[:4] * 30, False, False),  # long, but few values
    ],
)
def test_free_text_is_long_and_mostly_distinct(values, alone, is_free):
    frame = pd.DataFrame({"text": values} if alone else {"text": values, "size": np.arange(120.0)})
    assert free_text(make_dataset(frame, LABELS)) == (("text",) if is_free else ())


def test_a_declared_category_is_never_free_text():
    data = make_dataset(pd.DataFrame({"text": pd.Categorical(TEXTS)}), LABELS)
    assert free_text(data) == ()


def test_a_study_of_texts_is_the_plain_loop_fitted_inside_the_folds():
    result = fw.compare([fw.learner("logistic", C=1.0, l1_ratio=0.0)], TEXTS, LABELS, loss="log", outer=3)
    truth = make_pipeline(
        TfidfVectorizer(min_df=2, sublinear_tf=True), LogisticRegression(C=1.0, tol=1e-10, max_iter=1000)
    )
    for fold, part in result.splits().query("level == 'outer'").groupby("fold"):
        train, test = (part[part["part"] == name]["row"].to_numpy() for name in ("train", "test"))
        said = truth.fit([TEXTS[row] for row in train], LABELS[train]).predict_proba([TEXTS[row] for row in test])
        by_hand = -np.log(said[np.arange(len(test)), (LABELS[test] == "good").astype(int)]).mean()
        assert_allclose(result.to_dict()["methods"][0]["folds"][fold]["loss"], by_hand, rtol=1e-6)


@pytest.mark.few(4)
@pytest.mark.parametrize("name", [e.name for e in all_entries() if "binary" in e.tasks and is_installed(e)])
@pytest.mark.parametrize("kind", ["alone", "mixed"])
def test_every_built_in_learner_takes_texts_and_its_model_is_saved_without_trust(name, kind, tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"review": TEXTS})
    if kind == "mixed":
        frame = frame.assign(size=rng.normal(size=120), shop=rng.choice(["x", "y", "z"], 120))
    data = make_dataset(frame, LABELS)
    estimator = builtin(name, data).estimator
    quick = [word for word in estimator.get_params() if word.endswith(("max_epochs", "n_estimators", "iterations"))]
    model = estimator.set_params(**dict.fromkeys(quick, 20)).fit(data.X, data.y)
    if name not in ("baseline", "neural-net"):
        assert np.mean(model.predict(data.X) == LABELS) > 0.75
    is_native = name in ("lightgbm", "xgboost", "catboost")
    file = load_model(save_model(tmp_path / "m.skops", model, data), trust=is_native)
    new = frame.iloc[:3].assign(review=["lovely crisp newword", "", None])
    assert len(predict_table(file, new)) == 3


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "name", ["logistic", "ridge", "svm", "k-nn", "tree", "forest", "boosting", "naive-bayes", "lda"]
)
def test_solvers_give_on_texts_what_the_plain_loop_gives(name):
    spec = fw.learner(name, size="small", **({"n_estimators": 10} if name == "forest" else {}))
    risks = [
        fw.compare([spec], TEXTS, LABELS, outer=2, inner=2, budget=4, solvers=solvers, jobs=1).to_dict()["methods"][0][
            "risk"
        ]
        for solvers in ("auto", False)
    ]
    assert risks[0] == pytest.approx(risks[1], abs=1e-9)


def test_the_model_handed_over_takes_a_list_of_texts_whatever_the_series_was_called():
    result = fw.compare([fw.learner("ridge", alpha=1.0)], pd.Series(TEXTS, name="review"), LABELS, outer=3)
    model = result.refit()
    assert model.predict(["lovely crisp fresh ripe", "dull flat sour stale"]).tolist() == ["good", "bad"]
    assert model.predict(pd.Series(["bright lovely"], name="other")).tolist() == ["good"]


def test_a_pipeline_of_ones_own_is_given_the_texts_as_scikit_learn_takes_them():
    mine = make_pipeline(TfidfVectorizer(), LogisticRegression())
    result = fw.compare({"mine": fw.tune(mine, C=[0.1, 10.0])}, TEXTS, LABELS, outer=3, inner=2)
    assert result.to_dict()["methods"][0]["failed"] == 0
    assert result.refit("mine").predict(["lovely crisp fresh ripe"]).tolist() == ["good"]
    alone = fw.tune(mine, C=[0.1, 10.0]).fit(TEXTS, LABELS)
    assert alone.predict(["lovely crisp fresh ripe"]).tolist() == ["good"]


def test_a_note_names_the_columns_that_were_read_as_text():
    words = {"outer": 2, "inner": 2, "budget": 2, "jobs": 1}
    result = fw.compare([fw.learner("tree", max_depth=2)], TEXTS, LABELS, **words)
    (note,) = [note["text"] for note in result.to_dict()["notes"] if note["code"] == "text"]
    assert note.startswith("column 'text' is free text")
    own = fw.compare({"mine": make_pipeline(TfidfVectorizer(), LogisticRegression())}, TEXTS, LABELS, outer=2, jobs=1)
    assert not [note for note in own.to_dict()["notes"] if note["code"] == "text"]


def test_texts_predict_numbers_too():
    y = np.where(LABELS == "good", 3.0, 1.0) + np.random.default_rng(0).normal(0, 0.1, 120)
    result = fw.compare([fw.learner("ridge", alpha=1.0)], TEXTS, y, outer=3)
    train = np.arange(80)
    truth = make_pipeline(TfidfVectorizer(min_df=2, sublinear_tf=True), Ridge(1.0))
    truth.fit([TEXTS[row] for row in train], y[train])
    assert result.to_dict()["methods"][0]["risk"] < 0.3 * result.to_dict()["methods"][1]["risk"]
