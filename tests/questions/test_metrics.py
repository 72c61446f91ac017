from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import foldwise as fw
from foldwise.questions.metrics import auc

NAMES = ("brier", "balanced_zero_one", "auc")


def classes(k, *, n=150, share=None):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n, 3))
    strength = X[:, 0] + rng.normal(size=n)
    cuts = np.quantile(strength, np.arange(1, k) / k if share is None else [1 - share])
    return X, np.searchsorted(cuts, strength)


def by_hand(result, model, X, y, weights=None):
    """Brier loss, balanced error and AUC of plain loops over the outer splits."""
    table = result.splits()
    counts = np.bincount(y, weights=weights)
    found = {name: [] for name in NAMES}
    for _, part in table[table["level"] == "outer"].groupby("fold"):
        inside, outside = (part.loc[part["part"] == side, "row"].to_numpy() for side in ("train", "test"))
        extra = {} if weights is None else {"sample_weight": weights[inside]}
        fitted = model.fit(X[inside], y[inside], **extra)
        shares, said = fitted.predict_proba(X[outside]), fitted.predict(X[outside])
        own = {} if weights is None else {"sample_weight": weights[outside]}
        found["brier"].append(brier_score_loss(y[outside], shares if len(counts) > 2 else shares[:, 1], **own))
        cost = (counts.sum() / len(counts) / counts)[y[outside]] * (said != y[outside])
        found["balanced_zero_one"].append(np.average(cost, weights=own.get("sample_weight")))
        if len(counts) == 2:
            found["auc"].append(roc_auc_score(y[outside], shares[:, 1], **own))
        else:
            found["auc"].append(roc_auc_score(y[outside], shares, multi_class="ovr", **own))
    return {name: np.mean(values) for name, values in found.items()}


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("k", [2, 3])
def test_the_metrics_of_the_same_fits_are_those_of_plain_loops(k, is_weighted):
    X, y = classes(k)
    weights = np.random.default_rng(0).exponential(size=len(y)) if is_weighted else None
    result = fw.compare({"bayes": GaussianNB()}, X, y, outer=5, weights=weights, jobs=1)
    found = result.to_dict()["methods"][0]["metrics"]

    assert {name: found[name] for name in NAMES} == pytest.approx(
        by_hand(result, GaussianNB(), X, y, weights), rel=1e-9
    )
    assert result.table().set_index("method").loc["bayes", list(NAMES)].tolist() == [found[name] for name in NAMES]
    assert result.fits == 10  # five for the learner, five for the baseline


def test_ties_count_half_and_rows_without_weight_not_at_all():
    rng = np.random.default_rng(0)
    truth, score, weights = rng.random(80) < 0.4, rng.integers(0, 5, 80).astype(float), rng.integers(0, 3, 80)
    assert auc(truth, score, weights.astype(float)) == pytest.approx(roc_auc_score(truth, score, sample_weight=weights))
    assert np.isnan(auc(np.ones(3, bool), np.arange(3.0)))


def test_what_cannot_be_given_is_none():
    X, y = classes(2, n=40)
    methods = fw.compare({"ridge": RidgeClassifier()}, X, y, outer=4, jobs=1).to_dict()["methods"]
    assert methods[0]["metrics"]["brier"] is None  # it has no probabilities
    assert methods[0]["metrics"]["balanced_zero_one"] is not None
    assert methods[1]["metrics"]["auc"] == 0.5  # the baseline
    alone = fw.compare({"bayes": GaussianNB()}, X, y, outer="loo", jobs=1).to_dict()["methods"][0]["metrics"]
    assert alone["auc"] is None  # one row has no order, and folds are never pooled
    assert alone["brier"] is not None
    numbers = fw.compare(["ridge"], X, X.sum(axis=1), outer=0.3, inner=0.3, jobs=1)
    assert not set(NAMES) & set(numbers.to_dict()["methods"][0]["metrics"])
    assert "Brier" not in str(numbers)


def test_tuned_blended_and_stored_methods_have_them_too(tmp_path):
    X, y = classes(2)
    learners = {
        "k-nn": fw.tune(KNeighborsClassifier(), n_neighbors=[3, 15]),
        "tree": fw.tune(DecisionTreeClassifier(random_state=0), max_depth=[1, 3]),
        "blend": fw.blend(["k-nn", "tree"]),
    }
    result = fw.compare(learners, X, y, outer=3, inner=3, jobs=1, store=tmp_path / "run")
    found = {method["name"]: method["metrics"] for method in result.to_dict()["methods"]}

    assert set(found) == {"k-nn", "tree", "blend", "baseline", "auto"}
    assert all(0 < metrics[name] < 1 for metrics in found.values() for name in NAMES)
    again = fw.load(tmp_path / "run").to_dict()["methods"]
    assert {method["name"]: method["metrics"] for method in again} == found


def the_note(result):
    return [note["text"] for note in result.to_dict()["notes"] if note["code"] == "imbalance"]


def test_a_rare_class_is_told_with_the_words_that_ask_for_another_loss():
    X, y = classes(2, n=300, share=0.06)
    result = fw.compare({"logit": LogisticRegression()}, X, y, outer=5, jobs=1)

    (words,) = the_note(result)
    assert words.startswith("class 1 has 6% of the rows, so always saying 0 has a 0-1 loss of only 0.06")
    assert all(word in words for word in ('loss="brier"', '"balanced_zero_one"', '"roc_auc"'))
    assert " ".join(words.split()) in " ".join(str(result).split())
    assert not the_note(fw.compare({"logit": LogisticRegression()}, X, y, outer=5, loss="brier", jobs=1))


def test_a_rare_class_of_three_makes_no_other_prediction_cheap():
    X, y = np.random.default_rng(0).normal(size=(100, 2)), np.repeat([0, 1, 2], [48, 48, 4])
    (words,) = the_note(fw.compare({"bayes": GaussianNB()}, X, y, outer=2, jobs=1))

    assert words.startswith('class 2 has 4% of the rows and hardly counts in the 0-1 loss; loss="brier" judges')
    assert all(word in words for word in ('"balanced_zero_one" all classes alike', '"roc_auc_ovr"'))


def test_equal_classes_are_not_rare_however_many():
    X, y = classes(8, n=400)
    assert not the_note(fw.compare({"bayes": GaussianNB()}, X, y, outer=3, jobs=1))


def test_where_nothing_beats_the_baseline_the_words_are_told_too():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 5 < 2
    result = fw.compare({"tree": DecisionTreeClassifier(random_state=0)}, X, y, outer=4, jobs=1)

    assert result.best == "baseline"
    assert "better probabilities may tie with the baseline" in the_note(result)[0]
