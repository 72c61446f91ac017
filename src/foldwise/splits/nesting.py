"""Two levels of splits: the outer ones estimate risk, the inner ones tune on the training rows of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from foldwise.errors import BadSplits, nearest
from foldwise.splits.aligned import ALIGNED, align, choose_scheme
from foldwise.splits.holdout import DevRows
from foldwise.splits.making import (
    INNER_NAMES,
    NAMES,
    check_pairs,
    from_pairs,
    is_foreign,
    is_lists_of_pairs,
    make_splits,
)
from foldwise.splits.part import Part, Rows, check_respects, make_part
from foldwise.splits.split import EAGER_ROWS, Split, Splits, plural

ROWS_PER_FOLD = 4  # a default fold has at least so many rows
SHORTER = (7, 5, 3)  # what the default number of outer folds may shrink to
INNER_FOLDS = (5, 3, 2)  # the same for inner folds that cannot be aligned
TIME_FOLDS, TIME_INNER_FOLDS = 5, 4  # the default study of data with time
MOST_LEFT_OUT = 31  # leave-one-out on pairs would need rows^2 / 2 fits beyond this

Note = tuple[str, str]


class DefaultOuter(int):
    """A number of outer folds that the user did not choose, so that fewer may be taken."""


class DefaultInner(str):
    """An inner scheme that the user did not choose, so that another may be taken."""

    __slots__ = ()


DEFAULT_OUTER = DefaultOuter(13)
DEFAULT_INNER = DefaultInner("aligned")


@dataclass(frozen=True, eq=False, repr=False)
class Inner:
    """Inner splits, one `Splits` per outer split, and those of all rows for the final tuning (None if not given)."""

    splits: tuple[Splits, ...]
    final: Splits | None
    scheme: str

    def __repr__(self) -> str:
        return f"Inner({self.scheme!r}, outer={len(self.splits)})"


@dataclass(frozen=True, eq=False)
class StudySplits:
    """The outer splits of a study, its inner scheme, and what was decided for the user, as (code, text)."""

    outer: Splits
    inner_spec: Any
    notes: tuple[Note, ...]


def inner_splits(spec: Any, outer: Splits, data: Rows, *, seed: int) -> Inner:
    """Split the training rows of every outer split, and all rows for the final tuning.

    They depend on the seed and the training rows alone, and respect groups and time as the outer ones do.
    """
    check_inner(spec, outer)
    if isinstance(spec, str) and spec in ALIGNED:
        return Inner(*align(spec, outer))
    if is_lists_of_pairs(spec):
        return _given_inner(spec, outer, data, seed=seed)
    if isinstance(spec, str) and spec == "dev":
        spec = DevRows(_dev_rows(outer, data.rows))
    # A time-ordered outer level without times goes by the order of the rows, and so must the inner one.
    ordered = outer.kind == "time"
    splits = []
    for split in outer:
        try:
            inner = make_splits(spec, data, seed=seed, rows=split.train, ordered=ordered)
        except BadSplits as error:
            raise _inside(split, error) from error
        splits.append(inner.light() if len(outer) * len(inner) * data.rows > EAGER_ROWS else inner)
    final = make_splits(spec, data, seed=seed, ordered=ordered)
    return Inner(tuple(splits), final, splits[0].scheme)


def check_inner(spec: Any, outer: Splits) -> None:
    """Refuse an inner word that is unknown, or that these outer splits cannot have."""
    if not isinstance(spec, str):
        return
    if spec not in (*INNER_NAMES, *NAMES) and not is_foreign(spec):
        raise BadSplits(f"unknown inner splits {spec!r}", nearest(spec, (*INNER_NAMES, *NAMES)))
    if spec in ALIGNED:
        choose_scheme(spec, outer)
    if spec == "dev" and not (outer.is_partition or outer.is_one_test_set):
        raise BadSplits(
            f"inner='dev' takes one outer fold's worth of rows, and the outer splits are: {outer.scheme}",
            "Use an int or a share for outer, or a share for inner",
        )


def study_splits(outer: Any, inner: Any, data: Rows, *, seed: int, repeats: int = 1, tuned: bool = True) -> StudySplits:
    """The outer splits and the inner scheme of a study; only what the user left open adapts to the data."""
    notes: list[Note] = []
    spec = outer
    if isinstance(outer, DefaultOuter):
        spec, note = _default_outer(outer, data)
        notes += note
    splits = make_splits(spec, data, seed=seed, repeats=repeats)
    if data.time is not None and splits.kind == "time":
        notes.append(("outer", f"time is given, so the outer splits are {splits.scheme}"))
    if not isinstance(inner, DefaultInner):
        check_inner(inner, splits)
        return StudySplits(splits, inner, tuple(notes))
    if not tuned:
        return StudySplits(splits, None, tuple(notes))
    inner_spec, note = _default_inner(inner, splits, data, is_outer_default=isinstance(outer, DefaultOuter))
    return StudySplits(splits, inner_spec, tuple(notes + note))


def _default_outer(wanted: int, data: Rows) -> tuple[int, list[Note]]:
    """The largest usual number of folds that the rows, the classes and the groups allow."""
    if data.time is not None:
        return TIME_FOLDS, []
    limit, reason = min(_limits(make_part(data, seed=0), ROWS_PER_FOLD))
    fitting = [folds for folds in (int(wanted), *SHORTER) if folds <= min(limit, wanted)]
    if not fitting:
        remedy, few = "Give more data, or choose outer yourself", f"{SHORTER[-1]} outer folds"
        if reason.startswith("class"):
            remedy = "Give more data, join it with another class, or leave its rows out"
        elif "row" in reason:
            few += f" of {ROWS_PER_FOLD} rows each"
        raise BadSplits(f"cannot make even {few}: {reason}", remedy)
    changed = fitting[0] != wanted
    note = ("outer", f"{fitting[0]} outer folds instead of {int(wanted)}: {reason}")
    return fitting[0], [note] if changed else []


def _default_inner(wanted: str, outer: Splits, data: Rows, *, is_outer_default: bool) -> tuple[Any, list[Note]]:
    is_long = outer.folds > MOST_LEFT_OUT and (outer.kind == "loo" or outer.scheme.startswith("leave-one"))
    if outer.is_partition and outer.folds >= 3 and not is_long:
        return str(wanted), []
    if outer.kind == "time":
        folds = TIME_INNER_FOLDS if is_outer_default else INNER_FOLDS[0]
        return folds, [("inner", f"the inner splits are {folds} time-ordered folds")]
    parts = (make_part(data, seed=0, rows=split.train) for split in outer)
    limit, limiting = min(min(_limits(part, 1)) for part in parts)
    folds = next((folds for folds in INNER_FOLDS if folds <= limit), 0)
    if not folds:
        raise BadSplits(f"cannot make inner folds: in the training rows of an outer split {limiting}", "Choose inner")
    reason = f"aligned inner folds are not for these outer splits ({outer.scheme})"
    return folds, [("inner", f"the inner splits are {folds} folds: {reason}")]


def _limits(part: Part, rows_per_fold: int) -> list[tuple[int, str]]:
    """How many folds the rows, the smallest class and the groups allow, each with its sentence."""
    limits = [(len(part.rows) // rows_per_fold, f"there are {plural(len(part.rows), 'row')}")]
    smallest = part.smallest_class()
    if smallest is not None:
        limits.append((smallest[1], f"class {smallest[0]!r} has {plural(smallest[1], 'row')}"))
    if part.groups is not None:
        groups = int(part.groups.max()) + 1
        limits.append((groups, f"there are {plural(groups, 'group')}"))
    return limits


def _dev_rows(outer: Splits, rows: int) -> int:
    """One outer fold's worth of rows."""
    return len(outer[0].test) if outer.is_one_test_set else max(1, round(rows / outer.folds))


def _given_inner(spec: Sequence[Any], outer: Splits, data: Rows, *, seed: int) -> Inner:
    """Ready inner splits in absolute row numbers; one list more than outer splits gives the final ones."""
    if len(spec) not in (len(outer), len(outer) + 1):
        raise BadSplits(
            f"inner has {plural(len(spec), 'list')} of index pairs for {plural(len(outer), 'outer split')}",
            "Give one list per outer split, in their order, and at most one more for the final tuning",
        )
    splits = []
    for split, pairs in zip(outer, spec, strict=False):
        part = make_part(data, seed=seed, rows=np.unique(split.train))
        try:
            splits.append(_given_within(pairs, part))
        except BadSplits as error:
            raise _inside(split, error) from error
    final = _given_within(spec[-1], make_part(data, seed=seed)) if len(spec) > len(outer) else None
    return Inner(tuple(splits), final, "given index pairs")


def _given_within(pairs: Any, part: Part) -> Splits:
    checked = check_pairs(pairs, part.data.rows)
    for number, pair in enumerate(checked):
        outside = np.setdiff1d(np.concatenate(pair), part.rows)
        if len(outside):
            raise BadSplits(
                f"split {number} uses row {outside[0]}, which is not a training row there",
                "Tune on the training rows of the outer split alone",
            )
    splits = from_pairs(checked, part, scheme=plural(len(checked), "given index pair"))
    check_respects(splits, part)
    return splits


def _inside(split: Split, error: BadSplits) -> BadSplits:
    where = f"fold {split.fold}" + (f" of repeat {split.repeat}" if split.repeat else "")
    return BadSplits(f"inside outer {where}: {error.problem}", error.remedy, **error.found)
