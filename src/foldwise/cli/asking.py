"""Commands that ask one thing: a risk, a tuning, a curve, a guarantee, the list of learners."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from foldwise.cli.flags import (
    COUNT,
    DATA,
    SHARE,
    TUNING,
    as_json,
    data_argument,
    flags,
    learner,
    learners,
    pickle,
    quiet,
    space,
    without,
)
from foldwise.cli.help import command, examples
from foldwise.cli.output import Writing, check_folder, columns, remark, show, show_estimate, wrapped
from foldwise.cli.studies import study_of


@command(
    epilog=examples(
        "foldwise risk diabetes --learner ridge",
        "foldwise risk wine.csv --target quality --learner forest --outer 5",
        "foldwise risk diabetes --learner ridge --permutations 99",
    )
)
@data_argument
@flags(learner, space, *without("optimism", "importance", "defaults", "margin", "title", "on_failure", "retry_failed"))
@flags(quiet, as_json)
@click.option("--permutations", type=COUNT, help="Test too whether so many exchanged targets do as well (99).")
def risk(data: str, learner: str, permutations: int | None, quiet: bool, as_json: bool, **given: Any) -> None:
    """Estimate the risk of one learner, its tuning included."""
    from foldwise.api.permutation import permutation_test
    from foldwise.api.risk import risk as ask

    study = study_of(data, learners=[learner], **given)
    rows = study.read_data()
    estimate = ask(study.make_one_learner(), rows, **study.options(), progress=False if quiet else None)
    more = {}
    if permutations is not None:
        options = {"outer": 10, **study.options()}  # the splits of the risk
        shown = False if quiet else None
        more["permutation_test"] = permutation_test(
            study.make_one_learner(), rows, permutations=permutations, **options, progress=shown
        )
    show_estimate(estimate, of=f"{learner}, its tuning included,", as_json=as_json, **more)
    for text in (text for code, text in estimate.notes if as_json and code in ("task", "missing_target")):
        remark(text)


@command(
    epilog=examples(
        "foldwise tune diabetes --learner ridge --save ridge.skops",
        'foldwise tune diabetes --learner k-nn --space "k-nn.n_neighbors=1..30"',
    )
)
@data_argument
@flags(learner, space, "effort", "target", "groups", "weights", "drop", "drop_missing_target", "task", "loss", "inner")
@flags(*TUNING, pickle, as_json)
@click.option("--save", metavar="MODEL.skops", help="Save the model, fitted on all rows.")
def tune(data: str, learner: str, save: str | None, pickle: bool, as_json: bool, **given: Any) -> None:
    """Tune one learner on all rows.

    The score shown chose the candidate, so it is no estimate of the risk.
    """
    from foldwise.api.model_file import save_model

    Writing(save=save, pickle=pickle).check()
    study = study_of(data, learners=[learner], **given)
    rows = study.read_data()
    tuned = study.make_tuned(rows).fit(rows.X, rows.y, sample_weight=rows.weights, groups=rows.groups)
    answer = _tuned_answer(learner, tuned)
    show(answer, _tuned_text(answer), as_json=as_json)
    if save:
        about = {"method": learner, "candidate": answer["candidate"], "target": study.target or "target"}
        remark(f"the model is in {save_model(save, tuned.model_, rows, about=about, pickle=pickle)}")


@command(
    epilog=examples(
        'foldwise curve diabetes --learner k-nn --parameter "n_neighbors=1..30"',
        "foldwise curve diabetes --learner ridge           # over training rows",
        "foldwise curve diabetes --learner ridge --plot rows.pdf",
        "foldwise curve diabetes --learner ridge --store runs/diabetes # for its report",
    )
)
@data_argument
@flags(learner, *DATA, "loss", "outer", "seed", "jobs", quiet, as_json)
@click.option("--parameter", metavar="P=V", help='The parameter to vary: "n_neighbors=1..30".')
@click.option("--sizes", metavar="A,B", help="Training sizes instead: shares of the rows, or row numbers.")
@click.option("--plot", metavar="FILE", help="Write the picture (.svg, .png or .pdf).")
@click.option("--store", metavar="RUN", help="Store of a study, whose reports then show the curve.")
def curve(
    data: str,
    learner: str,
    parameter: str | None,
    sizes: str | None,
    plot: str | None,
    quiet: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Training error, test error and their gap.

    Over one parameter with --parameter, else over the number of training rows.
    """
    from foldwise.api.curve import curve as validation_curve
    from foldwise.api.curve import learning_curve
    from foldwise.api.study_values import make_parameter, read_values
    from foldwise.questions.curves import curve_blocks
    from foldwise.show.figures import check_figure_path, save_figure
    from foldwise.show.terminal import as_text

    if plot is not None:
        check_figure_path(plot)
        check_folder(plot)
    if parameter is not None and sizes is not None:
        raise click.UsageError("--parameter and --sizes ask for two different curves. Give one of them.")
    study = study_of(data, learners=[learner], **given)
    options: dict[str, Any] = {**study.options(), "progress": False if quiet else None}
    if parameter is None:
        if sizes is not None:
            options["sizes"] = _numbers("--sizes", sizes)
        answer = learning_curve(learner, study.read_data(), **options)
    else:
        name, equals, values = parameter.partition("=")
        if not (equals and name.strip() and values.strip()):
            raise click.UsageError(f'cannot read --parameter {parameter!r}. Write it as "n_neighbors=1..30".')
        axis = {name.strip(): make_parameter(read_values(name.strip(), values))}
        answer = validation_curve(learner, study.read_data(), **options, **axis)
    show(answer.to_dict(), as_text(curve_blocks(answer.to_dict()), width=columns()), as_json=as_json)
    if plot is not None:
        save_figure(answer.plot(), plot)
        remark(f"the picture is in {plot}")


@command(
    epilog=examples(
        "foldwise bound --rows 1000 --candidates 50        # how much may be lost?",
        "foldwise bound --excess 0.05 --candidates 50      # how many rows for that?",
        "foldwise bound --rows 5000 --excess 0.05          # how many candidates?",
    )
)
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
    from foldwise.show.short_texts import bound_text
    from foldwise.stats.bounds import candidates_allowed, dev_rows_needed, excess_bound

    if [rows, candidates, excess].count(None) != 1:
        raise click.UsageError("give two of --rows, --candidates and --excess, and get the third.")
    if rows is not None and candidates is not None:
        excess = excess_bound(rows, candidates, delta, bounds=bounds)
    elif excess is not None and candidates is not None:
        rows = dev_rows_needed(excess, candidates, delta, bounds=bounds)
    elif excess is not None and rows is not None:
        candidates = candidates_allowed(rows, excess, delta, bounds=bounds)
    answer = {"rows": rows, "candidates": candidates, "excess": excess, "delta": delta, "bounds": list(bounds)}
    show(answer, bound_text(answer, width=columns()), as_json=as_json)


@command(
    epilog=examples(
        "foldwise check wine.csv --target quality",
        "foldwise check visits.csv --target cost --groups patient --json",
        "foldwise check wine.csv --target quality --silence FW101",
    )
)
@data_argument
@flags(learners, "effort", *DATA, "loss", "outer", "inner", "repeats", "seed", "silence", as_json)
def check(data: str, as_json: bool, **given: Any) -> None:
    """Look for leaks and traps in data and set-up.

    Makes the checks of `compare` before the fits, and a slower one: each learner is fitted twice. Every code is
    explained in docs/checks.md.
    """
    from foldwise.api.check import check as look

    study = study_of(data, **given)
    findings = look(study.make_learners(), study.read_data(), **study.options())
    show(findings.to_dict(), wrapped(str(findings)), as_json=as_json)


@command("learners", epilog=examples("foldwise learners", "foldwise learners --long"))
@click.option("--long", "is_long", is_flag=True, help="All parameters, their values, and the preprocessing.")
@as_json
def list_learners(is_long: bool, as_json: bool) -> None:
    """List the built-in learners.

    With --long: what is tuned over which values in three sizes, what is simple, the preprocessing, and what has to be
    installed.
    """
    from foldwise.learners.listing import entries, listing_text, short_text

    rows = entries()
    text = (
        listing_text(rows) if is_long else f"{short_text(rows, width=columns())}\n\nAll of it: foldwise learners --long"
    )
    show({"learners": rows}, text, as_json=as_json)


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
    from foldwise.blocks.numbers import candidate_words, number

    chosen, score = candidate_words(answer["candidate"]), number(answer["selection_score"])
    lines = [
        f"{answer['learner']}: {chosen}, the best of {answer['candidates']} candidates.",
        f"Its selection score is {score}. It chose the candidate, so for the rows it was trained on it is too good",
        "on average: for the risk use `foldwise risk` or `foldwise compare`.",
    ]
    if answer["guarantee"]["excess"] is not None:
        lines.append(f"Guarantee: {answer['guarantee']['words']}.")
    return "\n".join(lines)


def _numbers(option: str, text: str) -> list[int | float]:
    from foldwise.api.study_values import read_scalar

    values = [read_scalar(part) for part in text.split(",")]
    if not all(type(value) in (int, float) for value in values):
        raise click.UsageError(f"{option} must be numbers with commas between them, not {text!r}.")
    return values
