"""Commands on files that are there: stores and saved models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from foldwise.cli.flags import SHARE, as_json, complete_data, complete_losses, flag, trust
from foldwise.cli.help import Commands, command, examples
from foldwise.cli.output import check_folder, columns, remark, show, show_estimate, write_whole


@click.group(
    cls=Commands,
    epilog=examples("foldwise store info runs/wine", "foldwise store verify runs/wine"),
)
def store() -> None:
    """Look at a store, or check it."""


@store.command(epilog=examples("foldwise store info runs/wine", "foldwise store info runs/wine --failed"))
@click.argument("run")
@click.option("--failed", is_flag=True, help="List the fits that failed.")
@as_json
def info(run: str, failed: bool, as_json: bool) -> None:
    """How many fits a store keeps, how many failed, and its size."""
    from foldwise.show.short_texts import store_text
    from foldwise.studies.stored import ORIGIN, STUDY

    opened = _open_store(run)
    answer = opened.info()
    known = {document.name for document in (STUDY, ORIGIN) if document.read(opened)}
    show(answer, store_text(answer, failed=failed, width=columns(), documents=known), as_json=as_json)


@store.command(epilog=examples("foldwise store verify runs/wine"))
@click.argument("run")
@as_json
def verify(run: str, as_json: bool) -> int:
    """Compare the checksum of every fit and document.

    What is damaged counts as missing: the line that began the study makes it again. The exit code is 1 if something is.
    """
    problems = _open_store(run).verify()
    answer = {"path": run, "is_sound": not problems, "problems": problems}
    again = "Run the line that began the study again: what is damaged is made again."
    show(answer, "\n".join([*problems, again]) if problems else f"{run} is sound", as_json=as_json)
    return 1 if problems else 0


@command(
    "test",
    epilog=examples(
        "foldwise test wine.skops new.csv",
        "foldwise test wine.skops new.csv --loss absolute --store runs/tests",
    ),
)
@click.argument("model")
@click.argument("data", shell_complete=complete_data)
@click.option("--target", metavar="COL", help="The column to predict (the one the model was made for).")
@click.option("--weights", metavar="COL", help="Weights of the rows.")
@click.option("--groups", metavar="COL", help="Rows of one group are not independent: the group is the unit.")
@click.option("--loss", metavar="LOSS", shell_complete=complete_losses, help="The loss (squared or zero_one).")
@flag("interval")
@click.option("--level", type=SHARE, default=0.95, show_default=True, help="Level of the interval.")
@click.option("--store", metavar="RUN", help="Keep here which models were scored on these rows, and in which order.")
@flag("silence")
@trust
@as_json
def judge(model: str, data: str, trust: bool, as_json: bool, **options: Any) -> None:
    """Test a saved model on rows it has not seen.

    The interval is about this one model, fixed beforehand. With --store a note says how many models have been scored on
    these rows.
    """
    from foldwise.api.model_file import load_model
    from foldwise.api.saved_model import judge_table

    file = load_model(model, trust=trust)
    show_estimate(judge_table(file, data, **options), of=Path(model).name, as_json=as_json)


@command("ladder", epilog=examples("foldwise ladder wine.skops new.csv --store runs/board"))
@click.argument("model")
@click.argument("data", shell_complete=complete_data)
@click.option("--store", metavar="RUN", required=True, help="The store that has the leaderboard.")
@click.option("--step", type=float, help="The gain that counts, fixed by the first model (range / sqrt(rows)).")
@click.option("--target", metavar="COL", help="The column to predict (the one the model was made for).")
@click.option("--loss", metavar="LOSS", shell_complete=complete_losses, help="The loss (squared or zero_one).")
@click.option("--level", type=SHARE, default=0.95, show_default=True, help="Level of the interval.")
@trust
@as_json
def ladder(model: str, data: str, trust: bool, as_json: bool, **options: Any) -> None:
    """Submit a saved model to a leaderboard.

    For models that were made after looking at the scores of others.

    Tells the smallest risk so far, and a new one only where it is better by more than a step (Blum and Hardt, 2015).
    Its interval then holds however the models were made, as long as DATA is scored in no other way.
    """
    from foldwise.api.model_file import load_model
    from foldwise.api.saved_model import submit_table

    file = load_model(model, trust=trust)
    show_estimate(submit_table(file, data, **options), of="the best model so far", as_json=as_json)


@command(
    epilog=examples(
        "foldwise predict wine.skops new.csv",
        "foldwise predict wine.skops new.csv --out predictions.csv",
        "foldwise predict wine.skops new.csv --interval 0.9 # see: compare --intervals",
        "cat new.csv | foldwise predict wine.skops -",
    )
)
@click.argument("model")
@click.argument("new", shell_complete=complete_data)
@click.option("--out", metavar="FILE.csv", help="Where to write the predictions (standard output).")
@click.option(
    "--interval",
    "level",
    type=click.FloatRange(0.5, 1, min_open=True, max_open=True),
    is_flag=False,
    flag_value=0.9,
    metavar="[LEVEL]",
    help="Add a prediction interval (low, high) of this level (0.9) or, for classes, a set of them.",
)
@flag("silence")
@trust
@as_json
def predict(
    model: str,
    new: str,
    out: str | None,
    level: float | None,
    silence: tuple[str, ...],
    trust: bool,
    as_json: bool,
) -> None:
    """Predict new rows with a saved model.

    NEW is a file, or - for standard input. Columns that the model does not know are ignored; their order does not
    matter. What is new in the rows, beside those the model was trained on, is told on standard error. --interval needs
    a model that was saved with --intervals.
    """
    from foldwise.api.check import check_rows
    from foldwise.api.model_card import promise_words
    from foldwise.api.model_file import load_model
    from foldwise.api.saved_model import check_has_intervals, predict_table
    from foldwise.checks.check import read_silence
    from foldwise.data.sources import read_table

    if out:
        check_folder(out)
    silenced, file = read_silence(silence), load_model(model, trust=trust)
    if level is not None:
        check_has_intervals(file, level)
    rows = read_table(new)
    table = predict_table(file, rows, level=level)
    if level is not None:
        remark(promise_words(file.about.get("intervals"), level))
    found = check_rows(file.about, rows, silence=silenced)
    for line in repr(found).splitlines() if len(found) else ():
        remark(line)
    if out:
        write_whole(out, lambda path: table.to_csv(path, index=False, lineterminator="\n"))
        remark(f"{len(table)} predictions are in {out}")
    if as_json or not out:
        answer = {"predictions": table.to_dict("records"), **found.to_dict()}
        show(answer, table.to_csv(index=False, lineterminator="\n").rstrip("\n"), as_json=as_json)


@command("info", epilog=examples("foldwise info wine.skops", "foldwise info wine.skops --json"))
@click.argument("model")
@click.option("--trust", is_flag=True, help="Read the card of a pickle. It can run code.")
@as_json
def card(model: str, trust: bool, as_json: bool) -> None:
    """What is known of a saved model: its data, columns, risk, versions and date."""
    from foldwise.api.model_card import card_text, shown_card
    from foldwise.api.model_file import read_card

    about = read_card(model, trust=trust)
    show(shown_card(about), card_text(about), as_json=as_json)


def _open_store(run: str) -> Any:
    from foldwise.records.sqlite import SqliteStore

    return SqliteStore(run, readonly=True)
