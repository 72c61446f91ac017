"""What a command prints, and the files it may write."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from foldwise.errors import BadStudy

BROKEN_PIPE = 141


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
        words = f"the answer cannot be written to standard output: {reason.strerror}"
        raise BadStudy(words, "With --store RUN, `foldwise report RUN` shows it again") from None


def remark(text: str) -> None:
    click.echo(f"foldwise: {text}", err=True)


def fail(sentence: str, code: int) -> int:
    click.echo(f"foldwise: {' '.join(sentence.split())}", err=True)
    return code


def answer_text(answer: Mapping[str, Any]) -> str:
    from foldwise.reports.text import render_text

    is_colored = sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return render_text(answer, color=is_colored)


def check_outputs(*, report: str | None = None, save: str | None = None, pickle: bool = False) -> None:
    """Refuse file names that cannot be written before the first fit, not after the last."""
    from foldwise.api.model_file import check_model_path

    if save:
        check_model_path(save, pickle=pickle)
    elif pickle:
        raise BadStudy("--pickle says how to save, but there is no --save", "Add --save MODEL.pkl")
    for path in filter(None, (report, save)):
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


def _writable(text: str) -> str:
    """Text that standard output can take, whatever its encoding."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
        return text
    except UnicodeEncodeError:
        from foldwise.reports.bars import PLAIN_LETTERS

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
