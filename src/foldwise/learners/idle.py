"""Parameters without effect at some value of another: tuning them fits the same model many times."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from foldwise.errors import BadSpace
from foldwise.learners.learner import Learner
from foldwise.spaces.draw import Block
from foldwise.spaces.parameter import Choice, Parameter

_SVM = {"gamma": ("rbf", "poly", "sigmoid"), "degree": ("poly",), "coef0": ("poly", "sigmoid")}
_KERNEL = {
    "gamma": ("rbf", "laplacian", "poly", "polynomial", "sigmoid", "chi2"),
    "degree": ("poly", "polynomial"),
    "coef0": ("poly", "polynomial", "sigmoid"),
}
_STEPS = dict.fromkeys(("momentum", "nesterovs_momentum", "power_t"), ("sgd",))
_NEAREST: tuple[str, dict[str, tuple[Any, ...]]] = ("metric", {"p": ("minkowski",)})
# class, without Classifier or Regressor -> the parameter that decides, and its values that others are used with
CONDITIONS: dict[str, tuple[str, dict[str, tuple[Any, ...]]]] = {
    **dict.fromkeys(("SVC", "SVR", "NuSVC", "NuSVR"), ("kernel", _SVM)),
    "KernelRidge": ("kernel", _KERNEL),
    **dict.fromkeys(("KNeighbors", "Nearest"), _NEAREST),
    "MLP": ("solver", {**_STEPS, "beta_1": ("adam",), "beta_2": ("adam",)}),
    **dict.fromkeys(("RandomForest", "ExtraTrees"), ("bootstrap", {"max_samples": (True,)})),
    "HistGradientBoosting": ("loss", {"quantile": ("quantile",)}),
    "GradientBoosting": ("loss", {"alpha": ("huber", "quantile")}),
    "LinearDiscriminantAnalysis": ("solver", {"shrinkage": ("lsqr", "eigen")}),
    "QuadraticDiscriminantAnalysis": ("solver", {"shrinkage": ("eigen",), "reg_param": ("svd",)}),
}


def check_idle(learner: Learner, block: Block, parts: dict[str, Any], *, is_fixed: bool = False) -> None:
    """Refuse parameters without effect at the values of others; `parts` are those of the estimator, by full name.

    With `is_fixed`, only values that the block itself gives count: the default may be tuned.
    """
    for name, parameter in block:
        decider, uses, values, is_own = _condition(learner, block, name, parts)
        unused = [value for value in values if isinstance(value, str | bool) and value not in uses]
        is_none = isinstance(parameter, Choice) and parameter.values == (None,)
        if is_none or not unused or (is_fixed and not is_own):
            continue
        if parameter.size > 1 or len(unused) == len(values):
            raise _idle(learner, name, f"{decider}={unused[0]!r}", decider, uses)


def without_idle(learner: Learner) -> Learner:
    """The learner without the parameters of its space that have no effect at its fixed values."""
    assert learner.space is not None
    parts = {"": learner.estimator, **learner.estimator.get_params(deep=True)}
    left: list[Block] = []
    for block in learner.space.blocks:
        used = tuple((name, parameter) for name, parameter in block if not _is_idle(learner, block, name, parts))
        left += [used] if used and used not in left else []
    return replace(learner, space=learner.space.only(left) if left else None)


def _is_idle(learner: Learner, block: Block, name: str, parts: dict[str, Any]) -> bool:
    _, uses, values, is_own = _condition(learner, block, name, parts)
    return not is_own and any(isinstance(value, str | bool) and value not in uses for value in values)


def _condition(
    learner: Learner, block: Block, name: str, parts: dict[str, Any]
) -> tuple[str, tuple[Any, ...], list[Any], bool]:
    """The parameter that decides whether this one is used, its values with which it is, all its values, and whether the
    block gives them; no values where nothing decides."""
    prefix, _, leaf = learner.names[name].rpartition("__")
    owner = type(parts[prefix])
    is_known = owner.__module__.startswith(("sklearn.", "foldwise."))  # a user's own class may have such a name
    short = owner.__name__.removesuffix("Classifier").removesuffix("Regressor")
    decider, users = CONDITIONS.get(short, ("", {})) if is_known else ("", {})
    if leaf not in users or decider not in (known := parts[prefix].get_params(deep=False)):
        return "", (), [], False
    full = f"{prefix}__{decider}" if prefix else decider
    chosen: Parameter | None = next((other for other_name, other in block if learner.names[other_name] == full), None)
    values = [known[decider]] if chosen is None else chosen.grid()
    return decider, users[leaf], values, chosen is not None


def _idle(learner: Learner, name: str, found: str, decider: str, uses: tuple[Any, ...]) -> BadSpace:
    apart = "" if learner.is_builtin else ", in a space of its own: space=[{...}, {...}]"  # which has one space
    remedy = f"Give it only with {decider}={' or '.join(map(repr, uses))}{apart}"
    return BadSpace(f"learner {learner.name!r}: {name} has no effect with {found}", remedy)
