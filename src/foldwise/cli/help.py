"""Help that can be read: options under headings, examples, and commands by what they are for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import click

from foldwise.errors import nearest

FEW = 12  # options that need no headings
# Options by the names of their parameters. One that is not listed comes under REST, before the last heading.
HEADINGS: dict[str, tuple[str, ...]] = {
    "Data": (
        "data",
        "target",
        "drop",
        "drop_missing_target",
        "groups",
        "time",
        "weights",
        "task",
        "positive",
        "stratify",
    ),
    "Learners and tuning": (
        "learners",
        "learner",
        "effort",
        "space",
        "tuner",
        "budget",
        "rule",
        "stop",
        "defaults",
        "parameter",
        "sizes",
        "control",
    ),
    "Loss, splits and intervals": (
        "loss",
        "outer",
        "inner",
        "repeats",
        "seed",
        "level",
        "interval",
        "optimism",
        "importance",
        "margin",
    ),
    "Running": (
        "only_plan",
        "time_limit",
        "jobs",
        "store",
        "watch",
        "fit_timeout",
        "fit_memory",
        "fit_threads",
        "guards",
        "silence",
        "on_failure",
        "retry_failed",
        "isolate",
        "engine",
        "address",
    ),
    "Output": (
        "report",
        "report_rows",
        "plot",
        "title",
        "save",
        "intervals",
        "pickle",
        "out",
        "quiet",
        "as_json",
        "help",
    ),
}
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
        params = [one for one in self.get_params(ctx) if isinstance(one, click.Option)]
        options = [one for one in params if one.get_help_record(ctx) is not None]
        names = ["help" if "--help" in one.opts else one.name or "" for one in options]
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
    listed = {heading: [name for name in known if name in names] for heading, known in headings.items()}
    placed = {name for group in listed.values() for name in group}
    *first, last = headings
    order = {heading: listed[heading] for heading in first}
    order |= {rest: [name for name in names if name not in placed], last: listed[last]}
    return {heading: group for heading, group in order.items() if group}


def _record(option: click.Parameter, ctx: click.Context) -> tuple[str, str]:
    """An option and what it does, without what its kind of value allows: a value that it does not says so."""
    flags, words = option.get_help_record(ctx) or ("", "")
    for kind, letter in KINDS.items():
        flags = flags.replace(kind, letter)
    words = RANGE.sub(lambda found: "" if found[1] == "; " else "[", words)
    return flags, words.replace("[]", "").rstrip()
