"""What a command prints, and the files it may write."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import click

from foldwise.blocks.block import Sentence
from foldwise.errors import BadStudy

BROKEN_PIPE = 141
MOST_LETTERS = 300  # of one word in a sentence


def show(answer: Mapping[str, Any], text: str, *, as_json: bool) -> None:
    shown = json.dumps(_json_ready(answer), indent=2, allow_nan=False) if as_json else _writable(text)
    try:
        click.echo(shown)
    except BrokenPipeError:
        # The reader of our output has gone; a second complaint at exit helps nobody.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(BROKEN_PIPE) from None
    except OSError as reason:  # what Python still holds of the text would fail once more at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        problem = f"the answer cannot be written to standard output: {reason.strerror}"
        raise BadStudy(problem, "With --store RUN, `foldwise report RUN` shows it again") from None


@contextlib.contextmanager
def hushed() -> Iterator[None]:
    """Standard output is for the answer: what learners print, in Python or below it, goes nowhere."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
        try:
            standard_output = os.dup(1)
        except OSError:  # the process has no such stream, as services may
            yield
            return
        os.dup2(nowhere.fileno(), 1)
        try:
            yield
        finally:
            os.dup2(standard_output, 1)
            os.close(standard_output)


def columns() -> int:
    """Characters of a line: those of the terminal, and 80 where there is none."""
    return shutil.get_terminal_size((80, 24)).columns


def show_estimate(estimate: Any, *, of: str, as_json: bool, **more: Any) -> None:
    """Show one risk under every loss that was asked for, and more that is known of it."""
    from foldwise.questions.risk import risk_blocks
    from foldwise.show.terminal import as_text

    parts = [as_text(risk_blocks(estimate, of=of), width=columns()), *(wrapped(repr(value)) for value in more.values())]
    answer = {**estimate.to_dict(), **{name: value.to_dict() for name, value in more.items()}}
    show(answer, "\n\n".join(parts), as_json=as_json)


def default_loss(task: str) -> str:
    """The loss of a task if none is asked for."""
    return "squared" if task == "regression" else "zero_one"


def wrapped(text: str) -> str:
    """Paragraphs, one to a line, as wide as the terminal."""
    return "\n".join(textwrap.fill(line, columns(), break_long_words=False) for line in text.splitlines())


def remark(text: str) -> None:
    with contextlib.suppress(OSError):  # a terminal that was closed
        click.echo(f"foldwise: {printable(text)}", err=True)


def fail(sentence: str, code: int) -> int:
    remark(" ".join(_shown(word) for word in sentence.split()))
    return code


def _shown(word: str) -> str:
    """A word of a sentence; of a name that fills the screen its ends."""
    return word if len(word) <= MOST_LETTERS else f"{word[:40]}...{word[-20:]}"


def printable(text: str) -> str:
    """The text without what would command a terminal: names in tables and stores are whatever their makers chose.

    >>> printable("a\x1b]0;title\x07 \x1b[1mbold\x1b[0m") == "a?]0;title? \x1b[1mbold\x1b[0m"
    True
    """
    return re.sub(r"\x1b(?!\[[0-9;]*m)|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]", "?", text)


def answer_text(result: Any, *, writing: Writing | None = None) -> str:
    """The first screen of a result; with `--details` all the rest."""
    from foldwise.questions.fine_print import details
    from foldwise.questions.overview import Overview
    from foldwise.show.terminal import as_text

    is_colored = sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    overview, writing = Overview(result.answer), writing or Writing()
    blocks = [*overview.lead(), *overview.table()]
    if writing.details:
        return as_text([*blocks, *details(result.answer)], width=columns(), color=is_colored)
    steps = {"--save MODEL.skops keeps the model": writing.save, "--report FILE.html writes a page": writing.report}
    words = ", ".join([*(step for step, is_done in steps.items() if not is_done), "--details prints all the rest"])
    return as_text([*blocks, Sentence(f"Next: {words}.", "next")], width=columns(), color=is_colored)


@dataclass(frozen=True)
class Writing:
    """The files that a command writes besides its answer."""

    report: str | None = None
    report_rows: bool = False
    save: str | None = None
    pickle: bool = False
    intervals: bool = False
    details: bool = False

    @staticmethod
    def taken_from(given: dict[str, Any]) -> Writing:
        """Those of the flags that say so, which are taken out."""
        return Writing(**{field.name: given.pop(field.name) for field in fields(Writing)})

    def check(self) -> None:
        """Refuse file names that cannot be written before the first fit, not after the last."""
        from foldwise.api.model_file import check_model_path

        if self.report_rows and not self.report:
            raise BadStudy("--report-rows shows rows in the report, but there is no --report", "Add --report FILE.html")
        if self.save:
            check_model_path(self.save, pickle=self.pickle)
        elif self.pickle:
            raise BadStudy("--pickle says how to save, but there is no --save", "Add --save MODEL.pkl")
        elif self.intervals:
            raise BadStudy("--intervals are saved with the model, but there is no --save", "Add --save MODEL.skops")
        for path in filter(None, (self.report, self.save)):
            check_folder(path)


def check_folder(path: str) -> None:
    folder = Path(path).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadStudy(f"cannot write {path}: {error.strerror}", "Give another path") from None
    if Path(path).is_dir():
        raise BadStudy(f"cannot write {path}: it is a folder", "Give a file name")
    if not os.access(folder, os.W_OK):
        raise BadStudy(f"cannot write {path}: no permission in {folder}", "Give another path")


def write_whole(path: str, write: Callable[[Path], object]) -> None:
    """Have a file written; the old one stays until the new one is whole."""
    target = Path(path).resolve()
    try:
        if target.exists() and not target.is_file():
            write(target)  # a pipe or a device, which nothing can replace
            return
        with tempfile.TemporaryDirectory(prefix=".foldwise-", dir=target.parent) as folder:
            part = Path(folder, target.name)  # the ending of the name may ask for compression
            write(part)
            with part.open("rb") as file:
                os.fsync(file.fileno())
            os.replace(part, target)
    except OSError as error:
        raise BadStudy(f"cannot write {path}: {error.strerror}", "Give another path") from None


def _writable(text: str) -> str:
    """Text that standard output can take, whatever its encoding."""
    text = printable(text)
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
        return text
    except UnicodeEncodeError:
        from foldwise.show.terminal import PLAIN_LETTERS

        return text.translate(PLAIN_LETTERS).encode(encoding, "replace").decode(encoding)


def _json_ready(value: Any) -> Any:
    """Plain JSON values; a number that is none becomes null."""
    if isinstance(value, Mapping):
        return {str(key): _json_ready(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_json_ready(item) for item in value]
    if hasattr(value, "tolist"):
        return _json_ready(value.tolist())
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    return value if value is None or isinstance(value, str | int) else str(value)
