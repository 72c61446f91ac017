"""Tuners that go through a fixed list of candidates without fitting all of them everywhere: their options.

Written as text, `halving` or `halving(factor=2, resource=max_iter)`, they are part of a study's outline.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from foldwise.errors import BadStudy, nearest

ROWS = "rows"


class Options:
    """Options that are written down as text, and only where they differ from the usual ones."""

    def __str__(self) -> str:
        given = [
            f"{one.name}={getattr(self, one.name)}"
            for one in fields(self)  # type: ignore[arg-type]
            if getattr(self, one.name) != one.default
        ]
        return self.name + (f"({', '.join(given)})" if given else "")

    @property
    def name(self) -> str:
        return type(self).__name__.lower()


@dataclass(frozen=True)
class Racing(Options):
    """Inner fold after inner fold, without the candidates that are worse than the best at this level.

    After k folds at most one of every cut x k candidates goes on; with `cut=0` the test alone drops them.
    """

    level: float = 0.01
    first: int = 1  # folds that all candidates are scored on
    cut: int = 3

    def __post_init__(self) -> None:
        if not isinstance(self.level, int | float) or not 0 < self.level < 1:
            raise BadStudy(f"the level of racing must lie between 0 and 1, not {self.level!r}", "Use level=0.01")
        _check_number("first", self.first, 1)
        _check_number("cut", self.cut, 0)


@dataclass(frozen=True)
class Halving(Options):
    """All candidates on a part of a resource, the best of them on `factor` times more, and so on up to all of it."""

    resource: str = ROWS
    factor: float = 1.5  # on half of the rows other candidates are the best too often
    least: int | None = None  # of the resource, to begin with

    def __post_init__(self) -> None:
        if not isinstance(self.resource, str) or not re.fullmatch(r"\w+", self.resource):
            raise BadStudy(
                f"the resource of {self.name} is {self.resource!r}", "Use 'rows', or a parameter such as 'max_iter'"
            )
        is_number = isinstance(self.factor, int | float) and not isinstance(self.factor, bool)
        if not is_number or not 1 < self.factor < math.inf:
            raise BadStudy(f"the factor of {self.name} must be a number above 1, not {self.factor!r}", "Use factor=1.5")
        if self.least is not None:
            _check_number("least", self.least, 1)


@dataclass(frozen=True)
class Hyperband(Halving):
    """Several halvings side by side: some candidates begin on more of the resource, in case little of it misleads."""


@dataclass(frozen=True)
class Pruned(Options):
    """One fit after another, without the candidates that provably cannot win any more."""


Schedule = Racing | Halving | Pruned
KINDS: dict[str, type[Racing] | type[Halving] | type[Pruned]] = {
    "racing": Racing,
    "halving": Halving,
    "hyperband": Hyperband,
    "pruned": Pruned,
}


def racing(*, level: float = Racing.level, first: int = Racing.first, cut: int = Racing.cut) -> Racing:
    """The tuner `racing` with other options; with `cut=0` only the paired test at this level drops candidates.

    >>> print(racing(level=0.05))
    racing(level=0.05)
    """
    return Racing(level, first, cut)


def halving(*, resource: str = ROWS, factor: float = Halving.factor, least: int | None = None) -> Halving:
    """The tuner `halving` with other options: `resource` is "rows" or a parameter such as "max_iter".

    >>> print(halving(resource="n_estimators"))
    halving(resource=n_estimators)
    """
    return Halving(resource, factor, least)


def hyperband(*, resource: str = ROWS, factor: float = Halving.factor, least: int | None = None) -> Hyperband:
    """The tuner `hyperband` with other options, which are those of `halving`.

    >>> print(hyperband())
    hyperband
    """
    return Hyperband(resource, factor, least)


@cache
def read_schedule(tuner: str) -> Schedule | None:
    """The options in a tuner's text; None where it is another kind of tuner.

    >>> read_schedule("halving(factor=2)")
    Halving(resource='rows', factor=2, least=None)
    """
    found = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*", tuner)
    kind = KINDS.get(found[1]) if found else None
    if found is None or kind is None:
        return None
    given: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in (found[2] or "").split(","))):
        name, _, value = (piece.strip() for piece in part.partition("="))
        known = [one.name for one in fields(kind)]
        if name not in known or not value:
            remedy = nearest(name, known) if known else f"Write {found[1]!r} alone"
            raise BadStudy(f"the tuner {found[1]!r} has no option {part!r}", remedy)
        given[name] = _plain(value)
    return kind(**given)


def tuner_text(tuner: Any) -> str | None:
    """A tuner as text, as it was written or from its options."""
    return None if tuner is None else str(tuner)


def base_name(tuner: str | None) -> str | None:
    """A tuner's name without its options.

    >>> base_name("halving(factor=2)")
    'halving'
    """
    return tuner.partition("(")[0].strip() if isinstance(tuner, str) and read_schedule(tuner) else tuner


def _plain(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text.strip("'\"")


def _check_number(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise BadStudy(f"{name} must be a whole number of at least {least}, not {value!r}")
