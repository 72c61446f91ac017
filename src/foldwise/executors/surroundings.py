"""What learners share in one process besides what every fit puts back (`world`): looked at between two learners.

A learner that replaces a function of NumPy, lowers a limit of the process or changes its locale
must not change the numbers of the next one. What can be put back is; where that is impossible, a
worker process is ended and another takes its place.
"""

from __future__ import annotations

import gc
import locale
import os
import signal
import sys
import types
from collections.abc import Iterable
from contextlib import suppress
from operator import is_
from typing import Any

import numpy as np

from foldwise.learners.identity import is_library_module

LIBRARIES = (
    "builtins",
    "math",
    "random",
    "time",
    "warnings",
    "numpy",
    "numpy.linalg",
    "numpy.random",
    "scipy.linalg",
    "scipy.optimize",
    "scipy.special",
    "scipy.stats",
    "pandas",
    "sklearn.base",
    "sklearn.utils",
    "sklearn.utils.validation",
)
_CODE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type, np.ufunc, type(np.mean))
_SIGNALS = tuple(one for one in signal.valid_signals() if getattr(one, "name", "") not in ("SIGKILL", "SIGSTOP"))


class Surroundings:
    """The state of this process now, to be put back; `classes` are those of the learners."""

    def __init__(self, classes: Iterable[type] = ()) -> None:
        self._parts = [_Code(*each) for each in _namespaces(classes)]
        self._limits, self._ids = _limits(), _ids()
        self._plain = _plain()

    def restore(self) -> bool:
        """Put everything back; False where something cannot be."""
        for part in self._parts:
            part.restore()
        _restore_plain(self._plain)
        return _restore_limits(self._limits) and _ids() == self._ids


class _Code:
    """Functions and classes of one module, or all members of one class."""

    def __init__(self, owner: Any, names: Iterable[str]) -> None:
        self.owner, self.members = owner, vars(owner)
        self.names = tuple(names)
        self.values = tuple(self.members[name] for name in self.names)

    def restore(self) -> None:
        if not all(map(is_, map(self.members.get, self.names), self.values)):
            for name, value in zip(self.names, self.values, strict=True):
                if self.members.get(name) is not value:
                    with suppress(AttributeError, TypeError):
                        setattr(self.owner, name, value)
        if isinstance(self.owner, type) and len(self.members) != len(self.names):
            for name in [name for name in self.members.keys() - set(self.names) if not name.startswith("__")]:
                delattr(self.owner, name)  # a method that hides an inherited one


def _namespaces(classes: Iterable[type]) -> list[tuple[Any, list[str]]]:
    """The libraries that are loaded, and the classes of learners with what they inherit, their modules included."""
    # a user's own classes and modules may keep state in themselves
    owners = {base: None for each in classes for base in each.__mro__ if is_library_module(base.__module__)}
    names = dict.fromkeys([*LIBRARIES, *(owner.__module__ for owner in owners)])
    modules = [sys.modules[name] for name in names if type(sys.modules.get(name)) is types.ModuleType]
    found: list[tuple[Any, list[str]]] = [(owner, list(vars(owner))) for owner in owners]
    return found + [(one, [name for name, value in vars(one).items() if isinstance(value, _CODE)]) for one in modules]


def standing() -> tuple[Any, ...]:
    """What a process that is started now takes over from this one, and could not be given later."""
    return _file_mask(), _limits(), _ids()


def _plain() -> tuple[Any, ...]:
    words = locale.setlocale(locale.LC_ALL)
    handlers = {number: signal.getsignal(number) for number in _SIGNALS}
    return words, _file_mask(), gc.isenabled(), list(sys.path), handlers, (sys.getprofile(), sys.gettrace())


def _file_mask() -> int:
    """Linux tells it; elsewhere it must be changed to be read, which other threads could notice."""
    with suppress(OSError, ValueError), open("/proc/self/status") as file:
        return int(next(line for line in file if line.startswith("Umask:")).split()[1], 8)
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _restore_plain(before: tuple[Any, ...]) -> None:
    now = _plain()
    if now == before:
        return
    words, mask, collects, path, handlers, (profile, trace) = before
    with suppress(locale.Error):
        locale.setlocale(locale.LC_ALL, words)
    os.umask(mask)
    (gc.enable if collects else gc.disable)()
    sys.path[:] = path
    for number, handler in handlers.items():
        if handler is not None and signal.getsignal(number) is not handler:
            with suppress(OSError, ValueError):  # not outside the main thread
                signal.signal(number, handler)
    sys.setprofile(profile)
    sys.settrace(trace)


def _limits() -> dict[int, tuple[int, int]]:
    """Soft and hard limits of this process by their number; none where the system has none."""
    try:
        import resource
    except ImportError:
        return {}
    kinds = {value for name, value in vars(resource).items() if name.startswith("RLIMIT_")}
    return {kind: resource.getrlimit(kind) for kind in kinds}


def _restore_limits(before: dict[int, tuple[int, int]]) -> bool:
    """A soft limit can be raised again; a hard one only by the administrator."""
    now = _limits()
    for kind, pair in before.items():
        if now[kind] != pair:
            import resource

            with suppress(OSError, ValueError):
                resource.setrlimit(kind, pair)
            if resource.getrlimit(kind) != pair:
                return False
    return True


def _ids() -> tuple[Any, ...]:
    """Who this process is, and how much of the machine it gets."""
    if os.name != "posix":
        return ()
    allowed = getattr(os, "sched_getaffinity", lambda pid: ())
    ids = (os.getuid(), os.geteuid(), os.getgid(), os.getegid(), os.getpgid(0))
    return (*ids, os.getpriority(os.PRIO_PROCESS, 0), allowed(0))
