"""What a saved model is asked: predictions for new rows, and its risk on rows it has not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from foldwise.api.ladder import ladder
from foldwise.api.model_file import ModelFile
from foldwise.api.risk import test_risk
from foldwise.data.conform import conform
from foldwise.data.sources import builtin_table, read_table
from foldwise.errors import BadData, nearest
from foldwise.estimates.estimate import Estimate

if TYPE_CHECKING:
    import pandas as pd


def predict_table(file: ModelFile, frame: Any) -> pd.DataFrame:
    """Predictions for every row: row, prediction and, if the model has them, one probability per class."""
    import pandas as pd

    X = conform(frame, file.about)
    try:
        table = pd.DataFrame({"row": np.arange(len(frame)), "prediction": np.asarray(file.model.predict(X))})
        if file.about["task"] != "regression" and hasattr(file.model, "predict_proba"):
            shares = np.asarray(file.model.predict_proba(X))
            for label, share in zip(file.model.classes_, shares.T, strict=True):
                table[f"p_{label}"] = share
    except Exception as error:  # a model of a stranger can fail in any way
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise BadData(f"the model cannot predict these rows: {reason}") from error
    return table


def judge_table(
    file: ModelFile,
    source: str,
    *,
    target: str | None = None,
    weights: str | None = None,
    groups: str | None = None,
    **options: Any,
) -> Estimate:
    """The risk of a saved model on rows of a file that it has not seen; `options` are those of `test_risk`."""
    frame, wanted = _rows(file, source, target)
    for role, name in (("weights", weights), ("groups", groups)):
        if name is not None:
            _check_column(frame, name, role)
    return test_risk(
        file.model,
        conform(frame, file.about),
        frame[wanted],
        weights=None if weights is None else frame[weights],
        groups=None if groups is None else frame[groups],
        trained_on=file.about.get("fingerprint"),
        **options,
    )


def submit_table(file: ModelFile, source: str, *, target: str | None = None, **options: Any) -> Estimate:
    """A saved model submitted to the leaderboard of the rows of a file; `options` are those of `ladder`."""
    frame, wanted = _rows(file, source, target)
    known = file.about.get("fingerprint")
    return ladder(file.model, conform(frame, file.about), frame[wanted], trained_on=known, **options)


def _rows(file: ModelFile, source: str, target: str | None) -> tuple[pd.DataFrame, str]:
    """The rows of a file, and the column that is the target."""
    frame, own_target = builtin_table(source) or (read_table(source), None)
    wanted = target or own_target or file.about.get("target")
    if wanted is None:
        raise BadData("there is no target", f"Name its column with --target: {', '.join(map(str, frame.columns))}")
    _check_column(frame, wanted, "the target")
    return frame, wanted


def _check_column(frame: pd.DataFrame, name: str, role: str) -> None:
    if name not in frame.columns:
        raise BadData(f"there is no column {name!r} for {role}", nearest(name, frame.columns))
