"""The table of options: what is declared in a row is what Python, commands and study files take."""

from __future__ import annotations

from dataclasses import fields
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import pytest

import foldwise as fw
from foldwise.api.options import KINDS, OPTIONS, our_word
from foldwise.api.request import Request
from foldwise.api.study_file import StudySpec
from foldwise.checks.checking import GuardOptions
from foldwise.cli import app
from foldwise.data.roles import Roles
from foldwise.executors.executor import Executor
from foldwise.executors.options import RunOptions
from foldwise.plans.runnable import StudyOptions
from foldwise.plans.searches import Tuning
from foldwise.records.store import Store
from foldwise.stats.interval_method import IntervalMethod
from foldwise.tuners.tuner import Tuner

HOMES = (Roles, Tuning, StudyOptions, RunOptions, GuardOptions, Request)
TYPES = {"Any": Any, "Path": Path, "Store": Store, "Tuner": Tuner, "Executor": Executor}
TYPES |= {"IntervalMethod": IntervalMethod, "Sequence": list}


def test_compare_has_every_option_by_keyword_with_its_default():
    keywords = {
        name: (one.annotation, one.default)
        for name, one in signature(fw.compare).parameters.items()
        if one.kind is Parameter.KEYWORD_ONLY
    }
    assert keywords == {name: (option.type, option.default) for name, option in OPTIONS.items()}
    assert list(signature(fw.compare).parameters)[:3] == ["learners", "X", "y"]


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_is_a_field_of_a_value_and_says_what_it_does(name):
    option = OPTIONS[name]
    assert len([home for home in HOMES if name in [field.name for field in fields(home)]]) == 1
    assert eval(option.type, dict(TYPES)) is not None
    assert option.help.endswith(".")
    assert f"`{name}`: " in (fw.compare.__doc__ or "")
    if option.flag is not None:
        assert option.flag.kind in (*KINDS, "choice")
        assert option.file is not None or option.flag.kind != "choice"


def test_a_word_of_others_means_one_option_that_is_none_of_ours():
    for name, option in OPTIONS.items():
        for words in option.foreign.values():
            assert not set(words.split()) & set(OPTIONS)
            assert all(our_word(word, [name]) for word in words.split())


@pytest.mark.parametrize("call", [fw.plan, fw.risk, fw.check, fw.permutation_test])
def test_what_hands_options_on_takes_those_of_compare(call):
    kinds = [one.kind for one in signature(call).parameters.values()]
    assert kinds[-1] is Parameter.VAR_KEYWORD
    with pytest.raises(TypeError, match=r"has no 'n_jobs'. Write jobs=2"):
        call("ridge", "diabetes", n_jobs=2)


def test_curves_take_the_options_that_mean_something_to_them():
    for curve, own in ((fw.curve, "repeats"), (fw.learning_curve, "inner")):
        assert {"groups", "loss", "jobs", "store", own} <= set(signature(curve).parameters)
        assert not {"tuner", "level", "time_limit", "guards"} & set(signature(curve).parameters)
    with pytest.raises(TypeError, match="has no 'tuner'"):
        fw.learning_curve("ridge", "diabetes", tuner="grid")


def test_a_study_file_has_a_key_for_every_option_but_how_a_run_is_shown():
    assert set(OPTIONS) - set(StudySpec.model_fields) == {"progress"}
    assert {"data", "target", "drop", "learners", "margin", "title"} <= set(StudySpec.model_fields)


def test_every_option_but_two_is_a_flag_of_compare():
    flags = {parameter.name for parameter in app.commands["compare"].params}
    assert set(OPTIONS) - flags == {"solvers", "progress"}


TYPED = """
import foldwise as fw

fw.compare("diabetes", outer=3, jobs=1)
fw.compare([[1.0]], [2.0], learners=["ridge"], effort="quick")
fw.compare("ridge", X=[[1.0]], y=[2.0], seed=3).best
fw.plan("ridge", [[1.0]], [2.0], pilot=False, store="run").fits
fw.risk([[1.0]], [2.0], learner="ridge", inner=3).value
fw.learning_curve("ridge", "diabetes", sizes=[0.5], loss="absolute").best
fw.curve("k-nn", "diabetes", n_neighbors=[1, 5]).best
fw.tune("ridge", inner=3, alpha=[1.0])
fw.compare("diabetes", jobs="two")  # wrong
fw.plan("diabetes", lss="absolute")  # wrong
fw.risk("ridge", "diabetes", level="high")  # wrong
"""


@pytest.mark.slow
def test_type_checkers_know_every_form_of_the_call_and_the_types_of_its_options(tmp_path):
    api = pytest.importorskip("mypy.api")
    (tmp_path / "typed.py").write_text(TYPED)
    root = Path(fw.__file__).parents[2]
    told, _, _ = api.run([str(tmp_path / "typed.py"), "--config-file", str(root / "pyproject.toml")])
    lines = [int(line.split(":")[1]) for line in told.splitlines() if ": error:" in line]
    wrong = [at for at, line in enumerate(TYPED.splitlines(), start=1) if line.endswith("# wrong")]
    assert lines == wrong, told
