"""Commands on files that are there: stores and saved models."""

from __future__ import annotations

from typing import Any

import click

from foldwise.cli.options import INTERVAL, SHARE, Commands, as_json
from foldwise.cli.output import check_folder, remark, show


@click.group(cls=Commands)
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
    show(answer, "\n".join(lines + (failures if failed else [])), as_json=as_json)


@store.command()
@click.argument("run")
@as_json
def verify(run: str, as_json: bool) -> int:
    """Compare the checksum of every record.

    The exit code is 1 if one is damaged.
    """
    problems = _open_store(run).verify()
    answer = {"path": run, "is_sound": not problems, "problems": problems}
    show(answer, "\n".join(problems) or f"{run} is sound", as_json=as_json)
    return 1 if problems else 0


@store.command()
@click.argument("run")
@click.argument("copy")
@as_json
def backup(run: str, copy: str, as_json: bool) -> None:
    """Copy a store, also while a study is writing to it."""
    _open_store(run).backup(copy)
    show({"path": run, "copy": copy}, f"{run} was copied to {copy}", as_json=as_json)


@click.command("test")
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
def judge(model: str, data: str, trust: bool, as_json: bool, **options: Any) -> None:
    """Test a saved model on rows it has not seen."""
    from foldwise.api.model_file import load_model
    from foldwise.api.saved_model import judge_table

    estimate = judge_table(load_model(model, trust=trust), data, **options)
    notes = [f"note: {text}" for _, text in estimate.notes]
    show(estimate.to_dict(), "\n".join([str(estimate), *notes]), as_json=as_json)


@click.command()
@click.argument("model")
@click.argument("new")
@click.option("--out", metavar="FILE.csv", help="Where to write the predictions (standard output).")
@click.option("--trust", is_flag=True, help="Load a pickle, or types that are not on the list. It can run code.")
@as_json
def predict(model: str, new: str, out: str | None, trust: bool, as_json: bool) -> None:
    """Predict new rows with a saved model.

    Columns of NEW that the model does not know are ignored; their order does not matter.
    """
    from foldwise.api.model_file import load_model
    from foldwise.api.saved_model import predict_table
    from foldwise.data.sources import read_table

    if out:
        check_folder(out)
    table = predict_table(load_model(model, trust=trust), read_table(new))
    if out:
        table.to_csv(out, index=False, lineterminator="\n")
        remark(f"{len(table)} predictions are in {out}")
    if as_json or not out:
        rows = {"predictions": table.to_dict("records")}
        show(rows, table.to_csv(index=False, lineterminator="\n").rstrip("\n"), as_json=as_json)


def _open_store(run: str) -> Any:
    from foldwise.records.sqlite import SqliteStore

    return SqliteStore(run, readonly=True)
