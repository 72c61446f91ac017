from __future__ import annotations

import functools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import cross_val_score

import foldwise as fw
from foldwise.errors import BadLoss
from foldwise.losses.loss import make_losses

MODEL = LogisticRegression()
HINGE = make_scorer(metrics.hinge_loss, greater_is_better=False, response_method="decision_function")
PARTIAL_AUC = make_scorer(metrics.roc_auc_score, response_method="predict_proba", max_fpr=0.5)


def scaled(load, *, is_text=False):
    X, y = load(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), np.array(["no", "perhaps", "yes"])[y] if is_text else y


def by_scikit_learn(scorer, X, y):
    """The mean over folds that scikit-learn computes on our splits."""
    table = fw.compare({"m": MODEL}, X, y, outer=3, jobs=1).splits()
    cut = [
        tuple(part.loc[part["part"] == side, "row"].to_numpy() for side in ("train", "test"))
        for _, part in table[table["level"] == "outer"].groupby("fold")
    ]
    return cross_val_score(MODEL, X, y, cv=cut, scoring=scorer).mean()


@pytest.mark.few(5)
@pytest.mark.parametrize(
    ("metric", "scorer", "offset"),
    [
        (metrics.log_loss, "neg_log_loss", 0),
        (metrics.brier_score_loss, "neg_brier_score", 0),
        (metrics.hinge_loss, HINGE, 0),
        (metrics.roc_auc_score, "roc_auc", 1),
        (metrics.average_precision_score, "average_precision", 1),
        (metrics.accuracy_score, "accuracy", 1),
        (metrics.balanced_accuracy_score, "balanced_accuracy", 1),
        (metrics.f1_score, "f1", 1),
        (metrics.matthews_corrcoef, "matthews_corrcoef", 1),
        (metrics.cohen_kappa_score, make_scorer(metrics.cohen_kappa_score), 1),
        (metrics.zero_one_loss, make_scorer(metrics.zero_one_loss, greater_is_better=False), 0),
        (functools.partial(metrics.log_loss, labels=[0, 1]), "neg_log_loss", 0),
        (functools.partial(metrics.roc_auc_score, max_fpr=0.5), PARTIAL_AUC, 1),
    ],
)
def test_a_metric_judges_what_it_is_made_for_and_lower_is_better(metric, scorer, offset):
    X, y = scaled(load_breast_cancer)
    risk = fw.risk(MODEL, X, y, loss=metric, outer=3, jobs=1).value
    assert risk == pytest.approx(offset - by_scikit_learn(scorer, X, y), rel=1e-9)


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("metric", "scorer", "offset"),
    [
        (metrics.log_loss, "neg_log_loss", 0),
        (metrics.brier_score_loss, "neg_brier_score", 0),
        (functools.partial(metrics.roc_auc_score, multi_class="ovr"), "roc_auc_ovr", 1),
        (functools.partial(metrics.f1_score, average="macro"), "f1_macro", 1),
        (metrics.top_k_accuracy_score, "top_k_accuracy", 1),
    ],
)
def test_the_same_of_three_classes_that_are_text(metric, scorer, offset):
    X, y = scaled(load_iris, is_text=True)
    risk = fw.risk(MODEL, X, y, loss=metric, outer=3, jobs=1).value
    assert risk == pytest.approx(offset - by_scikit_learn(scorer, X, y), rel=1e-9)


def test_scores_of_numbers_become_losses_and_errors_stay(numbers):
    y = np.array([1.0, 2.0, 4.0])
    guess = np.array([1.5, 2.0, 3.0])
    assert make_losses(metrics.r2_score, numbers(y))[0].fold(y, guess) == 1 - metrics.r2_score(y, guess)
    error = make_losses(metrics.mean_absolute_error, numbers(y))[0]
    assert (error.name, error.fold(y, guess)) == ("mean_absolute_error", 0.5)


def test_a_metric_keeps_the_name_and_the_range_it_was_given(classes):
    loss = make_losses(fw.loss(metrics.log_loss, name="surprise", bounds=(0, 5)), classes("aabb"))[0]
    assert (loss.name, loss.bounds, loss.needs, loss.is_per_row) == ("surprise", (0, 5), ("predict_proba",), True)


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        (make_scorer(metrics.log_loss, greater_is_better=False), "made for probabilities. Use loss='log'"),
        (make_scorer(metrics.roc_auc_score), "made for scores that order the rows. Use loss='roc_auc'"),
        (fw.loss(metrics.brier_score_loss, takes="predictions"), "made for probabilities. Use loss='brier'"),
        (make_scorer(metrics.hinge_loss, greater_is_better=False), "made for decision values. Use loss='hinge'"),
        (metrics.auc, "auc of scikit-learn is no function of"),
        (make_scorer(metrics.log_loss, response_method="predict_proba"), "where lower should be better"),
    ],
)
def test_a_metric_that_would_judge_the_wrong_thing_is_refused(metric, words, classes):
    with pytest.raises(BadLoss, match=words):
        make_losses(metric, classes([0, 0, 1, 1]))


def surprise(y, y_prob):
    return metrics.log_loss(y, y_prob, labels=[0, 1])


def test_a_function_whose_argument_sounds_like_probabilities_must_say_what_it_takes(classes, numbers):
    data = classes([0, 0, 1, 1])
    with pytest.raises(
        BadLoss, match=r'"y_prob|\'y_prob\' and would be given.*fw.loss\(surprise, takes="probabilities"'
    ):
        make_losses(surprise, data)
    assert make_losses(fw.loss(surprise, takes="probabilities"), data)[0].needs == ("predict_proba",)
    numbers_of = make_losses(lambda y, score: (y - score) ** 2, numbers([1.0, 2.0]))[0]
    assert numbers_of.needs == ("predict",)  # there is no other response


def test_the_hinge_loss_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    for k in (2, 4):
        target = np.arange(40) % k
        decision = rng.normal(size=40) if k == 2 else rng.normal(size=(40, k))
        data = fw.data.dataset.make_dataset(np.zeros((40, 1)), target, task="classification")
        found = make_losses("hinge", data)[0].fold(target, decision)
        assert_allclose(found, metrics.hinge_loss(target, decision, labels=np.arange(k)), rtol=1e-12)
