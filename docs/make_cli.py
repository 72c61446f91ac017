"""Write docs/cli.md from the commands themselves; a test asserts that it is up to date."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from foldwise.cli import app

HEAD = """# The command line

Made by `make docs` from the commands themselves.

Every command takes `--json`: one JSON object on standard output and nothing else there; notes and progress go to
standard error. Exit codes: 0 done, 1 the study failed, 2 bad usage or input, 3 stopped at the time
limit with a partial answer, 130 interrupted, 143 terminated.
A study with a `--store` goes on with `foldwise resume RUN`. What DATA can be is in [data files](data-files.md).

## Completion
The shell can complete commands, options, data sets and tables in the folder, learners and losses. Add one line to
the file that your shell reads when it starts:

- bash, `~/.bashrc`: `eval "$(_FOLDWISE_COMPLETE=bash_source foldwise)"`
- zsh, `~/.zshrc`: `eval "$(_FOLDWISE_COMPLETE=zsh_source foldwise)"`
- fish, `~/.config/fish/completions/foldwise.fish`: `_FOLDWISE_COMPLETE=fish_source foldwise | source`
"""


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *_sections(app, click.Context(app, info_name="foldwise", **app.context_settings))])


def _sections(command: click.Command, context: click.Context) -> Iterator[str]:
    context.terminal_width = context.max_content_width = 110
    yield f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for name, child in command.commands.items():
            yield from _sections(child, click.Context(child, info_name=name, parent=context))


if __name__ == "__main__":
    Path(__file__).with_name("cli.md").write_text(page(), encoding="utf-8")
