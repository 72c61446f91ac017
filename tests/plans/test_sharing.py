"""Fits (plans/fit.py) grouped into batches: none lost, shared ones together, what is not timed first."""

from __future__ import annotations

from collections import deque

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from foldwise.plans.fit import Fit, SharedBatch
from foldwise.plans.sharing import BATCH_SECONDS, in_order, next_batch


def fit(key, method=0):
    return Fit(str(key), method, 0, np.arange(3), np.arange(2), ("predict",), 0)


def batches_of(found, seconds, workers=1):
    waiting = deque(in_order(found, seconds))
    while waiting:
        yield next_batch(waiting, seconds, workers=workers)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 5), st.booleans()), max_size=12),
    st.dictionaries(st.integers(0, 3), st.floats(0, 10)),
    st.integers(1, 4),
)
def test_every_fit_is_in_one_batch_of_its_own_method(groups, seconds, workers):
    found = [
        (SharedBatch if is_shared else tuple)(fit((at, k), method) for k in range(count))
        for at, (method, count, is_shared) in enumerate(groups)
    ]
    batches = list(batches_of(found, seconds, workers))
    assert sorted(one.key for batch in batches for one in batch) == sorted(one.key for batch in found for one in batch)
    assert all(len({one.method for one in batch}) == 1 for batch in batches)
    assert {batch for batch in found if isinstance(batch, SharedBatch)} <= set(batches)


def test_short_fits_travel_together_and_long_ones_alone():
    fits = [(fit(k),) for k in range(100)]
    assert len(next_batch(deque(fits), {0: BATCH_SECONDS / 10})) == 10
    assert {len(batch) for batch in batches_of(fits, {0: 10 * BATCH_SECONDS})} == {1}


def test_fits_that_were_not_timed_travel_alone():
    assert {len(batch) for batch in batches_of([(fit(k),) for k in range(100)], {1: 1e-3})} == {1}


def test_batches_get_smaller_towards_the_end():
    sizes = [len(batch) for batch in batches_of([(fit(k),) for k in range(40)], {0: 1e-6}, workers=2)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == 10
    assert sizes[-4:] == [1, 1, 1, 1]


def test_methods_stay_in_the_order_in_which_they_came():
    fits = [(fit(k, method),) for k, method in enumerate([2, 0, 2, 1])]
    assert [batch[0].method for batch in in_order(fits, {0: 1.0, 1: 3.0, 2: 2.0})] == [2, 2, 0, 1]


def test_the_largest_shared_batch_comes_first():
    found = [(fit(0),), SharedBatch([fit(1)]), SharedBatch([fit(2), fit(3)])]
    assert in_order(found, {0: 1.0}) == [found[2], found[1], found[0]]


def test_one_batch_of_each_method_that_was_not_timed_comes_before_all_others():
    shared = SharedBatch([fit("a", 1), fit("b", 1)])
    found = in_order([(fit(0, 0),), shared, (fit(1, 2),), (fit(2, 2),)], {0: 1.0, 2: 1.0})
    assert found[0] is shared
    assert [batch[0].method for batch in in_order([(fit(k, k % 2),) for k in range(6)], {})] == [0, 1, 0, 0, 1, 1]
