"""What the checks look at: facts of a study, whatever its table holds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from looking import subject_of
from scipy import sparse

import foldwise as fw
from foldwise.checks.subject import make_design


def test_residuals_are_what_least_squares_leaves():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    y = X @ [1.0, 2.0, 3.0] + rng.normal(size=2000)
    subject = subject_of(X, y)
    design = np.column_stack([np.ones(2000), X])

    ours = make_design(subject, slice(None)).residuals()[0]
    ours_without = make_design(subject, slice(None)).residuals(without="x2")[0]

    scaled = (y - y.mean()) / y.std()
    for found, columns in ((ours, design), (ours_without, design[:, :3])):
        expected = scaled - columns @ np.linalg.lstsq(columns, scaled, rcond=None)[0]
        np.testing.assert_allclose(found, expected, atol=1e-4)


def test_a_fact_is_worked_out_once():
    calls = []
    subject = subject_of(np.ones((3, 1)), [1.0, 2.0, 4.0])

    assert [subject.fact(calls.append) for _ in range(3)] == [None] * 3
    assert calls == [subject]


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
