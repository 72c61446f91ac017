"""The engines by name. A new one is a class of its own and one line here."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from foldwise.errors import BadStudy, nearest
from foldwise.executors.executor import Executor
from foldwise.executors.options import RunOptions
from foldwise.executors.stop import Stop

# Each is imported when it is named, and called with the options of the run.
ENGINES = {
    "local": "foldwise.executors.local.executor:LocalExecutor",
    "dask": "foldwise.executors.cluster.dask_engine:DaskExecutor",
    "ray": "foldwise.executors.cluster.ray_engine:RayExecutor",
}


def make_executor(options: RunOptions, stop: Stop) -> Executor:
    """The executor that was named, or given; one that fits in this process hears of the run's end by its `stop`."""
    executor: Any = options.engine
    if isinstance(executor, str):
        executor = _factory(executor)(options)
    else:
        _check_own(options)
    if hasattr(executor, "stop"):
        executor.stop = stop
    found: Executor = executor
    return found


def _factory(name: str) -> Callable[[RunOptions], Any]:
    if name not in ENGINES:
        raise BadStudy(f"there is no engine {name!r}", nearest(name, ENGINES))
    module, _, attribute = ENGINES[name].partition(":")
    found: Callable[[RunOptions], Any] = getattr(import_module(module), attribute)
    return found


def _check_own(options: RunOptions) -> None:
    """An executor that was given has its own workers and limits, so that others would be passed over in silence."""
    for method in ("run", "add", "ask_to_stop", "close"):
        if not callable(getattr(options.engine, method, None)):
            raise BadStudy(f"engine must be a name or an executor, and {options.engine!r} has no method {method}")
    for name in ("jobs", "address", "isolate", "fit_timeout", "fit_memory"):
        if getattr(options, name) is not None:
            raise BadStudy(f"{name} was given beside an executor of your own", f"Set {name} where you make it")
