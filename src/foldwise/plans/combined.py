"""Learners made of learners, as the user writes them: as objects, or as text such as `stack(ridge+forest)`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from foldwise.data.dataset import Dataset
from foldwise.errors import BadLearner
from foldwise.losses.loss import Loss
from foldwise.recipes.checks import check_learner
from foldwise.recipes.learner import Learner, Named

WORDS = {"best-of": "best_of", "stack": "stack", "blend": "blend"}


def read_combined(wish: Any) -> Any:
    """A learner made of learners, if this is one or a text for one; else None.

    >>> read_combined("blend(ridge + k-nn)")
    Blend(members=['ridge', 'k-nn'])
    """
    if hasattr(wish, "combines"):
        return wish
    text = wish.name if isinstance(wish, Named) else wish
    found = re.fullmatch(r"\s*([\w-]+)\s*\((.*)\)\s*", text) if isinstance(text, str) else None
    if found is None or found[1] not in WORDS:
        return None
    if isinstance(wish, Named) and wish.changes:
        raise BadLearner(
            f"{text} has no parameter {next(iter(wish.changes))!r} of its own", "Give parameters to its members"
        )
    from foldwise.tuners import combined

    members = [name.strip() for name in re.split(r"[+,]", found[2])]
    if not all(members):
        raise BadLearner(f"{text} has an empty name", f"Write it as {found[1]}(ridge+forest)")
    return getattr(combined, WORDS[found[1]])(members)


def combined_learner(name: str, wish: Any, members: Sequence[Learner], data: Dataset, loss: Loss) -> Learner:
    """A learner made of learners, with the estimator that combines them, or a stand-in where one of them is chosen."""
    estimator = members[0].estimator
    if wish.combines != "best_of":
        from foldwise.recipes.combining import final_learner

        final = getattr(wish, "final", None)
        estimator = final_learner(wish.combines, data, loss) if final is None else final
    words = {word: getattr(wish, word) for word in ("inner", "tuner", "budget", "rule")}
    return Learner(name, estimator, combines=wish.combines, members=tuple(members), **words)


def check_final(learner: Learner, data: Dataset, losses: Sequence[Loss]) -> None:
    """Refuse a final learner that cannot serve: it is given one number after another, whatever the data are."""
    members = np.zeros((data.rows, len(learner.members)))
    names = tuple(member.name for member in learner.members)
    table = replace(data, X=members, names=names, kinds=("number",) * len(names))
    check_learner(f"{learner.name}: final", learner.estimator, table, losses)
