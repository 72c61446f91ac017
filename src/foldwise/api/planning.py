"""What a study will cost, counted before it starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from foldwise.executors.progress import duration
from foldwise.studies.reading import Reading
from foldwise.studies.stacking import final_key, members_of
from foldwise.studies.study import Method


@dataclass(frozen=True)
class Plan:
    """What a study will cost, before it starts."""

    fits: int
    methods: list[dict[str, Any]]
    seconds: float | None
    outer: str
    inner: str | None
    rows: int

    def to_dict(self) -> dict[str, Any]:
        """The plan in plain values; the same as `--json`."""
        return dict(vars(self))

    def __repr__(self) -> str:
        lines = [f"{self.rows} rows; outer splits: {self.outer}; inner splits: {self.inner or 'none'}"]
        lines += [
            f"  {method['name']}: {_sureness([method])}{method['fits']} fits"
            + (f", {method['candidates']} candidates" if method["candidates"] else "")
            + (f", about {duration(method['seconds'])}" if method["seconds"] is not None else "")
            for method in self.methods
        ]
        cost = f"{_sureness(self.methods)}{self.fits} fits"
        cost += f", about {duration(self.seconds)} of work for one core" if self.seconds is not None else ""
        return "\n".join([*lines, cost])


def _sureness(methods: Sequence[Mapping[str, Any]]) -> str:
    """How sure a number of fits is: time decides, candidates may be dropped, or neither."""
    if any(method["is_rough"] for method in methods):
        return "about "
    return "at most " if any(method["at_most"] for method in methods) else ""


@dataclass(frozen=True)
class Cost:
    """What one method of a study will cost."""

    method: Method
    keys: frozenset[str]  # of its fits that are known before it starts
    fits: int
    seconds: float | None  # of all its fits
    is_rough: bool  # time ends its tunings, so that the number of fits is a guess

    def to_dict(self) -> dict[str, Any]:
        method = self.method
        is_fixed = method.tuner.is_listed and method.tuner.is_exhaustive
        return {
            "name": method.name,
            "fits": self.fits,
            "at_most": not is_fixed and not self.is_rough,
            "is_rough": self.is_rough,
            "candidates": None if method.inner is None else _candidates(method),
            "seconds": None if self.seconds is None else round(self.seconds, 3),
        }


def method_cost(reading: Reading, method: Method, seconds: float | None) -> Cost:
    """The most fits of a method and, where a pilot measured the seconds of one fit, their time."""
    keys = _fixed_keys(reading, method)
    count = _most_fits(reading, method, keys) + _refits(reading, method)
    cost = None if seconds is None else count * seconds
    share = method.tuner.limits.seconds
    if cost is None or seconds is None or share is None or cost <= share:
        return Cost(method, keys, count, cost, is_rough=False)
    least = method.tuner.fewest_fits(reading.runs(method)) + _refits(reading, method)
    count = max(least, round(share / seconds))  # its time is up before its candidates are
    return Cost(method, keys, count, max(share, least * seconds), is_rough=True)


def total(costs: Sequence[Cost]) -> tuple[int, float]:
    """Fits and seconds of all methods; a fit that several ask for is made once."""
    known: set[str] = set()
    fits, seconds = 0, 0.0
    for cost in sorted(costs, key=lambda cost: cost.method.combines == "best_of"):
        shared = len(cost.keys & known)
        # The best of several chooses what one of its members has chosen: if those are rows, nothing is left to fit.
        # Where it drops candidates, it drops others than they do: no key is known before.
        is_free = cost.method.combines == "best_of" and bool(cost.keys) and cost.keys <= known
        new = 0 if is_free else cost.fits - shared
        fits += new
        seconds += (cost.seconds or 0.0) * new / max(cost.fits, 1)
        known |= cost.keys
    return fits, seconds


def _fixed_keys(reading: Reading, method: Method) -> frozenset[str]:
    """Keys of the fits that a method asks for whatever the scores are; none where they depend on them."""
    study = reading.study
    if not (method.tuner.is_listed and method.tuner.is_exhaustive):
        return frozenset()
    keys = reading.fits(method)
    if method.members:
        inner = members_of(study, method)[0].inner
        has_final = study.has_final and inner is not None and inner.final is not None
        keys |= {final_key(study, method)} if has_final else set()
    return frozenset(keys)


def _most_fits(reading: Reading, method: Method, keys: frozenset[str]) -> int:
    """Fits of the tunings, at most."""
    return len(keys) or method.tuner.most_fits(reading.runs(method))


def _refits(reading: Reading, method: Method) -> int:
    """Fits of chosen candidates: only where not all candidates are fitted anyway."""
    if method.inner is None:
        return 0
    study = reading.study
    tuned_on = {study.rows_name(split) for split in study.tuning_splits(method)}
    judged_on = {study.rows_name(stage.split) for stage in study.stages(method)}
    return len(judged_on - tuned_on)


def _candidates(method: Method) -> int | None:
    """Candidates of each tuning; not known where time decides."""
    if method.tuner.is_listed:
        return method.listed
    return method.tuner.limits.budget if method.tuner.limits.seconds is None else None
