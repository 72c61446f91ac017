"""The commands `foldwise lab ...`: words to calls, no logic."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from typing import Any

import click

from foldwise.cli.help import Commands, examples
from foldwise.cli.options import COUNT, NAMES, SCHEME, TIME, as_json
from foldwise.errors import BadStudy

WIDTH = 150  # characters below which a table is not folded: half a number is worse than a long line
SEED = click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Names the random draws.")
JOBS = click.option("--jobs", type=COUNT, help="Worker processes; all cores if not given. Numbers do not depend on it.")


def _replications(default: int) -> Callable[..., Any]:
    return click.option("--replications", type=COUNT, default=default, show_default=True, help="Simulated data sets.")


@click.group(
    cls=Commands,
    epilog=examples(
        "foldwise lab coverage --problem linear --rows 100",
        "foldwise lab decompose --values 1,5,15,45",
    ),
)
def lab() -> None:
    """Simulated problems with known truth: do intervals cover?

    Where the truth is known, everything that Foldwise says of its intervals and comparisons can be checked.
    """


@lab.command(
    epilog=examples(
        "foldwise lab coverage",
        "foldwise lab coverage --problem linear --rows 50 --rows 200",
        "foldwise lab coverage --like wine.csv --target quality --learners ridge,k-nn",
    )
)
@click.option("--problem", "problems", multiple=True, metavar="NAME", help="May be repeated; linear if not given.")
@click.option("--interval", "intervals", multiple=True, metavar="NAME", help="May be repeated; else corrected t.")
@click.option("--learner", metavar="NAME", help="The learner; a usual one for the problem if not given.")
@click.option("--target", "targets", multiple=True, metavar="T", help="T1, T2, T2n or T3; with --like the column.")
@click.option("--rows", multiple=True, type=COUNT, help="Rows of a data set; may be repeated; 100 if not given.")
@click.option("--folds", multiple=True, type=click.IntRange(min=2), help="May be repeated; 10 if not given.")
@click.option("--replications", type=COUNT, help="Simulated data sets; 2000 if not given, with --like 200.")
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="The coverage that intervals are made for.",
)
@click.option("--like", metavar="DATA", help="Simulate tables like this one, and run a study of it on them.")
@click.option("--learners", type=NAMES, metavar="A,B", help="With --like: the learners; ridge and k-nn if not given.")
@click.option("--outer", type=SCHEME, help="With --like: outer splits, as in compare.")
@click.option("--inner", type=SCHEME, help="With --like: inner splits, as in compare.")
@click.option("--time-limit", type=TIME, default="2 min", show_default=True, help="With --like: most seconds.")
@SEED
@JOBS
@as_json
def coverage(as_json: bool, **asked: Any) -> None:
    """How often an interval holds the true risk.

    With the Monte-Carlo error of that share. With --like: on tables like yours, in your own study.
    """
    from foldwise.lab.interval_coverage import coverage as run

    if asked["like"] is not None:
        _coverage_like(as_json=as_json, **asked)
        return
    frame = run(
        asked["problems"] or ("linear",),
        asked["intervals"] or ("corrected t",),
        rows=asked["rows"] or (100,),
        folds=asked["folds"] or (10,),
        learner=asked["learner"],
        targets=asked["targets"] or None,
        replications=asked["replications"] or 2000,
        level=asked["level"],
        seed=asked["seed"],
        jobs=asked["jobs"],
    )
    _show(frame, as_json=as_json)


def _coverage_like(*, as_json: bool, **asked: Any) -> None:
    from foldwise.lab.like import coverage_like

    of_problems = [f"--{name}" for name in ("learner", "rows", "folds") if asked[name]]
    of_problems += ["--problem"] if asked["problems"] else []
    if of_problems:
        raise BadStudy(f"{of_problems[0]} belongs to the lab's own problems, not to --like", "Leave it out")
    if len(asked["targets"]) > 1:
        raise BadStudy("a table has one target column", "Give --target once")
    found = coverage_like(
        asked["like"],
        asked["targets"][0] if asked["targets"] else None,
        intervals=asked["intervals"] or ("own",),
        replications=asked["replications"] or 200,
        **{name: asked[name] for name in ("learners", "outer", "inner", "time_limit", "level", "seed", "jobs")},
    )
    click.echo(json.dumps(found.to_dict(), indent=2) if as_json else str(found))


@lab.command(
    epilog=examples(
        "foldwise lab decompose --values 1,5,15,45",
        "foldwise lab decompose --theorem --folds 10",
    )
)
@click.option("--problem", default="smooth", show_default=True, metavar="NAME", help="A simulated problem.")
@click.option("--learner", metavar="NAME", help="The learner; a usual one for the problem if not given.")
@click.option("--values", metavar="V,V,...", help="Numbers of neighbours, or penalties, to go through.")
@click.option("--rows", type=COUNT, default=100, show_default=True, help="Training rows.")
@click.option("--theorem", is_flag=True, help="Show Theorem 1 in its place: mean CV beside the mean risk it estimates.")
@click.option("--folds", type=click.IntRange(min=2), help="Folds for --theorem; leave-one-out if not given.")
@_replications(500)
@SEED
@JOBS
@as_json
def decompose(problem: str, theorem: bool, as_json: bool, **asked: Any) -> None:
    """Split a risk into Bayes risk, approximation and estimation."""
    from foldwise.lab.decomposition import decompose as run
    from foldwise.lab.decomposition import theorem_one

    values, folds = asked.pop("values"), asked.pop("folds")
    if theorem:
        import pandas as pd

        found = theorem_one(problem, folds=folds, **asked)
        _show(pd.DataFrame([{"problem": problem, "rows": asked["rows"], **found}]), as_json=as_json)
        return
    if folds is not None:
        raise BadStudy("--folds belongs to --theorem", "Add --theorem or leave --folds out")
    _show(run(problem, values=_numbers(values), **asked), as_json=as_json)


@lab.command(
    epilog=examples(
        "foldwise lab show",
        "foldwise lab show knn-curves --plot curves.svg",
    )
)
@click.argument("name", required=False)
@click.option(
    "--size", type=click.Choice(["small", "full"]), default="small", show_default=True, help="How much is simulated."
)
@click.option("--plot", type=click.Path(dir_okay=False), metavar="FILE", help="Write the picture (.svg, .png or .pdf).")
@SEED
@as_json
def show(name: str | None, size: str, plot: str | None, seed: int, as_json: bool) -> None:
    """Show a claim of the manual by simulation.

    Without NAME: which there are.
    """
    import pandas as pd

    from foldwise.lab.showing import exhibits
    from foldwise.lab.showing import show as run
    from foldwise.show.figure_file import save_figure

    if name is None:
        _show(pd.DataFrame({"name": list(exhibits()), "shows": list(exhibits().values())}), as_json=as_json)
        return
    shown = run(name, size=size, seed=seed)
    if plot is not None:
        save_figure(shown.plot(), plot)
    if as_json:
        _show(shown.table(), as_json=True)
    else:
        click.echo(repr(shown))


@lab.command(
    epilog=examples(
        "foldwise lab honesty",
        "foldwise lab honesty --part leaks",
        "foldwise lab honesty --part noise --learner ridge --learner k-nn --full",
    )
)
@click.option("--part", "parts", multiple=True, metavar="P", help="noise, leaks or permutations; may be repeated.")
@click.option("--learner", "learners", multiple=True, metavar="NAME", help="May be repeated; else all installed.")
@click.option("--full", is_flag=True, help="Every learner under every scheme, not under one of them.")
@click.option("--rows", type=COUNT, default=60, show_default=True, help="Rows of the noise.")
@SEED
@JOBS
@as_json
def honesty(as_json: bool, parts: tuple[str, ...], learners: tuple[str, ...], **asked: Any) -> int:
    """Noise looks like noise, planted leaks are found, p is right.

    The exit code is 1 if something is not as it should be.
    """
    from foldwise.lab.honesty_suite import PARTS
    from foldwise.lab.honesty_suite import honesty as run

    found = run(parts=parts or PARTS, learners=learners or None, **asked)
    _show(found, as_json=as_json)
    return 0 if bool(found["honest"].all()) else 1


def _numbers(text: str | None) -> list[float] | None:
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise BadStudy(f"--values must be numbers with commas between them, not {text!r}") from None


def _show(frame: Any, *, as_json: bool) -> None:
    if as_json:
        # by way of pandas' own writer, so that a number that is none is null
        click.echo(json.dumps({"lines": json.loads(frame.to_json(orient="records", double_precision=12))}, indent=2))
        return
    from foldwise.show.text import table_text

    same = [name for name in ("level", "replications", "seed") if name in frame and frame[name].nunique() == 1]
    if same:
        click.echo(", ".join(f"{name} {_cell(frame[name].iloc[0])}" for name in same))
    kept = [name for name in frame.columns if name not in same]
    width = max(shutil.get_terminal_size().columns, WIDTH)
    click.echo(table_text({_head(name): [_cell(value) for value in frame[name]] for name in kept}, width=width))


def _head(name: str) -> str:
    return name.replace("_", " ")


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "-" if value != value else f"{value:.4g}"
    return "-" if value is None else str(value)
