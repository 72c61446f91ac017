"""Spaces that a learner is known to refuse, found before any fit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import copy
from typing import Any

from foldwise.errors import BadSpace
from foldwise.recipes.learner import Learner
from foldwise.recipes.limits import beyond
from foldwise.spaces.draw import Block
from foldwise.spaces.parameter import Choice, Parameter

MOST_CHECKED = 1000  # values of one choice; of more, so many are looked at
_MACHINE = {"gamma": ("rbf", "poly", "sigmoid"), "degree": ("poly",), "coef0": ("poly", "sigmoid")}
_KERNEL = {
    "gamma": ("rbf", "laplacian", "poly", "polynomial", "sigmoid", "chi2"),
    "degree": ("poly", "polynomial"),
    "coef0": ("poly", "polynomial", "sigmoid"),
}
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
        decider, users = CONDITIONS.get(type(parts[prefix]).__name__, ("", {}))
        chosen = getattr(parts[prefix], decider, None)
        is_given = (f"{prefix}__{decider}" if prefix else decider) in given.values()
        if leaf in users and is_given and isinstance(chosen, str | bool) and chosen not in users[leaf]:
            raise _idle(name, word, decider, chosen, users[leaf])


def check_value(name: str, owner: Any, word: str, leaf: str, value: Any) -> None:
    """Ask the part that a parameter belongs to whether it would take the value; scikit-learn's parts know."""
    if limit := beyond(owner, leaf, value):
        raise _refusal(name, word, value, f"it must be {limit}")
    knows = hasattr(owner, "_parameter_constraints") or _checks_itself(owner)
    if not knows or leaf not in owner.get_params(deep=False):
        return
    trial = copy(owner)
    setattr(trial, leaf, value)
    try:
        trial._validate_params()
    except (TypeError, ValueError) as reason:
        if f"'{leaf}'" in str(reason):
            words = re.search(r"must be (.*)\. Got ", str(reason), flags=re.DOTALL)
            found = f"it must be {words[1]}" if words else str(reason)
            raise _refusal(name, word, value, found) from None


def _refusal(name: str, word: str, value: Any, found: str) -> BadSpace:
    return BadSpace(f"learner {name!r} refuses {word}={value!r}: {found}", "Leave the value out, or write another")


def _checks_itself(owner: Any) -> bool:
    return any(
        "_validate_params" in vars(base) for base in type(owner).__mro__ if base.__module__.startswith("foldwise.")
    )


def _check_condition(learner: Learner, block: Block, name: str, parameter: Parameter, owner: Any) -> None:
    decider, users = CONDITIONS.get(type(owner).__name__, ("", {}))
    prefix, _, leaf = learner.names[name].rpartition("__")
    if leaf not in users:
        return
    full = f"{prefix}__{decider}" if prefix else decider
    chosen = next((other for word, other in block if learner.names[word] == full), None)
    values = [getattr(owner, decider)] if chosen is None else list(_some(chosen))
    idle = [value for value in values if isinstance(value, str | bool) and value not in users[leaf]]
    if idle and (parameter.size > 1 or len(idle) == len(values)):
        raise _idle(learner.name, name, decider, idle[0], users[leaf])


def _idle(name: str, word: str, decider: str, chosen: Any, users: tuple[Any, ...]) -> BadSpace:
    uses = " or ".join(repr(value) for value in users)
    remedy = f"Give it only beside {decider}={uses}, in a space of its own: space=[{{...}}, {{...}}]"
    return BadSpace(f"learner {name!r}: {word} does nothing beside {decider}={chosen!r}", remedy)


def _some(parameter: Parameter) -> Iterator[Any]:
    """The values to look at: of a choice all, of a range its ends."""
    if isinstance(parameter, Choice):
        step = max(1, len(parameter.values) // MOST_CHECKED)
        yield from parameter.values[::step]
        return
    yield from (parameter.at(0.0), parameter.at(1.0))
