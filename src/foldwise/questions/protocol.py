"""What was done: how rows were split at both levels, what was tuned and how, and how the data were protected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from foldwise.questions.training_size import training_size
from foldwise.splits.split import Splits
from foldwise.stats.chooser import is_built_in
from foldwise.studies.study import Method, Study


def protocol(study: Study) -> dict[str, Any]:
    """The exact protocol of a study in plain values: what the methods paragraph is made from."""
    return {
        "rows": study.rows,
        "task": study.task,
        "classes": len(study.classes),
        "losses": [loss.name for loss in study.losses],
        "loss_words": study.losses[0].words,
        "is_per_row": study.losses[0].is_per_row,
        "seed": study.seed,
        "level": study.level,
        "interval": study.interval.name if study.interval else None,
        "own_references": {own.name: own.reference} if (own := study.interval) and not is_built_in(own) else {},
        "on_failure": study.on_failure,
        "weights": study.weights is not None,
        "groups": None if study.groups is None else len(np.unique(study.groups)),
        "optimism": study.has_optimism,
        "threads": study.threads,
        "outer": _splits(study.outer),
        "defaults": [method.defaults_of for method in study.methods if method.defaults_of],
        "methods": [_method(study, method) for method in study.methods if not method.defaults_of],
    }


def _splits(splits: Splits) -> dict[str, Any]:
    size, test = training_size(splits), [len(split.test) for split in splits]
    return {
        "scheme": splits.scheme,
        "kind": splits.kind,
        "folds": splits.folds,
        "repeats": splits.repeats,
        "is_partition": splits.is_partition,
        "is_stratified": "stratified" in splits.scheme,
        "train_rows": [size.low, size.high],
        "rows_drawn": round(size.drawn) if size.drawn > size.mean else None,
        "test_rows": [min(test), max(test)],
    }


def _method(study: Study, method: Method) -> dict[str, Any]:
    facts: dict[str, Any] = {"name": method.name, "kind": _kind(method), "candidates": method.listed}
    facts |= {"is_hidden": method.is_hidden, "takes_weights": "weights" not in dict(method.notes)}
    facts |= {"combines": method.combines, "members": _members(method), **_search(study, method)}
    if method.inner is not None:
        final = method.inner.final if study.has_final else None
        facts |= {
            "rule": method.rule,
            "tuner": str(method.tuner),
            "inner": {**_inner(method.inner.splits), "aligned": _aligned(method.inner.scheme)},
            "final": None if final is None else _splits(final),
        }
    return facts


def _members(method: Method) -> list[str]:
    """The members of a combined learner."""
    if method.combines == "best_of":
        return list(dict.fromkeys(str(candidate["method"]) for candidate in method.candidates))
    return [name for name, _ in method.members]


def _kind(method: Method) -> str:
    if method.inner is not None:
        return "tuned"
    return "plain" if len(method.candidates) == 1 else "swept"


def _search(study: Study, method: Method) -> dict[str, Any]:
    """The fewest and most candidates that the tunings of a search tried, and what may have ended them."""
    if method.tuner.is_listed:
        return {}
    limits = method.tuner.limits
    tried = [len(method.proposals.of(name, limits)) for name in study.named_tunings(method)] or [0]
    return {"tried": [min(tried), max(tried)], "seconds": limits.seconds, "stop": limits.stop}


def _inner(levels: Sequence[Splits]) -> dict[str, Any]:
    """Facts of the inner splits; those of time-ordered outer splits have more and more rows."""
    each = [_splits(splits) for splits in levels]
    ends = {key: [one[key] for one in each] for key in ("train_rows", "test_rows")}
    ranges = {key: [min(low for low, _ in pairs), max(high for _, high in pairs)] for key, pairs in ends.items()}
    return {**each[0], **ranges}


def _aligned(scheme: str) -> str | None:
    """Which aligned scheme the inner folds are of, if any."""
    return next((word for word in ("lines", "pairs") if scheme.endswith(f" on {word}")), None)
