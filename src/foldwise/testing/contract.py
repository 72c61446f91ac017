"""How the tests of a contract are run, one by one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, closing, nullcontext
from typing import Any


def keep(contract: Any, subject: str, *given: Any) -> None:
    """Run every test of a contract; the first that fails is an AssertionError with its sentence."""
    _keep(contract, subject, lambda: nullcontext(given[0]), *given[1:])


def keep_anew(contract: Any, subject: str, make: Callable[[], Any], *given: Any) -> None:
    """The same with a part that is made for each test, and closed after it."""
    _keep(contract, subject, lambda: closing(make()), *given)


def _keep(contract: Any, subject: str, make: Callable[[], AbstractContextManager[Any]], *given: Any) -> None:
    for name in (name for name in vars(type(contract)) if name.startswith("test_")):  # in the order they are written
        with make() as part:
            try:
                getattr(contract, name)(part, *given)
            except Exception as problem:
                sentence = name.removeprefix("test_").replace("_", " ")
                detail = str(problem).strip().partition("\n")[0] or type(problem).__name__
                raise AssertionError(f"{subject} breaks the contract: {sentence} ({detail})") from problem
