"""The tuners by name. A tuner is added by a file in this room: it is found by its class."""

from __future__ import annotations

import importlib
import pkgutil
import re
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import foldwise.tuners as tuners
from foldwise.errors import BadPlugin, BadSpace, BadStore, BadStudy, nearest
from foldwise.plugins import load_plugin, plugin_names
from foldwise.tuners.budget import Budget
from foldwise.tuners.grid import Grid
from foldwise.tuners.optuna import Sampled, is_sampler
from foldwise.tuners.random import BUDGET as RANDOM_BUDGET
from foldwise.tuners.search import BUDGET, MOST_TIMED, Search, Stepwise, check_stop
from foldwise.tuners.tuner import Limits, Tuner

ANY = Budget()
GROUP = "foldwise.tuners"  # entry points of other packages


@cache
def tuner_classes() -> dict[str, type[Tuner]]:
    """Every tuner of this room by its name.

    >>> {"grid", "racing", "tpe"} <= set(tuner_classes())
    True
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
    if is_sampler(given):
        limits = Limits(budget.candidates or (BUDGET if budget.seconds is None else MOST_TIMED), budget.seconds, stop)
        return Sampled(given, limits)
    if is_foreign(given) and isinstance(found := load_plugin(GROUP, base_name(given)), Tuner):
        return found
    kind, options = (Grid, {}) if given is None else read_text(str(given))
    if not issubclass(kind, Search) and budget.seconds is None and not (check_stop(stop) and kind.may_stop):
        return kind(**options)
    usual = BUDGET if issubclass(kind, Search) else RANDOM_BUDGET
    limits = Limits(budget.candidates or (usual if budget.seconds is None else MOST_TIMED), budget.seconds, stop)
    on_grid = given is not None and kind is Grid
    return kind(limits) if issubclass(kind, Search) else Stepwise(kind.name, limits, on_grid=on_grid)


def stored_tuner(text: str, limits: Limits | None, own: Tuner | None = None) -> Tuner:
    """The tuner that a store names; one of another package or of the user's must be given again."""
    if own is not None and str(own) == text:
        return own
    if base_name(text) not in tuner_classes():
        raise BadStore(
            f"the study was tuned by {text!r}, which is no tuner of Foldwise's",
            "Give it again: fw.load(RUN, tuner=...)",
        )
    kind, options = read_text(text)
    if limits is None:
        return kind(**options)
    return kind(limits) if issubclass(kind, Search) else Stepwise(kind.name, limits)


def is_own(given: Any) -> bool:
    """Is it a tuner object of the user's own?"""
    return isinstance(given, Tuner) and type(given) not in tuner_classes().values()


def is_foreign(given: Any) -> bool:
    """Does this text name a tuner of another package?"""
    if not isinstance(given, str) or base_name(given) in tuner_classes():
        return False
    return base_name(given) in plugin_names(GROUP)


def base_name(text: str) -> str:
    """A tuner's name without its options.

    >>> base_name("halving(factor=2)")
    'halving'
    """
    return text.partition("(")[0].strip()


def read_text(text: str) -> tuple[type[Tuner], dict[str, Any]]:
    """The class and the options in a tuner's text, such as `halving(factor=2)`."""
    found = re.fullmatch(r"\s*([^()]+?)\s*(?:\((.*)\))?\s*", text)
    kind = _kind(found[1]) if found else None
    has_options = kind is not None and is_dataclass(kind)
    if found is None or kind is None or (found[2] is not None and not has_options):
        raise BadSpace(f"the tuner {text!r} is not known", nearest(text, [*tuner_names(), *plugin_names(GROUP)]))
    known: list[str] = [one.name for one in fields(kind)] if is_dataclass(kind) else []
    given: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in (found[2] or "").split(","))):
        name, _, value = (piece.strip() for piece in part.partition("="))
        if name not in known or not value:
            remedy = nearest(name, known) if known else f"Write {found[1]!r} alone"
            raise BadStudy(f"the tuner {found[1]!r} has no option {part!r}", remedy)
        given[name] = _plain(value)
    return kind, given


def _kind(name: str) -> type[Tuner] | None:
    if not is_foreign(name):
        return tuner_classes().get(name)
    found = load_plugin(GROUP, name)
    if isinstance(found, type) and issubclass(found, Tuner):
        return found
    raise BadPlugin(f"{name!r} of {GROUP} is {found!r}, which is no tuner", "Subclass fw.Tuner")


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
