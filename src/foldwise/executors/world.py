"""The state of the process around fits, put back after each: the next fit must not find traces of the last."""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from _signal import getsignal  # type: ignore[import-not-found]  # that of `signal` looks every handler up in an enum
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import Any

import numpy as np

from foldwise.learners.model import kept_random_numbers

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
# The dict inside: copying it takes half a microsecond, `dict(os.environ)` longer than cloning a small learner.
_VARIABLES: Mapping[Any, Any] = vars(os.environ).get("_data", os.environ)


class World:
    """Folder, environment, random numbers, warnings, handlers, streams, recursion limit, scikit-learn's options.

    Looked at once for all fits of a batch, and compared after each: only what a fit has changed costs more. What fits
    warn of is caught; floating point errors are left to `numpy.errstate` around each fit.
    """

    def __enter__(self) -> World:
        self._folder, self._around, self._depth = _folder(), dict(_VARIABLES), sys.getrecursionlimit()
        self._options = _sklearn_options()
        self._kept_options = dict(self._options)
        self._streams = (sys.stdin, sys.stdout, sys.stderr)
        self.process = os.getpid()
        self._generator = np.random.mtrand.get_bit_generator()
        is_main = threading.current_thread() is threading.main_thread()  # nobody else may set handlers
        self._handlers = [(number, getsignal(number)) for number in _SIGNALS if is_main]
        self._held = ExitStack()
        self._held.enter_context(kept_random_numbers())
        self._listen()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.put_back()
        self._listening.close()
        self._held.close()

    def put_back(self) -> None:
        """Put back what the last fit has changed."""
        sys.stdin, sys.stdout, sys.stderr = self._streams
        if self._options != self._kept_options:
            self._options.clear()
            self._options.update(self._kept_options)
        if sys.getrecursionlimit() != self._depth:
            sys.setrecursionlimit(self._depth)
        if _folder() != self._folder and self._folder is not None:
            with suppress(OSError):
                os.chdir(self._folder)
        if self._around != _VARIABLES:
            _restore(self._around)
        for number, handler in self._handlers:
            if handler is not None and getsignal(number) is not handler:
                signal.signal(number, handler)
        if np.random.mtrand.get_bit_generator() is not self._generator:
            np.random.mtrand.set_bit_generator(self._generator)

    def warned(self) -> list[Any]:
        """The warnings since this was last asked; filters that a fit has changed are as before again."""
        caught = self._caught[:]
        self._caught.clear()
        if warnings.filters is not self._filters or self._filters != self._kept_filters or _shows() is not self._shows:
            self._listening.close()
            self._listen()
        return [warning.message for warning in caught]

    def _listen(self) -> None:
        self._listening = ExitStack()
        self._caught = self._listening.enter_context(warnings.catch_warnings(record=True))
        warnings.simplefilter("always")
        self._filters, self._kept_filters, self._shows = warnings.filters, warnings.filters[:], _shows()


def _shows() -> Any:
    return warnings.showwarning


def _sklearn_options() -> dict[str, Any]:
    """The dict that `sklearn.set_config` changes; copying it takes a third of a microsecond, `get_config` several."""
    from sklearn import _config

    found: dict[str, Any] = _config._get_threadlocal_config()
    return found


def _folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:
        return None


def _restore(around: Mapping[Any, Any]) -> None:
    for name in _VARIABLES.keys() - around.keys():
        del os.environ[os.fsdecode(name)]
    os.environ.update({os.fsdecode(name): os.fsdecode(value) for name, value in around.items()})
