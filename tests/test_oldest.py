"""The oldest versions that `make test-oldest` installs are the lower bounds of the package."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PINNED = {
    name.lower(): version
    for name, version in re.findall(
        r"^([\w-]+)==([\w.]+)$", (ROOT / "constraints-oldest.txt").read_text(), re.MULTILINE
    )
}


def test_the_lower_bound_of_every_core_package_is_tested():
    for requirement in PROJECT["dependencies"]:
        name, bound = re.fullmatch(r"([\w-]+)>=([\d.]+)", requirement).groups()  # and no upper bound
        assert release(PINNED[name]) == release(bound), requirement


def release(version: str) -> tuple[int, ...]:
    """The numbers of a version, without zeros at its end.

    >>> release("3.5.0")
    (3, 5)
    """
    return tuple(map(int, version.split("."))) if not version.endswith(".0") else release(version.removesuffix(".0"))


def test_ci_runs_with_them():
    assert "make test-oldest" in (ROOT / ".ci" / "run").read_text()
    assert "constraints-oldest.txt" in (ROOT / "Makefile").read_text()
