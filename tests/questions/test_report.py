"""The page's blocks: questions/{report,prediction_figures,tuning_figures,data_blocks,methods_paragraph,curves}.py."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import precision_score, recall_score, roc_curve

import foldwise as fw
from foldwise.blocks.block import Chapter, Panels, Sentence, Table
from foldwise.questions.curves import curve_blocks, curve_figure
from foldwise.questions.data_blocks import data_blocks
from foldwise.questions.methods_paragraph import methods_paragraph
from foldwise.questions.overview import Overview
from foldwise.questions.prediction_figures import method_figures
from foldwise.questions.report import differences_table, report
from foldwise.questions.tuning_figures import choice_figure, optimism_table, tuned_methods, validation_figures


@pytest.fixture(scope="module")
def result():
    return fw.compare(["logistic:small", "k-nn:small"], "breast_cancer", outer=4, inner=3, jobs=1)


@pytest.fixture(scope="module")
def numbers():
    return fw.compare(["ridge:small", "k-nn:small"], "diabetes", outer=4, inner=3, jobs=1)


def tables(blocks):
    for block in blocks:
        if isinstance(block, Table):
            yield block
        elif isinstance(block, Chapter):
            yield from tables(block.blocks)


def test_the_metrics_of_the_page_are_scikit_learns(result):
    chapter = next(chapter for chapter in report(result.answer).chapters if chapter.key == "metrics")
    table = next(tables(chapter.blocks))
    heads = [column.head for column in table.columns]
    rows = result.predictions().query("method == 'k-nn:small'")
    row = next(row for row in table.rows if row.method == "k-nn:small")

    for head, measure in (("precision", precision_score), ("recall", recall_score)):
        expected = measure(rows["truth"], rows["prediction"], pos_label=result.study.classes[1])
        assert row.cells[heads.index(head)].sort == pytest.approx(expected)


def test_a_constant_has_no_interval(result):
    chapter = next(chapter for chapter in report(result.answer).chapters if chapter.key == "metrics")
    table = next(tables(chapter.blocks))
    place = [column.head for column in table.columns].index("balanced accuracy")
    baseline = next(row for row in table.rows if row.method == "baseline")

    assert baseline.cells[place].text.startswith("0.5")
    assert baseline.cells[place].beside == ""


def test_the_roc_curve_is_the_mean_of_scikit_learns_over_the_folds(result):
    method = next(method for method in result.methods if method.method.name == "logistic:small")
    figure = next(figure for figure in method_figures(method) if figure.title.startswith("ROC"))
    line = next(mark for mark in figure.marks if getattr(mark, "label", "").startswith("mean"))

    curves = []
    for _, fold in result.predictions().query("method == 'logistic:small'").groupby("fold"):
        share = fold[f"p_{result.study.classes[1]}"]
        x, y, _ = roc_curve(fold["truth"] == result.study.classes[1], share, drop_intermediate=False)
        places = np.interp(line.x, x, y)
        places[0] = 0.0
        curves.append(places)
    np.testing.assert_allclose(line.y, np.mean(curves, axis=0), atol=1e-6)


def test_every_row_below_two_thousand_is_a_dot_of_its_own(numbers):
    figure = next(iter(method_figures(numbers.methods[0])))
    dots = next(mark for mark in figure.marks if type(mark).__name__ == "Points")
    rows = numbers.predictions().query(f"method == '{numbers.methods[0].method.name}'")

    np.testing.assert_allclose(sorted(dots.y), sorted(rows["truth"]))


def test_the_differences_are_those_to_the_best_with_the_intervals_of_the_answer(numbers):
    table = differences_table(numbers.answer, Overview(numbers.answer))

    assert [row.method for row in table.rows if row.method == numbers.best] == []
    assert len(table.rows) == len(numbers.answer.every) - 1
    for row in table.rows:
        if row.drawn.low is not None:
            assert row.drawn.low <= row.drawn.value <= row.drawn.high


def test_a_training_error_far_below_does_not_flatten_the_validation_curve(numbers):
    method = next(method for method in tuned_methods(numbers.answer) if method.method.name == "k-nn:small")
    figure = validation_figures(method)[0]
    curve = next(mark for mark in figure.marks if getattr(mark, "label", "") == "inner CV error")

    assert figure.y.high - figure.y.low < 2 * (max(curve.y) - min(curve.y)) + 1e-9
    assert figure.y.low < min(curve.y)


def test_the_bars_of_the_choices_count_every_fold(numbers):
    for method in tuned_methods(numbers.answer):
        (bars,) = choice_figure(method).marks
        assert sum(bars.right) == len(numbers.study.outer)


def test_optimism_goes_from_the_inner_error_to_the_error_on_new_rows(numbers):
    table = optimism_table(numbers.answer)
    for row in table.rows:
        method = next(one for one in numbers.to_dict()["methods"] if one["name"] == row.method)
        assert row.drawn.start == pytest.approx(method["selection_score"] ** 0.5)
        assert row.drawn.value == pytest.approx(method["risk"] ** 0.5)


def test_the_paragraph_is_short_true_and_cites_in_order(numbers):
    paragraph = methods_paragraph(numbers.answer)

    assert len(paragraph.text.split()) <= 170
    assert f"{numbers.study.rows:,} rows" in paragraph.text
    marks = [paragraph.text.index(f"[{place}]") for place in range(1, len(paragraph.references) + 1)]
    assert marks == sorted(marks)
    assert any("Varma" in text for text in paragraph.references)


def test_the_data_are_told_with_and_without_the_table(numbers, tmp_path):
    facts, panels = data_blocks(numbers.answer, numbers.data)

    assert ("rows", "442") in facts.items
    assert isinstance(panels, Panels)
    fw.compare(["linear"], "diabetes", outer=3, jobs=1, store=tmp_path / "run")
    loaded = fw.load(tmp_path / "run")
    assert ("rows", "442") in next(iter(data_blocks(loaded.answer, None))).items


def test_a_best_value_at_an_end_is_told():
    points = [
        {"value": value, "train": 0.0, "test": test, "gap": test} for value, test in ((1, 3.0), (2, 2.0), (3, 1.0))
    ]
    curve = {"learner": "k-nn", "parameter": "n_neighbors", "loss": "squared", "best": 3, "points": points}

    assert "last value tried" in curve_blocks(curve)[-1].text
    assert any(type(mark).__name__ == "Level" for mark in curve_figure(curve).marks)


def test_a_learning_curve_says_whether_more_rows_help():
    points = [{"value": rows, "train": 0.0, "test": test, "gap": test} for rows, test in ((100, 2.0), (200, 1.0))]
    curve = {"learner": "k-nn", "parameter": "train_rows", "loss": "squared", "best": None, "points": points}

    assert "more rows may help" in curve_blocks(curve)[-1].text


def test_notes_stand_in_the_folded_chapter(numbers):
    chapter = next(chapter for chapter in report(numbers.answer).chapters if chapter.key == "details")

    assert chapter.is_folded
    assert any(isinstance(block, Sentence | Table) for part in chapter.blocks for block in part.blocks)
