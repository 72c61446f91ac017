"""A commented study file for a table: what was found in it, and what could be said about it."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator

from foldwise.blocks.numbers import number
from foldwise.data.dataset import Dataset
from foldwise.data.sources import read
from foldwise.plans.effort import NORMAL, default_names, find_level

MOST_NAMED = 200  # columns of one kind
MOST_CLASSES = 8
LINE = 110  # letters
# Options that the table alone does not tell, each with what it means.
COMMENTED = (
    ('drop = ["..."]', "columns that say nothing about new rows, such as their numbers"),
    ('groups = "..."', "rows of one value never part between train and test: patients, shops, ..."),
    ('time = "..."', "train on the past, test on the future"),
    ('weights = "..."', "how much a row counts"),
    ("outer = 13", "folds that estimate the error, or a share such as 0.2; left out, by the number of rows"),
    ('inner = "aligned"', 'folds that tune, a share, or "dev"'),
    ('store = "runs/study"', "keeps every fit, so that a study can be resumed"),
    ('title = "..."', "of the page that --report writes"),
)


def draft_study(data: str, *, target: str | None, task: str | None = None, where: str | None = None) -> str:
    """The text of a study file for a table; `where` is the path of the table as the file should name it.

    >>> print(draft_study("diabetes", target=None).splitlines()[0])
    # A study of diabetes, written by `foldwise init`.
    """
    table = read(data, target=target, task=task)
    place = where or data
    name = "standard input" if place == "-" else place.replace("\\", "/").rpartition("/")[2]
    options = {"data": place, "target": target, "task": task}
    level = find_level(NORMAL)
    learners = [*default_names(level, table.task, rows=table.rows), *level.more]
    lines = [
        f"# A study of {_plain(name)}, written by `foldwise init`.",
        "# Run it with `foldwise compare`; `--plan` tells its cost.",
        *(f"{key} = {_text(value)}" for key, value in options.items() if value),
        *(f"# {line}" for fact in _facts(table) for line in textwrap.wrap(_plain(fact), LINE)),
        "",
        f"loss = {_text('squared' if table.task == 'regression' else 'zero_one')}",
        "seed = 0",
        "",
        "# The default learners are compared as long as none are named; all that there are: foldwise learners",
        f"# learners = [{', '.join(map(_text, learners))}]",
        "# Remove the # where it is true:",
        *(f"# {option:<22} # {meaning}" for option, meaning in COMMENTED),
    ]
    return "\n".join(lines) + "\n"


def _facts(table: Dataset) -> Iterator[str]:
    """The task, and the columns of each kind."""
    if table.task == "regression":
        yield f"{table.rows:,} rows; the target is an amount from {number(table.y.min())} to {number(table.y.max())}."
    else:
        counts = [f"{label} ({(table.codes == code).sum():,})" for code, label in enumerate(table.classes)]
        more = ", ..." if len(counts) > MOST_CLASSES else ""
        yield f"{table.rows:,} rows; the target has {len(counts)} classes: {', '.join(counts[:MOST_CLASSES])}{more}."
    for kind in dict.fromkeys(table.kinds):
        names = [name for name, other in zip(table.names, table.kinds, strict=True) if other == kind]
        more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
        yield f"{kind}: {', '.join(names[:MOST_NAMED])}{more}"


def _text(value: str) -> str:
    """A text as TOML writes it."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _plain(text: str) -> str:
    """Text that may stand in a comment: on one line, without control characters."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
