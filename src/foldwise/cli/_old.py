"""The command line: words to calls, no logic. Rooms are imported by the commands that use them."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from foldwise.errors import BadStudy, FoldwiseError, Terminated, nearest
from foldwise.lab.cli import lab

STOPPED, INTERRUPTED, TERMINATED, BROKEN_PIPE = 3, 130, 143, 141
Command = Callable[..., Any]
_RESUMABLE = "with a store, `foldwise resume RUN` goes on from here."


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
        words = [word.strip() for word in re.split(r",(?![^()]*\))", value)]  # not inside stack(ridge, forest)
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


class Commands(click.Group):
    """A group that answers an unknown command with the nearest one, and lists commands as written."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            ctx.fail(f"no command {args[0]!r}. {nearest(args[0], self.commands)}")
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


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
TASK = click.option(
    "--task",
    type=click.Choice(["regression", "classification", "binary", "multiclass"]),
    metavar="TASK",
    help="regression or classification, if not as found from the target.",
)
STRATIFY = click.option("--stratify/--no-stratify", default=None, help="Keep class shares equal over folds.")
DATA_OPTIONS = [TARGET, GROUPS, TIME, WEIGHTS, DROP, POSITIVE, TASK, STRATIFY]
LOSS = click.option("--loss", type=Words(), metavar="LOSS", help="squared, zero_one, log, ...; several with commas.")
OUTER = click.option("--outer", type=Scheme(), help="Estimates the risk: folds, a share, loo or column:NAME.")
INNER = click.option("--inner", type=Scheme(), help="Tunes: folds, a share, aligned, lines, pairs, dev, column:NAME.")
REPEATS = click.option("--repeats", type=COUNT, help="Independent repetitions of the outer splits.")
SPLIT_OPTIONS = [LOSS, OUTER, INNER, REPEATS]
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
    click.option("--engine", type=click.Choice(["local", "dask", "ray"]), help="Where fits run (local)."),
    click.option("--address", metavar="A", help="A Dask scheduler or Ray cluster that is there already."),
    click.option("--isolate/--no-isolate", default=None, help="Fit in processes of their own, or in this one."),
    click.option("--fit-timeout", type=POSITIVE_NUMBER, metavar="S", help="Seconds one fit may take."),
    click.option("--fit-memory", type=POSITIVE_NUMBER, metavar="GB", help="Gigabytes one fit may take."),
    click.option("--time-limit", type=POSITIVE_NUMBER, metavar="S", help="Stop after so long with a partial answer."),
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
    "--learners", type=Words(), metavar="A,B", help="Learners to compare: ridge,forest:small,stack(ridge+forest)."
)
ON_FAILURE = click.option(
    "--on-failure",
    type=click.Choice(["fail", "baseline", "drop_candidate"]),
    help="What a failed fit does to its method (fail: it gets no risk).",
)
RETRY = click.option("--retry-failed", is_flag=True, default=None, help="Make fits that failed before again.")
WATCH = click.option("--watch", is_flag=True, help="Follow the run on a local page, which prints its address.")
OPTIMISM = click.option("--optimism", is_flag=True, default=None, help="Buy the fits that optimism needs.")


def options(*groups: Any) -> Callable[[Command], Command]:
    """Put groups of options on a command, in reading order."""

    def decorate(command: Command) -> Command:
        for option in reversed([option for group in groups for option in group]):
            command = option(command)
        return command

    return decorate


def learner_option(command: Command) -> Command:
    return click.option("--learner", required=True, metavar="NAME", help="A built-in learner.")(command)


def _print_version(ctx: click.Context, _: Any, is_asked: bool) -> None:
    if is_asked:
        from foldwise import __version__

        click.echo(f"foldwise {__version__}")
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
def app() -> None:
    """Which of these learners, tuned, should I use on my data, how well will it do, and how sure can I be?

    DATA is a CSV, TSV, Parquet, Arrow or ARFF file, or the name of a built-in set such as diabetes.
    """


@app.command()
@click.argument("data", metavar="DATA|STUDY.toml")
@options([LEARNERS], DATA_OPTIONS, SPLIT_OPTIONS, TUNE_OPTIONS, [OPTIMISM], RUN_OPTIONS, [ON_FAILURE, RETRY])
@click.option("--report", metavar="FILE.html", help="Write the whole answer as a page.")
@click.option("--save", metavar="MODEL.skops", help="Refit the best method on all rows and save it.")
@click.option("--pickle", is_flag=True, help="Allow --save to write a .pkl or .joblib file.")
@click.option("--plan", "only_plan", is_flag=True, help="Say what it would cost, and stop.")
@WATCH
@quiet
@as_json
def compare(
    data: str,
    report: str | None,
    save: str | None,
    pickle: bool,
    only_plan: bool,
    watch: bool,
    quiet: bool,
    as_json: bool,
    **flags: Any,
) -> int:
    """Compare tuned learners by nested cross-validation."""
    study = _study(data, **flags)
    if only_plan:
        plan = study.plan()
        _show(plan.to_dict(), str(plan), as_json=as_json)
        return 0
    _check_outputs(report=report, save=save, pickle=pickle)
    study = _watched(study) if watch else study
    return _run(study, report=report, save=save, pickle=pickle, quiet=quiet, as_json=as_json)


@app.command()
@click.argument("run")
@options([JOBS, *LIMIT_OPTIONS, RETRY])
@click.option("--report", metavar="FILE.html", help="Write the whole answer as a page.")
@click.option("--save", metavar="MODEL.skops", help="Refit the best method on all rows and save it.")
@click.option("--pickle", is_flag=True, help="Allow --save to write a .pkl or .joblib file.")
@WATCH
@quiet
@as_json
def resume(
    run: str, report: str | None, save: str | None, pickle: bool, watch: bool, quiet: bool, as_json: bool, **flags: Any
) -> int:
    """Go on with an interrupted study. RUN is its store."""
    from foldwise.questions.study_file import stored_study

    _check_outputs(report=report, save=save, pickle=pickle)
    study = stored_study(run, **flags)
    study = _watched(study) if watch else study
    return _run(study, report=report, save=save, pickle=pickle, quiet=quiet, as_json=as_json)


@app.command()
@click.argument("run")
@click.option("--out", metavar="FILE.html", help="Where to write the page (RUN.html).")
@as_json
def report(run: str, out: str | None, as_json: bool) -> None:
    """Write the page of a study. RUN is its store."""
    from foldwise.questions.load import load

    result = load(run)
    path = Path(out or f"{run.rstrip('/')}.html")
    result.report(path)
    _note(f"the report is in {path}")
    _show(result.to_dict(), _answer_text(result.to_dict()), as_json=as_json)


@app.command()
@click.argument("run")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="A port of this machine (any free one).")
@click.option("--no-browser", is_flag=True, help="Print the address only.")
@as_json
def watch(run: str, port: int, no_browser: bool, as_json: bool) -> None:
    """Follow a run on a local page until Ctrl-C. RUN is its store.

    The page only reads the store: closing it, or ending this command, changes nothing for the run.
    """
    from foldwise.questions.watching import watch as serve

    def tell(url: str) -> None:
        _show({"url": url, "run": run}, f"{run} can be watched at {url}", as_json=as_json)
        sys.stdout.flush()
        if not no_browser:
            _open_browser(url)

    serve(run, port=port, tell=tell)


@app.command()
@click.argument("data")
@learner_option
@options(DATA_OPTIONS, SPLIT_OPTIONS, TUNE_OPTIONS, RUN_OPTIONS)
@quiet
@as_json
def risk(data: str, learner: str, quiet: bool, as_json: bool, **flags: Any) -> None:
    """Estimate the risk of one learner, its tuning included."""
    from foldwise.questions.risk import risk as ask

    study = _study(data, learners=[learner], **flags)
    estimate = ask(study.make_one_learner(), study.read_data(), **study.words(), progress=False if quiet else None)
    _show(estimate.to_dict(), str(estimate), as_json=as_json)


@app.command()
@click.argument("data")
@learner_option
@options([TARGET, GROUPS, WEIGHTS, DROP, TASK, LOSS, INNER], TUNE_OPTIONS)
@click.option("--save", metavar="MODEL.skops", help="Save the model, fitted on all rows.")
@click.option("--pickle", is_flag=True, help="Allow --save to write a .pkl or .joblib file.")
@as_json
def tune(data: str, learner: str, save: str | None, pickle: bool, as_json: bool, **flags: Any) -> None:
    """Tune one learner on all rows.

    The score shown chose the candidate, so it is no estimate of the risk.
    """
    from foldwise.questions.model_file import save_model

    _check_outputs(save=save, pickle=pickle)
    study = _study(data, learners=[learner], **flags)
    rows = study.read_data()
    tuned = study.make_tuned(rows).fit(rows.X, rows.y, sample_weight=rows.weights, groups=rows.groups)
    answer = _tuned_answer(learner, tuned)
    _show(answer, _tuned_text(answer), as_json=as_json)
    if save:
        about = {"method": learner, "candidate": answer["candidate"], "target": study.target or "target"}
        _note(f"the model is in {save_model(save, tuned.model_, rows, about=about, pickle=pickle)}")


@app.command()
@click.argument("data")
@learner_option
@click.option("--parameter", metavar="P=V", help='The parameter to vary: "n_neighbors=1..30".')
@click.option("--sizes", metavar="A,B", help="Training sizes instead: shares of the rows, or row numbers.")
@options(DATA_OPTIONS, CURVE_OPTIONS)
@quiet
@as_json
def curve(
    data: str, learner: str, parameter: str | None, sizes: str | None, quiet: bool, as_json: bool, **flags: Any
) -> None:
    """Training error, test error and their gap.

    Over one parameter with --parameter, else over the number of training rows.
    """
    from foldwise.questions import curve as questions
    from foldwise.questions.study_file import make_parameter, read_values

    if parameter is not None and sizes is not None:
        raise click.UsageError("--parameter and --sizes ask for two different curves. Give one of them.")
    study = _study(data, learners=[learner], **flags)
    words: dict[str, Any] = {**study.words(), "progress": False if quiet else None}
    if parameter is None:
        if sizes is not None:
            words["sizes"] = _numbers("--sizes", sizes)
        answer = questions.learning_curve(learner, study.read_data(), **words)
    else:
        name, equals, values = parameter.partition("=")
        if not (equals and name.strip() and values.strip()):
            raise click.UsageError(f'cannot read --parameter {parameter!r}. Write it as "n_neighbors=1..30".')
        axis = {name.strip(): make_parameter(read_values(name.strip(), values))}
        answer = questions.curve(learner, study.read_data(), **words, **axis)
    _show(answer.to_dict(), str(answer), as_json=as_json)


@app.command()
@click.argument("data", metavar="DATA[:TARGET]...", nargs=-1, required=True)
@options([LEARNERS], DATA_OPTIONS, SPLIT_OPTIONS, TUNE_OPTIONS, RUN_OPTIONS, [ON_FAILURE, RETRY])
@click.option("--control", metavar="NAME", help="The method the others are compared to; else all pairs are.")
@click.option(
    "--rope", type=click.FloatRange(0), help="What does not matter, as a share of the baseline's risk (0.01)."
)
@click.option("--report", metavar="FILE.html", help="Write the whole answer as a page.")
@quiet
@as_json
def benchmark(
    data: tuple[str, ...], store: str | None, report: str | None, quiet: bool, as_json: bool, **flags: Any
) -> int:
    """The same study over several data sets.

    Shows the risks side by side, mean ranks, and which methods can be told apart over all of them. --store is a folder
    with a store for each data set.
    """
    from foldwise.questions.benchmark import ask_all, study_question
    from foldwise.questions.benchmark_data import folder_name, name_targets

    _check_outputs(report=report)
    wishes = {name: flags.pop(name) for name in ("control", "rope", "time_limit")}
    wishes |= {name: flags[name] for name in ("level", "seed")}
    questions = {}
    for name, (path, target) in name_targets(data).items():
        own = {**flags, "target": target or flags["target"], "store": store and str(Path(store) / folder_name(name))}
        questions[name] = study_question(_study(path, **own))
    given = {name: wish for name, wish in wishes.items() if wish is not None}
    return _run_benchmark(lambda: ask_all(questions, **given, progress=False if quiet else None), report, as_json)


@app.command()
@click.option("--rows", type=COUNT, help="Rows of the development set.")
@click.option("--candidates", type=COUNT, help="Candidates tried on it, fixed beforehand.")
@click.option("--excess", type=float, help="Excess risk over the best candidate.")
@click.option("--delta", type=SHARE, default=0.05, show_default=True, help="Chance that the bound fails.")
@click.option("--bounds", type=(float, float), default=(0.0, 1.0), show_default=True, help="Smallest, largest loss.")
@as_json
def bound(
    rows: int | None,
    candidates: int | None,
    excess: float | None,
    delta: float,
    bounds: tuple[float, float],
    as_json: bool,
) -> None:
    """The guarantee of a development set.

    Give two of --rows, --candidates and --excess, and get the third.
    """
    from foldwise.formulas.bounds import candidates_allowed, dev_rows_needed, excess_bound

    if [rows, candidates, excess].count(None) != 1:
        raise click.UsageError("give two of --rows, --candidates and --excess, and get the third.")
    if rows is not None and candidates is not None:
        excess = excess_bound(rows, candidates, delta, bounds=bounds)
    elif excess is not None and candidates is not None:
        rows = dev_rows_needed(excess, candidates, delta, bounds=bounds)
    elif excess is not None and rows is not None:
        candidates = candidates_allowed(rows, excess, delta, bounds=bounds)
    answer = {"rows": rows, "candidates": candidates, "excess": excess, "delta": delta, "bounds": list(bounds)}
    text = (
        f"With {rows} development rows and {candidates} candidates, the chosen model (fitted on the training rows "
        f"alone) has at most {excess:.4g} more risk than the best of them, with probability {1 - delta:g} or more."
    )
    _show(answer, text, as_json=as_json)


@app.command()
@as_json
def learners(as_json: bool) -> None:
    """List the built-in learners.

    What is tuned over which values in three sizes, what is simple, the preparation, and what has to be installed.
    """
    from foldwise.recipes.listing import entries, listing_text

    rows = entries()
    _show({"learners": rows}, listing_text(rows), as_json=as_json)


@app.group(cls=Commands)
def store() -> None:
    """Look at a store, check it, or copy it."""


@store.command()
@click.argument("run")
@click.option("--failed", is_flag=True, help="List the fits that failed.")
@as_json
def info(run: str, failed: bool, as_json: bool) -> None:
    """How many fits a store keeps, how many failed, and its size."""
    answer = _open_store(run).info()
    failures = [f"  {one['learner']}: {one['status']}, {one['error']}" for one in answer.get("failures", [])]
    lines = [f"{name}: {value}" for name, value in answer.items() if name != "failures"]
    _show(answer, "\n".join(lines + (failures if failed else [])), as_json=as_json)


@store.command()
@click.argument("run")
@as_json
def verify(run: str, as_json: bool) -> int:
    """Compare the checksum of every record.

    The exit code is 1 if one is damaged.
    """
    problems = _open_store(run).verify()
    answer = {"path": run, "is_sound": not problems, "problems": problems}
    _show(answer, "\n".join(problems) or f"{run} is sound", as_json=as_json)
    return 1 if problems else 0


@store.command()
@click.argument("run")
@click.argument("copy")
@as_json
def backup(run: str, copy: str, as_json: bool) -> None:
    """Copy a store, also while a study is writing to it."""
    _open_store(run).backup(copy)
    _show({"path": run, "copy": copy}, f"{run} was copied to {copy}", as_json=as_json)


@app.command("test")
@click.argument("model")
@click.argument("data")
@click.option("--target", metavar="COL", help="The column to predict (the one the model was made for).")
@click.option("--weights", metavar="COL", help="Weights of the rows.")
@click.option("--groups", metavar="COL", help="Rows of one group are not independent: the group is the unit.")
@click.option("--loss", metavar="LOSS", help="The loss (squared or zero_one).")
@INTERVAL
@click.option("--level", type=SHARE, default=0.95, show_default=True, help="Level of the interval.")
@click.option("--store", metavar="RUN", help="Count here how many models were scored on these rows.")
@click.option("--trust", is_flag=True, help="Load a pickle, or types that are not on the list. It can run code.")
@as_json
def judge(model: str, data: str, trust: bool, as_json: bool, **words: Any) -> None:
    """Test a saved model on rows it has not seen."""
    from foldwise.questions.model_file import judge_table, load_model

    estimate = judge_table(load_model(model, trust=trust), data, **words)
    notes = [f"note: {text}" for _, text in estimate.notes]
    _show(estimate.to_dict(), "\n".join([str(estimate), *notes]), as_json=as_json)


@app.command()
@click.argument("model")
@click.argument("new")
@click.option("--out", metavar="FILE.csv", help="Where to write the predictions (standard output).")
@click.option("--trust", is_flag=True, help="Load a pickle, or types that are not on the list. It can run code.")
@as_json
def predict(model: str, new: str, out: str | None, trust: bool, as_json: bool) -> None:
    """Predict new rows with a saved model.

    Columns of NEW that the model does not know are ignored; their order does not matter.
    """
    from foldwise.data.sources import read_table
    from foldwise.questions.model_file import load_model, predict_table

    if out:
        _check_folder(out)
    table = predict_table(load_model(model, trust=trust), read_table(new))
    if out:
        table.to_csv(out, index=False, lineterminator="\n")
        _note(f"{len(table)} predictions are in {out}")
    if as_json or not out:
        rows = {"predictions": table.to_dict("records")}
        _show(rows, table.to_csv(index=False, lineterminator="\n").rstrip("\n"), as_json=as_json)


app.add_command(lab)


def main() -> None:
    """The entry point of the `foldwise` command."""
    code = run(sys.argv[1:])
    if code in (INTERRUPTED, TERMINATED):  # who stops a command does not wait for Python to tidy up
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run one command line and give its exit code."""
    from foldwise.executors.stop import Stop

    Stop.is_command = True
    _on_terminate()
    try:
        code = app.main(args=arguments, prog_name="foldwise", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except FoldwiseError as error:
        return _fail(str(error), error.exit_code)
    except click.ClickException as error:
        return _fail(error.format_message(), error.exit_code)
    except Terminated as stopped:
        return _fail(stopped.words, TERMINATED)
    except (click.Abort, KeyboardInterrupt) as stopped:
        return _fail(str(stopped) or f"interrupted; {_RESUMABLE}", INTERRUPTED)


def _on_terminate() -> None:
    """Outside of a run, which has handlers of its own, a termination unwinds like an interrupt."""

    def stop(*_: Any) -> None:
        raise Terminated(f"terminated; {_RESUMABLE}")

    with contextlib.suppress(ValueError):  # only the main thread may set handlers
        signal.signal(signal.SIGTERM, stop)


def _study(data: str, *, loss: list[str] | None = None, drop: tuple[str, ...] = (), **flags: Any) -> Any:
    """The study that flags and, perhaps, a TOML file describe; flags win."""
    from foldwise.questions.study_file import make_study, read_scalar, read_study

    if flags.get("positive") is not None:
        flags["positive"] = read_scalar(flags["positive"])
    flags["loss"] = loss[0] if loss and len(loss) == 1 else loss
    flags["drop"] = list(drop) or None
    return read_study(data, **flags) if data.endswith(".toml") else make_study({"data": data}, **flags)


def _run(study: Any, *, report: str | None, save: str | None, pickle: bool, quiet: bool, as_json: bool) -> int:
    """Run a study; one that is stopped shows what it has, and how to go on."""
    more = {"pickle": pickle, "as_json": as_json, "target": study.target}
    try:
        result = study.run(progress=False if quiet else None)
    except (KeyboardInterrupt, Terminated) as stopped:
        if (result := getattr(stopped, "result", None)) is None:
            raise
        what, code = ("terminated", TERMINATED) if isinstance(stopped, Terminated) else ("interrupted", INTERRUPTED)
        _finish(result, report=report, save=None, **more)
        _note(_how_to_go_on(what, study.store))
        return code
    code = _finish(result, report=report, save=save if result.is_finished else None, **more)
    if result.is_finished:
        return code
    _note(_how_to_go_on(f"stopped at the time limit of {study.time_limit:g} s", study.store))
    return STOPPED


def _watched(study: Any) -> Any:
    """The study with a page beside it that follows its store; one without a store is given one for the time."""
    from foldwise.questions.watching import scratch_run, watch_beside

    is_scratch = study.store is None
    if is_scratch:
        study = study.model_copy(update={"store": scratch_run()})
    page = watch_beside(study.store, is_scratch=is_scratch)
    _note(f"the run can be watched at {page.url}")
    _open_browser(page.url)
    return study


def _open_browser(url: str) -> None:
    """Show a page to who sits here; not in a text browser, which would take the terminal."""
    is_graphic = sys.platform in ("win32", "darwin") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if is_graphic and sys.stderr.isatty():
        import webbrowser

        webbrowser.open(url)


def _how_to_go_on(what: str, store: str | None) -> str:
    if store is None:
        return f"{what}; nothing is kept without --store RUN."
    return f"{what}; every finished fit is kept. Go on with: foldwise resume {shlex.quote(store)}"


def _finish(
    result: Any, *, report: str | None, save: str | None, pickle: bool, as_json: bool, target: str | None
) -> int:
    """Show the answer, then write what was asked for: a full disk must not cost the answer."""
    answer = result.to_dict()
    _show(answer, _answer_text(answer), as_json=as_json)
    if as_json:
        for note in answer["notes"]:
            _note(note["text"])
    if report:
        result.report(report)
        _note(f"the report is in {report}")
    has_risk = any(method["risk"] is not None for method in answer["methods"])
    if save and has_risk:
        _save(result, answer, save, pickle=pickle, target=target)
    return 0 if has_risk else 1


def _save(result: Any, answer: Mapping[str, Any], path: str, *, pickle: bool, target: str | None) -> None:
    from foldwise.questions.model_file import save_model

    best = next(method for method in answer["methods"] if method["name"] == answer["best"])
    estimate = {key: best.get(key) for key in ("risk", "low", "high", "level", "interval", "target")}
    refit = answer.get("refit") or {}
    about = {
        "method": answer["best"],
        "candidate": refit.get("candidate"),
        "loss": answer["loss"],
        "target": target or "target",  # only built-in sets need none, and theirs is called so
        "estimate": estimate,
    }
    save_model(path, result.refit(), result.data, about=about, pickle=pickle)
    _note(f"the model ({answer['best']}, fitted on all rows) is in {path}")


def _tuned_answer(learner: str, tuned: Any) -> dict[str, Any]:
    scores = tuned.scores_.to_dict("records")
    return {
        "learner": learner,
        "candidate": tuned.candidate_,
        "selection_score": tuned.selection_score_,
        "candidates": len(scores),
        "fits": tuned.fits_,
        "guarantee": tuned.guarantee_.to_dict(),
        "scores": scores,
    }


def _tuned_text(answer: Mapping[str, Any]) -> str:
    from foldwise.reports.numbers import candidate_words, number

    chosen, score = candidate_words(answer["candidate"]), number(answer["selection_score"])
    lines = [
        f"{answer['learner']}: {chosen}, the best of {answer['candidates']} candidates.",
        f"Its selection score is {score}. It chose the candidate, so it is too good on average:",
        "for the risk use `foldwise risk` or `foldwise compare`.",
    ]
    if answer["guarantee"]["excess"] is not None:
        lines.append(f"Guarantee: {answer['guarantee']['words']}.")
    return "\n".join(lines)


def _answer_text(answer: Mapping[str, Any]) -> str:
    from foldwise.reports.text import render_text

    is_colored = sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return render_text(answer, color=is_colored)


def _run_benchmark(ask: Callable[[], Any], report: str | None, as_json: bool) -> int:
    """Run a benchmark; one that is stopped shows what it has."""
    code = 0
    try:
        found = ask()
    except (KeyboardInterrupt, Terminated) as stopped:
        if (found := getattr(stopped, "result", None)) is None:
            raise
        code = TERMINATED if isinstance(stopped, Terminated) else INTERRUPTED
    answer = found.to_dict()
    _show(answer, str(found), as_json=as_json)
    for note in answer["notes"] if as_json else []:
        _note(note["text"])
    if report:
        found.report(report)
        _note(f"the report is in {report}")
    if not found.is_finished:
        _note("not finished; with --store FOLDER the same line goes on from here.")
        return code or STOPPED
    return 0 if any(data["counted"] for data in answer["datasets"]) else 1


def _show(answer: Mapping[str, Any], text: str, *, as_json: bool) -> None:
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


def _check_outputs(*, report: str | None = None, save: str | None = None, pickle: bool = False) -> None:
    """Refuse file names that cannot be written before the first fit, not after the last."""
    from foldwise.questions.model_file import check_model_path

    if save:
        check_model_path(save, pickle=pickle)
    elif pickle:
        raise BadStudy("--pickle says how to save, but there is no --save", "Add --save MODEL.pkl")
    for path in filter(None, (report, save)):
        _check_folder(path)


def _check_folder(path: str) -> None:
    folder = Path(path).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadStudy(f"cannot write {path}: {error.strerror}", "Give another path") from None
    if Path(path).is_dir():
        raise BadStudy(f"cannot write {path}: it is a folder", "Give a file name")
    if not os.access(folder, os.W_OK):
        raise BadStudy(f"cannot write {path}: no permission in {folder}", "Give another path")


def _open_store(run: str) -> Any:
    from foldwise.records.sqlite import SqliteStore

    return SqliteStore(run, readonly=True)


def _numbers(option: str, text: str) -> list[int | float]:
    from foldwise.questions.study_file import read_scalar

    values = [read_scalar(part) for part in text.split(",")]
    if not all(type(value) in (int, float) for value in values):
        raise click.UsageError(f"{option} must be numbers with commas between them, not {text!r}.")
    return values


def _note(text: str) -> None:
    click.echo(f"foldwise: {text}", err=True)


def _fail(sentence: str, code: int) -> int:
    click.echo(f"foldwise: {' '.join(sentence.split())}", err=True)
    return code
