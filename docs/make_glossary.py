"""Write the classes of the code into docs/glossary.md, with the first lines of their docstrings.

A test asserts that the page is up to date, and that it has every name a user can import.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PAGE = Path(__file__).with_name("glossary.md")
SOURCE = Path(__file__).parents[1] / "src" / "foldwise"
HEAD = "## Classes"
INTRO = """Made by `make docs` from the docstrings.

| class | file | what it is |
| --- | --- | --- |
"""


def page() -> str:
    """The words as they are written there, and the classes as they are in the code."""
    words = PAGE.read_text(encoding="utf-8").partition(HEAD)[0]
    return f"{words}{HEAD}\n{INTRO}{''.join(sorted(_rows(), key=str.lower))}"


def _rows() -> Iterator[str]:
    for path in SOURCE.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                line = (ast.get_docstring(node) or "").partition("\n")[0].replace("|", "\\|")
                yield f"| `{node.name}` | `{path.relative_to(SOURCE)}` | {line} |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
