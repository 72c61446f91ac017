"""Flags: those of the table of options (api/options.py), those of the commands alone, and what a shell completes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeVar, get_args

import click
from click.shell_completion import CompletionItem

from foldwise.api.options import OPTIONS, WRITTEN
from foldwise.errors import FoldwiseError
from foldwise.executors.engines import ENGINES, check_engine

Command = TypeVar("Command", bound=Callable[..., Any])
LOSSES = ("squared", "absolute", "poisson", "zero_one", "balanced_zero_one", "log", "brier")
SCORES = ("roc_auc", "average_precision", "r2", "f1")  # of scikit-learn's scorers, the best known


class Parsed(click.ParamType):  # type: ignore[type-arg]  # generic in newer versions of click only
    """A value that a function reads; what it refuses is bad usage."""

    def __init__(self, name: str, read: Callable[[Any], Any]) -> None:
        self.name, self.read = name, read

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        try:
            return self.read(value)
        except (FoldwiseError, ValueError) as error:
            self.fail(str(error), param, ctx)


class EngineName(click.Choice):  # type: ignore[type-arg]
    """An engine of ours, which are listed, or one of an installed package."""

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        try:
            return check_engine(value)
        except FoldwiseError as error:
            self.fail(str(error), param, ctx)


def _scheme(value: Any) -> int | float | str:
    """Folds (a whole number), a held-out share (a fraction) or a word such as aligned."""
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            pass
    return str(value)


def _names(value: str | list[str]) -> list[str]:
    """Names with commas between them; commas in brackets, as in blend(ridge,forest), part no names."""
    if isinstance(value, list):
        return value
    depths = accumulate((mark == "(") - (mark == ")") for mark in value)
    marks = ["\n" if mark == "," and depth <= 0 else mark for mark, depth in zip(value, depths, strict=True)]
    names = [word.strip() for word in "".join(marks).split("\n")]
    if not all(names):
        raise ValueError(f"{value!r} has an empty name")
    return names


def _budget(value: Any) -> int | str:
    """A number of candidates, or a time such as 10 min."""
    from foldwise.tuners.budget import read_budget

    candidates = read_budget(value).candidates
    return value if candidates is None else candidates


def _time(value: Any) -> float:
    """Seconds, or a time such as 2 min."""
    from foldwise.tuners.budget import read_seconds

    return read_seconds(value, "time limit")


def complete_data(_: Any, __: Any, typed: str) -> list[CompletionItem]:
    """Built-in sets, and tables and study files in the folder; where none fits, any file."""
    from foldwise.data.packed import suffix_of
    from foldwise.data.sources import READERS, builtin_names

    folder = Path(typed).parent if not typed.endswith("/") else Path(typed)
    try:
        names = [
            str(path) for path in sorted(folder.iterdir()) if suffix_of(path) in {*READERS, ".toml"} and path.is_file()
        ]
    except OSError:
        names = []
    return _items([*names, *builtin_names()], typed) or [CompletionItem(typed, type="file")]


def complete_learners(_: Any, __: Any, typed: str) -> list[CompletionItem]:
    """Names of learners, also behind a comma."""
    from foldwise.learners.catalogue import all_entries

    return _listed((entry.name for entry in all_entries()), typed)


def complete_losses(_: Any, __: Any, typed: str) -> list[CompletionItem]:
    """Names of losses, also behind a comma."""
    return _listed((*LOSSES, *SCORES), typed)


def _listed(names: Iterable[str], typed: str) -> list[CompletionItem]:
    """Those of the names that go on with the last word of a list, with what is before it."""
    before, comma, _ = typed.rpartition(",")
    taken = before.split(",")
    return _items((f"{before}{comma}{name}" for name in names if name not in taken), typed)


def _items(words: Iterable[str], typed: str) -> list[CompletionItem]:
    return [CompletionItem(word) for word in words if word.startswith(typed)]


COUNT = click.IntRange(min=1)
SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)
SCHEME, NAMES, TIME = Parsed("scheme", _scheme), Parsed("names", _names), Parsed("time", _time)
# What click is told of each kind of flag in the table of options.
KINDS: dict[str, dict[str, Any]] = {
    "text": {},
    "engine": {"type": EngineName(list(ENGINES))},
    "switch": {"is_flag": True},
    "on or off": {},
    "count": {"type": COUNT},
    "number": {"type": click.IntRange(min=0)},
    "share": {"type": SHARE},
    "positive": {"type": click.FloatRange(0, min_open=True)},
    "gap": {"type": click.FloatRange(0)},
    "time": {"type": TIME},
    "budget": {"type": Parsed("budget", _budget)},
    "scheme": {"type": SCHEME},
    "losses": {"type": NAMES, "shell_complete": complete_losses},
    "repeated": {"multiple": True},
}


def flag(name: str, **changes: Any) -> Callable[[Command], Command]:
    """The flag of an option, as click takes it; `changes` are those of one command."""
    option = (OPTIONS | WRITTEN)[name]
    assert option.flag is not None
    dashed = f"--{name.replace('_', '-')}"
    written = f"{dashed}/--no-{name}" if option.flag.kind == "on or off" else dashed
    is_choice = option.flag.kind == "choice"
    kind = {"type": click.Choice(get_args(option.file))} if is_choice else KINDS[option.flag.kind]
    more = {} if option.flag.kind == "repeated" else {"default": None}
    return click.option(
        written, **{**kind, **more, "metavar": option.flag.metavar, "help": option.flag.help, **changes}
    )


as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
quiet = click.option("--quiet", is_flag=True, help="Show no progress.")
data_argument = click.argument("data", shell_complete=complete_data)
trust = click.option("--trust", is_flag=True, help="Load a pickle, or types that are not on the list. It can run code.")
pickle = click.option("--pickle", is_flag=True, help="Allow --save to write a .pkl or .joblib file.")
report = click.option("--report", metavar="FILE.html", help="Write the whole answer as a page.")
space = click.option("--space", multiple=True, metavar="L.P=V", help='Values to try: "k-nn.n_neighbors=1..30".')
learners = click.option(
    "--learners",
    type=NAMES,
    metavar="A,B",
    shell_complete=complete_learners,
    help="Learners to compare: ridge,forest:small,blend(ridge+forest).",
)
learner = click.option(
    "--learner", required=True, metavar="NAME", shell_complete=complete_learners, help="A built-in learner."
)
WRITING = [
    report,
    click.option("--report-rows", is_flag=True, help="Show the values of the hardest rows in --report."),
    click.option("--save", metavar="MODEL.skops", help="Refit the best method on all rows and save it."),
    click.option(
        "--intervals",
        is_flag=True,
        help="Save the models of the outer folds too, for `predict --interval` (a fit and a model more for each).",
    ),
    pickle,
    click.option("--details", is_flag=True, help="Print all numbers, choices and notes too."),
    click.option("--watch", is_flag=True, help="Follow the run on a local page, which prints its address."),
]

DATA = ("target", "groups", "time", "weights", "drop", "positive", "drop_missing_target", "task", "stratify")
TUNING = ("tuner", "budget", "rule", "stop", "seed")
LIMITS = ("engine", "address", "isolate", "fit_timeout", "fit_memory", "time_limit")
ALL = tuple(name for name, row in (WRITTEN | OPTIONS).items() if row.flag is not None)  # of a study of several learners


def without(*names: str) -> tuple[str, ...]:
    """All options of a study but these."""
    return tuple(name for name in ALL if name not in names)


def flags(*wanted: Any) -> Callable[[Command], Command]:
    """Put flags on a command, in reading order: names of options, or what click makes of a flag."""

    def decorate(command: Command) -> Command:
        for flag_or_name in reversed(wanted):
            command = flag(flag_or_name)(command) if isinstance(flag_or_name, str) else flag_or_name(command)
        return command

    return decorate


def _heading(title: str, before: dict[str, tuple[str, ...]], end: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The flags under a heading: those of the table, with others before some of them and at the end."""
    rows = [row.name for row in OPTIONS.values() if row.heading == title]
    return (*(name for row in rows for name in (*before.get(row, ()), row)), *end)


# Parameters of commands in the order of a long help. One that is not listed comes before the last heading.
HEADINGS: dict[str, tuple[str, ...]] = {
    "Data": _heading("Data", {"drop_missing_target": ("data", "target", "drop")}),
    "Learners and tuning": _heading(
        "Learners and tuning",
        {"effort": ("learners", "learner"), "tuner": ("space",)},
        ("parameter", "sizes", "control"),
    ),
    "Loss, splits and intervals": _heading("Loss, splits and intervals", {}, ("margin", "rope")),
    "Running": _heading("Running", {"time_limit": ("only_plan",), "fit_timeout": ("watch",)}),
    "Output": (
        *(
            "details",
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
    ),
}
