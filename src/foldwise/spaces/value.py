"""A parameter's values: when two are the same, and how they are written down."""

from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Iterable, Mapping
from types import FunctionType
from typing import Any

import numpy as np

from foldwise.errors import BadSpace


def plain(value: Any) -> Any:
    """The value with NumPy's scalars turned into Python's; anything else as it is.

    >>> plain(np.int64(3))
    3
    """
    return value.item() if isinstance(value, np.generic) else value


def value_key(value: Any) -> Any:
    """A hashable name under which 1, 1.0 and True are three values.

    >>> value_key(1) == value_key(True)
    False
    """
    value = plain(value)
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return type(value).__name__, repr(value) if isinstance(value, float) else value
    if isinstance(value, (list, tuple)):
        return type(value).__name__, keys(value)
    if isinstance(value, Mapping):
        return "dict", tuple((value_key(name), value_key(item)) for name, item in value.items())
    if isinstance(value, np.ndarray):
        return "array", value.shape, str(value.dtype), keys(value.ravel().tolist())
    # the same object is the same value; a copy of an estimator is told apart only by its identity
    return "object", id(value)


def describe(value: Any) -> Any:
    """The value in JSON, the same in every process; plain values can be read back.

    >>> describe((1, float("inf"), "a"))
    {'tuple': [1, {'float': 'inf'}, 'a']}
    """
    value = plain(value)
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, list):
        return [describe(item) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [describe(item) for item in value]}
    if isinstance(value, Mapping):
        return {"dict": [[describe(name), describe(item)] for name, item in value.items()]}
    return _describe_object(value)


def _describe_object(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        if value.dtype != object:
            return {"array": [list(value.shape), str(value.dtype), hashlib.sha256(value.tobytes()).hexdigest()]}
        return {"array": describe(value.tolist())}
    if isinstance(value, FunctionType):
        return {"function": _function_name(value)}
    if isinstance(value, functools.partial):
        return {"partial": [describe(value.func), describe(value.args), describe(value.keywords)]}
    if isinstance(value, type) or not hasattr(value, "__dict__"):
        kind = value if isinstance(value, type) else type(value)
        return {"object": f"{kind.__module__}.{kind.__qualname__}", "text": "" if value is kind else _steady(value)}
    kind = type(value)
    inside = value.get_params(deep=False) if hasattr(value, "get_params") else vars(value)
    return {
        "object": f"{kind.__module__}.{kind.__qualname__}",
        "with": {str(name): describe(item) for name, item in sorted(inside.items())},
    }


def _function_name(function: FunctionType) -> list[Any]:
    """Where a function lives; one without a home of its own is named by its code as well."""
    where = f"{function.__module__}.{function.__qualname__}"
    if "<" not in where and function.__module__ != "__main__":
        return [where]
    code = function.__code__
    constants = [c for c in code.co_consts if not hasattr(c, "co_code")]
    closed = [cell.cell_contents for cell in function.__closure__ or ()]
    digest = hashlib.sha256(code.co_code + repr((constants, code.co_names)).encode()).hexdigest()[:16]
    return [where, digest, describe([*closed, *(function.__defaults__ or ())])]


def _steady(value: Any) -> str:
    """The printed form, unless it holds a memory address."""
    text = repr(value)
    return "" if " at 0x" in text else text


def restore(value: Any) -> Any:
    """What `describe` wrote of a plain value, as the value again."""
    if isinstance(value, list):
        return [restore(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    if set(value) == {"float"}:
        return float(value["float"])
    if set(value) == {"tuple"}:
        return tuple(restore(item) for item in value["tuple"])
    if set(value) == {"dict"}:
        return {restore(name): restore(item) for name, item in value["dict"]}
    raise BadSpace(
        f"the value {short(dict(value))} was written from an object and cannot be read back",
        "Run the same lines in Python again",
    )


def keys(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(value_key(value) for value in values)


def short(value: Any) -> str:
    text = " ".join((repr(value) if not isinstance(value, FunctionType) else value.__qualname__).split())
    return text if len(text) <= 60 else text[:57] + "..."
