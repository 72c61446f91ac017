"""Tuners by name: found by their class, with options in text, and with limits where they propose candidates."""

from __future__ import annotations

import sys

import pytest

import foldwise as fw
from foldwise import tuners
from foldwise.errors import BadSpace, BadStore, BadStudy
from foldwise.tuners.budget import Budget
from foldwise.tuners.registry import make_tuner, stored_tuner, tuner_classes, tuner_names
from foldwise.tuners.tuner import Limits


def test_every_name_gives_a_tuner_of_that_name_which_its_text_gives_again():
    for name in tuner_names():
        tuner = make_tuner(name)
        assert (tuner.name, str(tuner)) == (name, name)
        assert type(make_tuner(str(tuner))) is tuner_classes()[name]


def test_a_file_in_the_room_is_enough_to_be_found(tmp_path, monkeypatch):
    (tmp_path / "lottery.py").write_text(
        "from foldwise.tuners.grid import Grid\n\n\nclass Lottery(Grid):\n    name = 'lottery'\n"
    )
    monkeypatch.setattr(tuners, "__path__", [*tuners.__path__, str(tmp_path)])
    tuner_classes.cache_clear()
    try:
        assert make_tuner("lottery").name == "lottery"
    finally:
        monkeypatch.undo()
        tuner_classes.cache_clear()
        sys.modules.pop("foldwise.tuners.lottery", None)
    with pytest.raises(BadSpace, match="the tuner 'lottery' is not known"):
        make_tuner("lottery")


def test_time_and_noise_make_a_search_of_a_list():
    assert make_tuner("random").is_listed
    assert make_tuner("grid", stop="noise").is_listed
    timed = make_tuner("random", Budget(None, 2.0))
    assert (timed.is_listed, timed.limits) == (False, Limits(300, 2.0, None))
    assert make_tuner("random", Budget(40), "noise").limits == Limits(40, None, "noise")
    assert make_tuner("tpe").limits.budget == 50


def test_nothing_named_goes_over_the_space_and_grid_over_its_points():
    from foldwise.spaces.parameter import log_range

    wide = log_range(0.1, 10.0)
    assert make_tuner(None, Budget(None, 1.0)).domain(wide) is wide
    assert len(make_tuner("grid", Budget(None, 1.0)).domain(wide).values) == 10


@pytest.mark.parametrize("text", ["gird", "grid()", "tpe(a=1)", "", "(x)", "untuned(3)"])
def test_what_is_no_tuner_is_refused(text):
    with pytest.raises(BadSpace, match="is not known"):
        make_tuner(text)


def test_options_that_are_not_there_are_refused_with_the_nearest():
    with pytest.raises(BadStudy, match=r"has no option 'levle=0.1'. Did you mean 'level'\?"):
        make_tuner("racing(levle=0.1)")


def test_a_store_gives_back_the_same_tuner():
    assert stored_tuner("racing(level=0.05)", None) == fw.racing(level=0.05)
    assert stored_tuner("tpe", Limits(7)).limits == Limits(7)
    assert stored_tuner("grid", Limits(9, 1.0)).name == "grid"
    with pytest.raises(BadStore, match="which is no tuner of Foldwise's"):
        stored_tuner("mine", None)
