"""A check is one function under the `check` decorator; its docstring is its section in docs/checks.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from inspect import cleandoc
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeVar, get_type_hints

import numpy as np

import foldwise.checks
from foldwise.errors import BadOption, nearest
from foldwise.studies.finding import MOST_ROWS, Finding, Severity

Cost = Literal["fast", "slow"]  # slow ones make fits of their own, so that only `fw.check` runs them


class Trap(NamedTuple):
    """What a check found: in words, where, in figures, and what to do."""

    text: str
    rows: Iterable[int] = ()
    columns: Iterable[str] = ()
    figures: Mapping[str, Any] = MappingProxyType({})
    advice: str = ""


Function = TypeVar("Function", bound=Callable[[Any], Iterator[Trap]])


@dataclass(frozen=True)
class Check:
    """A check and what is said of it; `subject` is the type that its function looks at."""

    code: str
    title: str
    severity: Severity
    cost: Cost
    function: Callable[[Any], Iterator[Trap]]
    subject: Any

    @property
    def manual(self) -> str:
        """Its section in docs/checks.md."""
        paragraph = " ".join(cleandoc(self.function.__doc__ or "").split("\n"))
        return f"### {self.code}\n**{self.title}** ({self.severity}). {paragraph}"

    def findings(self, subject: Any) -> Iterator[Finding]:
        """What it finds; of many rows the first are named."""
        for trap in self.function(subject):
            rows = tuple(int(row) for row, _ in zip(trap.rows, range(MOST_ROWS), strict=False))
            figures = {name: _plain(value) for name, value in trap.figures.items()}
            yield Finding(
                self.code, self.severity, trap.text, rows, tuple(map(str, trap.columns)), figures, trap.advice
            )


_registered: dict[str, Check] = {}


def check(code: str, title: str, *, severity: Severity, cost: Cost = "fast") -> Callable[[Function], Function]:
    """Make a check of a function that yields traps; the type of its argument says when it runs.

    A `Subject` is a study before its fits, an `Outcome` a finished one, and `NewRows` are rows to predict or test.
    """

    def register(function: Function) -> Function:
        (subject,) = (hint for name, hint in get_type_hints(function).items() if name != "return")
        _registered[code] = Check(code, title, severity, cost, function, subject)
        return function

    return register


@cache
def all_checks() -> dict[str, Check]:
    """Every check by its code; each file of this folder is a family."""
    for family in iter_modules(foldwise.checks.__path__):
        import_module(f"foldwise.checks.{family.name}")
    return dict(sorted(_registered.items()))


def find_traps(subject: Any, *, cost: Cost = "fast") -> Iterator[Finding]:
    """What the checks of this kind of subject find; the slow ones run too where that cost is accepted."""
    for check in all_checks().values():
        if isinstance(subject, check.subject) and check.cost in ("fast", cost):
            yield from check.findings(subject)


def read_silence(silence: str | Iterable[str] | None) -> tuple[str, ...]:
    """The codes to silence, each known and once.

    >>> read_silence("fw201"), read_silence(["FW204", "FW201", "FW204"])
    (('FW201',), ('FW201', 'FW204'))
    """
    codes = [str(code).upper() for code in ([silence] if isinstance(silence, str) else silence or ())]
    for code in codes:
        if code not in all_checks():
            raise BadOption(f"there is no check {code!r} to silence", nearest(code, all_checks()))
    return tuple(sorted(set(codes)))


def _plain(value: Any) -> Any:
    """A figure as JSON has it; floats are cut to nine digits, so that no library's last bit shows."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float):
        return float(f"{value:.9g}") if np.isfinite(value) else None
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
