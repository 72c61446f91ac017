"""What single checks find, beyond their cases; holds guards/checks/ and guards/subject.py."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import foldwise as fw
from foldwise.data.dataset import make_dataset
from foldwise.guards.subject import Subject


def test_features_are_numbers_or_codes_with_their_missing_values():
    table = pd.DataFrame(
        {
            "n": [1.0, np.nan, 1.0],
            "t": ["b", None, "a"],
            "d": pd.to_datetime(["2024-01-01", None, "2024-01-03"]),
            "f": [True, False, True],
        }
    )
    features = {one.name: one for one in Subject(make_dataset(table, [1.0, 2.0, 4.0]), None, ()).columns}

    assert {name: one.distinct for name, one in features.items()} == {"n": 1, "t": 2, "d": 2, "f": 2}
    for name in ("n", "t", "d"):
        assert features[name].missing.tolist() == [False, True, False]


class TestNothingIsTooOdd:
    """A check never stops a study, whatever the table holds."""

    ROWS = 60
    NUMBERS = np.random.default_rng(0).normal(size=(60, 3))
    TABLES = {
        "one column": NUMBERS[:, :1],
        "constant": np.ones((60, 2)),
        "infinite": np.where(NUMBERS > 2, np.inf, NUMBERS),
        "huge": NUMBERS * 1e300,
        "tiny": NUMBERS * 1e-300,
        "missing": np.where(NUMBERS > 0, np.nan, NUMBERS),
        "empty": np.full((60, 2), np.nan),
        "sparse": sparse.random(60, 20, 0.2, format="csr", random_state=0),
        "wide": np.random.default_rng(1).normal(size=(60, 300)),
        "mixed": pd.DataFrame(
            {
                "d": pd.to_datetime(["2024-01-01", None] * 30),
                "b": pd.array([True, None] * 30, dtype="boolean"),
                "c": pd.Categorical(["x", "y", None] * 20),
                "o": [None] * 60,
            }
        ),
    }

    @pytest.mark.parametrize("target", ["numbers", "classes"])
    @pytest.mark.few(5)
    @pytest.mark.parametrize("name", TABLES)
    def test_every_check_ends(self, name, target):
        y = np.random.default_rng(2).normal(size=60)

        found = fw.check(
            ["baseline"], self.TABLES[name], y if target == "numbers" else np.where(y > 0, "a", "b"), outer=3
        )

        assert not [one for one in found if one.severity != "note"]

    def test_a_few_rows_are_enough(self):
        for rows in (4, 6, 10, 21):
            y = np.random.default_rng(2).normal(size=rows)
            assert fw.check(["baseline"], self.NUMBERS[:rows], y, outer=2).codes == []


def test_columns_that_say_nothing_are_named():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=60), "k": 1.0, "l": "x", "none": np.nan, "y": rng.normal(size=60)})

    shown = str(fw.check(["ridge"], table, "y"))

    assert "FW204: 'k', 'l' have one value in every row" in shown
    assert "FW205: 'none' has no value in any row" in shown


def test_dates_written_as_text_are_time_and_no_identifier():
    rng = np.random.default_rng(0)
    days = pd.date_range("2020-01-01", periods=60).strftime("%Y-%m-%d").astype(object)
    table = pd.DataFrame({"a": rng.normal(size=60), "day": days, "y": rng.normal(size=60)})

    assert fw.check(["ridge"], table, "y").codes == ["FW105"]


@pytest.mark.parametrize("is_class", [False, True])
def test_a_column_is_not_blamed_for_what_copies_of_rows_tell(is_class):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(50, 3)), columns=["a", "b", "y"])
    if is_class:
        table["y"] = np.where(table.y > 0, "up", "down")

    codes = fw.check(pd.concat([table] * 5, ignore_index=True), "y").codes
    assert "FW101" in codes
    assert "FW202" not in codes
    table["leak"] = table.y.map({"up": "x", "down": "z"}) if is_class else 2 * table.y + 1
    assert "FW202" in fw.check(pd.concat([table] * 5, ignore_index=True), "y").codes


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
