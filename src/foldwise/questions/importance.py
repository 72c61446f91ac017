"""Which columns a method needs: how much larger its loss is on held-out rows with one of them shuffled."""

from __future__ import annotations

from typing import Any

import numpy as np

from foldwise.errors import BadStudy
from foldwise.questions.method import MethodAnswer
from foldwise.studies.measured import SHUFFLES, Shuffled, model_name, read_measured
from foldwise.studies.study import Study


def check_rows(study: Study) -> None:
    """Refuse outer splits in which there is nothing to shuffle, before any fit is made."""
    if min(len(split.test) for split in study.outer) < 2:
        raise BadStudy(
            "permutation importance shuffles a column among the rows that an outer split holds out, and one holds out "
            "a single row",
            "Use folds of several rows, such as outer=10",
        )


def importance_of(answer: MethodAnswer) -> dict[str, Any] | None:
    """The importance of every column, the largest first; no column while an outer model is missing, None without any.

    The increase at an outer split is the mean over its shuffles; `low` and `high` are the smallest and the largest
    of the splits, and no interval: their models share training rows.
    """
    study, method = answer.study, answer.method
    kept = read_measured(answer.reading.store, method)
    if kept is None:
        return None
    losses = answer.fold_losses
    found: list[Shuffled] = []
    for at, split in enumerate(study.outer):
        candidate = answer.reading.outer_candidate(method, at)
        name = None if candidate is None else model_name(study, method, candidate, split)
        one = None if name is None else kept.find(name, float(losses[at]))
        found += [] if one is None else [one]
    if not found:
        return None
    is_whole = len(found) == len(study.outer)
    return {
        "loss": study.losses[0].name,
        "shuffles": SHUFFLES,
        "models": len(found),
        "of": len(study.outer),
        "seconds": round(sum(one.seconds for one in found), 3),
        "seconds_per_1000": _pace(answer, found) if is_whole else None,
        "columns": _columns(kept.columns, found) if is_whole else [],
    }


def _pace(answer: MethodAnswer, found: list[Shuffled]) -> float:
    """Seconds of predicting 1,000 rows, by the outer models and as many rows as their splits hold out."""
    rows = sum(len(split.test) for split in answer.study.outer)
    return 1000 * sum(one.predicting for one in found) / rows


def _columns(names: tuple[str, ...], found: list[Shuffled]) -> list[dict[str, Any]]:
    by_fold = np.array([one.losses.mean(axis=1) - one.whole for one in found])  # by_fold[fold, column]
    means = by_fold.mean(axis=0)
    return [
        {
            "name": names[at],
            "increase": float(means[at]),
            "low": float(by_fold[:, at].min()),
            "high": float(by_fold[:, at].max()),
            "folds": by_fold[:, at].tolist(),
        }
        for at in np.argsort(-means, kind="stable").tolist()
    ]
