"""A call of `compare`, `plan` or `risk` as values."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import foldwise as fw
from foldwise.api.request import as_data, make_comparison, request
from foldwise.data.dataset import make_dataset
from foldwise.data.roles import Roles
from foldwise.errors import BadInterval, BadStudy


def test_every_option_of_compare_is_found_again_in_one_value(numbers):
    options = {
        name: option.default
        for name, option in inspect.signature(fw.compare).parameters.items()
        if option.kind is inspect.Parameter.KEYWORD_ONLY
    }
    changed = options | {
        "silence": ("FW204",),
        "groups": "g",
        "tuner": "random",
        "seed": 3,
        "jobs": 2,
        "store": "run",
        "loss": "absolute",
    }
    asked = request(None, *numbers, **changed)
    found = {**vars(asked.roles), **vars(asked.tuning), **vars(asked.options), **vars(asked.run), **vars(asked)}
    found |= vars(asked.checking)
    assert {name: found[name] for name in changed} == changed


def test_options_that_are_left_out_are_those_of_compare(numbers):
    asked = request(None, *numbers)
    assert (asked.effort, asked.outer, asked.tuning.inner, asked.options.repeats) == (None, None, None, None)
    assert not asked.options.keeps_all
    assert request(None, *numbers, store="run").options.keeps_all


@pytest.mark.parametrize("call", [fw.plan, fw.risk, make_comparison])
def test_an_unknown_option_is_a_type_error_as_in_any_call(numbers, call):
    with pytest.raises(TypeError, match="'outter'"):
        call(Ridge(), *numbers, outter=3)


def test_what_a_study_file_said_is_no_option(numbers):
    with pytest.raises(TypeError, match="'origin'"):
        fw.compare(["ridge"], *numbers, origin={})


def test_an_interval_is_checked_before_the_data_are_read():
    with pytest.raises(BadInterval, match="no interval 'bats'"):
        fw.risk("ridge", "no such file.csv", interval="bats")


def test_one_learner_alone_has_neither_baseline_nor_final_tuning(numbers):
    asked = request({"ridge": fw.tune(Ridge(), alpha=[1.0, 2.0])}, *numbers, outer=3, inner=2)
    alone, beside = asked.study(is_alone=True).study, asked.study().study
    assert ([method.name for method in alone.methods], alone.has_final) == (["ridge"], False)
    assert ([method.name for method in beside.methods], beside.has_final) == (["ridge", "baseline"], True)


def test_ready_data_have_their_roles_already(numbers):
    data = make_dataset(*numbers)
    assert as_data(data, None, None, Roles()) is data
    with pytest.raises(BadStudy, match="groups, stratify is part of the data already"):
        as_data(data, None, None, Roles(groups=np.arange(42), stratify=False))
    with pytest.raises(BadStudy, match="y is part of the data already"):
        as_data(data, numbers[1], None, Roles())
    with pytest.raises(BadStudy, match="there are no data"):
        as_data(None, None, None, Roles())
