"""The tuners by name. A tuner is added by a file in this room: it is found by its class."""

from __future__ import annotations

import importlib
import pkgutil
import re
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import foldwise.tuners as tuners
from foldwise.errors import BadSpace, BadStudy, nearest
from foldwise.tuners.budget import Budget
from foldwise.tuners.grid import Grid
from foldwise.tuners.random import BUDGET as RANDOM_BUDGET
from foldwise.tuners.search import BUDGET, MOST_TIMED, Search, Stepwise, check_stop
from foldwise.tuners.tuner import Limits, Tuner

ANY = Budget()


@cache
def tuner_classes() -> dict[str, type[Tuner]]:
    """Every tuner of this room by its name.

    >>> sorted(tuner_classes())
    ['cmaes', 'gp', 'grid', 'halving', 'hyperband', 'pruned', 'racing', 'random', 'tpe', 'untuned']
    """
    modules = [importlib.import_module(f"{tuners.__name__}.{one.name}") for one in _files()]
    found = [kind for module in modules for kind in vars(module).values() if isinstance(kind, type)]
    return {kind.name: kind for kind in found if issubclass(kind, Tuner) and kind.name}


def tuner_names() -> list[str]:
    """The tuners that a user can name."""
    return [name for name in tuner_classes() if name != "untuned"]


def make_tuner(given: Any, budget: Budget = ANY, stop: str | None = None) -> Tuner:
    """The tuner that is meant by a name, a text with options, or an object; None is the grid.

    >>> make_tuner("halving(factor=2)")
    Halving(resource='rows', factor=2, least=None)
    """
    if is_own(given):
        return given  # type: ignore[no-any-return]
    kind, options = (Grid, {}) if given is None else read_text(str(given))
    if not issubclass(kind, Search) and budget.seconds is None and not (check_stop(stop) and kind.may_stop):
        return kind(**options)
    usual = BUDGET if issubclass(kind, Search) else RANDOM_BUDGET
    limits = Limits(budget.candidates or (usual if budget.seconds is None else MOST_TIMED), budget.seconds, stop)
    return (
        kind(limits)
        if issubclass(kind, Search)
        else Stepwise(kind.name, limits, on_grid=given is not None and kind is Grid)
    )


def is_own(given: Any) -> bool:
    """Is it a user's own tuner?"""
    return isinstance(given, Tuner) and type(given) not in tuner_classes().values()


def stored_tuner(text: str, limits: Limits | None) -> Tuner:
    """The tuner that a store names."""
    kind, options = read_text(text)
    if limits is None:
        return kind(**options)
    return kind(limits) if issubclass(kind, Search) else Stepwise(kind.name, limits)


def read_text(text: str) -> tuple[type[Tuner], dict[str, Any]]:
    """The class and the options in a tuner's text, such as `halving(factor=2)`."""
    found = re.fullmatch(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", text)
    kind = tuner_classes().get(found[1]) if found else None
    if found is None or kind is None:
        raise BadSpace(f"the tuner {text!r} is not known", nearest(text, tuner_names()))
    known: list[str] = [one.name for one in fields(kind)] if is_dataclass(kind) else []
    if found[2] is not None and not is_dataclass(kind):
        raise BadSpace(f"the tuner {text!r} is not known", nearest(text, tuner_names()))
    given: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in (found[2] or "").split(","))):
        name, _, value = (piece.strip() for piece in part.partition("="))
        if name not in known or not value:
            remedy = nearest(name, known) if known else f"Write {found[1]!r} alone"
            raise BadStudy(f"the tuner {found[1]!r} has no option {part!r}", remedy)
        given[name] = _plain(value)
    return kind, given


def _files() -> list[pkgutil.ModuleInfo]:
    own = __name__.rpartition(".")[2]
    return [one for one in pkgutil.iter_modules(tuners.__path__) if one.name != own]


def _plain(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text.strip("'\"")
