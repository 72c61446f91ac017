"""Learners of other packages, by the names of their entry points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foldwise.errors import BadPlugin
from foldwise.learners.catalogue import is_builtin_name
from foldwise.plugins import load_plugin, plugin_names
from foldwise.spaces.parameter import is_parameter

GROUP = "foldwise.learners"


def foreign_names() -> list[str]:
    """The learners that installed packages bring, ours left out; nothing of theirs is imported."""
    return [name for name in plugin_names(GROUP) if not is_builtin_name(name)]


def resolve(request: Any) -> Any:
    """The learner of another package where one is named; anything else as it is.

    >>> resolve("ridge")
    'ridge'
    """
    from foldwise.learners.named import Named

    name = request.name if isinstance(request, Named) else request
    if not isinstance(name, str) or "(" in name or is_builtin_name(name) or name not in plugin_names(GROUP):
        return request
    return _changed(_load(name), request.overrides if isinstance(request, Named) else {})


def _load(name: str) -> Any:
    found = load_plugin(GROUP, name)
    is_ready = hasattr(found, "get_params") and not isinstance(found, type)
    made = found if is_ready or not callable(found) else found()
    if not hasattr(made, "get_params"):
        raise BadPlugin(f"the learner {name!r} of another package is no estimator, but {made!r}", "Ask its authors")
    return made


def _changed(made: Any, changes: Mapping[str, Any]) -> Any:
    """Single values fix a parameter; lists and ranges replace the space."""
    from sklearn.base import clone

    from foldwise.learners.tuned import Tuned, tune

    spaces = {name: value for name, value in changes.items() if is_parameter(value)}
    fixed = {name: value for name, value in changes.items() if name not in spaces}
    made = clone(made)
    inside = made.estimator if isinstance(made, Tuned) else made
    if fixed:
        inside.set_params(**fixed)
    return tune(inside, space=spaces) if spaces else made
