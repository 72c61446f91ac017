"""The table of intervals: one row each; `interval=`, `fw.intervals`, reports, docs and the lab read it here.

A new interval is a row in `held_out`, `cross_validated` or `in_time`; docs/methods.md says which one is used when.
"""

from __future__ import annotations

from typing import Any

from foldwise.errors import BadInterval, nearest
from foldwise.plugins import load_plugin, plugin_names
from foldwise.stats import auc, cross_validated, held_out, long_run
from foldwise.stats.interval_method import IntervalMethod as IntervalMethod
from foldwise.stats.interval_method import comparable
from foldwise.studies.study import IntervalRequest

GROUP = "foldwise.intervals"  # entry points of other packages
INTERVALS = {row.name: row for row in (*auc.ROWS, *held_out.ROWS, *cross_validated.ROWS, *long_run.ROWS)}
_BY_NAME = {name: row for row in INTERVALS.values() for name in row.names}


def built_in(name: str) -> IntervalMethod | None:
    """The row of that name or alias; no plug-in is looked for."""
    return _BY_NAME.get(comparable(name))


def is_built_in(row: IntervalMethod) -> bool:
    return INTERVALS.get(row.name) is row


def find(asked: str | IntervalMethod) -> IntervalMethod:
    """An interval by name or alias, a plug-in's by the name of its entry point, or a user's own as it is.

    >>> find("cv_clt").name
    'Bayle'
    """
    if not isinstance(asked, str):
        return _checked_own(asked)
    if (row := built_in(asked)) is not None:
        return row
    if comparable(asked) in ("bates", "bates ncv", "nested cv interval"):
        raise BadInterval(
            "no study makes the fits that leave out two folds, which the Bates interval needs",
            "Give their losses to fw.intervals.bates",
        )
    brought = _brought()
    if comparable(asked) in brought:
        return _checked_own(load_plugin(GROUP, brought[comparable(asked)]))
    known = [*INTERVALS, *(alias for row in INTERVALS.values() for alias in row.aliases), *brought.values()]
    raise BadInterval(f"there is no interval {asked!r}", nearest(comparable(asked), known))


def is_foreign(name: object) -> bool:
    """Is this the name of an interval of another package? Nothing is loaded to find out."""
    return isinstance(name, str) and built_in(name) is None and comparable(name) in _brought()


def request_interval(asked: str | IntervalMethod | None) -> IntervalRequest | None:
    """The value of `interval=`, checked; a user's own is kept as it is."""
    if asked is None:
        return None
    row = find(asked)
    return IntervalRequest(row.name, None if is_built_in(row) else row)


def requested(request: IntervalRequest | None) -> IntervalMethod | None:
    """The row of a request. A name that comes from a store never loads a plug-in."""
    if request is None or request.own is not None:
        return None if request is None else request.own
    if (row := built_in(request.name)) is None:
        raise BadInterval(f"there is no interval {request.name!r}", nearest(request.name, INTERVALS))
    return row


def row_named(name: str, request: IntervalRequest | None = None) -> IntervalMethod:
    """The row that printed this name: the user's own, or a built-in one."""
    own = request.own if request is not None else None
    return own if own is not None and own.name == name else INTERVALS[name]


def _brought() -> dict[str, str]:
    """Names of intervals of other packages by their comparable form."""
    return {comparable(name): name for name in plugin_names(GROUP)}


def _checked_own(own: Any) -> IntervalMethod:
    if not isinstance(own, IntervalMethod):
        raise BadInterval(
            f"an interval is a name or an fw.IntervalMethod, not {own!r}",
            "Write fw.IntervalMethod(name, compute)",
        )
    taken = next((row for name in own.names if (row := _BY_NAME.get(name)) is not None), own)
    if taken is not own:
        raise BadInterval(f"{own.name!r} is a name of the built-in {taken.name} interval", "Give yours another name")
    return own
