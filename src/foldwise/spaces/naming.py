"""Which parameter of an estimator a short name means."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

from foldwise.errors import BadSpace, nearest
from foldwise.spaces.draw import Block
from foldwise.spaces.parameter import Choice

# packages whose learners tell of a parameter only once it is set, and of every one that is
TELL_LATE = ("catboost",)


def known_parameters(estimator: Any) -> dict[str, Any]:
    """All parameters of an estimator and of its parts, also those that it has not told of yet, which are None.

    >>> from sklearn.linear_model import Ridge
    >>> known_parameters(Ridge()) == Ridge().get_params()
    True
    """
    known: dict[str, Any] = estimator.get_params(deep=True)
    parts = {"": estimator, **known}
    late = {f"{prefix}__{name}".removeprefix("__"): None for prefix, part in parts.items() for name in _told_late(part)}
    return late | known


def _told_late(part: Any) -> list[str]:
    packages = {base.__module__.partition(".")[0] for base in type(part).__mro__}
    return list(signature(type(part)).parameters) if packages.intersection(TELL_LATE) else []


def full_name(name: str, known: Mapping[str, Any], block: Block) -> str:
    """The name with double underscores, among an estimator's own parameters or those of a step the block chooses."""
    if name in known or _is_within_choice(name, known, block):
        return name
    found = [key for key in known if key.endswith(f"__{name}")]
    if len(found) == 1:
        return found[0]
    if found:
        raise BadSpace(f"the parameter {name!r} could be {' or '.join(sorted(found))}", "Write one of them in full")
    raise BadSpace(f"the learner has no parameter {name!r}", _hint(name, known))


def _is_within_choice(name: str, known: Mapping[str, Any], block: Block) -> bool:
    """Does the name belong to an estimator that the same block chooses (`clf__C` beside `clf=[SVC()]`)?"""
    for step, parameter in block:
        if name.startswith(f"{step}__") and step in known and isinstance(parameter, Choice):
            rest = name[len(step) + 2 :]
            return all(hasattr(v, "get_params") and rest in known_parameters(v) for v in parameter.values)
    return False


def _hint(name: str, known: Mapping[str, Any]) -> str:
    """The nearest parameter, or else those of the learner itself: not of what is around it."""
    if "__" in name:
        return nearest(name, known)
    hints = [nearest(name, names) for names in (own_names(known), {_leaf(key) for key in known})]
    return next((hint for hint in hints if hint.startswith("Did")), hints[0])


def own_names(known: Mapping[str, Any]) -> set[str]:
    """Parameters of the learner at the end; pipelines hold the steps before it too, and have some of their own."""
    parts = [key for key, part in known.items() if hasattr(part, "fit") and _leaf(key) != "transformer"]
    if not parts:
        return {_leaf(key) for key in known}
    ends = ["learner"] if "learner" in parts else [key for key in parts if hasattr(known[key], "predict")]
    plain = [key for key in parts if key.startswith(tuple(ends)) and not _holds(key, parts)]
    return {_leaf(key) for key in known if key.startswith(tuple(f"{part}__" for part in plain))}


def _holds(key: str, parts: list[str]) -> bool:
    return any(other.startswith(f"{key}__") for other in parts)


def _leaf(key: str) -> str:
    return key.rpartition("__")[2]
