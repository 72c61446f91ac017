"""Help that can be read, and sentences in the words of the command line: Python's `task="x"` is `--task x` here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import click

from foldwise.api.options import our_option, our_word
from foldwise.cli.flags import HEADINGS
from foldwise.errors import nearest

FEW = 12  # options that need no headings
REST = "More options"
COMMANDS: dict[str, tuple[str, ...]] = {
    "Compare": ("compare", "init", "resume", "report", "watch", "benchmark"),
    "Ask one thing": ("risk", "tune", "curve", "bound"),
    "Use a model": ("predict", "test", "ladder", "info"),
    "Look up": ("learners", "store", "check", "lab"),
}
OTHERWISE = {  # functions of Python that are options or have another name here
    "plan": "foldwise compare DATA --plan",
    "test_risk": "foldwise test MODEL DATA",
    "learning_curve": "foldwise curve DATA",
    "list_learners": "foldwise learners",
    "check_new": "foldwise predict MODEL DATA",
}
RANGE = re.compile(r"(\[|; )(?=[^\]]*[<>])[-\d.]*[<>]?=?x[<>]?=?[-\d.]*(?=\])")
KINDS = {"INTEGER RANGE": "N", "FLOAT RANGE": "X", "INTEGER": "N", "FLOAT": "X"}


class HelpfulCommand(click.Command):
    """A command whose options are listed under headings where they are many."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        parameters = [option for option in self.get_params(ctx) if isinstance(option, click.Option)]
        options = [option for option in parameters if option.get_help_record(ctx) is not None]
        names = ["help" if "--help" in option.opts else option.name or "" for option in options]
        grouped = under_headings(names, HEADINGS, REST) if len(names) > FEW else {"Options": names}
        records = dict(zip(names, options, strict=True))
        for heading, group in grouped.items():
            with formatter.section(heading):
                formatter.write_dl([_record(records[name], ctx) for name in group])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The lines that show how the command is used, as they are."""
        if self.epilog:
            with formatter.section("Examples"):
                for line in self.epilog.splitlines():
                    formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


class Commands(click.Group):
    """A group that answers an unknown command with the nearest one, and lists commands as written."""

    command_class = HelpfulCommand

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            known = OTHERWISE.get(args[0]) if ctx.parent is None else None
            ctx.fail(f"no command {args[0]!r}. {f'Write {known}' if known else nearest(args[0], self.commands)}")
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        room = formatter.width - 6 - max(map(len, self.commands))
        names = list(self.commands)
        grouped = {"Commands": names} if ctx.parent else under_headings(names, COMMANDS, "More")
        for heading, group in grouped.items():
            with formatter.section(heading):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(room)) for name in group])

    format_epilog = HelpfulCommand.format_epilog


command = partial(click.command, cls=HelpfulCommand)


def examples(*lines: str) -> str:
    """The epilog of a command: lines as they are typed, and behind a # what they do."""
    return "\n".join(lines)


def under_headings(names: Iterable[str], headings: Mapping[str, tuple[str, ...]], rest: str) -> dict[str, list[str]]:
    """Names by heading, in the order of the headings; those that no heading lists come before the last one.

    >>> under_headings(["b", "new", "a", "z"], {"First": ("a", "b"), "Last": ("z",)}, "More")
    {'First': ['a', 'b'], 'More': ['new'], 'Last': ['z']}
    """
    names = list(names)
    listed = {heading: [name for name in order if name in names] for heading, order in headings.items()}
    placed = {name for group in listed.values() for name in group}
    *first, last = headings
    order = {heading: listed[heading] for heading in first}
    order |= {rest: [name for name in names if name not in placed], last: listed[last]}
    return {heading: group for heading, group in order.items() if group}


def _record(option: click.Parameter, ctx: click.Context) -> tuple[str, str]:
    """An option and what it does, without what its kind of value allows: a value that it does not says so."""
    flags, text = option.get_help_record(ctx) or ("", "")
    for kind, letter in KINDS.items():
        flags = flags.replace(kind, letter)
    text = RANGE.sub(lambda match: "" if match[1] == "; " else "[", text)
    return flags, text.replace("[]", "").rstrip()


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
    options = [parameter for command in commands for parameter in command.params if isinstance(parameter, click.Option)]
    flags = {str(parameter.name): parameter for parameter in options}
    names = "|".join(sorted([*flags, *_OTHER], key=len, reverse=True))

    def flag(match: re.Match[str]) -> str:
        name, value = match[1], (match[2] or "").strip("\"'")
        if name in _OTHER:
            return " ".join(filter(None, (_OTHER[name], value)))
        return _written(flags[name], value)

    translated = re.sub(rf"(?<![\w.'\"-])({names}){_VALUE}", flag, sentence)
    return re.sub(r"(--[\w-]+(?: [\w.]+)?) \(\1\)", r"\1", translated)  # what was said in both forms is said once


def usage_sentence(error: click.ClickException) -> str:
    """What is wrong with a command line, with our word for an option that other tools have."""
    where = error.ctx if isinstance(error, click.UsageError) else None
    message = error.format_message()
    if where is None:
        return message
    command = where.command
    known = {str(parameter.name) for parameter in command.params} | {"X"}
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
