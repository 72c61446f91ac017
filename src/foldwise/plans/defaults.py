"""Tuned learners at their own default parameters: what one would use without tuning, on the same outer splits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from foldwise.learners.learner import Learner
from foldwise.plans.searches import Tuning
from foldwise.tuners.budget import read_budget

MANY = 20  # candidates beside which one fit more per outer split is cheap


def with_defaults(learners: Sequence[Learner], tuning: Tuning, *, is_asked: bool | None) -> tuple[Learner, ...]:
    """The learners and, hidden, the tuned ones as they were given; where it is not asked for, those of many candidates.

    A combined learner has no defaults. They come before the last learner: that is the baseline, which a run with a time
    limit does first.
    """
    if is_asked is False:
        return tuple(learners)
    names, found = {learner.name for learner in learners}, list[Learner]()
    for learner in learners:
        if learner.space is None or learner.is_hidden or learner.members:
            continue
        if is_asked or _candidates(learner, tuning) >= MANY:
            name = f"{learner.name} (default parameters)"
            while name in names:
                name += "'"
            names.add(name)
            own = replace(learner, name=name, space=None, is_default=False, is_hidden=True)
            found.append(replace(own, defaults_of=learner.name))
    return (*learners[:-1], *found, *learners[-1:])


def _candidates(learner: Learner, tuning: Tuning) -> float:
    assert learner.space is not None
    budget = read_budget(learner.budget or tuning.budget).candidates
    return learner.space.size if budget is None else min(learner.space.size, budget)
