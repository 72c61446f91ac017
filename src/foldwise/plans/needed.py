"""Which fits a study still needs: a pure function of the study and its records.

A fit is asked at once for all the rows and responses it must give. So a fit on an outer training set
waits until that split has chosen its candidate: the chosen one also predicts its
training rows, and is never made twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from foldwise.arrays import IntArray
from foldwise.plans.blends import blend_fits
from foldwise.plans.fit import Fit, FitBlock, FitPart, Fits
from foldwise.plans.runnable import RunnableStudy
from foldwise.records.block import together
from foldwise.records.record import Record
from foldwise.splits.split import Split, union
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method, Stage


@dataclass(frozen=True, eq=False, slots=True)
class _Request:
    """Training rows, and what is wanted of a fit on them."""

    split: Split
    rows: IntArray
    responses: tuple[str, ...]

    def __or__(self, other: _Request) -> _Request:
        return _Request(self.split, _union(self.rows, other.rows), _all_of(self.responses, other.responses))


def needed(runnable: RunnableStudy, reading: Reading, *, methods: Iterable[int] | None = None) -> list[Fit]:
    """All fits that can be done now and have no record yet; methods that need the same one share it."""
    methods = range(len(runnable.study.methods)) if methods is None else methods
    return join(fit for at in methods for fit in needed_of(runnable, reading, at))


def join(fits: Iterable[Fit]) -> list[Fit]:
    """Fits without repetition; one that two methods want answers both."""
    return list(Fits(join_parts(fits)))


def join_parts(parts: Iterable[FitPart]) -> list[FitPart]:
    """The same of fits in blocks, which stay together where no fit is in two of them."""
    every = list(parts)
    if len({key for part in every for key in part.keys}) == sum(len(part.keys) for part in every):
        return every
    found: dict[str, Fit] = {}
    for fit in Fits(every):
        found[fit.key] = _joined(found[fit.key], fit) if fit.key in found else fit
    return list(found.values())


def _joined(one: Fit, other: Fit) -> Fit:
    """One fit that answers both."""
    return replace(one, rows=_union(one.rows, other.rows), responses=_all_of(one.responses, other.responses))


def needed_of(runnable: RunnableStudy, reading: Reading, at: int, *, has_final: bool = True) -> Iterator[Fit]:
    """Fits of one method that can be done now and have no record yet; without `has_final` those of its risk alone."""
    yield from Fits(needed_parts(runnable, reading, at, has_final=has_final))


def needed_parts(runnable: RunnableStudy, reading: Reading, at: int, *, has_final: bool = True) -> Iterator[FitPart]:
    """The same; fits that differ in nothing but the candidate come in one block."""
    study, method, store = reading.study, reading.study.methods[at], reading.store
    if method.members:
        yield from blend_fits(reading, method, runnable.families[at])
        return
    points = method.proposals.points
    for name, requests in _requests(reading, method, has_final=has_final).items():
        keys, seed, is_complete = study.keys(method, name), study.fit_seed(runnable.families[at], name), True
        if len(requests) > 1 and not points and _is_one(requests):
            request, candidates = next(iter(requests.values())), tuple(requests)
            own = keys if len(candidates) == len(keys) else tuple([keys[candidate] for candidate in candidates])
            there = together(store, own)
            if all(block.answers(request.rows, request.responses) for block in there.blocks):
                if not there.blocks and not any(store.get(key) is not None for key in there.single):
                    yield FitBlock(
                        own, at, candidates, request.split.train, request.rows, request.responses, seed, name
                    )
                    continue
                if (
                    not there.single
                    and not there.missing
                    and method.tuner.is_listed
                    and len(requests) == len(method.candidates)
                ):
                    reading.complete.add((method.name, name))
                    continue
        for candidate, request in requests.items():
            record, fit = store.get(keys[candidate]), None
            if record is None:
                fit = Fit(keys[candidate], at, candidate, request.split.train, request.rows, request.responses, seed)
            elif not record.answers(request.rows, request.responses):
                fit = _again(record, at, candidate, request, seed)
            if fit is not None:
                is_complete = False
                yield replace(fit, point=points[candidate]) if points else fit
        if is_complete and method.tuner.is_listed and len(requests) == len(method.candidates):
            reading.complete.add((method.name, name))


def _is_one(requests: dict[int, _Request]) -> bool:
    """Are all candidates asked for the very same?"""
    return len(set(map(id, requests.values()))) == 1


def _again(record: Record, at: int, candidate: int, request: _Request, seed: int) -> Fit:
    """A fit to be made again, for all that its record has and what is wanted now: the numbers are the same."""
    rows, responses = _union(record.rows, request.rows), _all_of(tuple(record.responses), request.responses)
    return Fit(record.key, at, candidate, request.split.train, rows, responses, seed)


def _requests(reading: Reading, method: Method, *, has_final: bool) -> dict[str, dict[int, _Request]]:
    """What is wanted, by the name of the training rows and by candidate."""
    requests = _tuning_requests(reading, method, has_final=has_final)
    if reading.is_proposing(method):
        return requests  # all tunings end before the first is judged, so that rounds survive an interruption
    for candidate, stage in reading.judged(method):
        if _waits_for_choice(reading, method, stage):
            continue
        request = _stage_request(reading, method, candidate, stage)
        those = requests.setdefault(reading.study.rows_name(request.split), {})
        those[candidate] = those[candidate] | request if candidate in those else request
    return requests


def _waits_for_choice(reading: Reading, method: Method, stage: Stage) -> bool:
    """A learner at its defaults waits for the tuned one: if that chooses the defaults, the two share one fit."""
    return bool(method.defaults_of) and reading.is_waiting(reading.method(method.defaults_of), stage)


def _tuning_requests(reading: Reading, method: Method, *, has_final: bool) -> dict[str, dict[int, _Request]]:
    """What the tuners asked for, and all candidates on the outer splits where their optimism is wanted.

    With a list of candidates, training sets whose own choice is still to come are left out: the chosen
    candidate is asked for more. A search cannot wait: every candidate is asked for everything at once.
    """
    study, known, found = reading.study, reading.training_sets(method), dict[str, dict[int, _Request]]()
    asked = _asked(reading, method, has_final=has_final)
    stages = {study.rows_name(stage.split): stage for stage in study.stages(method)} if asked else {}
    is_listed = method.tuner.is_listed
    waiting = {name for name, stage in stages.items() if is_listed and reading.is_waiting(method, stage)}
    responses = [study.selecting(method, candidate) for candidate in range(len(method.candidates))]
    is_alike = len(set(responses)) == 1  # then all candidates of a training set are asked for the same
    shared: dict[tuple[str, tuple[str, ...]], _Request] = {}
    for name, candidates in asked:
        if name in waiting or (method.name, name) in reading.complete:
            continue
        those = found.setdefault(name, {})
        if is_alike and is_listed:
            first = next(iter(those.values()), None) or _Request(*known[name], responses[0])
            those |= dict.fromkeys(candidates, first)
            continue
        for candidate in candidates:
            if candidate not in those:
                wanted = responses[candidate]
                if (name, wanted) not in shared:
                    shared[name, wanted] = _Request(*known[name], wanted)
                those[candidate] = shared[name, wanted]
                if not is_listed and name in stages:
                    those[candidate] |= _stage_request(reading, method, candidate, stages[name])
    return found


def _asked(reading: Reading, method: Method, *, has_final: bool) -> list[tuple[str, Sequence[int]]]:
    """The candidates asked for on each training set; of a search all tunings go on together."""
    study, found = reading.study, list[tuple[str, Sequence[int]]]()
    for run in reading.runs(method):
        if run.name == "final" and not has_final and method.tuner.is_listed:
            continue
        found += [(study.rows_name(split), candidates) for split, candidates in run.fits(run.wanted())]
    if study.has_optimism and method.inner is not None:
        found += [(study.rows_name(split), range(len(method.candidates))) for split in study.outer]
    return found


def _stage_request(reading: Reading, method: Method, candidate: int, stage: Stage) -> _Request:
    """Outer fits predict their training rows too, and keep all that later questions may need."""
    study, split = reading.study, stage.split
    if method.defaults_of:
        return _Request(split, split.test, study.selecting(method, candidate))
    rows = union(split.test, split.train) if study.has_training_risk else split.test
    return _Request(split, rows, study.kept(method, candidate))


def _union(one: IntArray, other: IntArray) -> IntArray:
    return one if one is other else union(one, other)


def _all_of(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return one if one == other else tuple(dict.fromkeys(one + other))
