"""Pictures of the whole study (show/study_sections.py, show/figure.py): where they are true, with a sentence."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

import foldwise as fw
from foldwise.show.html import render_html
from foldwise.show.study_sections import (
    column_figures,
    cost_figures,
    every_loss,
    fold_figure,
    hard_row_table,
    heat_figures,
    loss_words,
    predicting_words,
)


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    y = X[:, 0] + 0.5 * rng.normal(size=90)
    tree = fw.tune(DecisionTreeRegressor(random_state=0), max_depth=[1, 3, 6], min_samples_leaf=[1, 5, 9])
    learners = {"linear": LinearRegression(), "k-nn": KNeighborsRegressor(7), "tree": tree}
    return fw.compare(learners, X, y, outer=4, inner=3, loss=["squared", "absolute"], jobs=1)


def test_every_loss_has_its_chart_and_the_sentence_names_the_best(numbers):
    answer = numbers.to_dict()
    found = every_loss(answer)

    assert [one["title"] for one in found] == ["squared loss", "absolute loss"]
    assert loss_words(answer) == "All losses are smallest for linear."
    risks = numbers.table().set_index("method")["risk: absolute"]
    assert f"{risks['k-nn']:.3f}"[:4] in found[1]["chart"]


def test_one_loss_is_not_shown_beside_itself(answer):
    assert every_loss(answer) == []


def test_the_front_and_the_winners_are_said_in_words(numbers):
    answer = numbers.to_dict()
    table = numbers.choices().query("method in ['linear', 'k-nn', 'tree']")
    losses = table.pivot(index="fold", columns="method", values="loss")
    counts = losses.idxmin(axis=1).value_counts()

    (figure,) = cost_figures(answer)
    assert "On the front" in figure.words
    assert "seconds of fitting and predicting" in figure.picture
    assert f"Outer splits won, of 4: {counts.index[0]} {counts.iloc[0]}" in fold_figure(answer).words
    assert fold_figure(answer).picture.count("fold-line") == 4

    for method in answer["methods"]:
        for fold in method.get("folds") or []:
            fold["loss"] = 1.0
    assert "Outer splits won, of 4, those of equal losses in parts: " in fold_figure(answer).words


def test_the_cost_of_predicting_has_its_own_front_once_it_is_measured(numbers):
    answer = numbers.to_dict()
    assert "result.predicting()" in predicting_words(answer)
    costs = {"linear": 0.002, "k-nn": 0.5, "tree": 0.001, "baseline": 1e-6}
    methods = [{**method, "seconds_per_1000": costs[method["name"]]} for method in answer["methods"]]
    timed = {**answer, "methods": methods}

    _, predicting = cost_figures(timed)
    assert "milliseconds of predicting 1,000 rows" in predicting.picture
    assert "tree and linear" in predicting.words  # k-NN is slower than linear, and worse
    assert ", 500 ms" in predicting.picture
    assert "measured by" not in predicting_words(timed)
    page = render_html(timed)
    assert "seconds to predict 1,000 rows" in page
    assert "seconds to predict 1,000 rows" not in render_html(answer)


def test_one_method_has_no_front_and_no_winners(answer):
    assert cost_figures(answer) == []
    assert fold_figure(answer) is None


def test_heat_maps_columns_and_hard_rows_come_to_the_page(numbers):
    page, more = numbers.report(), numbers.report(rows=True)

    assert 'id="heat"' in page
    assert "min_samples_leaf against max_depth" in page or "max_depth against min_samples_leaf" in page
    assert "best-cell" in page
    assert 'id="hard"' in page
    assert '<th scope="col">true</th>' not in page
    assert '<th scope="col">true</th>' in more
    assert "Residuals against x" in page


def test_classes_have_no_residuals_and_say_how_many_rows_all_get_wrong():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 2))
    y = X[:, 0] + rng.normal(size=90) > 0
    learners = {"linear": LogisticRegression(), "k-nn": KNeighborsClassifier(9)}
    result = fw.compare(learners, X, y, outer=3, loss="zero_one", jobs=1)
    table = result.predictions().query("method != 'baseline'")
    wrong = (table["truth"] != table["prediction"]).groupby(table["row"]).min().sum()
    page = result.report()

    assert f"{wrong} rows ({100 * wrong / 90:.1f}%) are wrong under every method" in page
    assert "Residuals against" not in page


def test_nothing_is_made_of_nothing(answer):
    assert column_figures(answer, []) == []
    assert hard_row_table(answer, None) is None
    assert list(heat_figures(answer, {})) == []
