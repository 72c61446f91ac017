"""Simulated problems whose truth is known: do intervals cover, where does a risk come from, do claims hold?

>>> from foldwise import lab
>>> round(lab.find_problem("two classes").bayes, 3)
0.244
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from foldwise.lab.decomposition import decompose as decompose
    from foldwise.lab.decomposition import theorem as theorem
    from foldwise.lab.exhibit import exhibits as exhibits
    from foldwise.lab.exhibit import show as show
    from foldwise.lab.problems import PROBLEMS as PROBLEMS
    from foldwise.lab.problems import find_problem as find_problem
    from foldwise.lab.simulated_study import coverage as coverage

_HOMES = {
    "PROBLEMS": "problems",
    "coverage": "simulated_study",
    "decompose": "decomposition",
    "exhibits": "exhibit",
    "find_problem": "problems",
    "show": "exhibit",
    "theorem": "decomposition",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'foldwise.lab' has no attribute {name!r}")
    return getattr(import_module(f"foldwise.lab.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
