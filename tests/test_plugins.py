"""Parts of other packages (learners/plugin.py): listed without importing them, loaded only when named."""

import sys

import pytest

from foldwise.errors import BadPlugin
from foldwise.plugins import load_plugin, plugin_names

GROUP = "foldwise.things"


def test_names_are_listed_without_importing_and_loaded_when_named(installed):
    installed("plugin_of_seven", "VALUE = 7", things={"seven": "plugin_of_seven:VALUE"})
    assert plugin_names(GROUP) == ["seven"]
    assert "plugin_of_seven" not in sys.modules
    assert load_plugin(GROUP, "seven") == 7
    assert "plugin_of_seven" in sys.modules


def test_an_unknown_name_is_refused_with_the_nearest(installed):
    installed("plugin_of_eight", "VALUE = 8", things={"eight": "plugin_of_eight:VALUE"})
    with pytest.raises(BadPlugin, match=r"no installed package brings 'eigth' for foldwise\.things.*mean 'eight'"):
        load_plugin(GROUP, "eigth")


def test_one_name_of_two_packages_is_refused(installed):
    installed("plugin_one", "VALUE = 1", things={"same": "plugin_one:VALUE"})
    installed("plugin_two", "VALUE = 2", things={"same": "plugin_two:VALUE"})
    assert plugin_names(GROUP) == ["same"]
    with pytest.raises(BadPlugin, match="brought twice: plugin_one:VALUE and plugin_two:VALUE"):
        load_plugin(GROUP, "same")


@pytest.mark.parametrize(
    ("code", "words"),
    [("import no_such_module", "ModuleNotFoundError"), ("1 / 0", "ZeroDivisionError"), ("", "AttributeError")],
)
def test_a_package_that_cannot_be_imported_is_named(installed, code, words):
    package = f"broken_{words.lower()}"
    installed(package, code, things={"broken": f"{package}:VALUE"})
    with pytest.raises(BadPlugin, match=f"'broken' of foldwise.things cannot be loaded from {package}:VALUE: {words}"):
        load_plugin(GROUP, "broken")
