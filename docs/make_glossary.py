"""Write the functions that users call and the classes of the code into docs/glossary.md, from their docstrings.

A test asserts that the page is up to date, and that it has every name a user can import.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType

import foldwise
import foldwise.testing

PAGE = Path(__file__).with_name("glossary.md")
SOURCE = Path(__file__).parents[1] / "src" / "foldwise"
HEAD = "## Functions"


def page() -> str:
    """The words as they are written there, and the functions and classes as they are in the code."""
    words = PAGE.read_text(encoding="utf-8").partition(HEAD)[0]
    return words + _table(HEAD, "function", _functions()) + "\n" + _table("## Classes", "class", _classes())


def _table(head: str, kind: str, rows: Iterator[str]) -> str:
    made = "Made by `make docs` from the docstrings."
    return (
        f"{head}\n{made}\n\n| {kind} | file | what it is |\n| --- | --- | --- |\n{''.join(sorted(rows, key=str.lower))}"
    )


def _functions() -> Iterator[str]:
    for place in (foldwise, foldwise.testing):
        for name in place.__all__:
            found = getattr(place, name)
            if isinstance(found, FunctionType):
                yield _row(name, found.__module__.partition(".")[2].replace(".", "/") + ".py", found.__doc__)


def _classes() -> Iterator[str]:
    for path in SOURCE.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield _row(node.name, str(path.relative_to(SOURCE)), ast.get_docstring(node))


def _row(name: str, file: str, text: str | None) -> str:
    line = (text or "").strip().partition("\n")[0].replace("|", "\\|")
    return f"| `{name}` | `{file}` | {line} |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
