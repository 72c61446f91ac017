"""docs/cli.md says what the commands say."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import click

from foldwise.cli import app

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_of_the_command_line_is_up_to_date():
    spec = importlib.util.spec_from_file_location("make_cli", DOCS / "make_cli.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    assert (DOCS / "cli.md").read_text(encoding="utf-8") == module.page(), "run `make docs`"


def options(command: click.Command, path: str = "foldwise") -> Iterator[tuple[str, click.Option]]:
    yield from ((path, one) for one in command.params if isinstance(one, click.Option) and not one.hidden)
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from options(command.get_command(context, name), f"{path} {name}")


def test_every_command_and_option_says_what_it_does():
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    found = list(options(app))

    assert len(found) > 200
    assert [(path, one.opts) for path, one in found if not one.help] == []
    assert [(path, one.opts) for path, one in found if not any(name in page for name in one.opts)] == []
    assert [path for path, _ in found if f"{path.removeprefix('foldwise ')}" not in page] == []


def test_the_example_study_can_be_read():
    from foldwise.api.study_file import read_study

    study = read_study(DOCS.parent / "examples" / "study.toml")

    assert list(study.learners) == ["k-nn", "ridge", "small tree"]
    assert (study.outer, study.inner) == (8, 5)
