"""Pictures of predictions stand where they are true for the task, each with a sentence; metrics in one table."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import confusion_matrix
from sklearn.svm import LinearSVC

import foldwise as fw
from foldwise.questions.details import details
from foldwise.show.prediction_sections import metric_columns, prediction_panels


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(size=(120, 2))


def titles(result):
    panels = prediction_panels(result.to_dict(), details(result.reading)["predictions"])
    return {panel["title"]: [figure.title for figure in panel["figures"]] for panel in panels}


@pytest.fixture(scope="module")
def two(X):
    y = np.where(X[:, 0] + np.random.default_rng(1).normal(size=120) > 0, "yes", "no")
    return fw.compare({"linear": LogisticRegression(), "margin": LinearSVC()}, X, y, outer=4, loss="zero_one", jobs=1)


def test_two_classes_have_their_curves_and_those_without_probabilities_only_what_is_true(two):
    found = titles(two)

    assert found["linear"] == [
        "Confusion matrix", "ROC: yes", "Precision and recall: yes", "Calibration: yes", "Probabilities by true class"
    ]  # fmt: skip
    assert found["margin"] == ["Confusion matrix"]


def test_numbers_have_residuals_and_no_classes(X):
    y = X[:, 0] + np.random.default_rng(1).normal(size=120)
    result = fw.compare({"linear": LinearRegression()}, X, y, outer=4, jobs=1)

    assert titles(result)["linear"] == [
        "Predicted against true", "Residuals against predicted", "Quantiles of the residuals", "How large errors are"
    ]  # fmt: skip


def test_every_picture_says_what_to_see_in_it_and_has_a_name(two):
    panels = list(prediction_panels(two.to_dict(), details(two.reading)["predictions"]))
    figures = [figure for panel in panels for figure in panel["figures"]]

    assert all(figure.words.endswith(".") for figure in figures)
    assert all("<title>" in figure.picture or "<caption>" in figure.picture for figure in figures)
    assert [panel["is_open"] for panel in panels].count(True) == 1


def test_the_sentence_of_the_matrix_names_the_commonest_mistake(two):
    (words,) = {
        figure.words
        for panel in prediction_panels(two.to_dict(), details(two.reading)["predictions"])
        for figure in panel["figures"]
        if figure.title == "Confusion matrix" and panel["title"] == "linear"
    }
    table = two.predictions().query("method == 'linear'")
    shares = confusion_matrix(table["truth"], table["prediction"], labels=["no", "yes"], normalize="true")
    worst = max((shares[0, 1], "no", "yes"), (shares[1, 0], "yes", "no"))

    assert words == f"The commonest mistake for a class: {100 * worst[0]:.0f}% of {worst[1]} are taken for {worst[2]}."


def test_the_metrics_are_those_of_the_result_and_the_best_of_each_is_marked(two):
    table = metric_columns(two.to_dict())
    place = table["heads"].index("recall")
    rows = {row["name"]: row["cells"] for row in table["rows"]}
    recall = two.metrics().query("metric == 'recall' and `class` == 'yes'").set_index("method")["value"]

    assert table["of"] == "yes"
    assert table["small"] == "log loss and Brier"
    for name in ("linear", "margin", "baseline"):
        assert rows[name][place][2] == recall[name]
        assert rows[name][place][3] == (recall[name] == recall.max())
    auc = rows["linear"][table["heads"].index("AUC")]
    assert re.fullmatch(r"\d\.\d+–\d\.\d+", auc[1])
    assert rows["margin"][table["heads"].index("Brier")][2] is None


def test_an_answer_without_metrics_has_no_table(answer):
    assert metric_columns(answer) is None
