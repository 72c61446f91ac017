"""What was measured beside the fits of a study, as documents of its store: importance, predicting, curves."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from foldwise.arrays import FloatArray
from foldwise.records.document import Document
from foldwise.records.store import AnyStore, Store, opened
from foldwise.splits.split import Split
from foldwise.studies.study import Method, Study, rows_name

SHUFFLES = 5  # of every column of every outer split
MOST_CURVES = 20  # the oldest make room


@dataclass(frozen=True)
class Shuffled:
    """What was measured of one outer model."""

    risk: float  # its loss by its record; another loss of the same name has another
    whole: float  # the loss of the model made again, with no column shuffled
    losses: FloatArray  # with a column shuffled, `losses[column, shuffle]`
    seconds: float  # of making the model again and of all its predictions
    predicting: float  # seconds of predicting the held-out rows once


@dataclass(frozen=True)
class Measured:
    """What was measured of the outer models of one method, by the names of the models.

    It grows by one outer model at a time, so that a run that was ended goes on with the next one.
    """

    columns: tuple[str, ...]
    models: Mapping[str, Shuffled] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if any(model.losses.shape != (len(self.columns), SHUFFLES) for model in self.models.values()):
            raise ValueError("its losses are not one per column and shuffle")

    def find(self, name: str, risk: float) -> Shuffled | None:
        """What was measured of one model; None where there is nothing, or its loss was another."""
        shuffled = self.models.get(name)
        return shuffled if shuffled is not None and shuffled.risk == risk else None

    def plus(self, name: str, shuffled: Shuffled) -> Measured:
        return replace(self, models={**self.models, name: shuffled})


@dataclass(frozen=True)
class Timed:
    """One prediction of the rows that the first outer split holds out."""

    method: str
    rows: int
    seconds: float


@dataclass(frozen=True)
class CurvePoint:
    """Training and test error at one value of a parameter, or with so many training rows."""

    value: Any
    train: float | None
    test: float | None
    gap: float | None
    side: str | None


@dataclass(frozen=True)
class KeptCurve:
    """A curve, so that the report of its study shows it."""

    learner: str
    parameter: str
    loss: str
    loss_label: str
    best: Any
    fits: int
    points: tuple[CurvePoint, ...]

    def is_like(self, other: KeptCurve) -> bool:
        """Would it be drawn in the place of the other?"""
        return (self.learner, self.parameter, self.loss) == (other.learner, other.parameter, other.loss)


IMPORTANCE = Document("importance", Measured, is_optional=True)
PREDICTING = Document("predicting", dict[str, Timed], is_optional=True)  # by the names of models
CURVES = Document("curves", tuple[KeptCurve, ...], is_optional=True)


def model_name(study: Study, method: Method, candidate: int, split: Split) -> str:
    """What the importance at an outer split rests on: a model, its loss, and the rows that are shuffled."""
    key, rows = study.key(method, candidate, split), rows_name(split.test)
    return _hash_of(f"{key}|{rows}|{study.losses[0].name}")


def write_measured(store: Store, method: Method, measured: Measured) -> None:
    """Keep what was measured of a method so far."""
    IMPORTANCE.write(store, measured, name=_importance_name(method))


def read_measured(store: Store, method: Method) -> Measured | None:
    """What was measured of a method; None where there is nothing."""
    return IMPORTANCE.read(store, name=_importance_name(method))


def write_timed(store: Store, model: str, timed: Timed) -> None:
    """Keep what one model took, by its name."""
    PREDICTING.write(store, {**(PREDICTING.read(store) or {}), model: timed})


def keep_curve(store: AnyStore, curve: Mapping[str, Any]) -> None:
    """Keep a curve in plain values where there is a store to keep it in; a later one replaces its like."""
    if store is None:
        return
    points = tuple(CurvePoint(**point) for point in curve["points"])
    shown = {name: value for name, value in curve.items() if name != "fits_made"}  # of one call alone
    new = KeptCurve(**{**shown, "points": points})
    with opened(store) as open_store:
        others = [other for other in CURVES.read(open_store) or () if not other.is_like(new)]
        CURVES.write(open_store, (*others, new)[-MOST_CURVES:])


def read_curves(store: Store) -> list[dict[str, Any]]:
    """The curves of a store in plain values, the oldest first."""
    return [asdict(curve) for curve in CURVES.read(store) or ()]


def _importance_name(method: Method) -> str:
    return f"importance {_hash_of(method.name)}"


def _hash_of(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
