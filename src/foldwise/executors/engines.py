"""The engines by name. A new one is a class in a file of its own and a line here, or an entry point of a package."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from foldwise.errors import BadStudy, nearest
from foldwise.plugins import load_plugin, plugin_names

if TYPE_CHECKING:
    from foldwise.executors.executor import Executor
    from foldwise.executors.options import RunOptions
    from foldwise.executors.stop import Stop

GROUP = "foldwise.executors"
# Each is imported when it is named, and called with the options of the run.
ENGINES = {
    "local": "foldwise.executors.local.local_executor:LocalExecutor",
    "dask": "foldwise.executors.cluster.cluster_executor:DaskExecutor",
    "ray": "foldwise.executors.cluster.cluster_executor:RayExecutor",
}


def check_engine(name: str) -> str:
    """The name of an engine as it is, or a refusal; nothing is imported.

    >>> check_engine("rai")
    Traceback (most recent call last):
    foldwise.errors.BadStudy: there is no engine 'rai'. Did you mean 'ray'?
    """
    if name not in ENGINES and name not in (others := plugin_names(GROUP)):
        raise BadStudy(f"there is no engine {name!r}", nearest(name, [*ENGINES, *others]))
    return name


def is_foreign(name: Any) -> bool:
    """Is this an engine of another package, whose code only the person at the keyboard may call for?"""
    return name in plugin_names(GROUP) and name not in ENGINES


def make_executor(options: RunOptions, stop: Stop) -> Executor:
    """The executor that was named or given; one that fits in this process learns from `stop` that the run ends."""
    executor: Any = options.engine
    if isinstance(executor, str):
        executor = _factory(check_engine(executor))(options)
    else:
        _check_own(options)
    if hasattr(executor, "stop"):
        executor.stop = stop
    found: Executor = executor
    return found


def _factory(name: str) -> Callable[[RunOptions], Executor]:
    if name not in ENGINES:
        return load_plugin(GROUP, name)  # type: ignore[no-any-return]
    module, _, attribute = ENGINES[name].partition(":")
    return getattr(import_module(module), attribute)  # type: ignore[no-any-return]


def _check_own(options: RunOptions) -> None:
    """Refuse what is no executor, and options that come too late for an executor that exists already."""
    for method in ("run", "add", "ask_to_stop", "close"):
        if not callable(getattr(options.engine, method, None)):
            raise BadStudy(f"engine must be a name or an executor, and {options.engine!r} has no method {method}")
    for name in ("jobs", "address", "isolate", "fit_timeout", "fit_memory"):
        if getattr(options, name) is not None:
            raise BadStudy(f"{name} was given with an executor of your own", f"Set {name} where you make it")
