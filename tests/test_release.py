"""What a release says of itself in several files is the same; holds pyproject.toml, CITATION.cff, CHANGELOG.md."""

from __future__ import annotations

import datetime
import re
import tomllib
from pathlib import Path

import foldwise as fw

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_one_version_and_one_date_stand_everywhere():
    number, written = re.findall(r"^## (\S+) \((.+)\)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)[0]
    date = datetime.datetime.strptime(written, "%d %B %Y").date()

    assert number == PROJECT["version"] == fw.__version__
    assert f"version: {number}\ndate-released: {date}\n" in CITATION
    assert f"version {number}" in (ROOT / "docs" / "platforms.md").read_text(encoding="utf-8")


def test_classifiers_name_the_python_versions_that_the_platform_table_calls_tested():
    table = (ROOT / "docs" / "platforms.md").read_text(encoding="utf-8")
    tested = set(re.findall(r"\| Linux, x86-64, CPython (\S+) \| tested", table))
    claimed = {line.rpartition(" :: ")[2] for line in PROJECT["classifiers"] if re.search(r"Python :: 3\.\d", line)}
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")

    assert len(tested) > 1
    assert claimed == tested
    assert [version for version in tested if f'"{version}"' not in workflow] == []


def test_the_files_of_a_released_project_are_there():
    names = ["CHANGELOG.md", "CITATION.cff", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "LICENSE", "SECURITY.md"]
    names += [".github/pull_request_template.md", ".github/ISSUE_TEMPLATE/bug.yml", "src/foldwise/py.typed"]
    assert [name for name in names if not (ROOT / name).is_file()] == []
