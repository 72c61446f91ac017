"""What a saved model is asked: predictions for new rows, and its risk on rows it has not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from foldwise.api.ladder import ladder
from foldwise.api.model_card import remember_card
from foldwise.api.model_file import ModelFile
from foldwise.api.risk import test_risk
from foldwise.data.conform import conform
from foldwise.data.sources import builtin_table, read_table
from foldwise.errors import BadData, BadInterval, nearest
from foldwise.stats.estimate import Estimate

if TYPE_CHECKING:
    import pandas as pd

SEPARATOR = " | "  # between the classes of a set


def predict_table(file: ModelFile, frame: Any, *, level: float | None = None) -> pd.DataFrame:
    """Predictions for every row: row, prediction and, if the model has them, one probability per class.

    With a `level`, also the ends of its interval (low, high), or its set of classes (set, and in_CLASS for each).
    """
    import pandas as pd

    X = conform(frame, file.about)
    if level is not None:
        check_has_intervals(file, level)
    try:
        table = pd.DataFrame({"row": np.arange(len(frame)), "prediction": np.asarray(file.model.predict(X))})
        if file.about["task"] != "regression" and hasattr(file.model, "predict_proba"):
            shares = np.asarray(file.model.predict_proba(X))
            for label, share in zip(file.model.classes_, shares.T, strict=True):
                table[f"p_{label}"] = share
        if level is not None:
            table = pd.concat([table, _sure(file, X, level)], axis=1)
    except Exception as error:  # a model of a stranger can fail in any way
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise BadData(f"the model cannot predict these rows: {reason}") from error
    return table


def check_has_intervals(file: ModelFile, level: float) -> None:
    """Refuse a model that keeps no models of outer folds, or a level that these cannot have."""
    from foldwise.learners.conformal import ConformalModel

    if not isinstance(file.model, ConformalModel):
        raise BadInterval(
            "this model keeps nothing to make prediction intervals from",
            "Make it again with `foldwise compare ... --save MODEL --intervals`",
        )
    file.model.proved_coverage(level)


def _sure(file: ModelFile, X: Any, level: float) -> pd.DataFrame:
    """The columns that say how sure each prediction is."""
    import pandas as pd

    if file.about["task"] == "regression":
        found: pd.DataFrame = file.model.predict_interval(X, level=level)
        return found.reset_index(drop=True)
    sets = file.model.predict_set(X, level=level).to_numpy()
    labels = [str(label) for label in file.model.classes_]
    words = [SEPARATOR.join(label for label, is_in in zip(labels, row, strict=True) if is_in) for row in sets]
    return pd.DataFrame({"set": words, **{f"in_{label}": sets[:, at] for at, label in enumerate(labels)}})


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
    remember_card(file.model, file.about)
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
