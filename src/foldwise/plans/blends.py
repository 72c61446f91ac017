"""Blends as methods of a study: as objects or as text, such as `blend(ridge+forest)`.

A blend is fitted on what its members predicted; members that are no rows of the study become hidden methods.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from foldwise.arrays import IntArray
from foldwise.data.dataset import Dataset
from foldwise.errors import BadLearner, nearest
from foldwise.learners.identity import code_and_modules, describe, identity_of
from foldwise.learners.learner import Learner
from foldwise.learners.model import responses_of
from foldwise.learners.packages import packages_of
from foldwise.losses.loss import Loss
from foldwise.plans.fit import Fit, MemberPredictions
from foldwise.studies.members import WEIGHTS, answered, final_key, held_out, members_of
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method, Note, Stage
from foldwise.tuners.budget import Budget, read_budget

if TYPE_CHECKING:
    from foldwise.learners.blend import Blend

BLEND = "blend"


def read_blend(request: Any) -> Blend | None:
    """The blend, if this is one or a text for one; else None.

    >>> read_blend("blend(ridge + k-nn)")
    Blend(members=['ridge', 'k-nn'])
    """
    from foldwise.learners.blend import Blend
    from foldwise.learners.named import Named  # both need scikit-learn, and a result that is read does not

    if isinstance(request, Blend):
        return request
    text = request.name if isinstance(request, Named) else request
    if not isinstance(text, str) or "(" not in text:
        return None
    if not isinstance(request, Named):
        return Blend(_members_in(text))
    if request.overrides:
        raise BadLearner(
            f"{text} has no parameter {next(iter(request.overrides))!r} of its own", "Give parameters to its members"
        )
    if request.stop is not None or not request.refit:
        raise BadLearner(f"{text} takes neither stop nor refit", "Leave them out")
    words = ("inner", "tuner", "budget", "rule", "loss", "seed", "jobs")
    return Blend(_members_in(text), **{word: getattr(request, word) for word in words})


def with_all_members(named: dict[str, Any]) -> dict[str, Any]:
    """The word `blend` alone, with all other learners as its members.

    >>> with_all_members({"ridge": "ridge", "k-nn": "k-nn", "blend": "blend"})["blend"]
    'blend(ridge+k-nn)'
    """
    others = [name for name, request in named.items() if name != "baseline" and not is_blend(request)]
    text = f"{BLEND}({'+'.join(others)})"
    return {name: text if isinstance(request, str) and request == BLEND else request for name, request in named.items()}


def is_blend(request: Any) -> bool:
    """Is this a blend, or a text for one, with or without its members?"""
    return (isinstance(request, str) and request.strip() == BLEND) or read_blend(request) is not None


def _members_in(text: str) -> list[str]:
    """The members in `blend(ridge+forest)`."""
    word, _, rest = text.strip().partition("(")
    if word.strip() != BLEND:
        raise BadLearner(f"there is no learner called {word.strip()!r} that has members", nearest(word, [BLEND]))
    example = f"Write it as {BLEND}(ridge+forest)"
    if "(" in rest:
        raise BadLearner(f"{text} has a member that is itself a blend", "Name its members instead")
    if not rest.endswith(")") or rest.count(")") > 1:
        raise BadLearner(f"the brackets of {text} do not match", example)
    members = [name.strip() for name in re.split(r"[+,]", rest[:-1])]
    if not all(members):
        raise BadLearner(f"{text} has an empty name", example)
    if len(members) < 2:
        raise BadLearner(f"{text} needs two or more learners, not 1", example)
    return members


def blend_learner(name: str, blend: Blend, members: Sequence[Learner], data: Dataset, loss: Loss) -> Learner:
    """A blend with the estimator that weighs its members."""
    from foldwise.learners.blend import weighted_mean

    options = {name: getattr(blend, name) for name in ("inner", "tuner", "budget", "rule")}
    return Learner(name, weighted_mean(data, loss), members=tuple(members), **options)


def with_members(learners: Sequence[Learner]) -> tuple[Learner, ...]:
    """The learners and, after every blend, its members that are not among them already."""
    known = {_signature(learner): learner.name for learner in learners if learner.space is not None}
    everyone: list[Learner] = []
    for learner in learners:
        if not learner.members:
            everyone.append(learner)
            continue
        members = [_with_shared_options(learner, member) for member in learner.members]
        hidden = [
            replace(member, name=f"{learner.name}: {member.name}", is_hidden=True)
            for member in members
            if _signature(member) not in known
        ]
        known |= {_signature(member): member.name for member in hidden}
        methods = tuple((member.name, known[_signature(member)]) for member in members)
        everyone += [replace(learner, member_methods=methods), *hidden]
    return tuple(everyone)


def _with_shared_options(blend: Learner, member: Learner) -> Learner:
    """A member with the options of the blend, where it has none of its own; all share inner splits."""
    if member.inner is not None:
        raise BadLearner(
            f"the member {member.name!r} of {blend.name!r} has its own inner splits, but all members share them",
            "Give inner to fw.blend instead",
        )
    return replace(
        member,
        inner=blend.inner,
        tuner=blend.tuner if member.tuner is None else member.tuner,
        budget=_share_of_budget(blend) if member.budget is None else member.budget,
        rule=member.rule or blend.rule,
        stop=member.stop or blend.stop,
    )


def _share_of_budget(blend: Learner) -> Any:
    """The budget of each member; a time is divided among those that are tuned and have none of their own."""
    seconds = read_budget(blend.budget).seconds
    if seconds is None:
        return blend.budget
    sharing = sum(member.space is not None and member.budget is None for member in blend.members)
    return Budget(None, seconds / max(sharing, 1))


def _signature(learner: Learner) -> str:
    """All that a learner's fits, candidates and choices depend on; equal for a member and a row that are the same."""
    space = None if learner.space is None else learner.space.to_json()
    inner = (
        learner.inner if learner.inner is None or isinstance(learner.inner, int | float | str) else id(learner.inner)
    )
    facts = [type(inner).__name__, inner, learner.tuner, learner.budget, learner.rule, learner.stop]
    own = [identity_of(learner.estimator), space, learner.is_builtin, learner.is_default]
    return json.dumps([*facts, *own], sort_keys=True, default=str)


def _lasting(learner: Learner) -> str:
    """Its signature without inner splits, which may be an object of this process: a fit names them by their rows."""
    return _signature(replace(learner, inner=None))


def blend_method(learner: Learner, task: str, notes: tuple[Note, ...]) -> tuple[Method, Sequence[Any]]:
    """A blend: one candidate, fitted on what other methods predicted."""
    code, modules = code_and_modules(learner.estimator)
    method = Method(
        name=learner.name,
        candidates=({},),
        identities=("",),  # as soon as its members are known
        code=code,
        packages=packages_of(modules),
        responses=(responses_of(learner.estimator, task),),
        notes=notes,
        members=learner.member_methods,
    )
    return method, (learner.estimator,)


def with_blends(
    methods: Sequence[Method], learners: Sequence[Learner], *, loss: Loss, task: str, on_failure: str
) -> tuple[Method, ...]:
    """The methods, with the responses that blends take from others, and the names of their fits."""
    learner_of = {learner.name: learner for learner in learners}
    known = {method.name: method for method in methods}
    for blend in [method for method in methods if method.members]:
        members = [known[name] for _, name in blend.members]
        if any(member.inner is not members[0].inner for member in members):
            raise BadLearner(f"the members of {blend.name!r} are not all tuned on the same inner splits")
        for member in members:
            response = _response_taken(blend, learner_of[member.name], member, task)
            known[member.name] = replace(member, member_response=response)
        inner = members[0].inner
        assert inner is not None
        tunings = [*inner.splits, *([] if inner.final is None else [inner.final])]
        facts = {
            "final": identity_of(learner_of[blend.name].estimator),
            "members": [
                [_lasting(learner_of[member.name]), known[member.name].member_response, *_choosing(member)]
                for member in members
            ],
            "inner": [splits.fingerprint for splits in tunings],
            "loss": describe(loss.spec if loss.spec is not None else loss.measure),
            "on_failure": on_failure,
        }
        name = identity_of(learner_of[blend.name].estimator, json.dumps(facts, sort_keys=True))
        known[blend.name] = replace(known[blend.name], identities=(name,))
    return tuple(known[method.name] for method in methods)


def _choosing(member: Method) -> list[Any]:
    """What a member chooses among, and how."""
    return [
        list(member.identities),
        member.rule,
        str(member.tuner),
        None if member.tuner.is_listed else {**member.tuner.limits._asdict(), "ledger": member.proposals_name},
    ]


def _response_taken(blend: Method, learner: Learner, member: Method, task: str) -> str:
    """The response that a blend takes from a member; all its candidates must have it."""
    if task == "regression":
        return "predict"
    able = [responses_of(learner.estimator, task)] if not member.tuner.is_listed else member.responses
    if all("predict_proba" in names for names in able):
        return "predict_proba"
    name = next(shown for shown, name in blend.members if name == member.name)
    raise BadLearner(
        f"{blend.name!r} needs probabilities of its members, which {name!r} does not have",
        "Wrap that one in CalibratedClassifierCV, or leave it out",
    )


def blend_fits(reading: Reading, method: Method, family: str) -> Iterator[Fit]:
    """Fits of the weighted mean of a blend that can be done now and have no record yet."""
    study = reading.study
    if any(reading.is_proposing(member) for member in members_of(study, method)):
        return  # nothing is judged before every search is over
    for stage in study.stages(method):
        rows = np.union1d(stage.split.test, stage.split.train) if study.has_training_risk else stage.split.test
        wanted = study.kept(method, 0)
        key, name = study.key(method, 0, stage.split), study.rows_name(stage.split)
        yield from _fit(reading, method, key, stage, rows, wanted, study.fit_seed(family, name))
    inner = members_of(study, method)[0].inner
    if study.has_final and inner is not None and inner.final is not None:
        key = final_key(study, method)
        yield from _fit(reading, method, key, None, None, ("predict",), study.fit_seed(family, "all rows"))


def _fit(
    reading: Reading,
    method: Method,
    key: str,
    stage: Stage | None,
    rows: IntArray | None,
    wanted: tuple[str, ...],
    seed: int,
) -> Iterator[Fit]:
    """One fit of a weighted mean, unless it has a record or its members are not ready."""
    record = reading.store.get(key)
    if record is not None and (rows is None or record.answers(rows, wanted)):
        return
    held = held_out(reading, method, stage)
    if held is None:
        return
    if record is not None and rows is not None:  # made again, with all that the record has
        rows = np.union1d(rows, record.rows)
        wanted = tuple(dict.fromkeys((*wanted, *(name for name in record.responses if name != WEIGHTS))))
    asked = held.rows if rows is None else rows
    columns = held.columns if stage is None else answered(reading, method, stage, asked)
    if columns is None:
        return
    table = MemberPredictions(held.columns, columns)
    at = reading.study.methods.index(method)
    yield Fit(key, at, 0, held.rows, asked, wanted, seed, members=table)
