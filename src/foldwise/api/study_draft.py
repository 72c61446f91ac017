"""A commented study file for a table: what was found in it, and what could be said about it."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator
from typing import Any

import numpy as np

from foldwise import __version__
from foldwise.blocks.numbers import number
from foldwise.data.dataset import Dataset, make_dataset
from foldwise.data.sources import builtin_table, read_table
from foldwise.errors import BadData, nearest
from foldwise.plans.effort import NORMAL, default_names, find_level

# Names of columns that often mean that rows belong together, or when they were made.
GROUP = re.compile(
    r"(^|_|\b)(patient|subject|person|user|customer|client|household|family|school|site|hospital|group|"
    r"session|device|store|shop|farm|plot|batch|company|account)s?(_?(id|no|nr|number|code|name))?$",
    re.I,
)
IDENTIFIER = re.compile(r"(^|_)(id|index|uuid|guid|row|key|nr|no)$|^unnamed: \d+$", re.I)
TIME = re.compile(r"(^|_)(date|time|timestamp|datetime|day|month|year|when)(_|$)", re.I)
WEIGHTS = re.compile(r"^(sample_?weights?|weights?|wt|case_?weights?|exposure)$", re.I)
MOST_LISTED = 200  # columns that are listed
MOST_CLASSES = 20  # values of a target that could be read as classes
MOST_GROUPS = 0.5  # distinct values per row of a column that can name groups
WIDE = 30  # letters of a column's name
LINE = 88


def draft_study(data: str, *, target: str | None, task: str | None = None, where: str | None = None) -> str:
    """The text of a study file for a table; `where` is the path of the table as the file should name it.

    >>> print(draft_study("diabetes", target=None).splitlines()[0])
    # A study of diabetes, written by `foldwise init`.
    """
    found = builtin_table(data)
    frame, known = found if found is not None else (read_table(data), None)
    wanted = target or known
    if wanted is None:
        raise BadData("there is no target", f"Name one with --target: {', '.join(map(str, frame.columns))}")
    if wanted not in frame.columns:
        raise BadData(f"there is no column {wanted!r} for the target", nearest(wanted, map(str, frame.columns)))
    dataset = make_dataset(frame, wanted, task=task)
    place = where or data
    parts = [_head(place, frame), _data(place, wanted if target or known is None else None, task, dataset)]
    parts += [_columns(frame, dataset, wanted), _suggestions(frame, dataset), _learners(dataset), _scheme(dataset)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _head(place: str, frame: Any) -> str:
    name = place.replace("\\", "/").rpartition("/")[2]
    told = "standard input" if place == "-" else name
    return "\n".join(
        [
            f"# A study of {_comment(told)}, written by `foldwise init`.",
            "# Run it with `foldwise compare`; `--plan` tells its cost first. Lines that begin with # are not read.",
        ]
    )


def _data(place: str, target: str | None, task: str | None, data: Dataset) -> str:
    lines = [f"foldwise = {_text(__version__)}", f"data = {_text(place)}"]
    lines += [f"target = {_text(target)}"] if target else []
    lines += [f"task = {_text(task)}"] if task else []
    lines += [f"# {line}" for line in textwrap.wrap(_comment(_task_words(data)), LINE)]
    other = "classification" if data.task == "regression" else "regression"
    values = np.unique(data.y).size if data.y.dtype.kind in "iuf" else 0
    is_open = task is None and 0 < values <= MOST_CLASSES
    lines += [f"# task = {_text(other)}   # if the target should be read the other way"] if is_open else []
    return "\n".join(lines)


def _task_words(data: Dataset) -> str:
    if data.task == "regression":
        ends = f"{number(data.y.min())} to {number(data.y.max())}"
        return f"{data.rows:,} rows; the target is an amount from {ends}: regression."
    counts = [int((data.codes == code).sum()) for code in range(len(data.classes))]
    pairs = [f"{label} ({count:,})" for label, count in zip(data.classes, counts, strict=True)]
    more = ", ..." if len(pairs) > 8 else ""
    return f"{data.rows:,} rows; the target has {len(pairs)} classes: {', '.join(pairs[:8])}{more}."


def _columns(frame: Any, data: Dataset, target: str) -> str:
    """Every column with its kind, its missing values and some of its values."""
    names = data.names[:MOST_LISTED]
    wide = min(max(map(len, names)), WIDE)
    lines = ["# Columns: kind, missing values, and what is in them"]
    for name, kind in zip(names, data.kinds, strict=False):
        column = frame[name] if name in frame.columns else None
        missing = int(column.isna().sum()) if column is not None else 0
        told = f"{missing:,} missing" if missing else ""
        words = f"{_comment(name)[:WIDE]:<{wide}}  {kind:<8}  {told:<14}  {_values(column, kind)}"
        lines.append(f"#   {words}".rstrip())
    if len(data.names) > MOST_LISTED:
        lines.append(f"#   and {len(data.names) - MOST_LISTED:,} more")
    return "\n".join(lines)


def _values(column: Any, kind: str) -> str:
    if column is None or not (known := column.dropna()).size:
        return ""
    if kind == "number" and known.dtype.kind in "iuf":
        return f"{number(known.min().item())} to {number(known.max().item())}"
    if kind == "date":
        first, last = (str(day).removesuffix(" 00:00:00") for day in (known.min(), known.max()))
        return f"{first} to {last}"
    counts = known.astype(str).value_counts()
    shown = ", ".join(_comment(value)[:20] for value in counts.index[:3])
    return f"{len(counts):,} value{'s' * (len(counts) != 1)}: {shown}{', ...' if len(counts) > 3 else ''}"


def _suggestions(frame: Any, data: Dataset) -> str:
    """Lines to be uncommented where a column means what its name says."""
    lines = list(_roles(frame, data))
    return "\n".join(["# Remove the # where it is true:", *lines]) if lines else ""


def _roles(frame: Any, data: Dataset) -> Iterator[str]:
    kinds = dict(zip(data.names, data.kinds, strict=True))
    columns = {name: kind for name, kind in kinds.items() if name in frame.columns}
    distinct = {name: frame[name].nunique() for name in columns}
    ids = [name for name in columns if IDENTIFIER.search(name) and distinct[name] > MOST_GROUPS * data.rows]
    if ids:
        listed = ", ".join(map(_text, ids))
        yield f"# drop = [{listed}]   # names of rows, which say nothing about new ones"
    for name, kind in columns.items():
        is_repeated = 1 < distinct[name] <= MOST_GROUPS * data.rows
        if is_repeated and (GROUP.search(name) or (IDENTIFIER.search(name) and kind != "boolean")):
            yield f"# groups = {_text(name)}   # rows of one {_comment(name)} never part between train and test"
        elif kind == "date" or (TIME.search(name) and kind == "number"):
            yield f"# time = {_text(name)}   # train on the past, test on the future"
        elif WEIGHTS.search(name) and kind == "number":
            yield f"# weights = {_text(name)}   # if it says how much a row counts"


def _learners(data: Dataset) -> str:
    level = find_level(NORMAL)
    names = ", ".join(map(_text, [*default_names(level, data.task, rows=data.rows), *level.more]))
    return "\n".join(
        [
            "# The default learners, as long as none are named; named ones have their default spaces.",
            "# All that there are: foldwise learners",
            f"# learners = [{names}]",
        ]
    )


def _scheme(data: Dataset) -> str:
    loss = "squared" if data.task == "regression" else "zero_one"
    return "\n".join(
        [
            "# What selects and what is reported; the splits follow the number of rows unless they are named.",
            f"loss = {_text(loss)}",
            "seed = 0",
            "# outer = 13            # folds that estimate the risk, or a share such as 0.2",
            '# inner = "aligned"     # folds that tune, a share, or "dev"',
            '# store = "runs/study"  # keeps every fit, so that a study can be resumed',
            '# title = "..."         # of the page that --report writes',
        ]
    )


def _text(value: str) -> str:
    """A text as TOML writes it."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _comment(text: str) -> str:
    """Text that may stand in a comment: on one line, without control characters."""
    return "".join(letter if letter.isprintable() else "?" for letter in str(text))
