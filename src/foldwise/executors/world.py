"""The state of the process around a fit, put back afterwards: the next fit must not find traces of the last."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
# The dict inside: copying it takes half a microsecond, `dict(os.environ)` longer than cloning a small learner.
_VARIABLES: Mapping[Any, Any] = vars(os.environ).get("_data", os.environ)


@contextmanager
def kept_world() -> Iterator[None]:
    """Folder, environment, floating point errors, handlers, streams, recursion limit, scikit-learn's options stay."""
    folder, around, handlers = _folder(), dict(_VARIABLES), [signal.getsignal(number) for number in _SIGNALS]
    options = _sklearn_options()
    kept = dict(options)
    streams, depth = (sys.stdin, sys.stdout, sys.stderr), sys.getrecursionlimit()
    try:
        with np.errstate():
            yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
        if options != kept:
            options.clear()
            options.update(kept)
        if sys.getrecursionlimit() != depth:
            sys.setrecursionlimit(depth)
        if _folder() != folder and folder is not None:
            with suppress(OSError):
                os.chdir(folder)
        if around != _VARIABLES:
            _restore(around)
        if threading.current_thread() is threading.main_thread():  # nobody else may set handlers
            for number, handler in zip(_SIGNALS, handlers, strict=True):
                if handler is not None and signal.getsignal(number) is not handler:
                    signal.signal(number, handler)


def _sklearn_options() -> dict[str, Any]:
    """The dict that `sklearn.set_config` changes; copying it takes a third of a microsecond, `get_config` several."""
    from sklearn import _config

    found: dict[str, Any] = _config._get_threadlocal_config()
    return found


def _folder() -> str | None:
    with suppress(OSError):
        return os.getcwd()
    return None


def _restore(around: Mapping[Any, Any]) -> None:
    for name in _VARIABLES.keys() - around.keys():
        del os.environ[os.fsdecode(name)]
    os.environ.update({os.fsdecode(name): os.fsdecode(value) for name, value in around.items()})
