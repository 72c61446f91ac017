"""Which fits a study still needs: a pure function of the study and its records.

A fit is asked for everything it must answer at once. So a fit on an outer training set
waits until that split has chosen its candidate: the chosen one also answers for its
training rows, and is then never made twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from foldwise.arrays import IntArray
from foldwise.outlines.outline import MethodOutline, Stage
from foldwise.outlines.reading import Reading
from foldwise.plans.fit import Fit
from foldwise.plans.study import Study
from foldwise.splits.split import Split


@dataclass
class _Wish:
    """Training rows, and what is wanted of a fit on them."""

    split: Split
    rows: IntArray
    responses: tuple[str, ...]

    def __or__(self, other: _Wish) -> _Wish:
        rows = self.rows if self.rows is other.rows else np.union1d(self.rows, other.rows)
        return _Wish(self.split, rows, tuple(dict.fromkeys(self.responses + other.responses)))


def needed(study: Study, reading: Reading, *, methods: Iterable[int] | None = None) -> list[Fit]:
    """All fits that can be done now and have no record yet; methods that need the same one share it."""
    fits: dict[str, Fit] = {}
    for at in range(len(study.outline.methods)) if methods is None else methods:
        for fit in _needed_of(study, reading, at):
            fits[fit.key] = _joined(fits[fit.key], fit) if fit.key in fits else fit
    return list(fits.values())


def _joined(one: Fit, other: Fit) -> Fit:
    """One fit that answers for both."""
    rows = np.union1d(one.rows, other.rows)
    return replace(one, rows=rows, responses=tuple(dict.fromkeys(one.responses + other.responses)))


def _needed_of(study: Study, reading: Reading, at: int) -> Iterator[Fit]:
    outline, method = study.outline, study.outline.methods[at]
    for (name, candidate), wish in _wishes(reading, method).items():
        key = outline.fit_key(method.settings[candidate], name)
        record = reading.store.get(key)
        if record is not None and record.answers(wish.rows, wish.responses):
            continue
        rows, responses = wish.rows, wish.responses
        if record is not None:  # made again, with all that is known and wanted: the numbers are the same
            rows = np.union1d(record.rows, rows)
            responses = tuple(dict.fromkeys(tuple(record.responses) + responses))
        seed = outline.fit_seed(study.families[at], name)
        yield Fit(key, at, candidate, wish.split.train, rows, responses, seed)


def _wishes(reading: Reading, method: MethodOutline) -> dict[tuple[str, int], _Wish]:
    """What is wanted, by training rows and candidate."""
    wishes: dict[tuple[str, int], _Wish] = {}
    for candidate, wish in _each_wish(reading, method):
        at = (reading.outline.rows_name(wish.split), candidate)
        wishes[at] = wishes[at] | wish if at in wishes else wish
    return wishes


def _each_wish(reading: Reading, method: MethodOutline) -> Iterator[tuple[int, _Wish]]:
    outline, everyone = reading.outline, range(len(method.candidates))
    if method.kind == "tuned":
        yield from _tuned_wishes(reading, method)
        return
    for stage in outline.stages(method):
        yield from ((candidate, _stage_wish(reading, method, candidate, stage)) for candidate in everyone)


def _tuned_wishes(reading: Reading, method: MethodOutline) -> Iterator[tuple[int, _Wish]]:
    outline, everyone = reading.outline, range(len(method.candidates))
    stages = outline.stages(method)
    choices = [reading.stage_choice(method, stage) for stage in stages]
    waiting = {outline.rows_name(stage.split) for stage, choice in zip(stages, choices, strict=True) if choice.missing}
    for name, (split, rows) in _tuning_rows(reading, method).items():
        if name not in waiting:
            yield from ((at, _Wish(split, rows, outline.selecting(method, at))) for at in everyone)
    for stage, choice in zip(stages, choices, strict=True):
        if choice.candidate is not None:
            yield choice.candidate, _stage_wish(reading, method, choice.candidate, stage)


def _tuning_rows(reading: Reading, method: MethodOutline) -> dict[str, tuple[Split, IntArray]]:
    """Training sets on which every candidate is fitted, with all the rows they are scored on."""
    found: dict[str, tuple[Split, IntArray]] = {}
    for split in reading.outline.tuning_splits(method):
        name = reading.outline.rows_name(split)
        known = found.get(name)
        found[name] = (split, split.test) if known is None else (known[0], np.union1d(known[1], split.test))
    return found


def _stage_wish(reading: Reading, method: MethodOutline, candidate: int, stage: Stage) -> _Wish:
    """Outer fits answer for their training rows too, and keep all that later questions may need."""
    outline, split = reading.outline, stage.split
    if stage.level == "beside":
        return _Wish(split, split.test, (method.response_for(outline.losses[0], candidate),))
    rows = np.union1d(split.test, split.train) if outline.has_training_risk else split.test
    return _Wish(split, rows, outline.kept(method, candidate))
