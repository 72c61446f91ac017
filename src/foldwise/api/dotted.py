"""A learner by its dotted path, for studies from a file: classes of a few known packages and nothing else."""

from __future__ import annotations

import importlib
import importlib.util
import re
from typing import Any

from foldwise.errors import BadLearner, BadSpace, MissingExtra, nearest
from foldwise.learners.trial import check_value

# A study file may come from a stranger, so it names learners of these packages only; Python takes any.
ALLOWED = ("sklearn.", "lightgbm.", "xgboost.", "catboost.")
EXTRAS = ("lightgbm", "xgboost", "catboost")
_PATH = re.compile(r"(?:[A-Za-z]\w*\.){1,8}[A-Za-z]\w*", re.ASCII)
# Parameters by which a learner would read or write files, or be handed code.
_HARMFUL = re.compile(r"(^|_)(file|filename|dir|path|memory|model|snapshot|callback|callbacks)(_|$)", re.IGNORECASE)


def is_dotted(name: str) -> bool:
    """Is this the path of a class, and not the name of a built-in learner?

    >>> is_dotted("sklearn.linear_model.HuberRegressor"), is_dotted("ridge")
    (True, False)
    """
    return "." in name


def dotted_learner(path: str, values: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The learner at a dotted path with its fixed values, and the values that are ranges or lists to tune over."""
    found = learner_class(path)
    for name in values:
        if _HARMFUL.search(name):
            raise BadSpace(f"a study file cannot set {name!r} of {path}", "Set it in Python")
    spaces = {name: value for name, value in values.items() if not _is_scalar(value)}
    fixed = {name: value for name, value in values.items() if name not in spaces}
    known = found._get_param_names() if path.startswith("sklearn.") else fixed
    if unknown := [name for name in fixed if name not in known]:
        raise BadSpace(f"{path} has no parameter {unknown[0]!r}", nearest(unknown[0], known))
    try:
        made = found(**fixed)
    except TypeError as reason:
        raise BadSpace(f"{path} cannot be made of {fixed}: {reason}", "Correct its parameters") from None
    for name, value in fixed.items():
        check_value(path, made, name, name, value)
    return made, spaces


def learner_class(path: str) -> Any:
    """The class at a dotted path: a classifier or regressor that was written in an allowed package."""
    if not path.startswith(ALLOWED) or not _PATH.fullmatch(path):
        packages = ", ".join(name.removesuffix(".") for name in ALLOWED)
        raise BadLearner(
            f"a study cannot name the learner {path[:80]!r}", f"It may name built-in ones, or of {packages}"
        )
    module_name, _, name = path.rpartition(".")
    module = _module(module_name, path)
    found = getattr(module, name, None)
    if found is None:
        raise BadLearner(f"there is no learner {path!r}", nearest(name, vars(module)))
    # The object itself is asked: a module also holds what it has imported from elsewhere.
    if not isinstance(found, type) or not f"{found.__module__}.".startswith(ALLOWED) or not _is_learner(found):
        raise BadLearner(f"{path!r} is not a classifier or regressor", "Name one that is")
    return found


def _module(name: str, path: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        if package in EXTRAS and importlib.util.find_spec(package) is None:
            hint = f'Run pip install "foldwise[{package}]"'
            raise MissingExtra(f"{path} needs {package}, which is not installed", hint) from None
        raise BadLearner(f"there is no learner {path!r}", "Check its path") from None


def _is_learner(found: type) -> bool:
    from sklearn.base import ClassifierMixin, RegressorMixin

    kind = getattr(found, "_estimator_type", None)  # CatBoost says so without the classes of scikit-learn
    is_judged = issubclass(found, ClassifierMixin | RegressorMixin) or kind in ("classifier", "regressor")
    return is_judged and all(callable(getattr(found, name, None)) for name in ("fit", "predict", "get_params"))


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str)
