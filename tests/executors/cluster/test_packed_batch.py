"""Batches arrive as they were sent, in few bytes."""

from __future__ import annotations

import pickle

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from foldwise.executors.cluster.packed_batch import pack_batch, unpack_batch
from foldwise.plans.fit import Fit, SharedBatch

row_numbers = st.lists(st.integers(0, 5000), max_size=60)


def fit(key, train, rows):
    return Fit(key, 1, 2, np.array(train, dtype=np.int64), np.array(rows, dtype=np.int64), ("predict",), 7)


@given(st.lists(st.tuples(row_numbers, row_numbers), min_size=1, max_size=4), st.booleans())
def test_a_batch_comes_out_as_it_went_in(rows, is_shared):
    """Also where rows repeat, as in a bootstrap, or there are none."""
    batch = tuple(fit(str(at), sorted(train), sorted(set(test))) for at, (train, test) in enumerate(rows))
    sent = SharedBatch(batch) if is_shared else batch

    found = unpack_batch(pickle.loads(pickle.dumps(pack_batch(sent))))

    assert type(found) is type(sent)
    for before, after in zip(sent, found, strict=True):
        assert (before.key, before.method, before.candidate) == (after.key, after.method, after.candidate)
        assert (before.responses, before.seed) == (after.responses, after.seed)
        for name in ("train", "rows"):
            assert getattr(after, name).dtype == np.int64
            np.testing.assert_array_equal(getattr(before, name), getattr(after, name))


def test_rows_take_one_bit_each_and_fits_share_them():
    train, rows = np.arange(0, 80_000), np.arange(80_000, 100_000)
    batch = tuple(Fit(str(at), 0, at, train, rows, ("predict",), 7) for at in range(10))

    sent = pickle.dumps(pack_batch(batch))
    found = unpack_batch(pickle.loads(sent))

    assert len(sent) < 2 * 100_000 / 8 + 3000
    assert found[0].train is found[9].train
    assert found[0].rows is found[9].rows


def test_a_few_rows_of_many_stay_numbers():
    batch = (fit("a", [1_000_000_000], [3]),)

    assert len(pickle.dumps(pack_batch(batch))) < 2000
    assert unpack_batch(pack_batch(batch))[0].train.tolist() == [1_000_000_000]
