"""A fitted model and the rows it is judged on, which should be none that it was trained on."""

from __future__ import annotations

import weakref
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from foldwise.arrays import AnyArray
from foldwise.data.dataset import Dataset, make_judged
from foldwise.data.sketch import row_hashes
from foldwise.data.sources import builtin_table, read_table
from foldwise.errors import BadLoss
from foldwise.learners.identity import identity_of
from foldwise.learners.model import respond
from foldwise.losses.loss import Loss, make_losses
from foldwise.questions.evidence import evidence_of_model
from foldwise.questions.ledger import name_of
from foldwise.stats.chooser import work_out
from foldwise.stats.estimate import Estimate
from foldwise.stats.evidence import Evidence
from foldwise.stats.interval_method import IntervalMethod

_TRAINED_ON: dict[int, Dataset] = {}  # by id of the model, for as long as it lives in this process


class JudgedModel(NamedTuple):
    """A fitted model with what it predicts of test rows, and how a loss judges that."""

    model: Any
    data: Dataset
    loss: Loss
    predictions: AnyArray
    evidence: Evidence

    @property
    def name(self) -> str:
        """The same for the same model in any session."""
        return name_of(identity_of(self.model), self.predictions.tobytes())

    @property
    def risk(self) -> float:
        return float(self.evidence.fold_losses[0])

    def rows_seen(self, trained_on: str | None) -> int:
        """How many of the rows it is known to have been fitted on; they are not for testing."""
        return self.data.rows if trained_on == self.data.fingerprint else rows_seen(self.model, self.data)

    def estimate(self, level: float, asked: IntervalMethod | None = None, *, against: str | None = None) -> Estimate:
        """The risk with its interval, unless there is a reason against any."""
        row, reason, found = (None, against, None) if against else work_out(self.evidence, asked, level)
        return Estimate(
            value=self.risk,
            low=found.low if found else None,
            high=found.high if found else None,
            level=level,
            interval=row.name if row else None,
            target=f"this predictor, on {self.data.rows} test rows",
            losses=self.evidence.row_losses[0] if self.evidence.row_losses is not None else None,
            notes=(("interval", str(reason)), *(found.notes if found else ())),
        )


def judge_model(
    model: Any, X: Any, y: Any = None, *, loss: Any = None, weights: Any = None, groups: Any = None, seed: int = 0
) -> JudgedModel:
    """Have a model predict the rows, and judge its predictions."""
    data = X if isinstance(X, Dataset) else _read(model, X, y, weights)
    judge = make_losses(loss, data)[0]
    response = next((name for name in judge.needs if hasattr(model, name)), None)
    if response is None:
        raise BadLoss(
            f"the loss {judge.name!r} needs {' or '.join(judge.needs)}, and the model has none", "Use another loss"
        )
    predictions = respond(model, data, np.arange(data.rows), [response])[response]
    return JudgedModel(model, data, judge, predictions, evidence_of_model(judge, data, predictions, groups, seed))


def _read(model: Any, X: Any, y: Any, weights: Any) -> Dataset:
    if isinstance(X, str | Path):
        X, known = builtin_table(X) or (read_table(X), None)
        y = y if y is not None else known
    return make_judged(X, y, classes=getattr(model, "classes_", ()), weights=weights)


def remember_rows(model: Any, data: Dataset) -> Any:
    """Note the data of a refitted model; the model itself is left alone, and nothing is worked out yet."""
    try:
        weakref.finalize(model, _TRAINED_ON.pop, id(model), None)
    except TypeError:  # it cannot be watched, so it is not noted
        return model
    _TRAINED_ON[id(model)] = data
    return model


def training_data(model: Any) -> Dataset | None:
    """The data that a model is known to have been trained on."""
    return _TRAINED_ON.get(id(model))


def rows_seen(model: Any, data: Dataset) -> int:
    """How many of these rows the model is known to have been trained on."""
    known = _TRAINED_ON.get(id(model))
    if known is None or known.names != data.names:
        return 0
    return int(np.isin(row_hashes(data), row_hashes(known)).sum())
