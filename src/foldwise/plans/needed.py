"""Which fits a study still needs: a pure function of the study and its records.

A fit is asked for everything it must answer at once. So a fit on an outer training set
waits until that split has chosen its candidate: the chosen one also answers for its
training rows, and is then never made twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from foldwise.arrays import IntArray
from foldwise.plans.combining import TOGETHER, together_fits
from foldwise.plans.fit import Fit
from foldwise.plans.runnable import RunnableStudy
from foldwise.plans.searching import go_on
from foldwise.records.record import Record
from foldwise.splits.split import Split, union
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method, Stage


@dataclass(frozen=True, eq=False, slots=True)
class _Wish:
    """Training rows, and what is wanted of a fit on them."""

    split: Split
    rows: IntArray
    responses: tuple[str, ...]

    def __or__(self, other: _Wish) -> _Wish:
        return _Wish(self.split, _union(self.rows, other.rows), _all_of(self.responses, other.responses))


def needed(runnable: RunnableStudy, reading: Reading, *, methods: Iterable[int] | None = None) -> list[Fit]:
    """All fits that can be done now and have no record yet; methods that need the same one share it."""
    methods = range(len(runnable.study.methods)) if methods is None else methods
    return join(fit for at in methods for fit in needed_of(runnable, reading, at))


def join(fits: Iterable[Fit]) -> list[Fit]:
    """Fits without repetition; one that is wanted twice answers for both."""
    found: dict[str, Fit] = {}
    for fit in fits:
        found[fit.key] = _joined(found[fit.key], fit) if fit.key in found else fit
    return list(found.values())


def _joined(one: Fit, other: Fit) -> Fit:
    """One fit that answers for both."""
    return replace(one, rows=_union(one.rows, other.rows), responses=_all_of(one.responses, other.responses))


def needed_of(runnable: RunnableStudy, reading: Reading, at: int) -> Iterator[Fit]:
    """Fits of one method that can be done now and have no record yet."""
    study, method, store = runnable.study, runnable.study.methods[at], reading.store
    if method.combines in TOGETHER:
        yield from together_fits(reading, method, at, runnable.families[at])
        return
    if method.search:
        go_on(runnable, reading, at)
    for name, wishes in _wishes(reading, method).items():
        keys, seed, is_settled = study.keys(method, name), study.fit_seed(runnable.families[at], name), True
        for candidate, wish in wishes.items():
            seed = study.fit_seed(runnable.family(at, candidate), name) if method.combines else seed
            record = store.get(keys[candidate])
            if record is None:
                is_settled = False
                point = method.search.points[candidate] if method.search else None
                yield Fit(keys[candidate], at, candidate, wish.split.train, wish.rows, wish.responses, seed, point)
            elif not record.answers(wish.rows, wish.responses):
                is_settled = False
                again = _again(record, at, candidate, wish, seed)
                yield replace(again, point=method.search.points[candidate]) if method.search else again
        if is_settled and not method.search and len(wishes) == len(method.candidates):
            reading.settled.add((method.name, name))


def _again(record: Record, at: int, candidate: int, wish: _Wish, seed: int) -> Fit:
    """A fit that is made again, with all that is known of it and wanted now: the numbers are the same."""
    rows, responses = _union(record.rows, wish.rows), _all_of(tuple(record.responses), wish.responses)
    return Fit(record.key, at, candidate, wish.split.train, rows, responses, seed)


def _wishes(reading: Reading, method: Method) -> dict[str, dict[int, _Wish]]:
    """What is wanted, by the name of the training rows and by candidate."""
    wishes: dict[str, dict[int, _Wish]] = {}
    if method.kind == "tuned":
        all_of = _raced_wishes if method.schedule else _tuning_wishes
        wishes = _search_wishes(reading, method) if method.search else all_of(reading, method)
    for candidate, stage in _judged(reading, method):
        wish = _stage_wish(reading, method, candidate, stage)
        those = wishes.setdefault(reading.study.rows_name(wish.split), {})
        those[candidate] = those[candidate] | wish if candidate in those else wish
    return wishes


def _tuning_wishes(reading: Reading, method: Method) -> dict[str, dict[int, _Wish]]:
    """Every candidate on every training set of the tuning, except sets whose own choice is still to come."""
    study = reading.study
    responses = [study.selecting(method, at) for at in range(len(method.candidates))]
    waiting = {study.rows_name(stage.split) for stage in study.stages(method) if reading.is_waiting(method, stage)}
    return {
        name: _same_rows(split, rows, responses)
        for name, (split, rows) in study.tuning_rows(method).items()
        if name not in waiting and (method.name, name) not in reading.settled
    }


def _search_wishes(reading: Reading, method: Method) -> dict[str, dict[int, _Wish]]:
    """What every tuning has asked for; a fit on outer training rows answers at once for all its split is judged by."""
    study, search = reading.study, method.search
    assert search is not None
    known, wishes = study.tuning_rows(method), dict[str, dict[int, _Wish]]()
    stages = {study.rows_name(stage.split): stage for stage in study.stages(method)}
    for tuning, splits in study.named_tunings(method).items():
        for name in map(study.rows_name, splits):
            those = wishes.setdefault(name, {})
            for candidate in search.of(tuning):
                if candidate not in those:
                    wish = _Wish(*known[name], study.selecting(method, candidate))
                    stage = stages.get(name)
                    those[candidate] = wish if stage is None else wish | _stage_wish(reading, method, candidate, stage)
    return wishes


def _raced_wishes(reading: Reading, method: Method) -> dict[str, dict[int, _Wish]]:
    """The next looks of every tuning, except on sets whose own choice is still to come: it asks more of its fit."""
    study, known = reading.study, reading.ladder(method).rows()
    waiting = {study.rows_name(stage.split) for stage in study.stages(method) if reading.is_waiting(method, stage)}
    wishes: dict[str, dict[int, _Wish]] = {}
    for splits in study.tunings(method):
        field = reading.field(method, splits)
        for ask in reading.course(field).missing:
            candidate, split = field.fit(ask)
            name = study.rows_name(split)
            if name not in waiting:
                wishes.setdefault(name, {})[candidate] = _Wish(*known[name], study.selecting(method, candidate))
    return wishes


def _same_rows(split: Split, rows: IntArray, responses: list[tuple[str, ...]]) -> dict[int, _Wish]:
    """A wish per candidate; candidates that are asked for the same share it."""
    shared = {names: _Wish(split, rows, names) for names in dict.fromkeys(responses)}
    return {at: shared[names] for at, names in enumerate(responses)}


def _judged(reading: Reading, method: Method) -> Iterator[tuple[int, Stage]]:
    """The candidates that are judged on a split, as far as they are known."""
    everyone = range(len(method.candidates))
    if reading.is_searching(method):
        return  # all tunings end before the first is judged, so that rounds are the same after an interruption
    for stage in reading.study.stages(method):
        if method.kind != "tuned":
            yield from ((candidate, stage) for candidate in everyone)
        elif not reading.is_waiting(method, stage) and reading.stage_candidate(method, stage) is not None:
            yield reading.stage_candidate(method, stage) or 0, stage


def _stage_wish(reading: Reading, method: Method, candidate: int, stage: Stage) -> _Wish:
    """Outer fits answer for their training rows too, and keep all that later questions may need."""
    study, split = reading.study, stage.split
    if stage.level == "beside":
        return _Wish(split, split.test, study.judging(method, candidate))
    rows = union(split.test, split.train) if study.has_training_risk else split.test
    return _Wish(split, rows, study.kept(method, candidate))


def _union(one: IntArray, other: IntArray) -> IntArray:
    return one if one is other else union(one, other)


def _all_of(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return one if one == other else tuple(dict.fromkeys(one + other))
