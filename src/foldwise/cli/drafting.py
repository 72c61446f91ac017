"""The command that writes a study file for a table."""

from __future__ import annotations

import os
from pathlib import Path

import click

from foldwise.cli.flags import as_json, data_argument, flags
from foldwise.cli.help import command, examples
from foldwise.cli.output import check_folder, remark, show, write_whole
from foldwise.errors import BadStudy

SCREEN = "-"


@command(
    epilog=examples(
        "foldwise init wine.csv --target quality",
        "foldwise init wine.csv --target quality --out studies/wine.toml",
        "foldwise init wine.csv --target quality --out -   # only show it",
        "foldwise compare study.toml                       # then run it",
    )
)
@data_argument
@flags("target", "task")
@click.option("--out", metavar="STUDY.toml", default="study.toml", show_default=True, help="The file to write.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@as_json
def init(data: str, target: str | None, task: str | None, out: str, force: bool, as_json: bool) -> None:
    """Write a commented study file for a table.

    It has the task, every column with its kind and missing values, the learners and the splits, and suggestions as
    comments. `foldwise compare` runs it as it is; change what you like first.
    """
    from foldwise.api.study_draft import draft_study

    if out != SCREEN:
        _check_file(out, force=force)
    text = draft_study(data, target=target, task=task, where=data if out == SCREEN else _seen_from(data, out))
    if out == SCREEN:
        show({"out": None, "study": text}, text.rstrip("\n"), as_json=as_json)
        return
    write_whole(out, lambda path: path.write_text(text, encoding="utf-8"))
    show({"out": out, "study": text}, f"{out} is written. Run it with: foldwise compare {out}", as_json=as_json)
    if data == "-":
        remark("the study reads its table from standard input: pipe it in again, or name a file as `data` in it")


def _check_file(out: str, *, force: bool) -> None:
    if not out.endswith(".toml"):
        raise BadStudy(f"a study file ends in .toml, and {out} does not", f"Use --out {out}.toml")
    check_folder(out)
    if Path(out).exists() and not force:
        raise BadStudy(f"there is a file {out} already", "Give another name with --out, or write over it with --force")


def _seen_from(data: str, out: str) -> str:
    """The path of the table as the study file must name it; a name that is no file is left alone."""
    if data == "-" or not Path(data).exists() or Path(data).is_absolute():
        return data
    try:
        return Path(os.path.relpath(data, Path(out).parent)).as_posix()
    except ValueError:  # on another drive
        return str(Path(data).absolute())
