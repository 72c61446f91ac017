"""The numbers of a study, and the losses and splits behind them, as data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from foldwise.answers.auto import make_auto
from foldwise.answers.method import MethodAnswer
from foldwise.errors import BadStudy, nearest
from foldwise.studies.reading import Reading
from foldwise.studies.study import Study

if TYPE_CHECKING:
    import pandas as pd

_RISKS = [
    "name",
    "status",
    "risk",
    "low",
    "high",
    "interval",
    "selection_score",
    "selection_train_rows",
    "optimism",
    "difference",
    "difference_low",
    "difference_high",
    "train_risk",
    "gap",
    "agreement",
    "own_folds",
    "failed",
    "fits",
    "seconds",
]
_CHOICES = ["method", "repeat", "fold", "candidate", "selection_score", "loss", "own"]
_LOSSES = ["method", "repeat", "fold", "row", "target", "prediction", "own", "loss"]


def risk_table(answer: Mapping[str, Any], reading: Reading, methods: Sequence[MethodAnswer], mean: str) -> pd.DataFrame:
    """One row per method; risks are means over folds, or over rows."""
    import pandas as pd

    frame = pd.DataFrame(answer["methods"])[_RISKS].rename(columns={"name": "method"})
    rows = {method.method.name: method for method in (*methods, make_auto(list(methods))) if method is not None}
    for at, loss in enumerate(reading.study.losses[1:], start=1):
        frame[f"risk: {loss.name}"] = [rows[name].estimate(at).value for name in frame["method"]]
    if mean == "rows":
        return _row_means(frame, reading, methods)
    if mean != "folds":
        raise BadStudy(f"there is no mean over {mean!r}", nearest(mean, ("folds", "rows")))
    return frame


def _row_means(frame: pd.DataFrame, reading: Reading, methods: Sequence[MethodAnswer]) -> pd.DataFrame:
    loss = reading.study.losses[0]
    if not loss.is_per_row:
        raise BadStudy(f"{loss.name} has no mean over rows", "Use mean='folds'")
    means = loss_table(reading, methods).groupby("method")["loss"].mean()
    frame = frame[["method", "status", "selection_score", "failed", "fits", "seconds"]].copy()
    frame.insert(2, "risk", frame["method"].map(means).where(frame["status"] == "ok"))
    return frame


def selection_table(answer: Mapping[str, Any]) -> pd.DataFrame:
    """For tuned methods: the selection score, its corrections without nesting, and the nested risk."""
    import pandas as pd

    rows = [
        {
            "method": method["name"],
            "selection_score": method["selection_score"],
            **{f"corrected: {name}": value for name, value in method["selection_corrected"].items()},
            "risk": method["risk"],
        }
        for method in answer["methods"]
        if method["selection_corrected"]
    ]
    return pd.DataFrame(rows)


def choice_table(methods: Sequence[MethodAnswer]) -> pd.DataFrame:
    """Method x repeat x outer fold: the candidate chosen, its selection score and the outer loss."""
    import pandas as pd

    rows = [{"method": method.method.name, **fold} for method in methods for fold in method.folds()]
    return pd.DataFrame(rows, columns=_CHOICES)


def loss_table(reading: Reading, methods: Sequence[MethodAnswer]) -> pd.DataFrame:
    """Every row's out-of-fold prediction and loss, by method, repeat and fold."""
    import pandas as pd

    parts = [
        pd.DataFrame(part)
        for method in methods
        for at in range(len(reading.study.outer))
        if (part := _fold_rows(reading, method, at)) is not None
    ]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=_LOSSES)


def _fold_rows(reading: Reading, answer: MethodAnswer, at: int) -> dict[str, Any] | None:
    study, method = reading.study, answer.method
    split, prediction = study.outer[at], reading.outer_response(method, at)
    if prediction is None:
        return None
    columns = {
        "method": method.name,
        "repeat": split.repeat,
        "fold": split.fold,
        "row": split.test,
        "target": _labels(study, study.target[split.test]),
        "prediction": _labels(study, prediction),
        "own": answer.states[at] == "own",
    }
    for number, loss in enumerate(study.losses):
        response = reading.outer_response(method, at, loss)
        if loss.is_per_row and response is not None:
            losses = reading.row_losses(loss, response, split.test)
            columns["loss" if number == 0 else f"loss: {loss.name}"] = np.nan if losses is None else losses
    return columns


def _labels(study: Study, values: Any) -> Any:
    return values if study.task == "regression" else np.array(study.classes, dtype=object)[values]


def split_table(study: Study) -> pd.DataFrame:
    """All splits of both levels: which rows were trained on and which were held out."""
    import pandas as pd

    parts = [_split_rows("outer", split, None, split) for split in study.outer]
    inner = next((method.inner for method in study.methods if method.inner is not None), None)
    if inner is not None:
        for outer, splits in zip(study.outer, inner.splits, strict=True):
            parts += [_split_rows("inner", outer, at, split) for at, split in enumerate(splits)]
        parts += [_split_rows("final", split, at, split) for at, split in enumerate(inner.final or ())]
    return pd.concat([pd.DataFrame(part) for part in parts], ignore_index=True)


def _split_rows(level: str, outer: Any, inner: int | None, split: Any) -> dict[str, Any]:
    return {
        "level": level,
        "repeat": outer.repeat,
        "fold": outer.fold if level != "final" else None,
        "inner_fold": inner,
        "row": np.concatenate([split.train, split.test]),
        "part": np.repeat(["train", "test"], [len(split.train), len(split.test)]),
    }


def score_table(reading: Reading) -> pd.DataFrame:
    """Candidates of the first method x folds of its final tuning, and which was chosen."""
    import pandas as pd

    method = reading.study.methods[0]
    choice = reading.final_choice(method)
    own = choice.tried
    table = pd.DataFrame([dict(method.candidates[at]) for at in own])
    for at in range(choice.scores.shape[1]):
        table[f"fold {at}"] = choice.scores[:, at]
    table["score"] = choice.scores.mean(axis=1)
    table["chosen"] = [at == choice.candidate for at in own]
    return table
