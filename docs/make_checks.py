"""Write the section of every check into docs/checks.md from its decorator and docstring; a test compares them."""

from __future__ import annotations

import re
from pathlib import Path

from foldwise.checks.check import all_checks

PAGE = Path(__file__).with_name("checks.md")
SECTION = re.compile(r"^### FW\d{3}\n[^\n]*\n\n?", re.M)


def page(text: str) -> str:
    """The page with every check under the heading of its family; the rest is written by hand."""
    head, *families = re.split(r"(?m)^(?=## )", text)
    written = [head]
    checks = sorted(all_checks().values(), key=lambda check: check.code)
    numbers = [match.group(1) if (match := re.search(r"^### FW(\d)", family, re.M)) else "" for family in families]
    for number, family in zip(numbers, families, strict=True):
        sections = [f"{check.manual}\n\n" for check in checks if number and check.code.startswith(f"FW{number}")]
        written.append(SECTION.sub("", family) + "".join(sections))
    return "".join(written)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
