"""docs/cli.md says what the commands say."""

from __future__ import annotations

import importlib.util
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_of_the_command_line_is_up_to_date():
    spec = importlib.util.spec_from_file_location("make_cli", DOCS / "make_cli.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    assert (DOCS / "cli.md").read_text(encoding="utf-8") == module.page(), "run `make docs`"


def test_the_example_study_can_be_read():
    from foldwise.api.study_file import read_study

    study = read_study(DOCS.parent / "examples" / "study.toml")

    assert list(study.learners) == ["k-nn", "ridge", "small tree"]
    assert (study.outer, study.inner) == (8, 5)
