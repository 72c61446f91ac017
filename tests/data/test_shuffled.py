"""Targets are exchanged as the roles of the rows allow."""

from __future__ import annotations

import numpy as np
import pytest

from foldwise.data.dataset import make_dataset
from foldwise.data.shuffled import draw_for, shuffled, way_of
from foldwise.errors import BadData

X = np.arange(24.0)[:, None]
Y = np.random.default_rng(0).normal(size=24)
GROUPS = np.arange(24) // 4


def draws(data, within=None, count=30):
    return [shuffled(data, np.random.default_rng(at), within) for at in range(count)]


def test_rows_exchange_freely_and_nothing_else_moves():
    data = make_dataset(X, Y, weights=np.arange(1.0, 25))
    found = draws(data)

    assert way_of(data) == "rows"
    assert all(sorted(one.y) == sorted(Y) for one in found)
    assert len({tuple(one.y) for one in found}) == 30
    assert len({one.fingerprint for one in [data, *found]}) == 31
    assert all(one.X is data.X and one.weights is data.weights for one in found)


def test_classes_are_exchanged_and_the_strata_of_the_folds_go_with_them():
    labels = np.array(["a", "b", "b"] * 8)
    data = make_dataset(X, labels)
    found = draws(data)

    assert way_of(data) == "rows"
    assert len({tuple(one.y) for one in found}) > 20
    assert all(np.array_equal(one.strata, one.codes) for one in found)


def test_groups_of_one_target_exchange_it_as_a_whole():
    data = make_dataset(X, Y[GROUPS], groups=GROUPS)

    assert way_of(data) == "groups"
    for one in draws(data):
        assert all(len(set(one.y[group == GROUPS])) == 1 for group in range(6))
        assert sorted(one.y[::4]) == sorted(Y[:6])


def test_targets_that_vary_within_groups_stay_within_them():
    data = make_dataset(X, Y, groups=GROUPS)

    assert way_of(data) == "within"
    for one in draws(data):
        assert all(sorted(one.y[group == GROUPS]) == sorted(Y[group == GROUPS]) for group in range(6))


@pytest.mark.parametrize("word", ["within", "stratify"])
def test_blocks_and_strata_keep_their_targets(word):
    data = make_dataset(X, Y, **({"stratify": GROUPS} if word == "stratify" else {}))
    for one in draws(data, GROUPS if word == "within" else None):
        assert all(sorted(one.y[group == GROUPS]) == sorted(Y[group == GROUPS]) for group in range(6))


def test_in_time_the_target_is_shifted_and_its_neighbours_stay():
    times = np.random.default_rng(1).permutation(24).astype(float)
    data, order = make_dataset(X, Y, time=times), np.argsort(times)

    shifts = {tuple(one.y[order]) for one in draws(data, count=200)}
    assert shifts == {tuple(np.roll(Y[order], by)) for by in range(1, 24)}


def test_other_data_are_exchanged_in_another_way_and_the_same_in_the_same():
    """One set of permutations for all data is not exchangeable with the order as it is."""
    data, other = make_dataset(X, Y), make_dataset(X, Y[::-1].copy())
    orders = [tuple(draw_for(one, 0, 3).permutation(24)) for one in (data, data, other)]

    assert orders[0] == orders[1] != orders[2]


def test_time_and_blocks_together_are_refused():
    with pytest.raises(BadData, match="targets in time order cannot be exchanged within groups too"):
        way_of(make_dataset(X, Y, time=np.arange(24.0)), GROUPS)
