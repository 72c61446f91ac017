"""From what a user writes (13, 0.2, "loo", labels, pairs, a splitter of scikit-learn) to splits."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, IntArray
from foldwise.errors import BadSplits, nearest
from foldwise.plugins import load_plugin, plugin_names
from foldwise.shown import Shown
from foldwise.splits.folds import KFold, LeaveOneGroupOut, LeaveOneOut, Repeated, Splitter
from foldwise.splits.holdout import Holdout
from foldwise.splits.part import Part, Rows, check_respects, make_part, whole_number, with_copies
from foldwise.splits.split import Split, Splits, partition, plural, refuse_repeats, repeated

Pair = tuple[IntArray, IntArray]

GROUP = "foldwise.splitters"
NAMES: dict[str, Callable[[], Splitter]] = {"loo": LeaveOneOut, "logo": LeaveOneGroupOut}
INNER_NAMES = ("aligned", "lines", "pairs", "dev")
MOST_REPEATS = 1_000  # splits are made before the first fit, and more of them than memory holds tell nothing more
WAYS = "Use an int (folds), a share such as 0.2, 'loo', 'logo', fold labels, index pairs or a splitter"


def make_splits(
    spec: Any, data: Rows, *, seed: int, rows: IntArray | None = None, repeats: int = 1, ordered: bool = False
) -> Splits:
    """The splits that `spec` means for these data, or for some `rows` of them (which may repeat).

    They depend on the seed and the rows alone. `ordered` takes the order of the rows for time where none is given.
    """
    repeats = whole_number(repeats, "repeats", least=1)
    while isinstance(spec, Repeated):
        spec, repeats = spec.splitter, repeats * spec.repeats
    if repeats > MOST_REPEATS:
        raise BadSplits(f"{repeats:,} repeats are too many", f"Use at most {MOST_REPEATS:,}")
    part = make_part(data, seed=seed, rows=rows, ordered=ordered)
    splits = as_splitter(spec).make(part, repeats)
    check_respects(splits, part)
    return with_copies(splits, part)


def as_splitter(spec: Any) -> Splitter:
    """The splitter that a specification means.

    >>> as_splitter(5), as_splitter(0.25), as_splitter("loo")
    (KFold(k=5, folds='balanced', stratify=None), Holdout(share=0.25), LeaveOneOut())
    """
    if isinstance(spec, str):
        return _by_word(spec)
    if isinstance(spec, (bool, np.bool_, int, np.integer)):
        return KFold(spec)  # type: ignore[arg-type]
    if isinstance(spec, (float, np.floating)):
        return Holdout(float(spec))
    if isinstance(spec, type):
        raise BadSplits(f"{spec.__name__} is a class, not a splitter", f"Write {spec.__name__}(...)")
    if callable(getattr(spec, "make", None)):
        return spec  # type: ignore[no-any-return]
    if callable(getattr(spec, "split", None)):
        return Foreign(spec)
    return _by_rows(list(spec) if isinstance(spec, Iterator) else spec)


def _by_word(word: str) -> Splitter:
    if word in INNER_NAMES:
        raise BadSplits(f"{word!r} needs outer folds to be made from, so it is for inner alone", WAYS)
    if word in NAMES:
        return NAMES[word]()
    if not is_foreign(word):
        hint = nearest(word, [*NAMES, *plugin_names(GROUP)])
        raise BadSplits(f"unknown splits {word!r}", hint if hint.startswith("Did") else WAYS)
    plugin = load_plugin(GROUP, word)
    is_ready = not isinstance(plugin, type) and (hasattr(plugin, "split") or hasattr(plugin, "make"))
    return as_splitter(plugin if is_ready else plugin())


def is_foreign(spec: Any) -> bool:
    """Is this the name of a splitter of another package? Nothing is imported to find out."""
    return isinstance(spec, str) and spec not in (*NAMES, *INNER_NAMES) and spec in plugin_names(GROUP)


def _by_rows(spec: Any) -> Splitter:
    if is_pairs(spec):
        return Pairs(spec)
    if is_lists_of_pairs(spec):
        raise BadSplits("lists of index pairs, one per outer split, are for inner alone", "Give one list of pairs")
    is_flat = isinstance(spec, (list, tuple)) and len(spec) > 0 and all(np.ndim(label) == 0 for label in spec)
    if is_flat or (hasattr(spec, "__array__") and np.ndim(spec) > 0):
        return Predefined(spec)
    raise BadSplits(f"splits cannot be made from a {type(spec).__name__}", WAYS)


@dataclass(frozen=True, eq=False)
class Predefined(Shown):
    """One fold per distinct label; the smallest label is fold 0.

    `labels`: one per row.

    >>> Predefined(["a", "b", "a"])
    Predefined(labels=3)
    """

    labels: Any

    def __repr__(self) -> str:
        return f"Predefined(labels={len(self.labels)})"

    def make(self, part: Part, repeats: int = 1) -> Splits:
        refuse_repeats("given fold labels", repeats)
        labels = _as_labels(self.labels, part.data.rows)[part.rows]
        found, codes = np.unique(labels, return_inverse=True)
        if len(found) < 2:
            raise BadSplits(
                f"fold labels must have at least 2 values: all {plural(len(labels), 'row')} have {found.tolist()[0]!r}",
                "Give at least 2 labels",
            )
        kind = "folds" if part.groups is None else "grouped"
        return partition(part.rows, [codes.ravel()], scheme=f"{len(found)} folds by given labels", kind=kind)


@dataclass(frozen=True, eq=False)
class Pairs(Shown):
    """Ready (train, test) pairs of row numbers or masks; of some rows only, the pairs are restricted to them.

    `pairs`: in the order of the splits.

    >>> Pairs([([0, 1], [2]), ([1, 2], [0])])
    Pairs(pairs=2)
    """

    pairs: Any

    def __post_init__(self) -> None:
        if not is_pairs(self.pairs):
            raise BadSplits("index pairs must be a list of (train rows, test rows)", "Give at least one pair")

    def __repr__(self) -> str:
        return f"Pairs(pairs={len(self.pairs)})"

    def make(self, part: Part, repeats: int = 1) -> Splits:
        refuse_repeats("given index pairs", repeats)
        pairs = check_pairs(self.pairs, part.data.rows)
        if len(part.rows) < part.data.rows:
            inside = np.zeros(part.data.rows, dtype=bool)
            inside[part.rows] = True
            pairs = [(train[inside[train]], test[inside[test]]) for train, test in pairs]
            pairs = [pair for pair in pairs if len(pair[0]) and len(pair[1])]
        if not pairs:
            raise BadSplits(
                f"no index pair has both training and test rows among these {plural(len(part.rows), 'row')}",
                "Give pairs that do, or an int",
            )
        return from_pairs(pairs, part, scheme=plural(len(pairs), "given index pair"))


@dataclass(frozen=True, eq=False)
class Foreign:
    """Any object with scikit-learn's `split(X, y, groups)`; it sees the rows in data order.

    A splitter left without a seed gets one from the study, in a copy, so that equal studies have equal splits.
    """

    splitter: Any

    def make(self, part: Part, repeats: int = 1) -> Splits:
        if not self._takes_seed():
            refuse_repeats(f"the splitter {self._name}", repeats)
        runs = [self._pairs(part, repeat) for repeat in range(repeats)]
        scheme = repeated(f"{plural(len(runs[0]), 'split')} by {self._name}", repeats)
        return from_pairs([pair for run in runs for pair in run], part, scheme=scheme, repeats=repeats)

    @property
    def _name(self) -> str:
        return type(self.splitter).__name__

    def _takes_seed(self) -> bool:
        unset = getattr(self.splitter, "random_state", "none") is None
        return unset and bool(getattr(self.splitter, "shuffle", True))

    def _pairs(self, part: Part, repeat: int) -> list[Pair]:
        splitter = copy.deepcopy(self.splitter)
        if self._takes_seed():
            splitter.random_state = int(part.random("splitter", repeat).integers(2**31 - 1))
        groups = None if part.data.groups is None else part.data.groups[part.rows]
        try:
            with warnings.catch_warnings():
                # Said by splitters that ignore groups; what they do to the groups is checked afterwards.
                warnings.filterwarnings("ignore", message="The groups parameter is ignored")
                pairs = list(splitter.split(part.data.take(part.rows), part.data.y[part.rows], groups))
        except Exception as error:
            raise BadSplits(f"the splitter {self._name} failed on {plural(len(part.rows), 'row')}: {error}") from error
        if not pairs:
            raise BadSplits(f"the splitter {self._name} gave no splits of {plural(len(part.rows), 'row')}")
        return [(part.rows[train], part.rows[test]) for train, test in check_pairs(pairs, len(part.rows))]


def from_pairs(pairs: Sequence[Pair], part: Part, *, scheme: str, repeats: int = 1) -> Splits:
    """Splits in the given order, numbered by repeat and fold where they make up partitions of the rows."""
    folds = _partition_folds(pairs, part.rows) or 0
    width = folds or len(pairs) // repeats
    splits = tuple(Split(train, test, *divmod(i, width)) for i, (train, test) in enumerate(pairs))
    return Splits(splits, scheme, _kind(pairs, folds, part), is_partition=folds > 0)


def _kind(pairs: Sequence[Pair], folds: int, part: Part) -> str:
    if len(pairs) == 1:
        return "holdout"
    if part.time is not None or _is_ordered(pairs, part):
        return "time"
    if not folds:
        return "pairs"
    return "loo" if folds == len(part.rows) else "folds" if part.groups is None else "grouped"


def _is_ordered(pairs: Sequence[Pair], part: Part) -> bool:
    """Whether every split trains on the rows before its test rows, as TimeSeriesSplit does: then tuning must too.

    Where there are groups, keeping them whole is what was asked for.
    """
    return part.groups is None and all(train[-1] < test[0] for train, test in pairs)


def _partition_folds(pairs: Sequence[Pair], at: IntArray) -> int | None:
    """Folds per repeat if the pairs, one after another, cut all rows into folds again and again; else None."""
    ends, covered = [], np.zeros(len(at), dtype=bool)
    for number, (train, test) in enumerate(pairs, start=1):
        places = np.searchsorted(at, test)
        if len(train) + len(test) != len(at) or len(np.unique(train)) < len(train) or covered[places].any():
            return None
        covered[places] = True
        if covered.all():
            ends.append(number)
            covered[:] = False
    is_even = not covered.any() and len(ends) > 0 and all(end == ends[0] * (i + 1) for i, end in enumerate(ends))
    return ends[0] if is_even else None


def check_pairs(pairs: Iterable[Any], rows: int) -> list[Pair]:
    """Sorted row numbers of each pair, or a refusal that names the split and the row."""
    checked = []
    for number, (train, test) in enumerate(pairs):
        train_rows = as_rows(train, rows, f"the training rows of split {number}")
        test_rows = as_rows(test, rows, f"the test rows of split {number}")
        twice = test_rows[1:][np.diff(test_rows) == 0]
        if len(twice):
            raise BadSplits(f"row {twice[0]} is twice among the test rows of split {number}", "Give each test row once")
        shared = np.intersect1d(train_rows, test_rows)
        if len(shared):
            raise BadSplits(
                f"row {shared[0]} is both a training and a test row of split {number}", "Keep the two apart"
            )
        checked.append((train_rows, test_rows))
    return checked


def as_rows(value: Any, rows: int, what: str) -> IntArray:
    """Ascending row numbers from numbers (negative ones count from the end) or a mask.

    >>> as_rows([True, False, True], 3, "rows"), as_rows([-1, 0], 3, "rows")
    (array([0, 2]), array([0, 2]))
    """
    given = np.asarray(value)
    if given.ndim != 1 or given.size == 0 or given.dtype.kind not in "biu":
        problem = "are empty" if given.size == 0 else "are not a list of row numbers or a mask"
        raise BadSplits(f"{what} {problem}", "Give whole numbers from 0, or one True or False per row")
    if given.dtype.kind == "b":
        if len(given) != rows:
            raise BadSplits(f"{what} are a mask of {len(given)} for {plural(rows, 'row')}", f"Give a mask of {rows}")
        return as_rows(np.flatnonzero(given), rows, what)
    numbers = given.astype(np.int64)
    outside = numbers[(numbers < -rows) | (numbers >= rows)]
    if len(outside):
        raise BadSplits(f"{what} name row {outside[0]}, but there are only {plural(rows, 'row')}", "Count rows from 0")
    return np.sort(np.where(numbers < 0, numbers + rows, numbers))


def is_rows(value: Any) -> bool:
    """Whether this looks like row numbers or a mask, so that it can be one half of a pair."""
    if isinstance(value, (list, tuple, range)):
        return all(isinstance(row, (int, np.integer, np.bool_)) for row in value)
    return hasattr(value, "__array__") and np.ndim(value) == 1


def is_pairs(value: Any) -> bool:
    """Whether this is a list of (train, test) pairs.

    >>> is_pairs([([0, 1], [2])]), is_pairs([[([0, 1], [2])]]), is_pairs([0, 1, 1])
    (True, False, False)
    """
    return _is_list(value) and all(_is_list(pair) and len(pair) == 2 and all(map(is_rows, pair)) for pair in value)


def is_lists_of_pairs(value: Any) -> bool:
    """Whether this is a list of lists of pairs: ready inner splits, one list per outer split."""
    return _is_list(value) and all(map(is_pairs, value))


def _is_list(value: Any) -> bool:
    is_sequence = isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 1)
    return is_sequence and len(value) > 0


def _as_labels(labels: Any, rows: int) -> AnyArray:
    values = np.asarray(labels)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1 or len(values) != rows:
        raise BadSplits(
            f"fold labels of shape {values.shape} do not match the data, which have {plural(rows, 'row')}",
            "Give one label per row",
        )
    missing = np.flatnonzero(_is_missing(values))
    if len(missing):
        raise BadSplits(
            f"{plural(len(missing), 'fold label')} missing, the first at row {missing[0]}", "Give every row a label"
        )
    kinds = {type(value) for value in values} if values.dtype.kind == "O" else set()
    if len(kinds) > 1 and any(issubclass(kind, str) for kind in kinds):
        raise BadSplits("fold labels mix text with other values, so they have no order", "Use one kind of label")
    return values


def _is_missing(values: AnyArray) -> AnyArray:
    if values.dtype.kind in "fc":
        return np.isnan(values)
    if values.dtype.kind in "mM":
        return np.isnat(values)
    if values.dtype.kind != "O":
        return np.zeros(len(values), dtype=bool)
    # Comparing pandas' NA gives NA, so it is known by its type; any other missing value differs from itself.
    return np.array([v is None or type(v).__name__ in ("NAType", "NaTType") or v != v for v in values], dtype=bool)
