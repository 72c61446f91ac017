"""Simulated problems whose truth is known: do intervals cover, do comparisons hold, where does a risk come from?

>>> from foldwise import lab
>>> round(lab.find_problem("two classes").bayes, 3)
0.244
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from foldwise.lab.decomposition import decompose as decompose
    from foldwise.lab.decomposition import theorem_one as theorem_one
    from foldwise.lab.honesty_suite import honesty as honesty
    from foldwise.lab.interval_coverage import coverage as coverage
    from foldwise.lab.learners import LEARNERS as LEARNERS
    from foldwise.lab.like import coverage_like as coverage_like
    from foldwise.lab.problems import PROBLEMS as PROBLEMS
    from foldwise.lab.problems import find_problem as find_problem
    from foldwise.lab.showing import exhibits as exhibits
    from foldwise.lab.showing import show as show

_HOMES = {
    "LEARNERS": "learners",
    "PROBLEMS": "problems",
    "coverage": "interval_coverage",
    "coverage_like": "like",
    "decompose": "decomposition",
    "exhibits": "showing",
    "find_problem": "problems",
    "honesty": "honesty_suite",
    "show": "showing",
    "theorem_one": "decomposition",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'foldwise.lab' has no attribute {name!r}")
    return getattr(import_module(f"foldwise.lab.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
