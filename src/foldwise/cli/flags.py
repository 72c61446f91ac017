"""Sentences in the words of the command line: what Python calls `task="regression"` is `--task regression` here."""

from __future__ import annotations

import re
from collections.abc import Iterable

import click

from foldwise.api.options import our_option, our_word

# What a study calls otherwise than `compare` does, and what is written otherwise.
_OTHER = {"y": "--target", "X": "DATA"}
_HOW = {
    "learners": "--learners ridge,forest",
    "learner": "--learner ridge",
    "space": '--space "k-nn.n_neighbors=1..30"',
    "y": "--target COL",
    "X": "DATA first",
}
NUMBERS = {"integer": "whole number", "float": "number"}
_VALUE = r"""=("[^"]*"|'[^']*'|[\w.]*\w|\[[^\]]*\])?"""


def in_flags(sentence: str, commands: Iterable[click.Command]) -> str:
    """The sentence with the options of Python as flags, where a command has them.

    >>> command = click.Command("a", params=[click.Option(["--drop-missing-target"], is_flag=True)])
    >>> in_flags("Say drop_missing_target=True or depth=3.", [command])
    'Say --drop-missing-target or depth=3.'
    """
    options = [one for command in commands for one in command.params if isinstance(one, click.Option)]
    flags = {str(one.name): one for one in options}
    words = "|".join(sorted([*flags, *_OTHER], key=len, reverse=True))

    def flag(found: re.Match[str]) -> str:
        name, value = found[1], (found[2] or "").strip("\"'")
        if name in _OTHER:
            return " ".join(filter(None, (_OTHER[name], value)))
        return _written(flags[name], value)

    told = re.sub(rf"(?<![\w.'\"-])({words}){_VALUE}", flag, sentence)
    return re.sub(r"(--[\w-]+(?: [\w.]+)?) \(\1\)", r"\1", told)  # what was said in both forms is said once


def usage_sentence(error: click.ClickException) -> str:
    """What is wrong with a command line, with our word for an option that other tools have."""
    where = error.ctx if isinstance(error, click.UsageError) else None
    message = error.format_message()
    if where is None:
        return message
    command = where.command
    known = {str(one.name) for one in command.params} | {"X"}
    known |= {"y"} if "target" in known else set()
    if isinstance(error, click.NoSuchOption):
        word = error.option_name.lstrip("-").replace("-", "_")
        ours = word if word in ("X", "y") and word in known else our_option(word, known)[0]
        how = f"Write {_HOW[ours]}" if ours in _HOW else in_flags(our_word(word, known), [command])
        return f"{command.name} has no {error.option_name}. {how}." if ours else message
    extra = re.fullmatch(r"Got unexpected extra arguments? \((\S+).*\)", message.rstrip("."))
    if extra and "y" in known:
        return f"{message}. Write --target {extra[1]} if it is the column to predict."
    if isinstance(error, click.MissingParameter):
        name = str(error.param.name) if error.param else ""
        remedy = f"Write {_HOW[name]}, say" if name in _HOW else f"See {where.command_path} --help"
        return f"{message.rstrip('.')}. {remedy}."
    return re.sub(r"is not a valid (integer|float)( range)?", lambda kind: f"is not a {NUMBERS[kind[1]]}", message)


def _written(option: click.Option, value: str) -> str:
    if not option.is_flag:
        return " ".join(filter(None, (option.opts[0], value)))
    is_off = value == "False" and option.secondary_opts
    return option.secondary_opts[0] if is_off else option.opts[0]
