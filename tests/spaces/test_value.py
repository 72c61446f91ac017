"""When two values are the same, and how they are written down."""

from __future__ import annotations

import functools
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Ridge

from foldwise.errors import BadSpace
from foldwise.spaces.value import describe, restore, value_key

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
plain_values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(plain_values)
def test_plain_values_come_back_from_json_as_they_were(value):
    assert value_key(restore(json.loads(json.dumps(describe(value), allow_nan=False)))) == value_key(value)


@given(plain_values, plain_values)
def test_two_values_have_one_key_only_if_they_print_alike(one, other):
    assert (value_key(one) == value_key(other)) == (repr(one) == repr(other))


def test_arrays_are_told_apart_by_their_content():
    assert value_key(np.array([1, 2])) == value_key(np.array([1, 2]))
    assert value_key(np.array([1, 2])) != value_key(np.array([1, 3]))
    assert describe(np.array([1, 2])) != describe(np.array([1, 3]))


def test_an_estimator_is_described_by_its_class_and_parameters():
    assert describe(Ridge(alpha=2.0)) == describe(Ridge(alpha=2.0))
    assert describe(Ridge(alpha=2.0)) != describe(Ridge(alpha=3.0))
    assert json.dumps(describe(Ridge()))


def test_functions_are_described_by_their_home_and_lambdas_by_their_code_as_well():
    assert describe(json.dumps) == {"function": ["json.dumps"]}
    one, same, other = (lambda x: x + 1), (lambda x: x + 1), (lambda x: x + 2)
    assert describe(one) == describe(same) != describe(other)
    assert describe(functools.partial(math.pow, 2)) != describe(functools.partial(math.pow, 3))


def test_what_was_an_object_is_not_read_back():
    with pytest.raises(BadSpace, match="was written from an object and cannot be read back"):
        restore(describe(Ridge()))
