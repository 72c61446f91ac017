"""How numbers and candidates are written."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldwise.blocks.numbers import candidate_words, less, number, plain, span


@given(st.floats(-1e11, 1e11))
def test_a_number_read_back_is_right_to_four_digits_and_short(value):
    text = number(value)
    assert math.isclose(float(text), value, rel_tol=6e-4, abs_tol=1e-300)
    assert len(text) <= 13


@pytest.mark.parametrize(
    ("value", "text"), [(999.94, "999.9"), (1000.4, "1000"), (123456.7, "123457"), (2.5e12, "2.5e+12"), (None, "-")]
)
def test_whole_numbers_have_no_exponent_until_they_are_very_long(value, text):
    assert number(value) == text


def test_half_an_interval_is_none():
    assert (span(0.1, 0.2), span(None, 0.2), span(0.1, None)) == ("0.1 to 0.2", "-", "-")


def test_a_share_of_one_is_told_from_one_column():
    assert candidate_words({"a": 1.0, "b": 1, "c": True, "d": None}) == "a=1.0, b=1, c=true, d=none"
    assert candidate_words({}) == "-"


def test_a_name_cannot_move_the_cursor():
    assert plain("a\x1b[2Jb\n\u202e") == "a\ufffd[2Jb\ufffd\ufffd"
    assert candidate_words({"metric": "\x07"}) == "metric=\ufffd"


def test_what_rounding_leaves_of_a_difference_is_nothing():
    assert less(0.1 + 0.2, 0.3) == 0
    assert less(3e-17, 1e-17) > 0  # small numbers may differ all the same
    assert math.isnan(less(math.inf, math.inf))
