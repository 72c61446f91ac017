"""How a suite of tests is asked outside of pytest."""

from __future__ import annotations

from typing import Any


def keep(contract: Any, subject: str, *given: Any) -> None:
    """Ask every test of a suite; the first that fails is an AssertionError with its sentence."""
    for name in (name for name in vars(type(contract)) if name.startswith("test_")):  # in the order they are written
        try:
            getattr(contract, name)(*given)
        except Exception as problem:
            sentence = name.removeprefix("test_").replace("_", " ")
            detail = str(problem).strip().partition("\n")[0] or type(problem).__name__
            raise AssertionError(f"{subject} breaks the contract: {sentence} ({detail})") from problem
