"""Parts that other packages bring as entry points: listed without importing them, loaded only when named.

A package names its parts in its `pyproject.toml`:

    [project.entry-points."foldwise.intervals"]
    wilson = "my_package.wilson:interval"
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from foldwise.errors import BadPlugin, nearest

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def plugin_names(group: str) -> list[str]:
    """Names of the parts that installed packages bring for a group; nothing of theirs is imported.

    >>> plugin_names("foldwise.no such group")
    []
    """
    return sorted({entry.name for entry in _entries(group)})


def load_plugin(group: str, name: str) -> Any:
    """The part of that name, imported now; refused where it is unknown, brought twice, or fails to import."""
    found = [entry for entry in _entries(group) if entry.name == name]
    if not found:
        raise BadPlugin(
            f"no installed package brings {name!r} for {group}", nearest(name, plugin_names(group) or ["none"])
        )
    homes = sorted({entry.value for entry in found})
    if len(homes) > 1:
        raise BadPlugin(f"{name!r} of {group} is brought twice: {' and '.join(homes)}", "Uninstall one of the packages")
    try:
        return found[0].load()
    except Exception as error:
        words = f"{name!r} of {group} cannot be loaded from {homes[0]}: {type(error).__name__}: {error}"
        raise BadPlugin(words, "Mend or uninstall the package that brings it") from error


def _entries(group: str) -> list[EntryPoint]:
    from importlib.metadata import entry_points  # slow to import, and rarely needed

    return list(entry_points(group=group))
