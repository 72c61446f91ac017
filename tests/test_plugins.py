"""Parts of other packages: listed without importing them, loaded only when named."""

import sys
from pathlib import Path

import pytest

from foldwise.errors import BadPlugin
from foldwise.plugins import load_plugin, plugin_names

GROUP = "foldwise.things"


def install(path: Path, package: str, entries: dict[str, str], code: str = "") -> None:
    """A package as an installer would leave it: its module, and the metadata with its entry points."""
    (path / f"{package}.py").write_text(code)
    info = path / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [f"{name} = {value}" for name, value in entries.items()]
    (info / "entry_points.txt").write_text("\n".join([f"[{GROUP}]", *lines]))


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_names_are_listed_without_importing_and_loaded_when_named(site):
    install(site, "plugin_of_seven", {"seven": "plugin_of_seven:VALUE"}, "VALUE = 7")
    assert plugin_names(GROUP) == ["seven"]
    assert "plugin_of_seven" not in sys.modules
    assert load_plugin(GROUP, "seven") == 7
    assert "plugin_of_seven" in sys.modules


def test_an_unknown_name_is_refused_with_the_nearest(site):
    install(site, "plugin_of_eight", {"eight": "plugin_of_eight:VALUE"}, "VALUE = 8")
    with pytest.raises(BadPlugin, match=r"no installed package brings 'eigth' for foldwise\.things.*mean 'eight'"):
        load_plugin(GROUP, "eigth")


def test_one_name_of_two_packages_is_refused(site):
    install(site, "plugin_one", {"same": "plugin_one:VALUE"}, "VALUE = 1")
    install(site, "plugin_two", {"same": "plugin_two:VALUE"}, "VALUE = 2")
    assert plugin_names(GROUP) == ["same"]
    with pytest.raises(BadPlugin, match="brought twice: plugin_one:VALUE and plugin_two:VALUE"):
        load_plugin(GROUP, "same")


@pytest.mark.parametrize(
    ("code", "words"),
    [("import no_such_module", "ModuleNotFoundError"), ("1 / 0", "ZeroDivisionError"), ("", "AttributeError")],
)
def test_a_package_that_cannot_be_imported_is_named(site, code, words):
    package = f"broken_{words.lower()}"
    install(site, package, {"broken": f"{package}:VALUE"}, code)
    with pytest.raises(BadPlugin, match=f"'broken' of foldwise.things cannot be loaded from {package}:VALUE: {words}"):
        load_plugin(GROUP, "broken")
