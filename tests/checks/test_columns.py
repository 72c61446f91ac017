"""Columns that name rows, say nothing, or were read wrongly."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from cases import check_cases, codes_in
from looking import told

import foldwise as fw


@pytest.mark.parametrize("code", codes_in("columns"))
def test_a_check_fires_where_it_should_and_is_silent_elsewhere(code):
    check_cases(code)


def test_columns_that_say_nothing_are_named():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=60), "k": 1.0, "l": "x", "none": np.nan, "y": rng.normal(size=60)})

    shown = str(fw.check(["ridge"], table, "y"))

    assert "FW204: 'k', 'l' have one value in every row" in shown
    assert "FW205: 'none' has no value in any row" in shown


def test_numbers_with_commas_are_no_names_of_rows():
    """Every row has another amount, and the advice must not be to leave the column out."""
    X = pd.DataFrame(
        {"x": np.random.default_rng(0).normal(size=60), "amount": [f"{1000 + at:,}.50" for at in range(60)]}
    )
    codes = fw.check(["linear"], X, X["x"] * 2, outer=5).codes

    assert "FW210" in codes
    assert "FW103" not in codes


@pytest.mark.parametrize(("name", "is_told"), [("ticket_id", True), ("street", False)])
def test_an_identifier_may_come_twice_where_it_is_called_one(name, is_told):
    X = pd.DataFrame({"x": np.random.default_rng(0).normal(size=60), name: [f"T-{at}" for at in range(60)]})
    X = pd.concat([X, X[:3]], ignore_index=True)

    found = fw.check(["linear"], X, X["x"] * 2 + X.index % 3, outer=5)

    assert ("FW103" in found.codes) == is_told
    assert ("another value in nearly every row" in repr(found).replace("\n", " ")) == is_told


def test_classes_in_two_spellings_are_found_and_classes_that_differ_are_not():
    X = np.random.default_rng(0).normal(size=(60, 2))
    found = fw.check(["logistic"], X, ["yes", "no", "Yes ", "no"] * 15, outer=5)

    assert "the target has 'Yes ' and 'yes', which differ by spaces or case alone" in repr(found).replace("\n", " ")
    assert "FW211" not in fw.check(["logistic"], X, ["yes", "no", "yes?", "no"] * 15, outer=5).codes


@pytest.mark.parametrize("step", [1.0, 0.5, 1 / 120])
def test_row_numbers_are_seen_at_any_step(step):
    assert "FW206" in told(v=3.0 + step * np.arange(120))
    assert "FW206" not in told(v=3.0 + step * np.arange(120) ** 2)
