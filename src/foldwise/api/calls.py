"""How the public functions read a call: positional arguments by their number, keywords from the table of options.

`fw.compare(X, y)` and `fw.compare(learners, X, y)` are told apart by how many arguments there are, never by their
types: the last is `y` unless `y=` was given, the one before it `X` unless `X=` was given, then come the learners. The
name of a built-in data set stands for both X and y, since its target is known.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps
from inspect import Parameter, cleandoc, signature
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from foldwise.api.options import OPTIONS, explained, our_word
from foldwise.data.dataset import Dataset
from foldwise.data.sources import is_builtin_set
from foldwise.errors import BadOption, nearest
from foldwise.learners.catalogue import is_builtin_name
from foldwise.learners.tuned import tune as tune_estimator
from foldwise.plans.methods import name_learners
from foldwise.spaces.space import known_parameters

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


def call(
    first: str, options: Collection[str] = OPTIONS, *, is_flat: bool = False, **defaults: Any
) -> Callable[[Callable[Arguments, Answer]], Callable[Arguments, Answer]]:
    """Have a function of (first, X, y) read its call: positional arguments from the right, known keywords only.

    It takes these `options` of the table, with `defaults` of its own where it says so. `is_flat` shows each of them in
    its signature, and in its help where that says {options}. A keyword for anything else (`**parameter`) is checked by
    the function itself.
    """
    rows = {name: row for name, row in OPTIONS.items() if name in options}

    def decorate(function: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
        declared = signature(function).parameters.values()
        own = [each for each in declared if each.kind is Parameter.KEYWORD_ONLY and each.name not in (first, "X", "y")]
        (rest,) = (each for each in declared if each.kind is Parameter.VAR_KEYWORD)
        takes_others = rest.name != "options"
        known = [first, "X", "y", *(parameter.name for parameter in own), *rows]
        shown = [
            *(Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation="Any") for name in known[:3]),
            *own,
            *(
                Parameter(name, Parameter.KEYWORD_ONLY, default=defaults.get(name, row.default), annotation=row.type)
                for name, row in rows.items()
                if is_flat or name in defaults
            ),
            *([rest.replace(annotation="Any")] if takes_others or not is_flat else []),
        ]

        @wraps(function)
        def read(*given: Any, **keywords: Any) -> Answer:
            if not takes_others:
                check_keywords(function.__name__, keywords, known)
            arguments = read_arguments(function.__name__, given, keywords, first=first)
            return function(**{**defaults, **arguments})  # type: ignore[call-arg]

        read.__signature__ = signature(function).replace(parameters=shown)  # type: ignore[attr-defined]
        read.__doc__ = cleandoc(function.__doc__ or "").replace("{options}", explained(rows.values()))
        return read

    return decorate


def known_keywords(function: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
    """Make a function answer an unknown keyword with our word for it."""
    known = signature(function).parameters

    @wraps(function)
    def read(*given: Arguments.args, **keywords: Arguments.kwargs) -> Answer:
        check_keywords(function.__name__, keywords, known)
        return function(*given, **keywords)

    return read


def refuse_foreign(function: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
    """Make `tune` answer a word of other libraries with ours, unless the estimator has a parameter of that name."""
    known = signature(function).parameters

    @wraps(function)
    def read(*given: Arguments.args, **keywords: Arguments.kwargs) -> Answer:
        if given and not isinstance(given[0], str | type):
            check_parameters(function.__name__, given[0], keywords, known)
        return function(*given, **keywords)

    return read


tune = refuse_foreign(tune_estimator)


def check_keywords(function: str, given: Iterable[str], known: Collection[str]) -> None:
    """Refuse a keyword that a function does not have, with our word for it, or else the nearest one.

    >>> check_keywords("compare", ["n_jobs"], ["jobs", "outer"])
    Traceback (most recent call last):
    foldwise.errors.BadOption: fw.compare has no 'n_jobs'. Write jobs=2.
    """
    unknown = [word for word in given if word not in known]
    check_foreign(function, unknown, known)
    for word in unknown:
        raise BadOption(f"fw.{function} has no {word!r}", nearest(word, known))


def check_foreign(function: str, given: Iterable[str], known: Collection[str]) -> None:
    """Refuse a keyword of other libraries, with our word for it; any other word passes."""
    for word in given:
        if remedy := our_word(word, known):
            raise BadOption(f"fw.{function} has no {word!r}", remedy)


def check_parameters(function: str, estimator: Any, given: Iterable[str], known: Collection[str]) -> None:
    """Refuse a keyword of other libraries where the estimator has no parameter of that name."""
    full = known_parameters(estimator) if hasattr(estimator, "get_params") else {}
    parameters = {word for name in full for word in (name, name.rpartition("__")[2])}
    check_foreign(function, [word for word in given if word not in parameters], known)


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
        return bool(value) and all(is_learners(part) for part in value.values())
    if isinstance(value, list | tuple):
        return bool(value) and all(is_learners(part) for part in value)
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
    if isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
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
    named = ", ".join(f"{name}=" for name in (first, "X", "y") if name in options)
    count = f"{len(given)} argument{'s' * (len(given) != 1)} without a name"
    if named or len(given) > 3:
        return f"{count} besides {named}" if named else count
    return f"{count}, and the last is a data set that knows its target"
