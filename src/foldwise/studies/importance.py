"""Permutation importance as a document of the store: losses of outer models with one column shuffled.

There is a document for each method. It grows by one outer model at a time, so that a run that was ended goes on
with the next one, and a report needs neither the data nor the learner.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.records.encoding import read_json
from foldwise.records.store import Store, document_if_there
from foldwise.splits.split import Split
from foldwise.studies.study import Method, Study, rows_name

NAME = "importance"  # of its documents, before the hash of the method's name
SHUFFLES = 5  # of every column of every outer split


class Shuffled(NamedTuple):
    """What was measured of one outer model."""

    risk: float  # its loss by its record; another loss of the same name has another
    whole: float  # the loss of the model made again, with no column shuffled
    losses: FloatArray  # with a column shuffled, `losses[column, shuffle]`
    seconds: float  # of making the model again and of all its predictions
    predicting: float  # seconds of predicting the held-out rows once


@dataclass(frozen=True)
class Measured:
    """What was measured of the outer models of one method, by the names of the models."""

    columns: tuple[str, ...]
    models: Mapping[str, Shuffled] = field(default_factory=dict)

    def find(self, name: str, risk: float) -> Shuffled | None:
        """What was measured of one model; None where there is nothing, or its loss was another."""
        found = self.models.get(name)
        return found if found is not None and found.risk == risk else None

    def plus(self, name: str, found: Shuffled) -> Measured:
        return replace(self, models={**self.models, name: found})


def model_name(study: Study, method: Method, candidate: int, split: Split) -> str:
    """What the importance at an outer split rests on: a model, its loss, and the rows that are shuffled."""
    key, rows = study.key(method, candidate, split), rows_name(split.test)
    return hashlib.blake2b(f"{key}|{rows}|{study.losses[0].name}".encode(), digest_size=16).hexdigest()


def write_measured(store: Store, method: Method, found: Measured) -> None:
    """Keep what was measured so far."""
    models = {name: {**one._asdict(), "losses": one.losses.tolist()} for name, one in found.models.items()}
    written = {"method": method.name, "columns": list(found.columns), "models": models}
    store.write_document(_document(method), json.dumps(written, sort_keys=True).encode())


def read_measured(store: Store, method: Method) -> Measured | None:
    """What was measured of a method; None where there is nothing. A store from a stranger may hold anything."""
    content = document_if_there(store, _document(method))
    written = read_json(content, NAME) if content else None
    try:
        return None if written is None else _measured(written)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _measured(written: Any) -> Measured:
    columns = tuple(str(name) for name in written["columns"])
    models = {}
    for name, one in written["models"].items():
        losses = np.asarray(one["losses"], np.float64)
        rest = [float(one[name]) for name in ("seconds", "predicting")]
        numbers = [float(one["risk"]), float(one["whole"]), *rest, losses.sum()]
        if losses.shape != (len(columns), SHUFFLES) or not np.isfinite(numbers).all():
            raise ValueError(name)
        models[str(name)] = Shuffled(float(one["risk"]), float(one["whole"]), losses, *rest)
    return Measured(columns, models)


def _document(method: Method) -> str:
    return f"{NAME} {hashlib.blake2b(method.name.encode(), digest_size=16).hexdigest()}"
