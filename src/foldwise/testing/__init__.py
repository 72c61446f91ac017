"""Contract tests and a saboteur, shipped for people who write their own splitter, store or executor.

Subclass the suite, give it the fixture it asks for, and let pytest run it.
"""

from __future__ import annotations

from typing import Any

__all__ = ["FAULTS", "Fault", "Saboteur", "SaboteurClassifier", "SaboteurRegressor"]


def __getattr__(name: str) -> Any:
    """The saboteur is a scikit-learn estimator, and is imported when it is asked for."""
    from importlib import import_module

    if name not in __all__:
        raise AttributeError(f"foldwise.testing has no {name!r}")
    place = "faults" if name in ("FAULTS", "Fault") else "saboteur"
    return getattr(import_module(f"foldwise.testing.{place}"), name)
