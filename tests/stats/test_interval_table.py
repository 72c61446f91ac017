"""The table of intervals (stats/chooser.py): one name each, found by any alias, at every door."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from foldwise import intervals as public
from foldwise.errors import BadInterval, BadPlugin
from foldwise.stats.chooser import INTERVALS, built_in, find
from foldwise.stats.interval_method import IntervalMethod

METHODS = (Path(__file__).parents[2] / "docs" / "methods.md").read_text()


def ends(evidence, level):
    return 0.0, 1.0


@pytest.mark.parametrize("row", INTERVALS.values(), ids=INTERVALS)
def test_every_row_says_what_is_known_about_it(row):
    assert row.assumes
    assert any(letter.isdigit() for letter in row.coverage)
    assert row.reference.endswith(".")
    assert "(" in row.reference
    assert f"**{row.name}**" in METHODS


def test_the_page_of_methods_says_when_each_is_taken():
    table = METHODS.split("| splits | loss |")[1].split("\n\n")[0]
    assert [name for name in INTERVALS if not re.search(rf"[|,] {re.escape(name)}\b", table)] == []


def test_no_two_rows_share_a_name():
    names = [name for row in INTERVALS.values() for name in row.names]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("CV central limit", "Bayle"), ("Student t", "t"), ("student_t", "t"), ("hedged betting", "betting"),
        ("holdout_t", "t"), ("cv_clt", "Bayle"), ("delong", "DeLong"), ("empirical_bernstein", "empirical Bernstein"),
    ],
)  # fmt: skip
def test_names_of_the_public_functions_are_names_of_intervals(asked, name):
    assert find(asked).name == name


def test_names_of_intervals_are_names_of_public_functions():
    assert public.bayle is public.cv_clt
    assert public.t is public.student_t is public.holdout_t
    assert public.hedged_betting is public.betting
    assert public.auc_influence_curve is public.auc
    for name in ("delong_area", "frequentist"):
        with pytest.raises(AttributeError, match=f"foldwise.intervals has no '{name}'"):
            getattr(public, name)


@pytest.mark.parametrize(
    ("found", "name"),
    [
        (lambda: public.holdout_t([1.0, 2.0, 3.0]), "t"),
        (lambda: public.cv_clt([0.0, 1.0, 0.0, 1.0], [0, 0, 1, 1]), "Bayle"),
        (lambda: public.betting([0.1, 0.2, 0.3]), "betting"),
        (lambda: public.auc([1, 1, 0, 0, 1, 0], [9, 8, 3, 2, 4, 5]), "AUC influence curve"),
        (lambda: public.auc([1, 1, 0, 0, 1, 0], [9, 8, 3, 2, 4, 5], method="DeLong"), "DeLong"),
    ],
)
def test_public_functions_print_the_name_of_the_table(found, name):
    assert found().interval == name


def test_an_interval_of_your_own_is_taken_as_it_is():
    own = IntervalMethod("mine", ends)
    assert find(own) is own
    assert find(INTERVALS["Bayle"]) is find("cv_clt") is INTERVALS["Bayle"]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (IntervalMethod("Student-t", ends), "'Student-t' is a name of the built-in t interval. Give yours another"),
        (IntervalMethod("mine", ends, aliases=("auc",)), "'mine' is a name of the built-in AUC influence curve"),
        (ends, "an interval is a name or an fw.IntervalMethod, not <function ends"),
        ("bayl", "there is no interval 'bayl'.*Bayle"),
    ],
)
def test_what_is_no_interval_is_refused(asked, words):
    with pytest.raises(BadInterval, match=words):
        find(asked)


PLUGIN = """
from foldwise import IntervalMethod
interval = IntervalMethod("my wilson", lambda evidence, level: (0.0, 1.0))
"""


@pytest.fixture
def plugin(installed):
    entries = {"my wilson": "plugin_of_wilson:interval", "odd": "plugin_of_wilson:PLUGIN"}
    installed("plugin_of_wilson", PLUGIN, intervals=entries)


@pytest.mark.usefixtures("plugin")
def test_an_interval_of_another_package_is_loaded_when_it_is_named():
    assert find("bayle").name == "Bayle"
    assert "plugin_of_wilson" not in sys.modules
    assert find("My_Wilson").name == "my wilson"
    with pytest.raises(BadInterval, match=r"there is no interval 'my wilsn'\. Did you mean 'my wilson'"):
        find("my wilsn")
    with pytest.raises(BadPlugin, match=r"'odd' of foldwise\.intervals cannot be loaded"):
        find("odd")


@pytest.mark.usefixtures("plugin")
def test_looking_for_a_built_in_one_loads_nothing():
    assert built_in("my wilson") is None
    assert "plugin_of_wilson" not in sys.modules
