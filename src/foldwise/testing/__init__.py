"""Checks for people who write their own learner, loss, splitter, tuner, interval, solver, executor or store.

Call the check in a test: it raises AssertionError with a sentence that says what the part gets wrong.
"""

from __future__ import annotations

from typing import Any

# Loaded when they are asked for, as `import foldwise` is to stay fast.
_HOMES = {
    "check_learner": "learners",
    "check_loss": "losses",
    "check_splitter": "splitters",
    "check_tuner": "tuners",
    "check_interval": "intervals",
    "check_solver": "solvers",
    "check_executor": "executors",
    "check_store": "stores",
}
__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"foldwise.testing has no {name!r}")
    return getattr(import_module(f"foldwise.testing.{_HOMES[name]}"), name)
