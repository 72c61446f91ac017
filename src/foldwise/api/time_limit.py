"""What a time limit decides of what the user left open, so that there is an answer in time, told in words."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from foldwise.blocks.numbers import listed
from foldwise.data.dataset import Dataset
from foldwise.executors.local.local_executor import cores
from foldwise.learners.named import Named
from foldwise.plans.cost import slowness
from foldwise.plans.effort import complete
from foldwise.plans.limit import START, LimitDecision, choose
from foldwise.plans.methods import name_learners
from foldwise.records.document import Document
from foldwise.records.store import AnyStore, opened
from foldwise.studies.pace import duration

if TYPE_CHECKING:
    from foldwise.api.request import Request

STRANDS = 2  # that have work in any study: of one split, the tuning that is judged and the final one


@dataclass(frozen=True)
class StoredDecision:
    """What was decided for a question; the same question with the same store has the same decision."""

    question: str
    decision: LimitDecision


DECISION = Document("decision", StoredDecision, is_optional=True)  # one that cannot be read is made anew


def decide(asked: Request, data: Dataset, *, ends: float) -> LimitDecision:
    """What a request decides that ends by then, the same again for the same store."""
    question = _question(asked, data)
    decision = _kept(asked.store, question)
    if decision is None:
        choices, run = asked.choices, asked.run
        learners = complete(choices, data)[0].learners if choices.learners is None else choices.learners
        has_many = run.engine == "local" and run.isolate is not False
        workers = min(run.jobs or (cores() if has_many else 1), STRANDS)
        seconds = (ends - time.monotonic() - START) * workers / slowness()
        decision = choose(choices, data, name_learners(learners, data.task), seconds)
        _keep(asked.store, question, decision)
    return decision


def limit_notes(decision: LimitDecision, limit: float | None) -> tuple[tuple[str, str], ...]:
    """What was decided, as one would type it."""
    if limit is None or not decision.options:
        return ()
    options = ", ".join(f"{name}={_typed(value)}" for name, value in decision.learned_options.items())
    again = "without the limit these words give the same numbers, also those of methods that were cut"
    text = f"for an answer within {duration(limit)}: {options}; {again}"
    if decision.left_out:
        text += f"; left out, as they would take too long: {listed(decision.left_out)}"
    return (("time_limit", text),)


def _typed(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_typed(one)}" for key, one in value.items()) + "}"
    return f"fw.{value!r}" if isinstance(value, Named) else repr(value)


def written(decision: LimitDecision) -> dict[str, Any]:
    """What was decided, as options of a study file, so that it can be resumed as it is."""
    options = dict(decision.options)
    if "learners" in options:
        options["learners"] = [
            {"name": name, "learner": name, "parameters": [list(one) for one in decision.changes.get(name, {}).items()]}
            for name in options["learners"]
        ]
    return options


def _question(asked: Request, data: Dataset) -> str:
    """What was asked, without the limit: the same question with the same store has the same decision."""
    names = None if asked.learners is None else list(name_learners(asked.learners, data.task))
    parts = [data.fingerprint, names, asked.effort, repr(asked.outer), repr(asked.tuning), asked.options.repeats]
    return hashlib.blake2b(json.dumps(parts, default=str).encode(), digest_size=16).hexdigest()


def _kept(store: AnyStore, question: str) -> LimitDecision | None:
    """The decision that a store has for this question, if any."""
    if store is None:
        return None
    with opened(store) as kept:
        stored = DECISION.read(kept)
    return stored.decision if stored is not None and stored.question == question else None


def _keep(store: AnyStore, question: str, decision: LimitDecision) -> None:
    if store is not None:
        with opened(store) as kept:
            DECISION.write(kept, StoredDecision(question, decision))
