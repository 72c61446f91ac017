"""Contract tests for people who write their own learner, loss, splitter, tuner, interval, solver, store or executor.

Call the check, or subclass the suite, give it the fixture it asks for, and let pytest run it.
"""

from __future__ import annotations

from typing import Any

# Loaded when they are asked for, as `import foldwise` is to stay fast.
_HOMES = {
    "LearnerContract": "learners",
    "check_learner": "learners",
    "LossContract": "losses",
    "check_loss": "losses",
    "SplitterContract": "splitters",
    "check_splitter": "splitters",
    "check_interval": "intervals",
    "GivenTuning": "tuners",
    "check_tuner": "tuners",
    "play": "tuners",
    "ExecutorContract": "executors",
    "check_executor": "executors",
    "StoreContract": "stores",
    "check_store": "stores",
    "SolverContract": "solvers",
    "check_solver": "solvers",
}
__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"foldwise.testing has no {name!r}")
    return getattr(import_module(f"foldwise.testing.{_HOMES[name]}"), name)
