"""Every source file has a test of its name in its room, or one whose first line names it or its folder."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "foldwise"
PATHS = re.compile(r"[\w/]+(?:\.py\b|/(?=\W|$))")
NOTHING_TO_TEST = ("__init__", "__main__", "arrays")  # names of types


def first_line(test: Path) -> str:
    return (ast.get_docstring(ast.parse(test.read_text(encoding="utf-8"))) or "").partition("\n")[0]


@pytest.fixture(scope="module")
def tests() -> dict[str, set[str]]:
    """The tests by their path within the folder of tests, each with the sources that its first line names."""
    found = TESTS.rglob("test_*.py")
    return {str(test.relative_to(TESTS)): set(PATHS.findall(first_line(test))) for test in found}


def is_held(source: Path, tests: dict[str, set[str]]) -> bool:
    room = f"{source.parts[0]}/" if len(source.parts) > 1 else ""
    name = re.compile(rf"{room}(?:\w+/)*test_(?:\w+_)?{source.stem}\.py")
    places = {str(source), *(f"{folder}/" for folder in source.parents)}
    return any(name.fullmatch(test) or places & named for test, named in tests.items())


def test_every_source_file_is_held_by_a_test(tests: dict[str, set[str]]) -> None:
    sources = [path.relative_to(SOURCE) for path in SOURCE.rglob("*.py") if path.stem not in NOTHING_TO_TEST]
    assert [str(source) for source in sources if not is_held(source, tests)] == []


def test_a_first_line_names_only_sources_that_are_there(tests: dict[str, set[str]]) -> None:
    named = {path for paths in tests.values() for path in paths if (SOURCE / path.partition("/")[0]).exists()}
    assert [path for path in named if not (SOURCE / path).exists()] == []
