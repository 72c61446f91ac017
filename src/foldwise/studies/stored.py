"""A study as a document of its store, so that a result can be reopened without its learners."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.errors import BadStore
from foldwise.losses.loss import make_losses
from foldwise.records.document import Document
from foldwise.records.store import Store
from foldwise.splits.nesting import Inner
from foldwise.splits.split import Split, Splits
from foldwise.stats.chooser import built_in, is_built_in
from foldwise.stats.interval_method import IntervalMethod
from foldwise.studies.finding import Finding
from foldwise.studies.plain import plain_candidate
from foldwise.studies.study import Method, Study
from foldwise.tuners.registry import stored_tuner
from foldwise.tuners.tuner import Limits, Tuner

THE_REST = -1  # training rows of a split that are simply all others


@dataclass(frozen=True)
class StoredSplits:
    """Splits with their rows in two arrays."""

    scheme: str
    kind: str
    is_partition: bool
    repeats: IntArray  # of each split
    folds: IntArray
    test_sizes: IntArray
    train_sizes: IntArray  # or THE_REST
    test: AnyArray
    train: AnyArray


@dataclass(frozen=True)
class StoredInner:
    """The splits that tune: those inside each outer split, and those of all rows."""

    scheme: str
    splits: tuple[StoredSplits, ...]
    final: StoredSplits | None


@dataclass(frozen=True)
class StoredMethod:
    """A method; fields without a comment are those of `Method`."""

    name: str
    candidates: tuple[dict[str, Any], ...]  # of a search: none, as its proposals have them
    identities: tuple[str, ...]
    code: dict[str, str]
    responses: tuple[tuple[str, ...], ...]
    inner: int | None  # its place among the schemes of the study
    rule: str
    ranks: tuple[int, ...] | None
    notes: tuple[tuple[str, str], ...]
    tuner: str
    limits: Limits | None  # of a search
    proposals_name: str
    levels: int
    members: tuple[tuple[str, str], ...]
    member_response: str
    is_hidden: bool
    defaults_of: str
    packages: dict[str, str]

    def __post_init__(self) -> None:
        if not len(self.candidates) == len(self.identities) == len(self.responses):
            raise ValueError("its candidates, identities and responses differ in number")


@dataclass(frozen=True)
class StoredStudy:
    """A study; fields without a comment are those of `Study`."""

    fingerprint: str
    task: str
    classes: tuple[Any, ...]
    target: AnyArray
    weights: FloatArray | None
    groups: AnyArray | None
    time: AnyArray | None
    losses: tuple[Any, ...]  # as they were named; None for a function of the user's own
    loss_names: tuple[str, ...]
    outer: StoredSplits
    inner: tuple[StoredInner, ...]  # methods share them
    methods: tuple[StoredMethod, ...]
    seed: int
    repeats: int
    threads: int
    level: float
    has_optimism: bool
    wants_importance: bool
    has_final: bool
    on_failure: str
    notes: tuple[tuple[str, str], ...]
    keeps_all: bool
    interval: str | None
    own_interval: str | None  # its name; its code is the user's, and stays theirs
    wants_training_risk: bool
    findings: tuple[Finding, ...]
    silence: tuple[str, ...] | None


STUDY = Document("study", StoredStudy)
ORIGIN = Document("origin", dict[str, Any])  # the options of a study file or a command line; none from Python


def write_study(study: Study, store: Store, *, origin: Mapping[str, Any] | None = None) -> None:
    """Store the study, and the study file or command line it came from, if any."""
    # the origin first: with it alone a study that was killed right here can be resumed
    ORIGIN.write(store, dict(origin or {}))
    STUDY.write(store, pack_study(study))


def read_study(store: Store, *, loss: Any = None, tuner: Tuner | None = None) -> Study:
    """The latest study in a store; a loss that was a function, or a tuner of the user's own, must be given again."""
    stored = STUDY.read(store)
    if stored is None:
        raise BadStore("the store has no study", "Run one with store= first")
    return unpack_study(stored, loss=loss, tuner=tuner)


def pack_study(study: Study) -> StoredStudy:
    """The study in plain values and arrays."""
    every_row = np.arange(study.rows)
    schemes = list({id(method.inner): method.inner for method in study.methods if method.inner is not None}.values())
    interval = None if study.interval is None else study.interval.name
    is_own = study.interval is not None and not is_built_in(study.interval)
    changed = {
        "losses": tuple(loss.spec for loss in study.losses),
        "loss_names": tuple(loss.name for loss in study.losses),
        "outer": _pack_splits(study.outer, every_row),
        "inner": tuple(
            StoredInner(
                inner.scheme,
                tuple(_pack_splits(*pair) for pair in zip(inner.splits, _train_rows(study.outer), strict=True)),
                None if inner.final is None else _pack_splits(inner.final, every_row),
            )
            for inner in schemes
        ),
        "methods": tuple(_pack_method(method, schemes) for method in study.methods),
        "interval": None if is_own else interval,
        "own_interval": interval if is_own else None,
    }
    return StoredStudy(**_same(study, StoredStudy) | changed)


def unpack_study(stored: StoredStudy, *, loss: Any = None, tuner: Tuner | None = None) -> Study:
    """The study of a store, which may be a stranger's and hold any numbers."""
    spec = list(stored.losses) if loss is None else loss
    if isinstance(spec, list) and any(part is None for part in spec):
        raise BadStore(
            f"the losses of this study ({', '.join(stored.loss_names)}) are not all known by name",
            "Give them again: fw.load(RUN, loss=...)",
        )
    try:
        every_row = np.arange(len(stored.target))
        outer = _unpack_splits(stored.outer, every_row)
        schemes = [
            Inner(
                tuple(_unpack_splits(*pair) for pair in zip(inner.splits, _train_rows(outer), strict=True)),
                None if inner.final is None else _unpack_splits(inner.final, every_row),
                inner.scheme,
            )
            for inner in stored.inner
        ]
        target, is_regression = stored.target, stored.task == "regression"
        facts = SimpleNamespace(
            task=stored.task,
            classes=stored.classes,
            target=target,
            codes=target,
            weights=stored.weights,
            rows=len(target),
            y=target if is_regression else np.array(stored.classes, dtype=object)[target],
        )
        changed = {
            "losses": make_losses(spec, facts),
            "outer": outer,
            "methods": tuple(_unpack_method(method, schemes, tuner) for method in stored.methods),
            "notes": (*stored.notes, *_interval_notes(stored.own_interval)),
            "interval": None if stored.interval is None else _interval(stored.interval),
        }
        return Study(**_same(stored, Study) | changed)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as reason:
        raise BadStore(f"the study in the store cannot be read: {reason!r}", "Start a new store") from reason


def _same(value: Any, kind: type[Any]) -> dict[str, Any]:
    """The fields of a value that another kind of it has too."""
    names = {field.name for field in fields(kind) if not field.name.startswith("_")}
    return {field.name: getattr(value, field.name) for field in fields(value) if field.name in names}


def _interval(name: str) -> IntervalMethod:
    """A built-in one: a name that comes from a store never loads a plug-in."""
    if (row := built_in(name)) is None:
        raise BadStore(f"the study in the store asks for an interval {name!r}, which there is not", "Start a new store")
    return row


def _interval_notes(own: str | None) -> list[tuple[str, str]]:
    if own is None:
        return []
    remedy = "the default is shown instead; give it again with fw.load(RUN, interval=...)"
    return [("interval", f"the interval {own!r} was the user's own, which is not stored: {remedy}")]


def _pack_method(method: Method, schemes: Sequence[Inner]) -> StoredMethod:
    if not method.tuner.is_listed:  # its proposals have them
        method = replace(method, candidates=(), identities=(), responses=(), ranks=method.ranks and ())
    changed = {
        "candidates": tuple(map(plain_candidate, method.candidates)),
        "inner": next((place for place, inner in enumerate(schemes) if inner is method.inner), None),
        "tuner": str(method.tuner),
        "limits": None if method.tuner.is_listed else method.tuner.limits,
    }
    return StoredMethod(**_same(method, StoredMethod) | changed)


def _unpack_method(stored: StoredMethod, schemes: Sequence[Inner], own_tuner: Tuner | None) -> Method:
    inner = None if stored.inner is None else schemes[stored.inner]
    return Method(
        **_same(stored, Method) | {"inner": inner, "tuner": stored_tuner(stored.tuner, stored.limits, own_tuner)}
    )


def _train_rows(splits: Splits) -> Iterator[IntArray]:
    return (split.train for split in splits)  # one at a time: they may be worked out when asked for


def _pack_splits(splits: Splits, rows: IntArray) -> StoredSplits:
    """Test rows, concatenated; training rows only where they are not simply the rest of `rows`."""
    trains = [None if np.array_equal(split.train, np.setdiff1d(rows, split.test)) else split.train for split in splits]
    return StoredSplits(
        splits.scheme,
        splits.kind,
        splits.is_partition,
        repeats=np.array([split.repeat for split in splits]),
        folds=np.array([split.fold for split in splits]),
        test_sizes=np.array([len(split.test) for split in splits]),
        train_sizes=np.array([THE_REST if train is None else len(train) for train in trains]),
        test=_joined([split.test for split in splits]),
        train=_joined([train for train in trains if train is not None]),
    )


def _unpack_splits(stored: StoredSplits, rows: IntArray) -> Splits:
    test, train = stored.test.astype(np.int64), stored.train.astype(np.int64)
    splits, test_end, train_end = [], 0, 0
    sizes = (stored.repeats, stored.folds, stored.test_sizes, stored.train_sizes)
    for repeat, fold, held, trained in zip(*(values.tolist() for values in sizes), strict=True):
        test_end += held
        held_rows = test[test_end - held : test_end]
        if trained == THE_REST:
            train_rows = np.setdiff1d(rows, held_rows)
        else:
            train_end += trained
            train_rows = train[train_end - trained : train_end]
        splits.append(Split(train_rows, held_rows, repeat, fold))
    return Splits(tuple(splits), stored.scheme, stored.kind, stored.is_partition)


def _joined(parts: list[IntArray]) -> AnyArray:
    whole = np.concatenate(parts) if parts else np.empty(0, np.int64)
    return whole.astype(np.min_scalar_type(int(whole.max())) if whole.size else np.int64)
