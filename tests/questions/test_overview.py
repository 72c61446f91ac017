"""questions/overview.py: the first screen says what to use, how wrong it will be, and how sure that is."""

from __future__ import annotations

import pytest

import foldwise as fw
from foldwise.blocks.block import Table
from foldwise.questions.overview import Overview


@pytest.fixture(scope="module")
def overview():
    return Overview(fw.compare(["ridge:small", "k-nn:small"], "diabetes", outer=5, inner=3, jobs=1).answer)


def cells(table, head):
    place = [column.head for column in table.columns].index(head)
    return {row.cells[0].text: row.cells[place].text for row in table.rows}


def test_the_verdict_names_the_method_its_error_with_an_interval_and_the_baseline(overview):
    verdict = overview.lead()[0]

    assert verdict.role == "verdict"
    assert verdict.text.startswith(f"Use {overview.answer.best.method.name}: ")
    assert "RMSE" in verdict.text
    assert "95% CI" in verdict.text
    assert "predicting the mean" in verdict.text


def test_every_number_of_the_table_is_the_answer_in_the_unit_that_is_shown(overview):
    table = next(block for block in overview.table() if isinstance(block, Table))
    for method in overview.answer.to_dict()["methods"]:
        name = {"auto": "best per fold"}.get(method["name"], method["name"])
        assert float(cells(table, "RMSE")[name]) == pytest.approx(method["risk"] ** 0.5, rel=0.01)


def test_the_picked_method_is_first_and_the_baseline_stands_below_a_rule(overview):
    rows = next(block for block in overview.table() if isinstance(block, Table)).rows

    assert rows[0].mark == "best"
    assert [row.method for row in rows if row.mark == "quiet"] == [row.method for row in rows[-2:]]
    assert sum(row.has_rule for row in rows) == 1


def test_a_method_that_is_no_better_than_the_baseline_is_not_praised():
    import numpy as np

    rng = np.random.default_rng(0)
    result = fw.compare(["linear"], rng.normal(size=(60, 3)), rng.normal(size=60), outer=5, jobs=1)
    text = Overview(result.answer).lead()[0].text

    assert "not clearly beat" in text or "Nothing beats the baseline" in text
