"""Learners of a study, made from what the user gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from foldwise.data.dataset import Dataset
from foldwise.data.task import TaskHint
from foldwise.errors import BadLearner, BadLoss
from foldwise.learners.catalogue import builtin, default_learners, find_entry
from foldwise.learners.checks import check_copies, check_learner, check_responses, task_of
from foldwise.learners.learner import Learner
from foldwise.learners.model import responses_of
from foldwise.learners.named import Named
from foldwise.learners.plugin import resolve
from foldwise.learners.trial import check_space
from foldwise.losses.loss import Loss
from foldwise.losses.loss import task_hint as loss_task
from foldwise.plans.blends import BLEND, blend_learner, read_blend, with_all_members
from foldwise.studies.study import Note

BASELINE = "baseline"


def make_learners(requests: Any, data: Dataset, losses: tuple[Loss, ...]) -> tuple[Learner, ...]:
    """Every method of a study by its name, the featureless baseline among them; checked before any fit."""
    return able_learners(requests, data, losses)[0]


def able_learners(
    requests: Any, data: Dataset, losses: tuple[Loss, ...]
) -> tuple[tuple[Learner, ...], tuple[Note, ...]]:
    """Every method that can answer the losses, checked, and a note on each that cannot; refused where none can."""
    named = name_learners(requests, data.task)
    _refuse_reserved(named)
    learners, notes = _able(
        [_make_any(name, request, named, data, losses) for name, request in named.items()], data.task, losses
    )
    asked = {learner.name for learner in learners}
    if BASELINE not in asked:
        learners.append(make_learner(BASELINE, BASELINE, data))
    for learner in learners:
        for one in learner.members or (learner,):
            if not one.is_default:  # default spaces are tested with the learners
                check_space(one, data)
            if learner.name in asked:
                check_learner(one.name, _to_check(one, data.task, losses), data, losses)
    return tuple(learners), (*notes, *_text_notes(learners, data))


def _text_notes(learners: Sequence[Learner], data: Dataset) -> list[Note]:
    """What built-in learners make of free text."""
    from foldwise.learners.preprocessing.column_facts import free_text

    every = [one for learner in learners for one in learner.members or (learner,) if one.name != BASELINE]
    if not any(one.is_builtin for one in every) or not (columns := free_text(data)):
        return []
    listed = ", ".join(map(repr, columns))
    text = f"column {listed} is free text" if len(columns) == 1 else f"columns {listed} are free text"
    return [("text", f"{text}: built-in learners read the TF-IDF of the words, trees and others a truncated SVD of it")]


def _able(learners: Sequence[Learner], task: str, losses: tuple[Loss, ...]) -> tuple[list[Learner], list[Note]]:
    """The learners whose models answer every loss, and notes that name the others."""
    able: list[Learner] = []
    refused: dict[str, BadLoss] = {}
    for learner in learners:
        try:
            for one in learner.members or (learner,):
                if one.space is not None:  # of which candidates are made
                    check_copies(one.name, one.estimator)
                check_responses(one.name, _to_check(one, task, losses), task, losses)
            able.append(learner)
        except BadLoss as reason:
            refused[learner.name] = reason
    if refused and not able:
        raise next(iter(refused.values()))
    refused.pop(BASELINE, None)  # which every study has, if only to say that it has no risk
    return able, [("left out", f"{name} is left out: {reason.problem}") for name, reason in refused.items()]


def _make_any(name: str, request: Any, named: Mapping[str, Any], data: Dataset, losses: tuple[Loss, ...]) -> Learner:
    """One method, which may blend others: members given by name are rows of the study, or built in."""
    blend = read_blend(request)
    if blend is None:
        return make_learner(name, request, data, losses)
    _refuse_own_options(name, blend)
    members = name_learners(blend.members, data.task)
    requests = {
        member: named[own] if isinstance(own, str) and own in named and own != name else own
        for member, own in members.items()
    }
    if nested := next((member for member, own in requests.items() if read_blend(own) is not None), None):
        raise BadLearner(
            f"the member {nested!r} of {name!r} is itself a blend", f"Name its members in {name!r} instead"
        )
    learners = tuple(make_learner(member, own, data, losses) for member, own in requests.items())
    return blend_learner(name, blend, learners, data, losses[0])


def _to_check(learner: Learner, task: str, losses: tuple[Loss, ...]) -> Any:
    """The estimator to check: the first candidate that can answer every loss, or else the learner as it was given."""
    if learner.space is None or learner.space.size > 1000:
        return learner.estimator
    for candidate in learner.space.grid():
        able = responses_of(estimator := learner.at(candidate), task)
        if all(any(need in able for need in loss.needs) for loss in losses):
            return estimator
    return learner.estimator


def _refuse_reserved(named: dict[str, Any]) -> None:
    """Refuse two names: `baseline` is the featureless learner, `auto` the row that picks among the others."""
    baseline = named.get(BASELINE, BASELINE)
    for name in ("auto", *(() if baseline in (BASELINE, Named(BASELINE)) else (BASELINE,))):
        if name in named:
            raise BadLearner(
                f"the name {name!r} is reserved for a row of every comparison", "Give the learner another name"
            )


def make_learner(name: str, request: Any, data: Dataset, losses: Sequence[Loss] = ()) -> Learner:
    """One method from a built-in name, a Tuned learner, or any scikit-learn estimator."""
    if isinstance(request, str):
        request = Named(request)
    if isinstance(request, Named):
        _refuse_own_options(name, request)
        made = builtin(request.name, data, overrides=request.overrides, losses=losses)
        return replace(made, name=name, inner=request.inner, **request.search)
    if hasattr(request, "as_learner"):
        _refuse_own_options(name, request)
        learner: Learner = request.as_learner(name)
        return learner
    if isinstance(request, type):
        problem = f"learner {name!r} is the class {request.__name__}, not a learner made from it"
        raise BadLearner(problem, f"Write {request.__name__}()")
    if not hasattr(request, "get_params"):
        raise BadLearner(
            f"learner {name!r} is {request!r}, which is no estimator",
            "Give an estimator object, fw.tune(estimator, ...), or the name of a built-in learner",
        )
    return Learner(name, request)


def _refuse_own_options(name: str, tuned: Any) -> None:
    """Refuse options that a Tuned learner uses only when it is fitted on its own: a study would ignore them."""
    given = {"loss": tuned.loss is not None, "seed": tuned.seed != 0, "refit": not getattr(tuned, "refit", True)}
    for option in (option for option, is_given in given.items() if is_given):
        problem = f"learner {name!r} has its own {option}, but all learners of a study share one"
        raise BadLearner(problem, f"Leave {option} out of fw.{'tune' if read_blend(tuned) is None else BLEND}")


def name_learners(requests: Any, task: str) -> dict[str, Any]:
    """The requested learners under distinct names: a dictionary as it is, a list by built-in name or class."""
    if requests is None:
        requests = default_learners(task)
    if isinstance(requests, Mapping):
        if not requests:
            raise BadLearner("there are no learners", "Name at least one")
        if not all(str(name).strip() for name in requests):
            raise BadLearner("a learner has an empty name", "Give it a name for its row")
        return with_all_members({str(name): resolve(request) for name, request in requests.items()})
    listed = _listed(requests)
    if not listed:
        raise BadLearner("there are no learners", "Name at least one")
    named: dict[str, Any] = {}
    for given, request in listed:
        name = base = given or _name_of(request)
        if (given or isinstance(request, str)) and name in named:
            raise BadLearner(f"learner {name!r} is given twice", "Name each once, or give names with a dictionary")
        count = 1
        while name in named:
            count += 1
            name = f"{base} {count}"
        named[name] = resolve(request)
    return with_all_members(named)


def _listed(requests: Any) -> list[tuple[str, Any]]:
    """One learner or several, each with the name that a (name, learner) pair gives it, or none."""
    if isinstance(requests, set | frozenset):
        raise BadLearner("the learners are a set, which has no order", "Give a list")
    if isinstance(requests, str | Named) or not isinstance(requests, Sequence):
        return [("", requests)]
    if isinstance(requests, tuple) and _is_pair(requests) and not isinstance(requests[1], str | tuple):
        return [(requests[0], requests[1])]
    return [(request[0], request[1]) if _is_pair(request) else ("", request) for request in requests]


def _is_pair(request: Any) -> bool:
    return isinstance(request, tuple) and len(request) == 2 and isinstance(request[0], str)


def task_hint(requests: Any, loss: Any) -> str | None:
    """The task that all the learners, or else the loss, are made for."""
    listed = list(requests.items()) if isinstance(requests, Mapping) else _listed(() if requests is None else requests)
    members = [request for _, request in listed]
    rows = tuple(str(name) for name, _ in listed if name)  # the text of a blend may name them
    found = [(request, task) for request in members if (task := _task_of_request(request, rows))]
    if len({task for _, task in found}) == 1:
        request, task = found[0]
        return TaskHint(task, f"learner {_name_of(request)!r}")
    by_loss = loss_task(loss)
    return None if by_loss is None else TaskHint(by_loss, f"the loss {_first_name(loss)}")


def _first_name(loss: Any) -> str:
    first = loss[0] if isinstance(loss, list | tuple) and isinstance(loss[0], str) else loss
    return repr(first) if isinstance(first, str) else "given"


def _task_of_request(request: Any, rows: Sequence[str] = ()) -> str | None:
    if isinstance(request, str | Named) and (blend := read_blend(request)) is not None:
        known = {_task_of_request(member) for member in blend.members if member not in rows} - {None}
        return known.pop() if len(known) == 1 else None
    request = resolve(request)
    if request == BLEND:
        return None
    if isinstance(request, str | Named):
        tasks = find_entry(request if isinstance(request, str) else request.name).tasks
        return "regression" if tasks == ("regression",) else "classification" if "regression" not in tasks else None
    return task_of(request) if hasattr(request, "get_params") and not isinstance(request, type) else None


def _name_of(request: Any) -> str:
    if isinstance(request, str):
        return request
    if isinstance(request, Named):
        return request.name
    if read_blend(request) is request:
        return BLEND
    if isinstance(request, type):
        return request.__name__
    steps = getattr(getattr(request, "estimator", request), "steps", None)
    last = steps[-1][1] if isinstance(steps, list) and steps else getattr(request, "estimator", request)
    return type(last).__name__
