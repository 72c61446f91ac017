"""The commands `foldwise lab ...`: options to calls, no logic; an option that is not given is left to Python."""

from __future__ import annotations

import json
from typing import Any

import click

from foldwise.cli.flags import COUNT, as_json, flag, flags, learners
from foldwise.cli.help import Commands, examples
from foldwise.errors import BadStudy

seed = flag("seed")
problem = click.option("--problem", metavar="NAME", help="A simulated problem (linear; of decompose smooth).")
rows = click.option("--rows", type=COUNT, metavar="N", help="Rows of each table (100; of --theorem 40).")
replications = click.option(
    "--replications", type=COUNT, metavar="N", help="Simulated tables (200; of decompose more)."
)
size = click.option("--size", type=click.Choice(["small", "full"]), help="How much is simulated (small).")
plot = click.option("--plot", metavar="FILE", help="Write the picture (.svg, .png or .pdf).")


@click.group(cls=Commands, epilog=examples("foldwise lab coverage --problem linear", "foldwise lab show knn-curves"))
def lab() -> None:
    """Simulated problems with known truth: do intervals cover?"""


@lab.command(
    epilog=examples(
        "foldwise lab coverage --problem smooth --learners k-nn --rows 50",
        "foldwise lab coverage --like wine.csv --target quality --interval own",
    )
)
@flags(problem, rows, replications, learners, "outer", "inner", "level", "time_limit", "jobs", seed, as_json)
@click.option("--like", metavar="DATA", help="Simulate tables like this one.")
@click.option("--target", metavar="COLUMN", help="Of the table of --like.")
@click.option("--interval", "intervals", multiple=True, metavar="NAME", help="May be repeated (the study's own).")
def coverage(as_json: bool, **options: Any) -> None:
    """How often intervals hold the true risk.

    The same study on many simulated tables, of a problem with known truth or like a table of yours, with the
    Monte-Carlo error of each share.
    """
    from foldwise.lab.simulated_study import coverage as run

    judged = run(**_given(options))
    click.echo(json.dumps(judged.to_dict(), indent=2) if as_json else str(judged))


@lab.command(
    epilog=examples("foldwise lab decompose --values 1,5,15,45", "foldwise lab decompose --theorem --folds 10")
)
@flags(problem, rows, replications, seed, as_json)
@click.option("--learner", metavar="NAME", help="ridge or k-nn (k-nn for smooth, else ridge).")
@click.option("--values", metavar="V,V,...", help="Numbers of neighbours, or penalties, to go through.")
@click.option("--theorem", is_flag=True, help="Show Theorem 1 instead: mean CV beside the mean risk it estimates.")
@click.option("--folds", type=click.IntRange(min=2), metavar="K", help="Folds for --theorem (leave-one-out).")
def decompose(theorem: bool, as_json: bool, values: str | None, **options: Any) -> None:
    """Split a risk into Bayes risk, approximation and estimation."""
    import pandas as pd

    from foldwise.lab import decomposition

    asked = _given(options)
    if theorem:
        _print(pd.DataFrame([decomposition.theorem(**asked)]), as_json=as_json)
        return
    if "folds" in asked:
        raise BadStudy("--folds belongs to --theorem", "Add --theorem or leave --folds out")
    try:
        asked["values"] = None if values is None else [float(value) for value in values.split(",")]
    except ValueError:
        raise BadStudy(f"--values must be numbers with commas between them, not {values!r}") from None
    _print(decomposition.decompose(**asked), as_json=as_json)


@lab.command(epilog=examples("foldwise lab show", "foldwise lab show knn-curves --plot curves.svg"))
@click.argument("name", required=False)
@flags(size, plot, seed, as_json)
def show(name: str | None, as_json: bool, **options: Any) -> None:
    """Show a claim of the manual by simulation.

    Without NAME: which there are.
    """
    import pandas as pd

    from foldwise.lab.exhibit import exhibits

    if name is None:
        _print(pd.DataFrame(exhibits().items(), columns=["name", "shows"]), as_json=as_json)
    else:
        _show(name, as_json=as_json, **options)


@lab.command(epilog=examples("foldwise lab honesty", "foldwise lab honesty --size full"))
@flags(size, plot, seed, as_json)
def honesty(**options: Any) -> int:
    """Noise looks like noise, planted leaks are found, p is right.

    The exit code is 1 if something is not as it should be. The same as `foldwise lab show honesty`.
    """
    return 0 if _show("honesty", **options) else 1


def _show(name: str, *, plot: str | None, as_json: bool, **options: Any) -> bool:
    from foldwise.lab.exhibit import show as run
    from foldwise.show.figures import check_figure_path, save_figure

    if plot is not None:
        check_figure_path(plot)  # before the simulation
    shown = run(name, **_given(options))
    if plot is not None:
        save_figure(shown.plot(), plot)
    if as_json:
        _print(shown.table(), as_json=True)
    else:
        click.echo(repr(shown))
    return shown.is_true


def _given(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value not in (None, ())}


def _print(frame: Any, *, as_json: bool) -> None:
    if as_json:  # by way of pandas' own writer, so that a number that is none is null
        click.echo(json.dumps({"lines": json.loads(frame.to_json(orient="records", double_precision=12))}, indent=2))
    else:
        click.echo(frame.to_string(index=False, float_format="{:.4g}".format))
