"""What search objects inside a fitted model have chosen, by the names the user gave them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from foldwise.studies.plain import plain_candidate

MOST_CHOSEN = 100  # parameters of one model that are kept
MOST_TEXT = 500  # letters of a value that is text, or known by its repr alone


def choices_inside(model: Any) -> dict[str, Any]:
    """The `best_params_` of a search object, or of those in the steps of a pipeline, with the step before the name.

    Numbers, text and lists as they are, other values by their repr.

    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.model_selection import GridSearchCV
    >>> search = GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, cv=2).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 2, 3])
    >>> choices_inside(search), choices_inside(Ridge())
    ({'alpha': 0.1}, {})
    """
    try:
        chosen = dict(list(_found(model, ""))[:MOST_CHOSEN])
        found = plain_candidate(chosen) if chosen else {}
    except Exception:  # a learner's own property or repr may do anything, and its fit is none the worse
        return {}
    return {name: value[:MOST_TEXT] if isinstance(value, str) else value for name, value in found.items()}


def _found(model: Any, before: str) -> Iterator[tuple[str, Any]]:
    chosen = getattr(model, "best_params_", None)
    if isinstance(chosen, Mapping):
        yield from ((f"{before}{name}", value) for name, value in chosen.items())
        return
    steps = getattr(model, "steps", None)
    if isinstance(steps, list):
        for name, step in (entry for entry in steps if isinstance(entry, tuple) and len(entry) == 2):
            yield from _found(step, f"{before}{name}__")
    elif (inside := getattr(model, "regressor_", None)) is not None:  # a learner of a transformed target
        yield from _found(inside, f"{before}regressor__")
