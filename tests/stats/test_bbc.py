"""The bias of a pick: bootstrap bias correction against the plain product, and its refusals."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from foldwise.errors import BadInterval
from foldwise.stats import bbc
from foldwise.stats.bbc import UnitLosses, bbc_of_units, tibshirani, units_of


def bbc_of_many(tables, *, groups=None, repeats=1000, seed=0):
    units = units_of(len(tables[0]), seed=seed, groups=groups)
    losses = [UnitLosses(units.table(table), table.mean(axis=0)) for table in tables]
    return bbc_of_units(losses, units, repeats=repeats, seed=seed)


def left_out_mean(losses, rows):
    """The plain way: the candidate that is best on the drawn rows, judged on the others."""
    picked = losses[rows].sum(axis=0).argmin()
    return np.delete(losses[:, picked], np.unique(rows)).mean()


@pytest.mark.parametrize("kind", ["real", "zero-one", "near twins", "spread out", "penalties"])
def test_the_quick_bbc_picks_what_the_plain_product_picks(kind):
    """Candidates left out and float32 sums change no pick."""
    rng = np.random.default_rng(1)
    losses = rng.random((3000, 40))
    if kind == "zero-one":
        losses = (losses < 0.3).astype(float)
    elif kind == "near twins":
        losses = losses[:, :4].copy()
        losses[:, 0] += losses[:, 1].mean() - losses[:, 0].mean() - 1e-6  # the best, if only just
        losses[:, 2] = losses[:, 1] + 1e-8 * rng.standard_normal(3000)
        losses[:, 3] = losses[:, 1]
    elif kind == "spread out":
        losses += np.linspace(0, 1, 40)
    elif kind == "penalties":  # small ones hardly matter: what they change is summed of numbers as small
        losses = losses[:, :1] + np.logspace(-1, -8, 40) * (rng.standard_normal((3000, 1)) + 0.1 * losses)
    draws = np.random.default_rng(3)
    expected = [left_out_mean(losses, draws.integers(0, 3000, 3000)) for _ in range(60)]
    (found,) = bbc_of_many([losses], repeats=60, seed=3)
    np.testing.assert_allclose(found.draws, expected, rtol=1e-12)


def test_methods_share_their_draws():
    rng = np.random.default_rng(0)
    tables = [rng.random((50, 3)), rng.random((50, 5))]
    together = bbc_of_many(tables, repeats=20, seed=1)
    alone = [bbc_of_many([table], repeats=20, seed=1)[0] for table in tables]
    assert [one.value for one in together] == [one.value for one in alone]


@pytest.mark.parametrize("order", ["by chance", "by loss"])
def test_many_rows_are_drawn_in_bunches_that_vary_as_single_rows_do(monkeypatch, order):
    """Also of sorted rows, which bunches of neighbours or of every tenth row would get wrong."""
    rng = np.random.default_rng(2)
    shared = rng.exponential(size=6007)  # no multiple of any bunch
    losses = (np.sort(shared) if order == "by loss" else shared)[:, None] + 0.3 * rng.standard_normal((6007, 5))
    (rows,) = bbc_of_many([losses], repeats=600, seed=4)
    monkeypatch.setattr(bbc, "MOST_UNITS", 700)
    units = bbc.units_of(len(losses), seed=4)
    sums, sizes = units.table(losses), units.sizes
    (bunches,) = bbc_of_many([losses], repeats=600, seed=4)
    assert set(sizes) == {8, 9}
    assert len(sizes) <= 700
    np.testing.assert_allclose(sums.sum(axis=0), losses.sum(axis=0), rtol=1e-12)
    assert (bunches.selected, bunches.selection_score) == (rows.selected, rows.selection_score)
    assert abs(bunches.value - rows.value) < 5 * rows.draws.std() * np.sqrt(2 / 600)
    assert bunches.draws.std() == pytest.approx(rows.draws.std(), rel=0.15)  # 600 draws know it to 3 %, 668 bunches too


def test_groups_are_added_up_row_by_row():
    rng = np.random.default_rng(0)
    losses, groups = rng.random((40, 3)), rng.integers(0, 9, 40)
    units = bbc.units_of(40, seed=0, groups=groups)
    sums, sizes = units.table(losses), units.sizes
    expected = np.array([losses[groups == group].sum(axis=0) for group in np.unique(groups)])
    np.testing.assert_allclose(sums, expected, rtol=1e-12)
    assert sizes.tolist() == np.unique(groups, return_counts=True)[1].tolist()


@pytest.mark.parametrize("rows", [90, 6007])
def test_candidates_that_come_one_by_one_are_drawn_as_their_table_is_to_the_last_bit(monkeypatch, rows):
    monkeypatch.setattr(bbc, "MOST_UNITS", 700)
    table = np.random.default_rng(1).exponential(size=(7, rows)).T  # a candidate after the other in memory
    (wanted,) = bbc_of_many([table], repeats=50, seed=3)
    units = bbc.units_of(rows, seed=3)
    (found,) = bbc.bbc_of_units([units.losses(iter(table.T), 7)], units, repeats=50, seed=3)
    np.testing.assert_array_equal(found.draws, wanted.draws)
    assert found[:5] == wanted[:5]


def test_losses_of_very_many_rows_are_not_held_together():
    """Fifty candidates on a million rows were 400 MB."""
    rows, candidates = 200_000, 50
    units = bbc.units_of(rows, seed=0)
    tracemalloc.start()
    units.losses((np.full(rows, 1.0 + at) for at in range(candidates)), candidates)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < rows * candidates * 8 / 4


def test_tibshirani_adds_what_the_pick_loses_to_the_best_of_each_fold():
    found = tibshirani([[0.1, 0.4], [0.4, 0.2], [0.1, 0.3]])
    assert (found.selected, found.selection_score) == (0, pytest.approx(0.2))
    assert found.bias == pytest.approx(0.2 / 3)
    assert found.value == pytest.approx(0.2 + 0.2 / 3)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: bbc_of_many([np.ones((3, 2))], groups=[1, 1, 1]), "at least 2 groups"),
    ],
)
def test_tables_that_cannot_be_drawn_from_are_refused(call, words):
    with pytest.raises(BadInterval, match=words):
        call()
