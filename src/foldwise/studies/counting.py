"""How many fits a method comes to, before they are made."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Literal, cast

from foldwise.studies.members import final_key, members_of
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method, Study

Sureness = Literal["", "at most", "at least"]


def own_keys(reading: Reading, method: Method) -> Iterator[str]:
    """Keys of all fits that a method may ask for whatever it chooses, as far as they are known."""
    study = reading.study
    if method.inner is None:
        yield from (key for stage in study.stages(method) for key in study.keys(method, study.rows_name(stage.split)))
    if method.members:
        inner = members_of(study, method)[0].inner
        yield from [final_key(study, method)] if study.has_final and inner is not None and inner.final else []
    for run in reading.runs(method):
        yield from run.possible_keys()
    if study.has_optimism and method.inner is not None:
        yield from (key for split in study.outer for key in study.keys(method, study.rows_name(split)))


def rows_of_chosen(study: Study, method: Method) -> set[str]:
    """Names of the training rows on which only the chosen candidate is fitted."""
    if method.inner is None:
        return set()
    judged_on = {study.rows_name(stage.split) for stage in study.stages(method)}
    return judged_on - set(study.tuning_rows(method))


def most_fits(reading: Reading, method: Method, known: int) -> tuple[int, Sureness]:
    """Fits of a method's tunings, and how certain that is: tuners may drop candidates, searches propose more."""
    tuner = method.tuner
    if tuner.is_listed and tuner.is_exhaustive:
        return known, ""
    if tuner.limits.seconds is not None:
        return known, "at least"  # time ends it, at a number that nobody knows
    most = tuner.most_fits(reading.runs(method))
    return most if tuner.is_listed else max(known, most), "at most"


def expected_fits(reading: Reading, have: Set[str] = frozenset()) -> tuple[dict[str, int], Sureness]:
    """Fits by method that a store with these keys still needs, as far as they are known, and how certain that is.

    A fit that several methods need counts for the first of them.
    """
    expected, seen, surest = dict[str, int](), set[str](), ""
    for method in reading.study.methods:
        own = set(own_keys(reading, method))
        most, sureness = most_fits(reading, method, len(own))
        surest = max(surest, sureness)  # "at most" is the stronger word
        chosen = [set(reading.study.keys(method, name)) for name in rows_of_chosen(reading.study, method)]
        known = most - len(own & (have | seen)) + sum(not keys & have for keys in chosen)
        expected[method.name] = max(known, 0)
        seen |= own
    return expected, cast(Sureness, surest)
