"""Combined learners as the user gives them: as objects, or as text such as `stack(ridge+forest)`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from foldwise.data.dataset import Dataset
from foldwise.errors import BadLearner, nearest
from foldwise.learners.checks import check_learner
from foldwise.learners.learner import Learner
from foldwise.learners.named import Named
from foldwise.losses.loss import Loss

WAYS = {"best-of": "best_of", "stack": "stack", "blend": "blend"}


def read_combined(request: Any) -> Any:
    """A combined learner, if this is one or a text for one; else None.

    >>> read_combined("blend(ridge + k-nn)")
    Blend(members=['ridge', 'k-nn'])
    """
    if hasattr(request, "combines"):
        return request
    text = request.name if isinstance(request, Named) else request
    if not isinstance(text, str) or "(" not in text:
        return None
    if isinstance(request, Named) and request.overrides:
        raise BadLearner(
            f"{text} has no parameter {next(iter(request.overrides))!r} of its own", "Give parameters to its members"
        )
    from foldwise.learners import combined

    way, members = _read_text(text)
    made = getattr(combined, WAYS[way])(members)
    return made.set_params(**_own_words(request)) if isinstance(request, Named) else made


def with_all_members(named: dict[str, Any]) -> dict[str, Any]:
    """A bare way of combining, such as `blend`, with all other learners as its members.

    >>> with_all_members({"ridge": "ridge", "k-nn": "k-nn", "blend": "blend"})["blend"]
    'blend(ridge+k-nn)'
    """
    others = [name for name, request in named.items() if name != "baseline" and not is_combining(request)]
    return {
        name: f"{request}({'+'.join(others)})" if isinstance(request, str) and request in WAYS else request
        for name, request in named.items()
    }


def is_combining(request: Any) -> bool:
    """Is this a learner made of learners, or a text for one, with or without its members?"""
    return (isinstance(request, str) and request.strip() in WAYS) or read_combined(request) is not None


def _own_words(request: Named) -> dict[str, Any]:
    """What `fw.tune("stack(ridge+forest)", inner=5)` says beside the members."""
    if request.stop is not None or not request.refit:
        raise BadLearner(f"{request.name} takes neither stop nor refit", "Leave them out")
    words = ("inner", "tuner", "budget", "rule", "loss", "seed", "jobs")
    return {word: getattr(request, word) for word in words}


def _read_text(text: str) -> tuple[str, list[str]]:
    """The way of combining and the members in `stack(ridge+forest)`."""
    way, _, rest = text.strip().partition("(")
    way = way.strip()
    if way not in WAYS:
        raise BadLearner(f"there is no way to combine learners called {way!r}", nearest(way, WAYS))
    example = f"Write it as {way}(ridge+forest)"
    if "(" in rest:
        raise BadLearner(f"{text} has a member that is itself made of learners", f"Name its members in {way} instead")
    if not rest.endswith(")") or rest.count(")") > 1:
        raise BadLearner(f"the brackets of {text} do not match", example)
    members = [name.strip() for name in re.split(r"[+,]", rest[:-1])]
    if not all(members):
        raise BadLearner(f"{text} has an empty name", example)
    if len(members) < 2:
        raise BadLearner(f"{text} needs two or more learners, not 1", example)
    return way, members


def combined_learner(name: str, request: Any, members: Sequence[Learner], data: Dataset, loss: Loss) -> Learner:
    """A combined learner with the estimator that combines its members, or a stand-in where one of them is chosen."""
    estimator = members[0].estimator
    if request.combines != "best_of":
        from foldwise.learners.stacking import final_learner

        final = getattr(request, "final", None)
        estimator = final_learner(request.combines, data, loss) if final is None else final
    options = {name: getattr(request, name) for name in ("inner", "tuner", "budget", "rule")}
    return Learner(name, estimator, combines=request.combines, members=tuple(members), **options)


def check_final(learner: Learner, data: Dataset, losses: Sequence[Loss]) -> None:
    """Refuse a final learner that cannot be used: it is fitted on numbers alone, whatever the data are."""
    members = np.zeros((data.rows, len(learner.members)))
    names = tuple(member.name for member in learner.members)
    table = replace(data, X=members, names=names, kinds=("number",) * len(names))
    check_learner(f"{learner.name}: final", learner.estimator, table, losses)
