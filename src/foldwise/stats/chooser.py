"""The table of intervals, and which one a risk gets: the requested one, or the default by scheme and loss.

A new interval is a row beside its formula, in `ROWS` of its file; docs/methods.md says which one is used when.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from foldwise.errors import BadInterval, nearest
from foldwise.plugins import load_plugin, plugin_names
from foldwise.stats import auc, cross_validated, held_out, long_run
from foldwise.stats.evidence import Evidence
from foldwise.stats.interval_method import NONE_VALID, Ends, IntervalMethod, comparable

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
    plugins = _plugins()
    if comparable(asked) in plugins:
        return _checked_own(load_plugin(GROUP, plugins[comparable(asked)]))
    known = [*INTERVALS, *(alias for row in INTERVALS.values() for alias in row.aliases), *plugins.values()]
    raise BadInterval(f"there is no interval {asked!r}", nearest(comparable(asked), known))


def is_foreign(name: object) -> bool:
    """Is this the name of an interval of another package? Nothing is loaded to find out."""
    return isinstance(name, str) and built_in(name) is None and comparable(name) in _plugins()


def choose(evidence: Evidence, asked: IntervalMethod | None = None) -> tuple[IntervalMethod | None, str]:
    """The interval for this evidence, and why, in a sentence; a requested one that is not valid here is refused."""
    splits, missing = len(evidence.fold_losses), int((~np.isfinite(evidence.fold_losses)).sum())
    if missing:
        return None, f"{missing} of {splits} splits have no finite loss"
    if evidence.stand_ins:
        return None, no_interval_of_stand_ins(evidence.stand_ins, splits)
    if asked is not None:
        if reason := refusal(asked, evidence):
            return None, f"{asked.name} is not valid here: {reason}"
        return asked, f"asked for by name; {asked.assumes}"
    reasons = []
    for row in (row for row in INTERVALS.values() if evidence.scheme in row.default_for):
        if (reason := row.refuse(evidence)) is None:
            return row, f"the default for {evidence.scheme}; {row.assumes}"
        reasons.append(reason)
    return None, reasons[-1] if reasons else NONE_VALID[evidence.scheme]


def refusal(asked: IntervalMethod, evidence: Evidence) -> str | None:
    """Why an interval is not valid here, or None; a user's own that raises is refused, not trusted."""
    try:
        return asked.refuse(evidence)
    except Exception as error:
        if is_built_in(asked):
            raise
        return f"its own check failed: {type(error).__name__}: {error}"


def no_interval_of_stand_ins(stand_ins: int, splits: int) -> str:
    """Why there is none: so few splits hardly show how often fits fail."""
    return f"on {stand_ins} of {splits} splits the baseline answers for a failed fit, which no interval here allows for"


def work_out(
    evidence: Evidence, asked: IntervalMethod | None, level: float
) -> tuple[IntervalMethod | None, str, Ends | None]:
    """The interval for this evidence with its ends, or None and the reason; zero width would claim too much.

    Its middle is the mean loss over splits, and its ends are possible ones.
    """
    row, reason = choose(evidence, asked)
    if row is None:
        return None, reason, None
    try:
        ends = row.ends(evidence, level)
    except Exception as error:  # of a user's own: the fits are done, and their risks are worth having
        if is_built_in(row):
            raise
        return None, f"{row.name} could not be computed: {type(error).__name__}: {error}", None
    if not ends.low <= ends.high:
        return None, f"{row.name} gave the ends {ends.low:g} and {ends.high:g}, which is no interval", None
    if ends.low == ends.high:
        return None, "the losses have no spread, so an interval of no width would claim too much", None
    value = float(evidence.fold_losses.mean())
    shift = 0.0 if ends.value is None else value - ends.value
    low, high, uncut = cut(value, ends.low + shift, ends.high + shift, evidence.loss.possible)
    return row, reason, Ends(low, high, value, {**ends.details, **uncut}, ends.notes)


def cut(value: float, low: float, high: float, possible: tuple[float, float]) -> tuple[float, float, dict[str, float]]:
    """The ends within what is possible; an end that the formula puts elsewhere is kept beside them.

    >>> cut(0.1, -0.2, 0.4, (0.0, 1.0))
    (0.0, 0.4, {'formula_low': -0.2})
    """
    cut_low, cut_high = max(low, min(value, possible[0])), min(high, max(value, possible[1]))
    uncut = {"formula_low": low} if cut_low != low else {}
    return cut_low, cut_high, uncut | ({"formula_high": high} if cut_high != high else {})


def _plugins() -> dict[str, str]:
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
