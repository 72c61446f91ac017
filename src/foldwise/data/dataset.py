"""The rows a study is about: features, target, and what is known of each row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.data.columns import Column, codes_of, fingerprint
from foldwise.data.equal_rows import WORD, duplicate_groups
from foldwise.data.roles import (
    Roles,
    group_codes,
    group_names,
    refuse_bad_target,
    refuse_missing,
    time_values,
    weight_values,
)
from foldwise.data.tables import OpenTable, column_from, finish, open_table
from foldwise.data.task import find_task
from foldwise.errors import BadData, nearest

Scalar = TypeVar("Scalar", bound=np.generic)

MOST_SHOWN = 20  # columns in a sentence
ROLES = {"y": "the target", "groups": "groups", "time": "time", "weights": "weights", "stratify": "stratify"}


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A table made canonical, with its task and a fingerprint of its contents.

    >>> data = make_dataset([[1.0], [2.0], [3.0]], ["no", "yes", "no"])
    >>> data
    Dataset(3 rows x 1 column, binary)
    >>> data.codes
    array([0, 1, 0])
    """

    X: Any
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    y: AnyArray
    task: str
    classes: tuple[Any, ...]
    groups: IntArray | None
    time: FloatArray | None
    weights: FloatArray | None
    strata: IntArray | None
    fingerprint: str
    notes: tuple[tuple[str, str], ...] = ()
    group_names: tuple[str, ...] = ()  # what each code in `groups` stands for
    row_labels: Any = None  # of the user's own rows (an index of pandas); None where rows have positions alone
    target_name: str | None = None
    is_series: bool = False  # were documents given as one series? Then learners are given one

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.y)

    @property
    def columns(self) -> int:
        """Number of feature columns."""
        return len(self.names)

    @cached_property
    def codes(self) -> IntArray:
        """The class of each row as its place in `classes`."""
        if self.task == "regression":
            raise BadData("a regression target has no classes", "Use task='classification' if the numbers are labels")
        place = {label: code for code, label in enumerate(self.classes)}
        return frozen(np.fromiter(map(place.__getitem__, self.y.tolist()), np.int64, self.rows))

    @property
    def target(self) -> AnyArray:
        """What losses see: class codes, or the numbers of a regression."""
        return self.y if self.task == "regression" else self.codes

    def take(self, rows: Any) -> Any:
        """These rows of X as a fresh, writable copy in the same container."""
        rows = np.asarray(rows, dtype=np.int64)
        if isinstance(self.X, np.ndarray):
            return self.X.take(rows, axis=0)
        if not hasattr(self.X, "iloc"):
            return self.X[rows]
        # pandas answers a request for all rows in order with a view, so ask for a copy there.
        taken = self.X.take(rows)
        taken = taken.copy() if len(rows) == self.rows else taken
        taken.index = range(len(rows))
        return taken.iloc[:, 0] if self.is_series else taken

    def __repr__(self) -> str:
        return f"Dataset({self.rows} rows x {self.columns} column{'s' * (self.columns != 1)}, {self.task})"


def make_dataset(
    X: Any,
    y: Any = None,
    *,
    task_hint: str | None = None,
    drop: str | Sequence[str] = (),
    **roles: Any,
) -> Dataset:
    """Make a dataset of any table and its `Roles`; names of columns that have a role leave the features."""
    given, table = Roles(**roles), open_table(X)
    if table.rows < 2:
        size = "one row (n_samples=1)" if table.rows else "no rows"
        raise BadData(f"the table has {size}", "Give at least two rows")
    if y is None:
        raise no_target(table)
    if given.drop_missing_target and (rows := known_rows(X, y)) is not None:
        roles = {role: values if role == "positive" else rows_of(values, rows) for role, values in roles.items()}
        data = make_dataset(rows_of(X, rows), rows_of(y, rows), task_hint=task_hint, drop=drop, **roles)
        return replace(data, notes=(*data.notes, _left_out(table.rows, len(rows))))
    strata = None if _is_word(given.stratify) else given.stratify
    keeps_equal = isinstance(given.groups, str) and given.groups == WORD and WORD not in table.names
    sources = {
        "y": y,
        "groups": None if keeps_equal else given.groups,
        "time": given.time,
        "weights": given.weights,
        "stratify": strata,
    }
    columns = {role: _role(table, values, ROLES[role]) for role, values in sources.items() if values is not None}
    named = [values for values in sources.values() if isinstance(values, str)]
    target, is_category = columns.pop("y")
    refuse_bad_target(target)
    task, reason = find_task(target, task=given.task, hint=task_hint, is_category=is_category)
    labels, classes = _target(target, task, given.positive)
    features = table.without([*named, *([drop] if isinstance(drop, str) else drop)])
    container, kinds, digests = finish(features)
    data = Dataset(
        X=_read_only(container),
        names=features.names,
        kinds=kinds,
        y=frozen(labels),
        task=task,
        classes=classes,
        groups=_made(columns, "groups", group_codes),
        time=_made(columns, "time", time_values),
        weights=_made(columns, "weights", weight_values),
        strata=_made(columns, "stratify", lambda column: group_codes(column, "stratify")),
        fingerprint=fingerprint(features.names, kinds, digests, target, classes),
        notes=(*((("task", reason),) if reason else ()), *_order_notes(X, y)),
        group_names=group_names(columns["groups"][0]) if "groups" in columns else (),
        row_labels=_row_labels(X, y),
        target_name=y if isinstance(y, str) else _name_of(y),
        is_series=table.is_series,
    )
    return _stratified(_grouped(data, given.groups, keeps_equal), given.stratify)


def make_judged(X: Any, y: Any, *, classes: Any = (), weights: Any = None) -> Dataset:
    """A dataset whose classes are those the model knows; none for a regression.

    >>> make_judged([[1.0], [2.0]], ["no", "no"], classes=["no", "yes"])
    Dataset(2 rows x 1 column, binary)
    """
    table = open_table(X)
    if y is None:
        raise no_target(table)
    if isinstance(y, str):
        target, _ = table.find(y, "the target")
        table = table.without([y])
    else:
        target, _ = column_from(y, "the target")
    if table.rows < 1 or len(target.values) != table.rows:
        raise BadData(
            f"the target has {len(target.values)} rows, but X has {table.rows}", "Give one value for each row"
        )
    refuse_missing(target, "the target")
    known = tuple(label.item() if isinstance(label, np.generic) else label for label in classes)
    container, kinds, digests = finish(table)
    return Dataset(
        X=container,
        names=table.names,
        kinds=kinds,
        y=frozen(_judged_labels(target, known) if known else _judged_numbers(target)),
        task="regression" if not known else "binary" if len(known) == 2 else "multiclass",
        classes=known,
        groups=None,
        time=None,
        weights=None if weights is None else frozen(weight_values(column_from(weights, "weights")[0])),
        strata=None,
        fingerprint=fingerprint(table.names, kinds, digests, target, known),
        is_series=table.is_series,
    )


def _judged_numbers(target: Column) -> AnyArray:
    if target.labels:
        raise BadData("the target is text, but the model predicts numbers", "Give the target the model was trained for")
    return target.values.astype(np.float64)


def _judged_labels(target: Column, classes: tuple[Any, ...]) -> AnyArray:
    labels = target.texts if target.labels else target.values
    place = {label if isinstance(label, str) else float(label): label for label in classes}
    values = [value if isinstance(value, str) else float(value) for value in labels.tolist()]
    strange = next((value for value in values if value not in place), None)
    if strange is not None:
        raise BadData(
            f"the target has the class {strange!r}, which the model does not know",
            nearest(str(strange), map(str, classes)),
        )
    return np.array([place[value] for value in values], dtype=object if isinstance(classes[0], str) else None)


def known_rows(X: Any, y: Any) -> IntArray | None:
    """The rows with a target; None where all of them have one.

    >>> known_rows([[1.0], [2.0], [3.0]], ["a", None, "b"])
    array([0, 2])
    """
    target: Column = (open_table(X).find(y, "the target") if isinstance(y, str) else column_from(y, "the target"))[0]
    return np.flatnonzero(~target.missing) if target.missing.any() else None


def rows_of(values: Any, rows: IntArray) -> Any:
    """These rows of a table or a column of any kind; a word, such as the name of a column, as it is.

    >>> rows_of(["a", "b", "c"], np.array([0, 2])), rows_of("site", np.array([0, 2]))
    (['a', 'c'], 'site')
    """
    if values is None or isinstance(values, str | bool):
        return values
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if isinstance(values, Mapping):
        return {name: rows_of(column, rows) for name, column in values.items()}
    if isinstance(values, list | tuple):
        return [values[row] for row in rows.tolist()]
    if hasattr(values, "tocsr"):
        return values.tocsr()[rows]
    return values[rows] if isinstance(values, np.ndarray) else _taken(values, rows)


def _taken(values: Any, rows: IntArray) -> Any:
    """Rows of a polars or Arrow table or column; of what is neither, by its array."""
    import narwhals as nw

    try:
        whole: Any = nw.from_native(values, eager_only=True, allow_series=True)
    except TypeError:
        return np.asarray(values)[rows]
    return whole[rows.tolist()].to_native()


def no_target(table: OpenTable) -> BadData:
    """The refusal of a table without a target, with the columns that could be it."""
    if table.role is None:
        return BadData("there is no target", "Give y, one value for each row of X")
    shown = ", ".join(table.names[:MOST_SHOWN]) + (", ..." if len(table.names) > MOST_SHOWN else "")
    return BadData("there is no target", f'Name one of the columns: {shown} (y="COLUMN")')


def _left_out(rows: int, known: int) -> tuple[str, str]:
    count = rows - known
    words = "rows has no target and is" if count == 1 else "rows have no target and are"
    return "missing_target", f"{count} of {rows} {words} left out; row numbers count the others"


def frozen(array: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """A view nobody can write to."""
    view = array.view()
    view.flags.writeable = False
    return view


def _row_labels(*parts: Any) -> Any:
    """The index of the user's table, or of the target; several levels become tuples."""
    import narwhals as nw

    is_pandas = (nw.dependencies.is_pandas_dataframe, nw.dependencies.is_pandas_series)
    index: Any = next((part.index for part in parts if any(check(part) for check in is_pandas)), None)
    return index.to_flat_index() if getattr(index, "nlevels", 1) > 1 else index


def _order_notes(X: Any, y: Any) -> list[tuple[str, str]]:
    """Two indexes of the same labels in another order look like a mistake: rows are matched by position."""
    ours, theirs = _row_labels(X), _row_labels(y)
    if ours is None or theirs is None or len(ours) != len(theirs) or ours.equals(theirs):
        return []
    if not ours.is_unique or len(ours.intersection(theirs)) != len(ours):
        return []
    words = "y has the row labels of X in another order, and rows are matched by position"
    return [("order", f"{words}; y.reindex(X.index) matches them by label")]


def _name_of(target: Any) -> str | None:
    name = getattr(target, "name", None)
    return name if isinstance(name, str) and name else None


def _is_word(stratify: Any) -> bool:
    return stratify == "auto" if isinstance(stratify, str) else stratify is None or isinstance(stratify, bool)


def _role(table: OpenTable, values: Any, role: str) -> tuple[Column, bool]:
    if isinstance(values, str):
        return table.find(values, role)
    if isinstance(values, int) and table.role is not None:
        known = [name for name in (f"x{values}", str(values)) if name in table.names]
        hint = f"Write {known[0]!r}, the name of that column here" if known else "Give one value per row"
        raise BadData(f"{role} is {values!r}, not a column of values", hint)
    column, is_category = column_from(values, role)
    if len(column.values) != table.rows:
        hint = "Give one value for each row of X"
        raise BadData(f"{role} has {len(column.values)} rows, but X has {table.rows}", hint)
    return column, is_category


def _made(columns: dict[str, tuple[Column, bool]], role: str, make: Any) -> Any:
    return frozen(make(columns[role][0])) if role in columns else None


def _target(target: Column, task: str, positive: Any) -> tuple[AnyArray, tuple[Any, ...]]:
    """The target as a learner is given it, and its classes."""
    if positive is not None and task != "binary":
        raise BadData(f"positive={positive!r} needs a binary target, but the task is {task}", "Leave it out")
    if task == "regression":
        return target.values.astype(np.float64), ()
    if target.labels:
        return target.texts, _ordered(codes_of(target)[1], positive)
    values = target.values.astype(bool if target.kind == "boolean" else np.int64)
    return values, _ordered(np.unique(values).tolist(), positive)


def _ordered(classes: list[Any], positive: Any) -> tuple[Any, ...]:
    if positive is None:
        return tuple(classes)
    # The command line knows only text, so 1 may come as "1".
    chosen = [label for label in classes if label == positive] or [c for c in classes if str(c) == str(positive)]
    if not chosen:
        raise BadData(f"positive={positive!r} is not among the classes", nearest(str(positive), map(str, classes)))
    return (*(label for label in classes if label != chosen[0]), chosen[0])


def _grouped(data: Dataset, groups: Any, keeps_equal: bool) -> Dataset:
    """Add groups of rows that are equal or nearly so where they are asked for, and say what the word was taken for."""
    if not isinstance(groups, str) or groups != WORD:
        return data
    if not keeps_equal:
        text = f"groups={WORD!r} is the column of this name; rename it to keep equal rows together instead"
        return replace(data, notes=(*data.notes, ("groups", text)))
    codes = duplicate_groups(data.X, data.kinds)
    count = int((np.bincount(codes)[codes] > 1).sum())
    text = f"{count} row{' is' if count == 1 else 's are'} equal or nearly equal to others, and {WORD} stay together"
    names = tuple(map(str, np.unique(codes, return_index=True)[1].tolist()))
    return replace(data, groups=frozen(codes), group_names=names, notes=(*data.notes, ("groups", text)))


def _stratified(data: Dataset, stratify: Any) -> Dataset:
    """Add the class codes as strata where they are asked for."""
    if not _is_word(stratify) or stratify is None or stratify is False:
        return data
    if data.task != "regression":
        return replace(data, strata=data.codes)
    if not isinstance(stratify, str) and stratify:
        hint = "Give stratify an array of labels, or leave it out"
        raise BadData("stratify=True needs classes, but the task is regression", hint)
    return data


def _read_only(X: Any) -> Any:
    return frozen(X) if isinstance(X, np.ndarray) else X
