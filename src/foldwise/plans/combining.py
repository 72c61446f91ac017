"""Combined learners as methods of a study.

The best of several is one tuned method with the candidates of all its members, so that it shares their fits. A stack
or a blend is fitted on what its members predicted; members that are no rows of the study become hidden methods.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from foldwise.arrays import IntArray
from foldwise.errors import BadLearner, BadSpace, BadStudy
from foldwise.learners.identity import code_and_modules, describe, identity_of
from foldwise.learners.learner import METHOD, Learner
from foldwise.learners.model import responses_of
from foldwise.learners.packages import packages_of
from foldwise.losses.loss import Loss
from foldwise.plans.fit import Fit, MemberPredictions
from foldwise.studies.reading import Reading
from foldwise.studies.stacking import WEIGHTS, answered, final_key, held_out, members_of
from foldwise.studies.study import Method, Note, Stage
from foldwise.tuners.budget import Budget, read_budget
from foldwise.tuners.tuner import ROWS, Tuner

Made = tuple[Method, Sequence[Any]]
STACKED = ("stack", "blend")


def with_members(learners: Sequence[Learner]) -> tuple[Learner, ...]:
    """The learners and, after every stack or blend, its members that are not among them already."""
    found = [learner for learner in learners if learner.combines not in STACKED]
    known = {_signature(learner): learner.name for learner in found if learner.space is not None}
    everyone: list[Learner] = []
    for learner in learners:
        if learner.combines not in STACKED:
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


def _with_shared_options(combined: Learner, member: Learner) -> Learner:
    """A member with the options of the combined learner, where it has none of its own; all share inner splits."""
    if member.inner is not None:
        raise BadLearner(
            f"the member {member.name!r} of {combined.name!r} has its own inner splits, but all members share them",
            f"Give inner to fw.{combined.combines} instead",
        )
    return replace(
        member,
        inner=combined.inner,
        tuner=combined.tuner if member.tuner is None else member.tuner,
        budget=_share_of_budget(combined) if member.budget is None else member.budget,
        rule=member.rule or combined.rule,
        stop=member.stop or combined.stop,
    )


def _share_of_budget(combined: Learner) -> Any:
    """The budget of each member; a time is divided among those that are tuned and have none of their own."""
    seconds = read_budget(combined.budget).seconds
    if seconds is None:
        return combined.budget
    sharing = sum(member.space is not None and member.budget is None for member in combined.members)
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


def union_method(learner: Learner, make: Callable[[Learner], Made], *, tuner: Tuner, rule: str) -> Made:
    """The best of several: one tuned method with the candidates of all its members, one member after another."""
    _check_union(learner, tuner, rule)
    made = [make(replace(_with_shared_options(learner, member), is_hidden=True)) for member in learner.members]
    methods = [method for method, _ in made]
    for member, method in zip(learner.members, methods, strict=True):
        _check_member(learner, member, method, tuner)
    first = methods[0]
    return replace(
        first,
        name=learner.name,
        candidates=tuple(
            {METHOD: member.name, **candidate}
            for member, method in zip(learner.members, methods, strict=True)
            for candidate in method.candidates
        ),
        identities=_joined(method.identities for method in methods),
        code={name: code for method in methods for name, code in method.code.items()},
        packages={name: number for method in methods for name, number in method.packages.items()},
        responses=_joined(method.responses for method in methods),
        ranks=None,
        notes=_joined(method.notes for method in methods),
        tuner=tuner,
        combines=learner.combines,
        is_hidden=False,
    ), _joined(estimators for _, estimators in made)


def _joined(lists: Iterable[Sequence[Any]]) -> tuple[Any, ...]:
    return tuple(one for each in lists for one in each)


def _check_union(learner: Learner, tuner: Tuner, rule: str) -> None:
    if tuner.resource != ROWS:
        raise BadStudy(
            f"{learner.name!r} is the best of several learners, which share no resource {tuner.resource!r}",
            "Halve over rows, or leave the tuner out",
        )
    if rule == "one_se":
        raise BadStudy(
            f"{learner.name!r} is the best of several learners, which have no order of simplicity: rule='one_se' needs "
            "one",
            "Use rule='best'",
        )


def _check_member(learner: Learner, member: Learner, method: Method, tuner: Tuner) -> None:
    if not method.tuner.is_listed:
        raise BadStudy(
            f"{learner.name!r} tries a fixed list of candidates, but those of its member {member.name!r} are "
            f"proposed during the search ({method.tuner if method.tuner.is_seeded else 'a budget in time'})",
            "Use tuner='grid' or 'random', or compare its members: the row auto picks the best of them",
        )
    if member.tuner is not None and str(member.tuner) != str(tuner) and not method.tuner.is_exhaustive:
        raise BadStudy(
            f"the member {member.name!r} of {learner.name!r} has its own tuner {str(member.tuner)!r}",
            "Give tuner to fw.best_of instead",
        )
    if any(METHOD in candidate for candidate in method.candidates):
        raise BadSpace(
            f"the member {member.name!r} of {learner.name!r} tunes a parameter called {METHOD!r}",
            "Use its full name, with double underscores",
        )


def stacked_method(learner: Learner, task: str, notes: tuple[Note, ...]) -> Made:
    """A stack or a blend: one candidate, fitted on what other methods predicted."""
    final = learner.estimator
    code, modules = code_and_modules(final)
    method = Method(
        name=learner.name,
        candidates=({},),
        identities=("",),  # as soon as its members are known
        code=code,
        packages=packages_of(modules),
        responses=(responses_of(final, task),),
        notes=notes,
        combines=learner.combines,
        members=learner.member_methods,
    )
    return method, (final,)


def with_stacks(
    methods: Sequence[Method], learners: Sequence[Learner], *, loss: Loss, task: str, on_failure: str
) -> tuple[Method, ...]:
    """The methods, with the responses that stacks and blends take from others, and the names of their fits."""
    own = {learner.name: learner for learner in learners}
    known = {method.name: method for method in methods}
    for combined in [method for method in methods if method.combines in STACKED]:
        members = [known[name] for _, name in combined.members]
        if any(member.inner is not members[0].inner for member in members):
            raise BadLearner(f"the members of {combined.name!r} are not all tuned on the same inner splits")
        for member in members:
            response = _response_taken(combined, own[member.name], member, task)
            known[member.name] = replace(member, member_response=response)
        facts = {
            "final": identity_of(own[combined.name].estimator),
            "members": [
                [_lasting(own[member.name]), known[member.name].member_response, *_choosing(member)]
                for member in members
            ],
            "inner": _inner_name(members[0]),
            "loss": describe(loss.spec if loss.spec is not None else loss.measure),
            "on_failure": on_failure,
        }
        name = identity_of(own[combined.name].estimator, json.dumps(facts, sort_keys=True))
        known[combined.name] = replace(known[combined.name], identities=(name,))
    return tuple(known[method.name] for method in methods)


def _choosing(member: Method) -> list[Any]:
    """What a member chooses among, and how."""
    return [
        list(member.identities),
        member.rule,
        str(member.tuner),
        None if member.tuner.is_listed else {**member.tuner.limits._asdict(), "ledger": member.proposals_name},
    ]


def _inner_name(member: Method) -> list[str]:
    assert member.inner is not None
    every = [
        *member.inner.splits,
        *([] if member.inner.final is None else [member.inner.final]),
    ]
    return [splits.fingerprint for splits in every]


def _response_taken(combined: Method, learner: Learner, member: Method, task: str) -> str:
    """The response that a stack or a blend takes from a member; all its candidates must have it."""
    if task == "regression":
        return "predict"
    able = [responses_of(learner.estimator, task)] if not member.tuner.is_listed else member.responses
    wanted = ("predict_proba",) if combined.combines == "blend" else ("predict_proba", "decision_function")
    for response in wanted:
        if all(response in names for names in able):
            return response
    name = next(shown for shown, name in combined.members if name == member.name)
    needed = "probabilities" if combined.combines == "blend" else "probabilities or decision values"
    raise BadLearner(
        f"{combined.name!r} needs {needed} of its members, which {name!r} does not have",
        "Wrap that one in CalibratedClassifierCV, or leave it out",
    )


def stacked_fits(reading: Reading, method: Method, family: str) -> Iterator[Fit]:
    """Fits of the final learner of a stack or a blend that can be done now and have no record yet."""
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
    """One fit of a final learner, unless it has a record or its members are not ready."""
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
    table = MemberPredictions(held.columns, columns, len(method.members))
    at = reading.study.methods.index(method)
    yield Fit(key, at, 0, held.rows, asked, wanted, seed, members=table)
