"""Who a learner is: its class, its parameters and, for the user's own code, that code.

Two learners with the same name here share their fits, so what cannot be told apart for certain
must be told apart by default: every function a learner can reach is part of it, with its
defaults, its closure and the globals it reads.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import json
import sys
import sysconfig
import types
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from foldwise.errors import BadLearner

_LIBRARY_FOLDERS = tuple({str(Path(sysconfig.get_path(name)).resolve()) for name in ("stdlib", "purelib", "platlib")})
_INSTALLED = {"site-packages", "dist-packages"}  # also those of the system that an environment may see
_LASTING_TUNERS = ("tuned", "answering", "inputs")
_LASTING_NAMES = {"blend": "combining", "outputs": "gate"}
_PLAIN_MEMBERS = (
    "__module__",
    "__qualname__",
    "__doc__",
    "__dict__",
    "__weakref__",
    "__annotations__",
    "__slotnames__",
)

_ACCESSORS = ("__func__", "fget", "fset", "fdel", "func", "__wrapped__")
_MUTATORS = ("append", "add", "update", "extend", "insert", "pop", "clear", "setdefault", "remove", "discard")

# by id, with the thing itself, so that its id stays its own, and the library modules that it reaches
_codes: dict[int, tuple[Any, str | None, frozenset[str]]] = {}
_under_way: set[int] = set()
_reached: list[set[str]] = []  # of what is being looked at, the innermost last


def forget_code() -> None:
    """Look at the user's code anew: globals may have changed since the last study."""
    _codes.clear()


def identity_of(estimator: Any, extra: str = "") -> str:
    """A short name for an estimator with all its parameters: equal names, equal fits."""
    return identity_by(describe(estimator), extra)


def identity_by(described: Any, extra: str = "") -> str:
    """The same of an estimator that was described already."""
    return _digest(json.dumps([described, extra], sort_keys=True).encode())


def family(estimator: Any) -> str:
    """The learner without any of its parameters: the same for all its candidates."""
    return json.dumps(_classes(estimator))


def own_code(estimator: Any) -> dict[str, str]:
    """Hashes of the code that is not from an installed library, by class or function name."""
    return code_and_modules(estimator)[0]


def code_and_modules(estimator: Any) -> tuple[dict[str, str], set[str]]:
    """Hashes of the user's own code, and the modules of libraries that the learner is of or reaches."""
    return described_with_code(estimator)[1:]


def described_with_code(estimator: Any) -> tuple[Any, dict[str, str], set[str]]:
    """The same after its description."""
    found: dict[str, str] = {}
    modules: set[str] = set()
    _reached.append(modules)
    try:
        described = describe(estimator)
    finally:
        _reached.pop()
    _collect(described, found, modules)
    return described, found, modules


def describe(value: Any) -> Any:
    """A value as JSON that is equal for equal values, on any machine.

    >>> describe([1, 1.0, None, "a"])
    [1, {'float': '0x1.0000000000000p+0'}, None, 'a']
    """
    if value is None or (isinstance(value, bool | str | int) and not isinstance(value, np.generic)):
        return value
    if isinstance(value, np.generic):
        return describe(value.item()) if isinstance(value.item(), int | float | str) else _described_object(value)
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
    if _is_learner(value):
        return _described_learner(value)
    return _described_callable(value) if callable(value) else _described_object(value)


def code_of(thing: Any) -> str | None:
    """A hash of what a class or function does; None for library code, which its version stands for.

    Byte code without line numbers: comments and layout may change, behaviour may not.
    """
    if id(thing) in _under_way:
        return None  # it calls itself, and is being hashed already
    if id(thing) not in _codes:
        _under_way.add(id(thing))
        modules: set[str] = set()
        _reached.append(modules)
        try:
            parts: list[str] = []
            try:
                _walk(thing, set(), parts)
            except RecursionError:  # a large package that is worked on: its files stand for it
                parts = _sources(thing)
            code = None if _is_library(thing) else _digest("\n".join(parts).encode())
            _codes[id(thing)] = (thing, code, frozenset(modules))
        finally:
            _reached.pop()
            _under_way.discard(id(thing))
    _, code, known = _codes[id(thing)]
    _note(*known)
    return code


def _note(*modules: str) -> None:
    if _reached:
        _reached[-1].update(modules)


def _sources(thing: Any) -> list[str]:
    """Hashes of all source files beside the one that defines a class or function."""
    file = getattr(sys.modules.get(str(getattr(thing, "__module__", ""))), "__file__", None)
    files = sorted(Path(file).parent.rglob("*.py")) if file else []
    return [str(getattr(thing, "__qualname__", "")), *(_digest(found.read_bytes()) for found in files)]


def _described_learner(value: Any) -> dict[str, Any]:
    parameters = {name: describe(part) for name, part in value.get_params(deep=False).items()}
    found = {"class": _path(type(value)), "code": code_of(type(value)), "parameters": parameters}
    _note(*(base.__module__ for base in type(value).__mro__ if _is_library(base)))
    if _keeps_state(value):  # such as a frozen, fitted part: cloning does not make it new
        found["state"] = _object_hash(value)
    return found


def _keeps_state(value: Any) -> bool:
    from sklearn.base import BaseEstimator

    own = getattr(type(value), "__sklearn_clone__", None)
    return own is not None and own is not BaseEstimator.__sklearn_clone__


def _described_callable(value: Any) -> Any:
    if isinstance(value, functools.partial):
        return {"partial": [describe(value.func), describe(value.args), describe(value.keywords)]}
    if isinstance(value, np.ufunc | types.BuiltinFunctionType):
        return {"function": f"{getattr(value, '__module__', '')}.{value.__name__}"}
    if isinstance(value, types.MethodType):
        return {"function": _path(value), "code": code_of(value.__func__), "of": describe(value.__self__)}
    if isinstance(value, types.FunctionType):
        return {"function": _path(value), "code": code_of(value), "closure": _closure(value)}
    function = getattr(value, "_score_func", None)
    if function is not None and not str(function.__module__).startswith("sklearn."):
        # the metric of a scorer: pickle knows a user's own by its name alone
        return {"scorer": _path(type(value)), "parts": describe(vars(value))}
    return _described_object(value)


def _described_object(value: Any) -> dict[str, Any]:
    return {"object": _path(type(value)), "code": code_of(type(value)), "hash": _object_hash(value)}


def _closure(function: types.FunctionType) -> list[Any]:
    return [describe(cell.cell_contents) for cell in function.__closure__ or () if _is_filled(cell)]


def _is_filled(cell: types.CellType) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:  # a name that is not bound yet
        return False
    return True


def _classes(value: Any) -> Any:
    """The nested classes of an estimator, without its parameters."""
    nested: list[Any] = []
    for name, part in sorted(value.get_params(deep=False).items()):
        for member in part if isinstance(part, list | tuple) else [part]:
            inner = next((m for m in (member if isinstance(member, tuple) else (member,)) if _is_learner(m)), None)
            if inner is not None:
                nested.append([name, _classes(inner)])
    return [_path(type(value)), nested]


def _is_learner(value: Any) -> bool:
    return hasattr(value, "get_params") and not isinstance(value, type)


def _path(thing: Any) -> str:
    """Where a class or function is defined; part of the key and the seed of every fit, so our own names last."""
    module = str(thing.__module__)
    if module.startswith("foldwise.learners."):
        module = lasting_module(module)
    return f"{module}.{thing.__qualname__}"


def lasting_module(module: str) -> str:
    """The name that a module of the built-in learners has in keys: that of the first release, wherever it is now.

    >>> lasting_module("foldwise.learners.estimators.nearest")
    'foldwise.recipes.nearest'
    """
    if module.startswith("foldwise.learners.zoo."):
        return module.replace("learners", "recipes")
    name = module.rpartition(".")[2]
    room = "tuners" if name in _LASTING_TUNERS else "recipes"
    return f"foldwise.{room}.{_LASTING_NAMES.get(name, name)}"


def present_module(lasting: str) -> str:
    """Where the module of such a name is now; any other name stays.

    >>> present_module("foldwise.recipes.nearest"), present_module("sklearn.svm")
    ('foldwise.learners.estimators.nearest', 'sklearn.svm')
    """
    if not lasting.startswith(("foldwise.recipes.", "foldwise.tuners.")):
        return lasting
    room = Path(__file__).parent
    names = (".".join(file.relative_to(room).with_suffix("").parts) for file in sorted(room.rglob("*.py")))
    modules = (f"foldwise.learners.{name}" for name in names)
    return next((module for module in modules if lasting_module(module) == lasting), lasting)


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
    """Is it installed, so that a version stands for it? Scripts, notebooks and the user's own modules are not."""
    name = str(getattr(thing, "__module__", None) or getattr(thing, "__name__", ""))
    module = thing if isinstance(thing, types.ModuleType) else sys.modules.get(name)
    file = getattr(module, "__file__", None)
    if module is None or file is None:
        return name.split(".")[0] in sys.builtin_module_names
    if module.__name__.split(".")[0] == "foldwise" and not module.__name__.startswith("foldwise.testing"):
        return True
    return _is_in_library(file)


@functools.lru_cache(4096)
def _is_in_library(file: str) -> bool:
    """Is this file installed? Following links takes longer than all else that tells a candidate from another."""
    path = Path(file).resolve()
    return str(path).startswith(_LIBRARY_FOLDERS) or not _INSTALLED.isdisjoint(path.parts)


def is_library_module(name: str) -> bool:
    """Is this a module of an installed library? It is not imported for that."""
    module = sys.modules.get(name)
    try:
        file = find_spec(name) if module is None else module.__spec__
    except (ImportError, ValueError, AttributeError):
        return False
    origin = getattr(file, "origin", None)
    return origin is not None and _is_in_library(origin)


def _walk(thing: Any, seen: set[int], parts: list[str]) -> None:
    """Collect the byte code of a class or function and of all of the user's own code that it reaches."""
    if id(thing) in seen or _is_library(thing):
        if id(thing) not in seen:
            _note(str(getattr(thing, "__module__", "")))
        parts.append(getattr(thing, "__qualname__", ""))
        return
    seen.add(id(thing))
    if isinstance(thing, type):
        for base in thing.__mro__[1:]:
            _walk(base, seen, parts)
        written = _written_by(_functions_of(thing))
        for name, member in sorted(vars(thing).items()):
            if name not in _PLAIN_MEMBERS and not _is_state(name, member, written):
                parts.append(name)
                _walk_value(member, seen, parts)
    elif isinstance(thing, types.MethodType):
        _walk(thing.__func__, seen, parts)
    elif isinstance(thing, types.FunctionType):
        _walk_function(thing, seen, parts)


def _walk_value(value: Any, seen: set[int], parts: list[str]) -> None:
    """A member, a default, a global or what a closure holds: code is followed, anything else is described."""
    if isinstance(value, types.ModuleType):
        _note(value.__name__)
    accessors = [getattr(value, name, None) for name in _ACCESSORS]
    functions = [part for part in (value, *accessors) if isinstance(part, types.FunctionType | type)]
    if functions:
        for function in functions:
            _walk(function, seen, parts)
        return
    try:
        described = describe(value)
        modules: set[str] = set()
        _collect(described, {}, modules)
        _note(*modules)
        parts.append(json.dumps(described, sort_keys=True))
    except BadLearner:  # a lock, an open file: no value, so no difference
        parts.append(type(value).__qualname__)


def _walk_function(function: types.FunctionType, seen: set[int], parts: list[str]) -> None:
    names = _code_parts(function.__code__, parts, function.__doc__)
    for default in (*(function.__defaults__ or ()), *sorted((function.__kwdefaults__ or {}).items())):
        _walk_value(default, seen, parts)
    for cell in function.__closure__ or ():
        if _is_filled(cell):
            _walk_value(cell.cell_contents, seen, parts)
    written = _written_by([function])
    for name in sorted(names):
        if name in function.__globals__ and not _is_state(name, function.__globals__[name], written):
            _walk_global(name, function.__globals__[name], names, seen, parts)


def _functions_of(thing: type) -> list[types.FunctionType]:
    """The functions among the members of a class, those inside properties and decorators included."""
    found = []
    for member in vars(thing).values():
        parts = (member, *(getattr(member, name, None) for name in _ACCESSORS))
        found += [part for part in parts if isinstance(part, types.FunctionType)]
    return found


def _written_by(functions: list[types.FunctionType]) -> set[str]:
    """Names these functions assign to as attributes or globals, and "[]" if they may change a container."""
    written: set[str] = set()
    for code in (code for function in functions for code in _nested_codes(function.__code__)):
        for step in dis.get_instructions(code):
            if step.opname in ("STORE_ATTR", "STORE_GLOBAL", "DELETE_ATTR"):
                written.add(str(step.argval))
            elif step.opname in ("STORE_SUBSCR", "DELETE_SUBSCR") or step.argval in _MUTATORS:
                written.add("[]")
    return written


def _nested_codes(code: types.CodeType) -> list[types.CodeType]:
    inner = [part for part in code.co_consts if isinstance(part, types.CodeType)]
    return [code, *(nested for part in inner for nested in _nested_codes(part))]


def _is_state(name: str, value: Any, written: set[str]) -> bool:
    """A counter or a log that the code itself writes to is no part of what the code does."""
    return name in written or ("[]" in written and isinstance(value, list | dict | set | np.ndarray))


def _walk_global(name: str, value: Any, names: set[str], seen: set[int], parts: list[str]) -> None:
    if not isinstance(value, types.ModuleType):
        parts.append(name)
        _walk_value(value, seen, parts)
    elif _is_library(value):
        _note(value.__name__)
    else:
        for used in sorted(names & set(vars(value))):  # helper.scale: what the user's own module gives
            _walk_global(used, vars(value)[used], names, seen, parts)


def _code_parts(code: types.CodeType, parts: list[str], doc: str | None) -> set[str]:
    names = set(code.co_names)
    _note(*(str(step.argval) for step in dis.get_instructions(code) if step.opname == "IMPORT_NAME"))
    parts.append(code.co_code.hex())
    parts.append(" ".join(code.co_names))
    for at, constant in enumerate(code.co_consts):
        if isinstance(constant, types.CodeType):
            names |= _code_parts(constant, parts, None)
        elif at > 0 or constant != doc:  # the first one is the documentation, or None
            parts.append(repr(constant))
    return names


def _collect(described: Any, codes: dict[str, str], modules: set[str]) -> None:
    if isinstance(described, dict):
        name = described.get("class") or described.get("function")
        code, name = described.get("code"), name or described.get("object")
        if isinstance(name, str) and code and "object" not in described:
            codes[name] = code
        elif isinstance(name, str) and not code:
            modules.add(name.rpartition(".")[0])
        for part in described.values():
            _collect(part, codes, modules)
    elif isinstance(described, list):
        for part in described:
            _collect(part, codes, modules)


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()
