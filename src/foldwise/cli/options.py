"""Options of the commands, and the kinds of values they take."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any

import click

from foldwise.cli.completion import complete_data, complete_learners, complete_losses
from foldwise.errors import FoldwiseError
from foldwise.executors.engines import ENGINES, check_engine

Command = Callable[..., Any]


class Scheme(click.ParamType):  # type: ignore[type-arg]  # generic in newer versions of click only
    """Folds (a whole number), a held-out share (a fraction) or a word such as aligned."""

    name = "scheme"

    def convert(self, value: Any, param: Any, ctx: Any) -> int | float | str:
        for kind in (int, float):
            try:
                return kind(value)
            except ValueError:
                pass
        return str(value)


class Words(click.ParamType):  # type: ignore[type-arg]
    """Names with commas between them; a name may have some of its own, in brackets."""

    name = "names"

    def convert(self, value: Any, param: Any, ctx: Any) -> list[str]:
        if isinstance(value, list):
            return value
        # commas inside stack(ridge, forest), and inside brackets in brackets, part no names
        depths = accumulate((mark == "(") - (mark == ")") for mark in value)
        marks = ["\n" if mark == "," and depth <= 0 else mark for mark, depth in zip(value, depths, strict=True)]
        words = [word.strip() for word in "".join(marks).split("\n")]
        if not all(words):
            self.fail(f"{value!r} has an empty name", param, ctx)
        return words


class BudgetWord(click.ParamType):  # type: ignore[type-arg]
    """A number of candidates, or a time such as 10 min."""

    name = "budget"

    def convert(self, value: Any, param: Any, ctx: Any) -> int | str:
        from foldwise.tuners.budget import read_budget

        try:
            candidates = read_budget(value).candidates
        except FoldwiseError as error:
            self.fail(str(error), param, ctx)
        return value if candidates is None else candidates


class TimeWord(click.ParamType):  # type: ignore[type-arg]
    """Seconds, or a time such as 2 min."""

    name = "time"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        from foldwise.tuners.budget import read_seconds

        try:
            return read_seconds(value, "time limit")
        except FoldwiseError as error:
            self.fail(str(error), param, ctx)


class EngineName(click.Choice):  # type: ignore[type-arg]
    """An engine of ours, which are listed, or one of an installed package."""

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        try:
            return check_engine(value)
        except FoldwiseError as error:
            self.fail(str(error), param, ctx)


COUNT = click.IntRange(min=1)
POSITIVE_NUMBER = click.FloatRange(0, min_open=True)
SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)

as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
quiet = click.option("--quiet", is_flag=True, help="Show no progress.")

TARGET = click.option("--target", metavar="COL", help="The column to predict; built-in sets know theirs.")
GROUPS = click.option("--groups", metavar="COL", help="Rows of one group never part between train and test.")
TIME = click.option("--time", metavar="COL", help="Train on the past, test on the future.")
WEIGHTS = click.option("--weights", metavar="COL", help="Weights of the rows, in fits and losses.")
DROP = click.option("--drop", metavar="COL", multiple=True, help="Leave a column out; may be repeated.")
POSITIVE = click.option("--positive", metavar="CLASS", help="The positive class of two.")
DROP_MISSING = click.option(
    "--drop-missing-target", is_flag=True, default=None, help="Leave rows without a target out."
)
TASK = click.option(
    "--task",
    type=click.Choice(["regression", "classification", "binary", "multiclass"]),
    metavar="TASK",
    help="regression or classification, if not as found from the target.",
)
STRATIFY = click.option("--stratify/--no-stratify", default=None, help="Keep class shares equal over folds.")
DATA_OPTIONS = [TARGET, GROUPS, TIME, WEIGHTS, DROP, POSITIVE, DROP_MISSING, TASK, STRATIFY]
LOSS = click.option(
    "--loss",
    type=Words(),
    metavar="LOSS",
    shell_complete=complete_losses,
    help="squared, rmse, zero_one, auc, ...; several with commas.",
)
OUTER = click.option("--outer", type=Scheme(), help="Estimates the risk: folds, a share, loo or column:NAME.")
INNER = click.option("--inner", type=Scheme(), help="Tunes: folds, a share, aligned, lines, pairs, dev, column:NAME.")
REPEATS = click.option("--repeats", type=COUNT, help="Independent repetitions of the outer splits.")
SPLIT_OPTIONS = [LOSS, OUTER, INNER, REPEATS]
EFFORT = click.option(
    "--effort",
    type=click.Choice(["quick", "normal", "thorough"]),
    help="One dial over learners, spaces and splits, where no other option says them (normal).",
)
SEED = click.option("--seed", type=click.IntRange(min=0), help="Everything random follows from it (0).")
JOBS = click.option("--jobs", type=COUNT, help="Worker processes; numbers never depend on it.")
TUNE_OPTIONS = [
    click.option("--space", multiple=True, metavar="L.P=V", help='Values to try: "k-nn.n_neighbors=1..30".'),
    click.option(
        "--tuner", metavar="NAME", help="grid, random, pruned, racing, halving, hyperband, or tpe, gp, cmaes (Optuna)."
    ),
    click.option("--budget", type=BudgetWord(), help='Most candidates of each tuning, or time in all: "10 min".'),
    click.option("--rule", type=click.Choice(["best", "one_se"]), help="How a candidate is picked."),
    click.option("--stop", type=click.Choice(["noise"]), help="End a search when it gains less than the noise."),
    SEED,
]
LIMIT_OPTIONS = [
    click.option("--engine", type=EngineName(list(ENGINES)), help="Where fits run (local)."),
    click.option("--address", metavar="A", help="A Dask scheduler or Ray cluster that is there already."),
    click.option("--isolate/--no-isolate", default=None, help="Fit in processes of their own, or in this one."),
    click.option("--fit-timeout", type=POSITIVE_NUMBER, metavar="S", help="Seconds one fit may take."),
    click.option("--fit-memory", type=POSITIVE_NUMBER, metavar="GB", help="Gigabytes one fit may take."),
    click.option(
        "--time-limit", type=TimeWord(), metavar="S", help='An answer within so long: seconds, or a time: "2 min".'
    ),
]
SILENCE = click.option(
    "--silence", metavar="CODE", multiple=True, help="Leave findings of this code out; may be repeated."
)
GUARD_OPTIONS = [
    click.option("--guards/--no-guards", default=None, help="Look for leaks and traps (they change no number)."),
    SILENCE,
]
RUN_OPTIONS = [
    JOBS,
    *LIMIT_OPTIONS,
    click.option("--fit-threads", type=COUNT, help="Threads in each fit; part of the study (1)."),
    click.option("--store", metavar="RUN", help="Folder that keeps every fit, for resuming and reports."),
    click.option("--level", type=SHARE, help="Level of the intervals (0.95)."),
    click.option("--interval", metavar="NAME", help="An interval by name; else the chooser's."),
]
INTERVAL = click.option("--interval", metavar="NAME", help="An interval by name; else the chooser's.")
CURVE_OPTIONS = [LOSS, OUTER, SEED, JOBS]
LEARNERS = click.option(
    "--learners",
    type=Words(),
    metavar="A,B",
    shell_complete=complete_learners,
    help="Learners to compare: ridge,forest:small,stack(ridge+forest).",
)
ON_FAILURE = click.option(
    "--on-failure",
    type=click.Choice(["fail", "baseline", "drop_candidate"]),
    help="What a failed fit does to its method (fail: it gets no risk).",
)
RETRY = click.option("--retry-failed", is_flag=True, default=None, help="Make fits that failed before again.")
REPORT = click.option("--report", metavar="FILE.html", help="Write the whole answer as a page.")
REPORT_ROWS = click.option("--report-rows", is_flag=True, help="Show the values of the hardest rows in --report.")
PICKLE = click.option("--pickle", is_flag=True, help="Allow --save to write a .pkl or .joblib file.")
SAVE_OPTIONS = [
    click.option("--save", metavar="MODEL.skops", help="Refit the best method on all rows and save it."),
    click.option(
        "--intervals",
        is_flag=True,
        help="Save the models of the outer folds too, for `predict --interval` (a fit and a model more for each).",
    ),
    PICKLE,
]
WATCH = click.option("--watch", is_flag=True, help="Follow the run on a local page, which prints its address.")
DEFAULTS = click.option(
    "--defaults/--no-defaults",
    default=None,
    help="Judge tuned learners at their default parameters too.  [default: those of 20 or more candidates]",
)
OPTIMISM = click.option("--optimism", is_flag=True, default=None, help="Buy the fits that optimism needs.")

IMPORTANCE = click.option(
    "--importance",
    is_flag=True,
    default=None,
    help="Measure which columns the picked method needs (one more fit for each outer split).",
)


def options(*groups: Any) -> Callable[[Command], Command]:
    """Put groups of options on a command, in reading order."""

    def decorate(command: Command) -> Command:
        for option in reversed([option for group in groups for option in group]):
            command = option(command)
        return command

    return decorate


data_argument = click.argument("data", shell_complete=complete_data)
MARGIN = click.option(
    "--margin",
    type=click.FloatRange(0),
    help="A regret that does not matter, in the unit of the loss (a tenth of the gap to the baseline).",
)
TITLE = click.option("--title", metavar="T", help="Title of the page.  [default: target and data]")


def learner_option(command: Command) -> Command:
    learner = click.option(
        "--learner", required=True, metavar="NAME", shell_complete=complete_learners, help="A built-in learner."
    )
    return learner(command)
