"""Spaces that a learner is known to refuse, found before any fit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from foldwise.errors import BadSpace, nearest
from foldwise.learners.learner import Learner
from foldwise.learners.limits import PACKAGES, beyond
from foldwise.spaces.draw import Block
from foldwise.spaces.parameter import Choice, Parameter
from foldwise.spaces.value import short

MOST_CHECKED = 1000  # values of one choice; of more, so many are looked at
_MACHINE = {"gamma": ("rbf", "poly", "sigmoid"), "degree": ("poly",), "coef0": ("poly", "sigmoid")}
_KERNEL = {
    "gamma": ("rbf", "laplacian", "poly", "polynomial", "sigmoid", "chi2"),
    "degree": ("poly", "polynomial"),
    "coef0": ("poly", "polynomial", "sigmoid"),
}
MOST_WHOLE = 2**63 - 1  # what fits a whole number of the machine
_OF_PIPELINES = ("steps", "memory", "transform_input", "verbose")  # all other names are those of steps
_AS_WORD = "no word that any part knows"
_STEPS = dict.fromkeys(("momentum", "nesterovs_momentum", "power_t"), ("sgd",))
# class -> the parameter that decides, and the values of it that others go with
CONDITIONS: dict[str, tuple[str, dict[str, tuple[Any, ...]]]] = {
    **dict.fromkeys(("SVC", "SVR", "NuSVC", "NuSVR"), ("kernel", _MACHINE)),
    "KernelRidge": ("kernel", _KERNEL),
    **dict.fromkeys(("KNeighborsClassifier", "KNeighborsRegressor"), ("metric", {"p": ("minkowski",)})),
    **dict.fromkeys(("NearestClassifier", "NearestRegressor"), ("metric", {"p": ("minkowski",)})),
    **dict.fromkeys(
        ("MLPClassifier", "MLPRegressor"), ("solver", {**_STEPS, "beta_1": ("adam",), "beta_2": ("adam",)})
    ),
    **dict.fromkeys(("RandomForestClassifier", "RandomForestRegressor"), ("bootstrap", {"max_samples": (True,)})),
    **dict.fromkeys(("ExtraTreesClassifier", "ExtraTreesRegressor"), ("bootstrap", {"max_samples": (True,)})),
    "HistGradientBoostingRegressor": ("loss", {"quantile": ("quantile",)}),
    "GradientBoostingRegressor": ("loss", {"alpha": ("huber", "quantile")}),
    "LinearDiscriminantAnalysis": ("solver", {"shrinkage": ("lsqr", "eigen")}),
    "QuadraticDiscriminantAnalysis": ("solver", {"shrinkage": ("eigen",), "reg_param": ("svd",)}),
}


def check_space(learner: Learner) -> None:
    """Refuse values that the learner will not take, and parameters beside a choice that does not use them."""
    if learner.space is None:
        return
    for block in learner.space.blocks:
        estimator = learner.at({name: next(_some(parameter)) for name, parameter in block})
        parts = {"": estimator, **estimator.get_params(deep=True)}
        for name, parameter in block:
            prefix, _, leaf = learner.names[name].rpartition("__")
            owner = parts[prefix]
            _check_condition(learner, block, name, parameter, owner)
            for value in _some(parameter):
                check_value(learner.name, owner, name, leaf, value)


def check_parameters(name: str, estimator: Any, given: dict[str, str]) -> None:
    """Refuse fixed values that the learner will not take; `given` are full names by the names the user wrote."""
    parts = {"": estimator, **estimator.get_params(deep=True)}
    for word, full in given.items():
        prefix, _, leaf = full.rpartition("__")
        check_value(name, parts[prefix], word, leaf, parts[full])
        decider, users = _condition(parts[prefix])
        chosen = getattr(parts[prefix], decider, None)
        is_given = (f"{prefix}__{decider}" if prefix else decider) in given.values()
        is_idle = isinstance(chosen, str | bool) and chosen not in users.get(leaf, (chosen,))
        if is_idle and is_given and parts[full] is not None:
            raise _idle(name, word, decider, chosen, users[leaf], has_space=False)


def without_idle(learner: Learner) -> Learner:
    """The learner without the parameters of its space that do nothing beside its fixed values."""
    assert learner.space is not None
    parts = {"": learner.estimator, **learner.estimator.get_params(deep=True)}
    left: list[Block] = []
    for block in learner.space.blocks:
        used = tuple((name, parameter) for name, parameter in block if not _is_idle(learner, block, name, parts))
        left += [used] if used and used not in left else []
    return replace(learner, space=learner.space.only(left) if left else None)


def _condition(part: Any) -> tuple[str, dict[str, tuple[Any, ...]]]:
    """The parameter of a part that decides over others, and the values they go with."""
    kind = type(part)
    return CONDITIONS.get(kind.__name__, ("", {})) if kind.__module__.startswith(PACKAGES) else ("", {})


def _is_idle(learner: Learner, block: Block, name: str, parts: dict[str, Any]) -> bool:
    prefix, _, leaf = learner.names[name].rpartition("__")
    decider, users = _condition(parts[prefix])
    full = f"{prefix}__{decider}" if prefix else decider
    chosen = parts.get(full)
    is_tuned = any(learner.names[word] == full for word, _ in block)
    return leaf in users and not is_tuned and isinstance(chosen, str | bool) and chosen not in users[leaf]


def check_value(name: str, owner: Any, word: str, leaf: str, value: Any) -> None:
    """Ask the part that a parameter belongs to whether it would take the value; scikit-learn's parts know."""
    if limit := beyond(owner, leaf, value):
        raise _refusal(name, word, value, f"it must be {limit}")
    if isinstance(value, str) and value == "precomputed" and leaf in ("kernel", "metric"):
        raise _refusal(name, word, value, "the rows of a table are no distances of each other")
    if type(owner).__name__ == "Pipeline" and leaf not in _OF_PIPELINES and not _is_step(value):
        raise _refusal(name, word, value, "a step must be an estimator or 'passthrough'")
    if isinstance(value, int) and abs(value) > MOST_WHOLE and type(owner).__module__.startswith(PACKAGES):
        raise _refusal(name, word, value, f"whole numbers end at {MOST_WHOLE:.2g}")
    knows = hasattr(owner, "_parameter_constraints") or _checks_itself(owner)
    if not knows or leaf not in owner.get_params(deep=False):
        return
    trial = copy(owner)
    # True is a number to Python and a slip of the pen to everyone else; where it is meant, words are refused too
    for asked in (value, *((_AS_WORD,) if isinstance(value, bool | np.bool_) else ())):
        setattr(trial, leaf, asked)
        try:
            trial._validate_params()
        except (TypeError, ValueError) as reason:
            if f"'{leaf}'" in str(reason) and (asked is value or "bool" not in str(reason)):
                raise _not_taken(name, word, value, str(reason)) from None


def _is_step(value: Any) -> bool:
    return value is None or hasattr(value, "fit") or (isinstance(value, str) and value == "passthrough")


def _not_taken(name: str, word: str, value: Any, reason: str) -> BadSpace:
    """The sentence in the words of the part itself, the words it knows in order."""
    words = re.search(r"must be (.*)\. Got ", reason, flags=re.DOTALL)
    if words is None:
        return _refusal(name, word, value, reason)
    listed = re.search(r"\{('[^{}]*)\}", words[1])
    if listed is None:
        return _refusal(name, word, value, f"it must be {words[1]}")
    known = sorted(re.findall(r"'([^']*)'", listed[1]))
    text = words[1].replace(listed[0], f"{{{', '.join(map(repr, known))}}}")
    hint = nearest(str(value), known)
    return _refusal(name, word, value, f"it must be {text}", hint if hint.startswith("Did") else "")


def _refusal(name: str, word: str, value: Any, found: str, remedy: str = "") -> BadSpace:
    text = f"learner {name!r} refuses {word}={short(value)}: {found}"
    return BadSpace(text, remedy or "Leave the value out, or write another")


def _checks_itself(owner: Any) -> bool:
    return any(
        "_validate_params" in vars(base) for base in type(owner).__mro__ if base.__module__.startswith("foldwise.")
    )


def _check_condition(learner: Learner, block: Block, name: str, parameter: Parameter, owner: Any) -> None:
    decider, users = _condition(owner)
    prefix, _, leaf = learner.names[name].rpartition("__")
    if leaf not in users or _is_none(parameter):
        return
    full = f"{prefix}__{decider}" if prefix else decider
    chosen = next((other for word, other in block if learner.names[word] == full), None)
    values = [getattr(owner, decider)] if chosen is None else list(_some(chosen))
    idle = [value for value in values if isinstance(value, str | bool) and value not in users[leaf]]
    if idle and (parameter.size > 1 or len(idle) == len(values)):
        raise _idle(learner.name, name, decider, idle[0], users[leaf], has_space=not learner.is_builtin)


def _is_none(parameter: Parameter) -> bool:
    return isinstance(parameter, Choice) and parameter.values == (None,)


def _idle(name: str, word: str, decider: str, chosen: Any, users: tuple[Any, ...], *, has_space: bool) -> BadSpace:
    """The sentence; fixed values and the words of a built-in learner have no spaces to be put apart in."""
    uses = " or ".join(repr(value) for value in users)
    apart = ", in a space of its own: space=[{...}, {...}]" if has_space else ""
    remedy = f"Give it only beside {decider}={uses}{apart}"
    return BadSpace(f"learner {name!r}: {word} does nothing beside {decider}={chosen!r}", remedy)


def _some(parameter: Parameter) -> Iterator[Any]:
    """The values to look at: of a choice all, of a range its ends."""
    if isinstance(parameter, Choice):
        step = max(1, len(parameter.values) // MOST_CHECKED)
        yield from parameter.values[::step]
        return
    yield from (parameter.at(0.0), parameter.at(1.0))
