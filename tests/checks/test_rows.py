"""Copies and near copies of rows, beside rows that chance makes near."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from cases import check_cases, codes_in
from looking import quick
from rows_cases import one_column_changed, several_copies


@pytest.mark.parametrize("code", codes_in("rows"))
def test_a_check_fires_where_it_should_and_is_silent_elsewhere(code):
    check_cases(code)


def homes(seed: int, rows: int = 260) -> tuple[pd.DataFrame, np.ndarray]:
    """Categories, a count, and one fine number: the nearest row is one of the same categories."""
    rng = np.random.default_rng(seed)
    area = rng.uniform(30, 200, rows)
    frame = pd.DataFrame(
        {
            "area": area,
            "rooms": np.maximum(1, (area / 30 + rng.normal(size=rows)).round()),
            "city": rng.choice(["Ulm", "Bonn", "Kiel", "Jena"], rows),
            "built": rng.choice([1950.0, 1987.0, 2003.0, 2015.0], rows),
            "garden": rng.choice(["yes", "no", "shared"], rows),
        }
    )
    return frame, area + 9 * rng.normal(size=rows)


def warned(X: pd.DataFrame, y: np.ndarray) -> bool:
    return "FW102" in quick(["ridge"], X, y, outer=5).codes


@pytest.mark.parametrize("seed", range(4))
def test_rows_of_the_same_categories_are_near_by_chance(seed):
    assert not warned(*homes(seed))


@pytest.mark.parametrize("seed", range(4))
def test_near_copies_among_them_are_told(seed):
    X, y = homes(seed)
    rng = np.random.default_rng(100 + seed)
    rows = rng.choice(len(X), 40, replace=False)
    copies = X.iloc[rows].assign(area=lambda some: some["area"] + 0.3 * rng.normal(size=40))
    order = rng.permutation(len(X) + 40)
    assert warned(pd.concat([X, copies], ignore_index=True).iloc[order], np.r_[y, y[rows]][order])


def test_two_kinds_of_near_copies_are_one_finding():
    X, y = homes(0)
    rows = np.arange(0, 260, 5)
    moved = X.iloc[rows].assign(area=lambda some: some["area"] + 0.01)
    found = quick(["ridge"], pd.concat([X, moved], ignore_index=True), np.r_[y, y[rows]], outer=5).codes
    assert found.count("FW102") == 1


def coarse(seed: int, questions: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Answers of a questionnaire and a mark: of few questions many rows are equal by chance, of many hardly any."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.integers(0, 4, (240, questions))), rng.integers(1, 4, 240).astype(float)


@pytest.mark.parametrize("seed", range(3))
def test_equal_rows_are_told_only_where_they_are_more_than_chance_gives(seed):
    X, y = coarse(seed, 3)
    assert X.assign(mark=y).duplicated().sum() > 50
    assert "FW101" not in quick(["ridge"], X, y, outer=5).codes
    X, y = coarse(seed, 6)
    rows = np.random.default_rng(seed).permutation(np.r_[np.arange(240), np.arange(50)])
    assert "FW101" in quick(["ridge"], X.iloc[rows].reset_index(drop=True), y[rows], outer=5).codes


def test_copies_with_one_column_changed_are_told():
    assert "FW102" in one_column_changed(is_copy=True)
    assert "FW102" not in one_column_changed(is_copy=False)


def test_four_near_copies_of_every_row_are_told():
    assert "FW102" in several_copies(0.02)
    assert "FW102" not in several_copies(0.5)
