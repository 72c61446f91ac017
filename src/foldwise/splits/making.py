"""From what a user writes (13, 0.2, "loo", labels, pairs, a splitter) to splits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from foldwise.arrays import IntArray
from foldwise.errors import BadSplits, nearest
from foldwise.plugins import load_plugin, plugin_names
from foldwise.splits.folds import KFold, LeaveOneOut, Repeated, Splitter
from foldwise.splits.given import Foreign, Pairs, Predefined, is_lists_of_pairs, is_pairs
from foldwise.splits.grouped import LeaveOneGroupOut
from foldwise.splits.holdout import Holdout
from foldwise.splits.part import Rows, check_respects, make_part, whole_number, with_copies
from foldwise.splits.split import Splits

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
    found = load_plugin(GROUP, word)
    is_ready = not isinstance(found, type) and (hasattr(found, "split") or hasattr(found, "make"))
    return as_splitter(found if is_ready else found())


def is_foreign(spec: Any) -> bool:
    """Is this the name of a splitter of another package? Nothing is imported to find out."""
    return isinstance(spec, str) and spec not in (*NAMES, *INNER_NAMES) and spec in plugin_names(GROUP)


def _by_rows(spec: Any) -> Splitter:
    if is_pairs(spec):
        return Pairs(spec)
    if is_lists_of_pairs(spec):
        raise BadSplits("lists of index pairs, one per outer split, are for inner alone", "Give one list of pairs")
    is_flat = isinstance(spec, (list, tuple)) and len(spec) > 0 and all(np.ndim(one) == 0 for one in spec)
    if is_flat or (hasattr(spec, "__array__") and np.ndim(spec) > 0):
        return Predefined(spec)
    raise BadSplits(f"splits cannot be made from a {type(spec).__name__}", WAYS)
