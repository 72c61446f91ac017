"""What a page is about, in plain words: its title where none was given, and how the methods were judged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foldwise.blocks.numbers import loss_words, number, outer_words, plain
from foldwise.show.text import inner_words

TASKS = {"regression": "Regression", "binary": "Two classes", "multiclass": "Several classes"}


def untitled(answer: Mapping[str, Any]) -> str:
    """A title for data without a name: what was compared, on how many rows.

    >>> untitled({"methods": [{"name": "ridge"}, {"name": "baseline"}], "rows": 442})
    'ridge on 442 rows'
    """
    asked = [plain(method["name"]) for method in answer.get("methods") or [] if method["name"] not in QUIET]
    names = asked[0] if len(asked) == 1 else f"{len(asked)} methods compared"
    return f"{names} on {number(answer['rows'])} rows" if answer.get("rows") else names


def about_words(answer: Mapping[str, Any], protocol: Mapping[str, Any] | None) -> list[str]:
    """How the methods were judged and tuned, a sentence each.

    >>> answer = {"task": "regression", "rows": 442, "loss": "squared", "outer": "13 folds", "inner": "4 on lines"}
    >>> about_words({**answer, "train_rows": 408, "seed": 0}, None)[0]
    'Regression, 442 rows, squared loss.'
    """
    facts = (TASKS.get(str(answer.get("task")), ""), _rows(answer), loss_words(answer) if answer.get("loss") else "")
    sentences = [f"{', '.join(part for part in facts if part)}." if any(facts) else ""]
    if answer.get("outer"):
        sentences.append(f"Risks are measured on rows held out: {outer_words(answer)}.")
    if answer.get("inner"):
        sentences.append(f"Each training part is tuned by itself: {inner_words(str(answer['inner']))}.")
    target = (protocol or {}).get("target")
    return [plain(text) for text in (f"Target: {target}." if target else "", *sentences) if text]


def _rows(answer: Mapping[str, Any]) -> str:
    return f"{number(answer['rows'])} rows" if answer.get("rows") is not None else ""


QUIET = ("baseline", "auto")
