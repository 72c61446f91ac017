"""A learner by its dotted path, for studies from a file: the classes on a list, and parameters that are known."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from typing import Any

from foldwise.api.dotted_names import LEARNERS, NATIVE, Words
from foldwise.errors import BadLearner, BadSpace, MissingExtra, nearest
from foldwise.learners.trial import check_value
from foldwise.spaces.parameter import as_parameter

MOST_JOBS = 256
ALWAYS = {"catboost": {"allow_writing_files": False}}  # it leaves a folder of logs otherwise


def is_dotted(name: str) -> bool:
    """Is this the path of a class, and not the name of a built-in learner?

    >>> is_dotted("sklearn.linear_model.HuberRegressor"), is_dotted("ridge")
    (True, False)
    """
    return "." in name


def dotted_learner(path: str, values: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The learner at a dotted path with its fixed values, and the values that are ranges or lists to tune over."""
    check_path(path)
    package = path.partition(".")[0]
    always = ALWAYS.get(package, {})
    values = {name: value for name, value in values.items() if name not in always or value is not always[name]}
    if package in NATIVE:
        check_words(path, values, NATIVE[package])
    found = learner_class(path)
    if package not in NATIVE:
        check_words(path, values, words_of(found))
    spaces = {name: value for name, value in values.items() if not _is_scalar(value)}
    fixed = {name: value for name, value in values.items() if name not in spaces}
    try:
        made = found(**fixed, **always)
    except TypeError as reason:
        raise BadSpace(f"{path} cannot be made of {fixed}: {reason}", "Correct its parameters") from None
    for name, value in fixed.items():
        check_value(path, made, name, name, value)
    known = made.get_params(deep=False)  # CatBoost and LightGBM tell of some parameters only once they are set
    made.set_params(**{name: as_parameter(value).grid()[0] for name, value in spaces.items() if name not in known})
    return made, spaces


def check_path(path: str) -> None:
    """Refuse a path that is not on the list."""
    if path not in LEARNERS:
        packages = ("sklearn", *NATIVE)
        near = nearest(path[:80], LEARNERS) if path.startswith(tuple(f"{name}." for name in packages)) else ""
        hint = near if near.startswith("Did") else f"It may name built-in ones, or of {', '.join(packages)}"
        raise BadLearner(f"a study cannot name the learner {path[:80]!r}", hint)


def learner_class(path: str) -> Any:
    """The class at a dotted path, if it is on the list."""
    check_path(path)
    module, _, name = path.rpartition(".")
    package = module.partition(".")[0]
    if importlib.util.find_spec(package) is None:
        hint = f'Run pip install "foldwise[{package}]"'
        raise MissingExtra(f"{path} needs {package}, which is not installed", hint)
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        raise BadLearner(f"there is no learner {path!r} in this version of {package}", "Name another") from None


def words_of(learner: Any) -> Words:
    """The parameters of a learner of scikit-learn, each with the words that it takes."""
    from sklearn.utils._param_validation import Options

    found: dict[str, tuple[str, ...]] = {}
    for name, kinds in learner._parameter_constraints.items():
        closed = [kind for kind in kinds if isinstance(kind, Options)] if isinstance(kinds, list) else []
        found[name] = tuple(word for kind in closed for word in kind.options if isinstance(word, str))
    return {name: words for name, words in found.items() if name in learner._get_param_names()}


def check_words(path: str, values: Mapping[str, Any], known: Words) -> None:
    """Refuse parameters that are not known, and text where it is none of the words that are.

    >>> check_words("a.Tree", {"criterion": "/etc/x"}, {"criterion": ("gini",)})
    Traceback (most recent call last):
    foldwise.errors.BadSpace: a study cannot set 'criterion' of a.Tree to '/etc/x'. It may be 'gini'.
    """
    for name, value in values.items():
        if name not in known:
            raise BadSpace(f"a study cannot set {name[:80]!r} of {path}", nearest(name[:80], known))
        for one in _single_values(value):
            if isinstance(one, str) and one not in known[name]:
                words = ", ".join(map(repr, sorted(known[name])[:20]))
                hint = f"It may be {words}" if words else "It takes no text here"
                raise BadSpace(f"a study cannot set {name!r} of {path} to {one[:80]!r}", hint)
            if name in ("n_jobs", "thread_count") and isinstance(one, int | float) and not abs(one) <= MOST_JOBS:
                raise BadSpace(f"a study cannot set {name!r} of {path} to {one}", f"Use at most {MOST_JOBS}")


def _single_values(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str)
