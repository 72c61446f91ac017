"""A request within a time limit: what is open is decided so that there is an answer in time, and told in words."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from foldwise.api.request import Request
from foldwise.blocks.numbers import listed
from foldwise.data.dataset import Dataset
from foldwise.data.roles import Roles
from foldwise.executors.local.local_executor import cores
from foldwise.executors.progress import duration
from foldwise.learners.named import Named
from foldwise.plans.effort import complete
from foldwise.plans.limit import START, Decision, choose, slowness
from foldwise.plans.methods import name_learners
from foldwise.records.store import AnyStore, opened

DOCUMENT = "decision"
STRANDS = 2


def within_limit(asked: Request) -> Request:
    """The request with explicit words for what its limit decides, the same ones again for the same store."""
    limit = asked.run.time_limit
    if limit is None:
        return asked
    asked = replace(asked, ends=time.monotonic() + limit)
    data = asked.data()
    asked = replace(asked, X=data, y=None, roles=Roles())
    question = _question(asked, data)
    decision = _kept(asked.store, question)
    if decision is None:
        decision = _choose(asked, data)
        _keep(asked.store, question, decision)
    return _decided(asked, decision, limit)


def _choose(asked: Request, data: Dataset) -> Decision:
    assert asked.ends is not None
    done, _ = complete(asked.words, data)
    named = name_learners(done.learners if asked.learners is None else asked.learners, data.task)
    left = asked.ends - time.monotonic() - START
    return choose(asked.words, data, named, left * _cores(asked) / slowness())


def _cores(asked: Request) -> int:
    """Cores that have work in any study: one split has two strands, the tuning that is judged and the final one."""
    has_many = asked.run.engine == "local" and asked.run.isolate is not False
    return min(asked.run.jobs or (cores() if has_many else 1), STRANDS)


def decided_words(asked: Request) -> dict[str, Any]:
    """What was decided, as options of a study file, so that it can be resumed as it is."""
    found = dict(asked.decided)
    if "learners" in found:
        named = name_learners(found["learners"], "")
        found["learners"] = [
            {"name": name, "learner": name, "parameters": [list(one) for one in _changes(request).items()]}
            for name, request in named.items()
        ]
    return found


def _changes(request: Any) -> dict[str, Any]:
    return request.overrides if isinstance(request, Named) else {}


def _decided(asked: Request, decision: Decision, limit: float) -> Request:
    words = _as_learners(decision)
    if not words:
        return asked
    tuning = replace(asked.tuning, inner=words.get("inner", asked.tuning.inner))
    changes = {name: words[name] for name in ("effort", "learners", "outer") if name in words}
    return replace(asked, tuning=tuning, decided=words, notes=_notes(decision, limit), **changes)


def _as_learners(decision: Decision) -> dict[str, Any]:
    """The words of a decision, with learners that learn from a sample of rows, or in fewer rounds, as such."""
    words, changes = dict(decision.words), decision.changes
    if changes:
        words["learners"] = {
            name: Named(name, dict(changes[name])) if name in changes else name for name in words["learners"]
        }
    return words


def _said(value: Any) -> str:
    """A value as one would type it."""
    if not isinstance(value, dict):
        return f"fw.{value!r}" if isinstance(value, Named) else repr(value)
    return "{" + ", ".join(f"{key!r}: {_said(one)}" for key, one in value.items()) + "}"


def _notes(decision: Decision, limit: float) -> tuple[tuple[str, str], ...]:
    said = ", ".join(f"{name}={_said(value)}" for name, value in _as_learners(decision).items())
    again = "without the limit these words give the same numbers, also those of methods that were cut"
    text = f"for an answer within {duration(limit)}: {said}; {again}"
    if decision.left_out:
        text += f"; left out, as they would take too long: {listed(decision.left_out)}"
    return (("time_limit", text),)


def _question(asked: Request, data: Dataset) -> str:
    """What was asked, without the limit: the same question with the same store has the same decision."""
    names = None if asked.learners is None else list(name_learners(asked.learners, data.task))
    words = [data.fingerprint, names, asked.effort, repr(asked.outer), repr(asked.tuning), asked.repeats]
    return hashlib.blake2b(json.dumps(words, default=str).encode(), digest_size=16).hexdigest()


def _kept(store: AnyStore, question: str) -> Decision | None:
    """The decision that a store has for this question, if any."""
    if store is None:
        return None
    with opened(store) as kept:
        content = kept.document(DOCUMENT)
    try:
        found = json.loads(content) if content else None
        if not isinstance(found, dict) or found.get("question") != question:
            return None
        samples = {name: {"max_rows": rows} for name, rows in found.get("max_rows", {}).items()}  # of earlier versions
        return Decision(dict(found["words"]), tuple(found["left_out"]), {**samples, **found.get("changes", {})})
    except (ValueError, KeyError, TypeError):  # it is decided anew
        return None


def _keep(store: AnyStore, question: str, decision: Decision) -> None:
    if store is not None:
        content: Mapping[str, Any] = {"question": question, **vars(decision)}
        with opened(store) as kept:
            kept.write_document(DOCUMENT, json.dumps(content).encode())
