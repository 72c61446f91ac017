"""Commands that run studies, go on with them, and show them."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Any

import click

from foldwise.cli.flags import (
    ALL,
    LIMITS,
    WRITING,
    as_json,
    complete_data,
    flags,
    learners,
    quiet,
    report,
    space,
    without,
)
from foldwise.cli.help import command, examples
from foldwise.cli.output import Writing, answer_text, fail, hushed, remark, show
from foldwise.errors import BadData, BadStudy, FitsFailed, Terminated

STOPPED, INTERRUPTED, TERMINATED = 3, 130, 143


@command(
    epilog=examples(
        "foldwise compare diabetes                         # a built-in set",
        "foldwise compare wine.csv --target quality",
        "foldwise compare wine.csv --target quality --learners ridge,forest",
        "foldwise compare wine.csv --target quality --plan # what would it cost?",
        "foldwise compare wine.csv --target quality \\",
        "    --store runs/wine --report wine.html --save wine.skops",
        "foldwise compare visits.csv --target cost --groups patient --drop id",
        "zcat wine.csv.gz | foldwise compare - --target quality --json",
        "foldwise compare study.toml                       # see: foldwise init",
    )
)
@click.argument("data", metavar="DATA|STUDY.toml", shell_complete=complete_data)
@flags(learners, space, *ALL)
@flags(*WRITING, quiet, as_json)
@click.option("--plan", "only_plan", is_flag=True, help="Say what it would cost, and stop.")
def compare(data: str, only_plan: bool, watch: bool, quiet: bool, as_json: bool, **given: Any) -> int:
    """Compare tuned learners by nested cross-validation.

    DATA is a file, - for standard input, or a built-in set. Without --learners a sensible set for the task is compared.
    """
    writing = Writing.taken_from(given)
    study = study_of(data, **given)
    if only_plan:
        with hushed():
            plan = study.plan()
        show(plan.to_dict(), str(plan), as_json=as_json)
        return 0
    writing.check()
    return _run(study, writing, watch=watch, quiet=quiet, as_json=as_json)


@command(
    epilog=examples(
        "foldwise resume runs/wine",
        "foldwise resume runs/wine --data moved/wine.csv   # the table has moved",
        "zcat wine.csv.gz | foldwise resume runs/wine      # it came from a pipe",
    )
)
@click.argument("run")
@click.option("--data", metavar="DATA", shell_complete=complete_data, help="The same table, if it is elsewhere now.")
@flags("jobs", *LIMITS, "retry_failed", *WRITING, quiet, as_json)
def resume(run: str, watch: bool, quiet: bool, as_json: bool, **given: Any) -> int:
    """Go on with an interrupted study. RUN is its store."""
    from foldwise.api.study_file import stored_study
    from foldwise.data.packed import open_stdin

    writing = Writing.taken_from(given)
    writing.check()
    study = stored_study(run, **given)
    if study.data == "-":
        try:
            open_stdin()
        except BadData:
            again = f"Give it as a file: foldwise resume {shlex.quote(run)} --data FILE; or pipe it in again"
            raise BadStudy(f"the table of {run} came from standard input, where there is none now", again) from None
    return _run(study, writing, watch=watch, quiet=quiet, as_json=as_json)


@command(
    "report",
    epilog=examples(
        "foldwise report runs/wine",
        "foldwise report runs/wine --out wine.html --title 'Wine quality'",
    ),
)
@click.argument("run")
@click.option("--out", metavar="FILE.html", help="Where to write the page (RUN.html).")
@flags("title", as_json)
def show_report(run: str, out: str | None, title: str | None, as_json: bool) -> None:
    """Write the page of a study. RUN is its store."""
    from foldwise.api.load import load

    result = load(run)
    path = Path(out or f"{run.rstrip('/')}.html")
    result.report(path, title=title)
    remark(f"the report is in {path}")
    show(result.to_dict(), answer_text(result), as_json=as_json)


@command(epilog=examples("foldwise watch runs/wine"))
@click.argument("run")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="A port of this machine (any free one).")
@click.option("--no-browser", is_flag=True, help="Print the address only.")
@as_json
def watch(run: str, port: int, no_browser: bool, as_json: bool) -> None:
    """Follow a run on a local page until Ctrl-C. RUN is its store.

    The page only reads the store: closing it, or ending this command, changes nothing for the run.
    """
    from foldwise.api.watching import watch as serve

    def tell(url: str) -> None:
        show({"url": url, "run": run}, f"{run} can be watched at {url}", as_json=as_json)
        sys.stdout.flush()
        if not no_browser:
            _open_browser(url)

    serve(run, port=port, tell=tell)


@command(
    epilog=examples(
        "foldwise benchmark diabetes wine.csv:quality --learners ridge,forest",
        "foldwise benchmark *.csv --target y --control ridge --report all.html",
    )
)
@click.argument("data", metavar="DATA[:TARGET]...", nargs=-1, required=True, shell_complete=complete_data)
@flags(learners, space, *without("optimism", "importance", "defaults", "margin", "title"), report, quiet, as_json)
@click.option("--control", metavar="NAME", help="The method the others are compared to; else all pairs are.")
def benchmark(
    data: tuple[str, ...], control: str | None, report: str | None, quiet: bool, as_json: bool, **given: Any
) -> int:
    """The same study over several data sets.

    Shows the risks side by side, mean ranks, and which methods can be told apart over all of them. --store is a folder
    with a store for each data set.
    """
    from foldwise.api.benchmark import run_benchmark, study_source
    from foldwise.api.benchmark_data import folder_name, name_targets
    from foldwise.questions.benchmark_answer import Terms

    Writing(report).check()
    time_limit, store = given.pop("time_limit"), given.pop("store")
    terms_given = {"control": control, "level": given["level"], "seed": given["seed"]}
    terms = Terms(**{name: value for name, value in terms_given.items() if value is not None})
    sources = {}
    for name, (path, target) in name_targets(data).items():
        own_store = store and str(Path(store) / folder_name(name))
        sources[name] = study_source(
            study_of(path, **{**given, "target": target or given["target"], "store": own_store})
        )
    code = 0
    try:
        with hushed():
            result: Any = run_benchmark(sources, terms, time_limit=time_limit, progress=False if quiet else None)
    except (KeyboardInterrupt, Terminated) as stopped:  # shows what it has
        if (result := getattr(stopped, "result", None)) is None:
            raise
        code = TERMINATED if isinstance(stopped, Terminated) else INTERRUPTED
    answer = result.to_dict()
    show(answer, str(result), as_json=as_json)
    for note in answer["notes"] if as_json else ():
        remark(note["text"])
    if report:
        result.report(report)
        remark(f"the report is in {report}")
    if not result.is_finished:
        remark("not finished; with --store FOLDER the same line goes on from here.")
        return code or STOPPED
    return 0 if any(data["counted"] for data in answer["datasets"]) else 1


def study_of(data: str, *, loss: list[str] | None = None, drop: tuple[str, ...] = (), **given: Any) -> Any:
    """The study that flags and, perhaps, a TOML file describe; flags win."""
    from foldwise.api.study_file import make_spec, read_study
    from foldwise.api.study_values import read_scalar

    if given.get("positive") is not None:
        given["positive"] = read_scalar(given["positive"])
    given["loss"] = loss[0] if loss and len(loss) == 1 else loss
    given["drop"] = list(drop) or None
    given["silence"] = list(given.get("silence") or ()) or None
    return read_study(data, **given) if data.endswith(".toml") else make_spec({"data": data}, **given)


def _run(study: Any, writing: Writing, *, watch: bool, quiet: bool, as_json: bool) -> int:
    """Run a study; one that is stopped shows what it has, and how to go on."""
    if writing.intervals and study.time is not None:  # before the first fit, not after the last
        problem = "--intervals need rows whose order does not matter, and --time says that it does"
        raise BadStudy(problem, "Leave it out")
    study = _watched(study) if watch else study
    try:
        with hushed():
            result = study.run(progress=False if quiet else None)
    except (KeyboardInterrupt, Terminated) as stopped:
        if (result := getattr(stopped, "result", None)) is None:
            raise
        try:
            _finish(result, writing, as_json=as_json)
        except BadStudy as problem:  # perhaps the terminal is closed: the exit code still says what happened
            remark(str(problem))
        remark(_how_to_go_on(stopped.reason if isinstance(stopped, Terminated) else "interrupted", study))
        return TERMINATED if isinstance(stopped, Terminated) else INTERRUPTED
    except FitsFailed as failed:
        if failed.result is None:
            raise
        _finish(failed.result, writing, as_json=as_json)
        return fail(str(failed), failed.exit_code)
    _finish(result, writing, as_json=as_json)
    if result.is_finished:
        _save(result, writing)
        return 0
    if writing.save:
        remark(f"no model was written to {writing.save}, as the study is not finished")
    remark(_how_to_go_on(f"stopped at the time limit of {study.time_limit:g} s", study))
    return STOPPED


def _watched(study: Any) -> Any:
    """The study with a live page that follows its store; without a store it gets a temporary one."""
    from foldwise.api.watching import scratch_run, start_page

    is_scratch = study.store is None
    if is_scratch:
        study = study.model_copy(update={"store": scratch_run()})
    page = start_page(study.store, is_scratch=is_scratch)
    remark(f"the run can be watched at {page.url}")
    _open_browser(page.url)
    return study


def _open_browser(url: str) -> None:
    """Show a page to who sits here; not in a text browser, which would take the terminal."""
    is_graphic = sys.platform in ("win32", "darwin") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if is_graphic and sys.stderr.isatty():
        import webbrowser

        webbrowser.open(url)


def _how_to_go_on(what: str, study: Any) -> str:
    if study.store is None:
        return f"{what}; nothing is kept without --store RUN."
    again = f"foldwise resume {shlex.quote(study.store)}"
    if study.data == "-":
        return (
            f"{what}; every finished fit is kept, the table from standard input is not. Go on with: {again} --data FILE"
        )
    return f"{what}; every finished fit is kept. Go on with: {again}"


def _finish(result: Any, writing: Writing, *, as_json: bool) -> None:
    """Show the answer, then write the page: a full disk must not cost the answer."""
    answer = result.to_dict()
    show(answer, answer_text(result, writing=writing), as_json=as_json)
    for note in answer["notes"] if as_json else ():
        remark(note["text"])
    if writing.report:
        result.report(writing.report, rows=writing.report_rows)
        remark(f"the report is in {writing.report}")


def _save(result: Any, writing: Writing) -> None:
    """Refit the best method and write it to the file that was asked for, if any."""
    if not writing.save:
        return
    with hushed():  # fitting it again
        result.save_model(writing.save, pickle=writing.pickle, intervals=writing.intervals)
    text = f"the model ({result.best}, fitted on all rows) is in {writing.save}"
    if writing.intervals:
        models = result.study.outer.folds
        models_kept = f"{models} models of outer folds" if models > 1 else "the model of the training rows"
        size = Path(writing.save).stat().st_size / 1e6
        fits = f"{models} more fit{'' if models == 1 else 's'}"
        text += f", with {models_kept} for prediction intervals ({fits}, {size:.2g} MB)"
    remark(text)
