"""Records as bytes: what went in comes out, in the fewest bytes that hold it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from foldwise.errors import BadStore
from foldwise.records.encoding import MOST_TEXT, MOST_WARNINGS, clipped, decode, encode, pack, unpack
from foldwise.records.record import Record


def record(rows, **more):
    rows = np.asarray(rows, dtype=np.int64)
    return Record(key="k", status="ok", rows=rows, responses={"predict": np.arange(len(rows))}, **more)


@given(hnp.arrays(st.sampled_from(["<f8", ">f8", "<i4", "|b1"]), st.integers(0, 2000)))
def test_arrays_come_out_as_they_went_in(values):
    _, found = unpack(pack({}, {"v": values}))
    assert found["v"].dtype == values.dtype.newbyteorder("=")
    np.testing.assert_array_equal(found["v"], values)


@given(st.sets(st.integers(0, 2**40), max_size=50))
def test_a_record_keeps_its_rows_and_whole_numbers(rows):
    found = decode("k", encode(record(sorted(rows), error="e", warnings=("w",), seconds=1.5, learner="l")))
    assert found.rows.tolist() == sorted(rows)
    assert found.responses["predict"].tolist() == list(range(len(rows)))
    assert (found.status, found.error, found.warnings, found.seconds, found.learner) == ("ok", "e", ("w",), 1.5, "l")


def test_neighbouring_rows_take_a_byte_each():
    far, near = (len(encode(record(np.arange(1000) * step))) for step in (1, 1000))
    assert near - far == 1000


def test_even_numbers_are_compressed_and_random_ones_are_not():
    rng = np.random.default_rng(0)
    assert len(pack({}, {"v": np.zeros(10_000)})) < 1000
    assert len(pack({}, {"v": rng.random(10_000)})) >= 80_000


def test_long_texts_are_cut():
    found = clipped(record([0], error="e" * 30_000, warnings=("w" * 30_000, *"w" * 300)))
    assert (len(found.error), len(found.warnings), len(found.warnings[0])) == (MOST_TEXT, MOST_WARNINGS, MOST_TEXT)


@pytest.mark.parametrize("content", [b"", b"\xff\xff\xff\xff", encode(record([1]))[:-1]])
def test_bytes_that_are_no_record_are_refused(content):
    with pytest.raises(BadStore, match="a stored document cannot be read"):
        decode("k", content)
