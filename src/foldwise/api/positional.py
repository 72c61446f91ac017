"""Positional arguments, read from the right by their number: y, then X, then what comes before them.

`fw.compare(X, y)` and `fw.compare(learners, X, y)` are told apart by how many arguments there are, never by their
types: the last is `y` unless `y=` was given, the one before it `X` unless `X=` was given, then come the learners. The
name of a built-in data set stands for both X and y, since its target is known.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from foldwise.data.dataset import Dataset
from foldwise.data.sources import is_builtin_set
from foldwise.errors import BadOption
from foldwise.learners.catalogue import is_builtin_name
from foldwise.learners.keywords import check_keywords
from foldwise.plans.methods import name_learners

Options = ParamSpec("Options")
Answer = TypeVar("Answer")


def from_the_right(
    first: str, *, more: Callable[[], Collection[str]] | None = None
) -> Callable[[Callable[Options, Answer]], Callable[..., Answer]]:
    """Make a function of (first, X, y) read its positional arguments from the right, and refuse unknown keywords.

    `more` gives the keywords that it hands on to another function. One that has open keywords of its own checks them
    itself.
    """

    def decorate(function: Callable[Options, Answer]) -> Callable[..., Answer]:
        own, name = signature(function).parameters, function.__name__
        is_open = more is None and any(one.kind is Parameter.VAR_KEYWORD for one in own.values())

        @wraps(function)
        def call(*given: Any, **options: Any) -> Answer:
            if not is_open:
                named = [word for word, one in own.items() if one.kind is not Parameter.VAR_KEYWORD]
                check_keywords(name, options, dict.fromkeys([*named, *(more() if more else ())]))
            return function(**read_arguments(name, given, options, first=first))  # type: ignore[call-arg]

        return call

    return decorate


def read_arguments(name: str, given: tuple[Any, ...], options: Mapping[str, Any], *, first: str) -> dict[str, Any]:
    """The arguments of a call by name.

    >>> read_arguments("compare", ([[1.0]], [2.0]), {"seed": 7}, first="learners")
    {'seed': 7, 'X': [[1.0]], 'y': [2.0]}
    >>> read_arguments("compare", (["ridge"], "diabetes"), {}, first="learners")
    {'learners': ['ridge'], 'X': 'diabetes'}
    """
    places = [word for word in (first, "X", "y") if word not in options]
    if "y" in places and _knows_target(given, options, first):
        places.remove("y")
    if len(given) > len(places):
        raise BadOption(f"fw.{name} was given {_too_many(given, options, first)}", f"Write fw.{name}({first}, X, y)")
    if len(given) == len(places) == 3 and _is_no_table(given[2]) and not is_learners(given[0]):
        raise BadOption(f"fw.{name} was given the {first} last", f"Write fw.{name}({first}, X, y)")
    return {**options, **dict(zip(_taken(places, given, first), given, strict=False))}


def _taken(places: list[str], given: tuple[Any, ...], first: str) -> list[str]:
    """The last places; the first ones where learners come first and y is missing, which is then what is said."""
    if len(given) < len(places) and first in places and "y" in places and given and _is_no_table(given[0]):
        return places
    if len(given) == 1 and places[-2:] == ["X", "y"]:
        return ["X"]
    return places[len(places) - len(given) :]


def one_learner(learner: Any, call: str) -> tuple[str, Any]:
    """The learner of a question about one, and its name.

    >>> one_learner([("mine", "ridge")], "risk")
    ('mine', 'ridge')
    """
    if learner is None:
        raise BadOption(f"fw.{call} is of one learner, and there is none", f"Write fw.{call}(learner, X, y)")
    named = name_learners(learner, "regression")
    if len(named) != 1:
        raise BadOption(f"fw.{call} is of one learner, not of {len(named)}", "Use fw.compare for several")
    return next(iter(named.items()))


def is_learners(value: Any) -> bool:
    """Can this be nothing but learners: estimators, or names of built-in ones, one or several?

    >>> is_learners("ridge"), is_learners(["k-nn", "forest:small"]), is_learners([1.0, 2.0]), is_learners("file.csv")
    (True, True, False, False)
    """
    if isinstance(value, str):
        return is_builtin_name(value) and not Path(value).exists()
    if isinstance(value, Mapping):
        return bool(value) and all(is_learners(one) for one in value.values())
    if isinstance(value, list | tuple):
        return bool(value) and all(is_learners(one) for one in value)
    return hasattr(value, "get_params") or type(value).__name__ == "Named"


def _knows_target(given: tuple[Any, ...], options: Mapping[str, Any], first: str) -> bool:
    """Is the table ready-made data or a built-in set, whose target is known?

    The name of a set is a target where a table that can have such a column comes before it, as in a table of patients
    with a column "diabetes".
    """
    if "X" in options:
        return _is_complete(options["X"])
    if not given or not _is_complete(given[-1]):
        return False
    if isinstance(given[-1], Dataset) or len(given) == 1:
        return True
    return len(given) == 2 and first not in options and not _has_names(given[0])


def _is_no_table(value: Any) -> bool:
    """Learners that are no rows: estimators, or names each given once, as classes and texts of a table are not."""
    if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        return is_learners(value) and len(set(value)) == len(value)
    return is_learners(value)


def _is_complete(table: Any) -> bool:
    return isinstance(table, Dataset) or (isinstance(table, str) and is_builtin_set(table))


def _has_names(value: Any) -> bool:
    """Can it be a table whose columns have names, so that a text after it names one?"""
    if isinstance(value, str | Path):
        return Path(value).suffix != "" or Path(value).exists()
    is_columns = isinstance(value, Mapping) and not is_learners(value)
    return is_columns or hasattr(value, "columns") or hasattr(value, "column_names") or hasattr(value, "shape")


def _too_many(given: tuple[Any, ...], options: Mapping[str, Any], first: str) -> str:
    words = ", ".join(f"{word}=" for word in (first, "X", "y") if word in options)
    count = f"{len(given)} argument{'s' * (len(given) != 1)} without a name"
    if words or len(given) > 3:
        return f"{count} besides {words}" if words else count
    return f"{count}, and the last is a data set that knows its target"
