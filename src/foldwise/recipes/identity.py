"""Who a learner is: its class, its parameters and, for the user's own code, that code."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import sys
import sysconfig
import types
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from foldwise.errors import BadLearner

_LIBRARY_FOLDERS = tuple({str(Path(sysconfig.get_path(name)).resolve()) for name in ("stdlib", "purelib", "platlib")})


_CODES: WeakKeyDictionary[Any, str | None] = WeakKeyDictionary()


def setting(estimator: Any, extra: str = "") -> str:
    """A short name for an estimator with all its parameters: equal names, equal fits."""
    text = json.dumps([describe(estimator), extra], sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def family(estimator: Any) -> str:
    """The learner without any of its parameters: the same for all its candidates."""
    return json.dumps(_classes(estimator))


def describe(value: Any) -> Any:
    """A value as JSON that is equal for equal values, on any machine.

    >>> describe([1, 1.0, None, "a"])
    [1, {'float': '0x1.0000000000000p+0'}, None, 'a']
    """
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, np.generic):
        return describe(value.item())
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, list | tuple):
        return [describe(part) for part in value]
    if isinstance(value, set | frozenset):
        return {"set": sorted(json.dumps(describe(part)) for part in value)}
    if isinstance(value, dict):
        return {"dict": [[describe(key), describe(part)] for key, part in value.items()]}
    if isinstance(value, range | slice):
        return {"code": repr(value)}
    if isinstance(value, np.ndarray) and value.dtype != object:
        return {"array": [value.dtype.str, list(value.shape), _digest(np.ascontiguousarray(value).tobytes())]}
    if isinstance(value, type):
        return {"class": _path(value), "code": code_of(value)}
    if callable(value) and not hasattr(value, "get_params"):
        return _describe_callable(value)
    if hasattr(value, "get_params"):
        parameters = {name: describe(part) for name, part in value.get_params(deep=False).items()}
        return {"class": _path(type(value)), "code": code_of(type(value)), "parameters": parameters}
    return {"object": _path(type(value)), "hash": _object_hash(value)}


def own_code(estimator: Any) -> dict[str, str]:
    """Hashes of the code that is not from an installed library, by class or function name."""
    found: dict[str, str] = {}
    _collect(describe(estimator), found)
    return found


def code_of(thing: Any) -> str | None:
    """A hash of what a class or function does; None for library code, which its version stands for.

    Byte code without line numbers: comments and layout may change, behaviour may not.
    """
    if thing not in _CODES:
        parts: list[str] = []
        _walk(thing, set(), parts)
        _CODES[thing] = None if _is_library(thing) else _digest("\n".join(parts).encode())
    return _CODES[thing]


def _describe_callable(value: Any) -> Any:
    if isinstance(value, functools.partial):
        return {"partial": [describe(value.func), describe(value.args), describe(value.keywords)]}
    if isinstance(value, np.ufunc | types.BuiltinFunctionType):
        return {"function": f"{getattr(value, '__module__', '')}.{value.__name__}"}
    if isinstance(value, types.FunctionType | types.MethodType):
        cells = [cell.cell_contents for cell in getattr(value, "__closure__", None) or ()]
        plain = [describe(cell) for cell in cells if not callable(cell)]
        return {"function": _path(value), "code": code_of(value), "closure": plain}
    return {"object": _path(type(value)), "code": code_of(type(value)), "hash": _object_hash(value)}


def _classes(value: Any) -> Any:
    """The nested classes of an estimator, without its parameters."""
    if not hasattr(value, "get_params"):
        return None
    nested: list[Any] = []
    for name, part in sorted(value.get_params(deep=False).items()):
        members = part if isinstance(part, list | tuple) else [part]
        for member in members:
            inner = next(
                (_classes(m) for m in (member if isinstance(member, tuple) else (member,)) if _is_learner(m)), None
            )
            if inner is not None:
                nested.append([name, inner])
    return [_path(type(value)), nested]


def _is_learner(value: Any) -> bool:
    return hasattr(value, "get_params") and not isinstance(value, type)


def _path(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"


def _object_hash(value: Any) -> str:
    import joblib

    try:
        return str(joblib.hash(value))
    except Exception as reason:
        raise BadLearner(
            f"a parameter of type {type(value).__name__} has no stable identity: {reason}",
            "Give numbers, text, lists, functions or estimators as parameters",
        ) from reason


def _is_library(thing: Any) -> bool:
    module = sys.modules.get(getattr(thing, "__module__", "") or "")
    file = getattr(module, "__file__", None)
    if module is None or file is None:
        return getattr(thing, "__module__", "") in sys.builtin_module_names
    if module.__name__.split(".")[0] == "foldwise" and not module.__name__.startswith("foldwise.testing"):
        return True
    return str(Path(file).resolve()).startswith(_LIBRARY_FOLDERS)


def _walk(thing: Any, seen: set[Any], parts: list[str]) -> None:
    """Collect the byte code of a class or function and of the user's own code it calls by name."""
    thing = inspect.unwrap(thing) if callable(thing) else thing
    if id(thing) in seen or _is_library(thing):
        return
    seen.add(id(thing))
    if isinstance(thing, type):
        for base in thing.__mro__[1:]:
            _walk(base, seen, parts)
        for name, member in sorted(vars(thing).items()):
            function = getattr(member, "__func__", getattr(member, "fget", member))
            if isinstance(function, types.FunctionType):
                parts.append(name)
                _walk_code(function, seen, parts)
            elif isinstance(member, int | float | str | bool | tuple) and not name.startswith("__"):
                parts.append(f"{name}={member!r}")
    elif isinstance(thing, types.MethodType):
        _walk(thing.__func__, seen, parts)
    elif isinstance(thing, types.FunctionType):
        _walk_code(thing, seen, parts)


def _walk_code(function: types.FunctionType, seen: set[Any], parts: list[str]) -> None:
    parts.append(repr(function.__defaults__) if _is_plain(function.__defaults__) else "")
    names = _code_parts(function.__code__, parts, function.__doc__)
    for name in sorted(names):
        used = function.__globals__.get(name)
        if isinstance(used, types.FunctionType | type):
            _walk(used, seen, parts)
        elif isinstance(used, int | float | str | bool):
            parts.append(f"{name}={used!r}")


def _code_parts(code: types.CodeType, parts: list[str], doc: str | None) -> set[str]:
    names = set(code.co_names)
    parts.append(code.co_code.hex())
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _code_parts(constant, parts, None)
        elif doc is None or constant != doc:
            parts.append(repr(constant))
    return names


def _is_plain(values: Any) -> bool:
    return values is None or all(isinstance(value, int | float | str | bool | None) for value in values)


def _collect(described: Any, found: dict[str, str]) -> None:
    if isinstance(described, dict):
        name = described.get("class") or described.get("function")
        if isinstance(name, str) and described.get("code"):
            found[name] = described["code"]
        for part in described.values():
            _collect(part, found)
    elif isinstance(described, list):
        for part in described:
            _collect(part, found)


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()
