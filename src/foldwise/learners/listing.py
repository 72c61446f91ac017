"""The built-in learners as a table: what each is, what is tuned, and what it needs."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from foldwise.learners.catalogue import all_entries, install_command, is_installed
from foldwise.learners.plugin import foreign_names
from foldwise.learners.zoo.entry import EVERY_TASK, REGRESSION, SIZES, Entry, Facts, Size
from foldwise.spaces.space import make_space

if TYPE_CHECKING:
    import pandas as pd

TYPICAL = {"rows": 1_000, "columns": 10}  # the table that spaces are shown for


def list_learners() -> pd.DataFrame:
    """All built-in learners: what they are, what is tuned over which values, and what they need.

    >>> import foldwise as fw
    >>> fw.list_learners()["name"].tolist()[:3]
    ['baseline', 'linear', 'ridge']
    """
    import pandas as pd

    return pd.DataFrame(entries())


def entries() -> list[dict[str, Any]]:
    """One row per built-in learner, for `fw.list_learners()`.

    >>> [row["name"] for row in entries()][:3]
    ['baseline', 'linear', 'ridge']
    """
    return [*map(_row, all_entries()), *map(_foreign_row, foreign_names())]


def _foreign_row(name: str) -> dict[str, Any]:
    """What is known of a learner of another package before it is imported."""
    words = {"name": name, "task": "any", "summary": "brought by an installed package", "tuned": "by itself"}
    facts = {"weights": True, "most_rows": None, "extra": None, "installed": True}
    return {**dict.fromkeys(_row(all_entries()[0]), ""), **words, **facts}


def _row(entry: Entry) -> dict[str, Any]:
    spaces = {size: _space_words(entry, size) for size in SIZES}
    return {
        "name": entry.name,
        "task": _task_words(entry.tasks),
        "summary": entry.summary,
        "tuned": spaces["default"],
        "small": spaces["small"],
        "large": spaces["large"],
        "simpler": _simpler_words(entry),
        "preparation": entry.preprocessing,
        "solver": entry.solver,
        "weights": entry.takes_weights,
        "most_rows": entry.most_rows,
        "extra": entry.extra,
        "installed": is_installed(entry),
        "install": install_command(entry),
    }


def _task_words(tasks: tuple[str, ...]) -> str:
    if tasks == EVERY_TASK:
        return "any"
    return "regression" if tasks == REGRESSION else "classification"


def _facts(entry: Entry) -> Facts:
    return Facts(**TYPICAL, task="regression" if "regression" in entry.tasks else "binary")


def _space_words(entry: Entry, size: Size) -> str:
    tuned = entry.space(_facts(entry), size)
    return repr(make_space(tuned))[len("Space(") : -1] if tuned else "not tuned"


def _simpler_words(entry: Entry) -> str:
    """The simple end of each parameter of the large space."""
    tuned = entry.space(_facts(entry), "large")
    names = make_space(tuned).names if tuned else ()
    ways = {name: entry.simpler[name] for name in names}
    return ", ".join(f"{name}: {way if isinstance(way, str) else way[0]}" for name, way in ways.items())


def short_text(rows: list[dict[str, Any]], *, width: int = 80) -> str:
    """One learner on each line or two: its name, its task and what it is.

    >>> print(short_text(entries()[:2]))
    baseline  any         the mean, or the class frequencies, of the training rows
    linear    regression  least squares
    """
    wide, task = (max(len(row[key]) for row in rows) + 2 for key in ("name", "task"))
    lines = []
    for row in rows:
        words = row["summary"] if row["installed"] else f"{row['summary']} (not installed: {row['install']})"
        head = f"{row['name']:<{wide}}{row['task']:<{task}}"
        indent = " " * len(head)
        lines.append(textwrap.fill(words, width, initial_indent=head, subsequent_indent=indent, break_on_hyphens=False))
    return "\n".join(lines)


def listing_text(rows: list[dict[str, Any]]) -> str:
    """The table as paragraphs, since spaces are too long for columns."""
    return "\n\n".join(map(_paragraph, rows))


def _paragraph(row: dict[str, Any]) -> str:
    words = {
        "tuned": row["tuned"],
        "small": row["small"],
        "large": row["large"],
        "simpler": row["simpler"],
        "preprocessing": row["preparation"],
        "solver": row["solver"],
        "weights": "" if row["weights"] else "not taken",
        "rows": f"learns from at most {row['most_rows']:,}" if row["most_rows"] else "",
        "needs": "" if row["installed"] else row["install"],
    }
    told = {name: value for name, value in words.items() if value and (name == "tuned" or value != "not tuned")}
    head = f"{row['name']} ({row['task']}): {row['summary']}"
    return "\n".join([head, *(f"  {name:<13} {value}" for name, value in told.items())])
