"""The numbers of a study, and the losses and splits behind them, as data frames."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.errors import BadStudy, nearest
from foldwise.questions.answer import Answer
from foldwise.questions.bias import CORRECTIONS, no_correction
from foldwise.questions.method import MethodAnswer
from foldwise.questions.metric_table import metric_values
from foldwise.questions.metrics import METRICS
from foldwise.questions.out_of_fold import class_labels
from foldwise.stats.evidence import Evidence
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
    "train_rows",
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
_CHOICES = [
    "method",
    "repeat",
    "fold",
    "candidate",
    "selection_score",
    "selection_train_rows",
    "loss",
    "train_rows",
    "own",
]
_LOSSES = ["method", "repeat", "fold", "row", "target", "prediction", "own", "loss"]


def risk_table(answer: Answer, mean: str) -> pd.DataFrame:
    """One row per method; risks are means over folds, or over rows."""
    import pandas as pd

    frame = pd.DataFrame([vars(risk) for risk in answer.risks]).assign(train_rows=round(answer.size.mean))
    frame = frame[_RISKS].rename(columns={"name": "method"})
    for loss in answer.study.losses[1:]:
        for head, key in (("risk", "value"), ("low", "low"), ("high", "high")):
            numbers = [getattr((risk.losses or {})[loss.name], key) for risk in answer.risks]
            frame[f"{head}: {loss.name}"] = np.array(numbers, np.float64)
    for name in METRICS if answer.study.task != "regression" else ():
        frame[name] = [metric_values(method)["metrics"].get(name) for method in answer.every]
    if mean == "rows":
        return _row_means(frame, answer)
    if mean != "folds":
        raise BadStudy(f"there is no mean over {mean!r}", nearest(mean, ("folds", "rows")))
    return frame


def _row_means(frame: pd.DataFrame, answer: Answer) -> pd.DataFrame:
    """The risks as means over rows, weighted where rows have weights."""
    loss = answer.study.losses[0]
    if not loss.is_per_row:
        raise BadStudy(f"{loss.name} has no mean over rows", "Use mean='folds'")
    frame = frame[["method", "status", "selection_score", "failed", "fits", "seconds"]].copy()
    frame.insert(2, "risk", [_row_mean(method.evidence) for method in answer.every])
    frame["risk"] = frame["risk"].where(frame["status"] == "ok")
    return frame


def _row_mean(evidence: Evidence) -> float:
    """The mean loss of all test rows; NaN where a split has none."""
    if evidence.row_losses is None:
        return math.nan
    weights = None if evidence.weights is None else evidence.weights[np.concatenate(evidence.test_rows)]
    return float(np.average(np.concatenate(evidence.row_losses), weights=weights))


def selection_table(answer: Answer) -> pd.DataFrame:
    """For tuned methods: the selection score, its corrections without nesting, and the nested risk.

    The score and its corrections belong to `selection_train_rows` training rows, the risk to `train_rows`. Where there
    are no corrections, `note` says why.
    """
    import pandas as pd

    rows = [
        {
            "method": risk.name,
            "selection_score": risk.selection_score,
            "selection_train_rows": risk.selection_train_rows,
            **{f"corrected: {name}": getattr(answer.corrected.get(risk.name), name, math.nan) for name in CORRECTIONS},
            "risk": risk.risk,
            "train_rows": round(answer.size.mean),
            "note": no_correction(method) or "",
        }
        for method, risk in zip(answer.every, answer.risks, strict=True)
        if method.method.inner is not None
    ]
    return pd.DataFrame(rows)


def choice_table(methods: Sequence[MethodAnswer]) -> pd.DataFrame:
    """Method x repeat x outer fold: the candidate chosen, its selection score and the outer loss."""
    import pandas as pd

    rows = [{"method": method.method.name, **vars(fold)} for method in methods for fold in method.folds()]
    return pd.DataFrame(rows, columns=_CHOICES)


def loss_table(reading: Reading, methods: Sequence[MethodAnswer]) -> pd.DataFrame:
    """Every row's out-of-fold prediction and loss, and its weight if it has one, by method, repeat and fold."""
    import pandas as pd

    parts = [
        pd.DataFrame(part)
        for method in methods
        for at in range(len(reading.study.outer))
        if (part := _fold_rows(reading, method, at)) is not None
    ]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=_LOSSES)


def fold_table(methods: Sequence[MethodAnswer]) -> pd.DataFrame:
    """Every outer fold's mean loss under every loss, by method: one row per fold."""
    import pandas as pd

    return pd.DataFrame([row for method in methods for row in _fold_losses(method)])


def _fold_losses(method: MethodAnswer) -> list[dict[str, Any]]:
    every = method.every_fold_loss()
    names = {name: "loss" if number == 0 else f"loss: {name}" for number, name in enumerate(every)}
    return [
        {
            "method": method.method.name,
            "repeat": split.repeat,
            "fold": split.fold,
            "rows": len(split.test),
            "own": method.states[at] == "own",
            **{names[name]: float(values[at]) for name, values in every.items()},
        }
        for at, split in enumerate(method.study.outer)
    ]


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
        "target": class_labels(study, study.target[split.test]),
        "prediction": class_labels(study, prediction),
        "own": answer.states[at] == "own",
    }
    if study.weights is not None:
        columns["weight"] = study.weights[split.test]
    for number, loss in enumerate(study.losses):
        response = reading.outer_response(method, at, loss)
        if loss.is_per_row and response is not None:
            losses = reading.row_losses(loss, response, split.test)
            columns["loss" if number == 0 else f"loss: {loss.name}"] = np.nan if losses is None else losses
    return columns


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


def search_results(reading: Reading) -> dict[str, Any]:
    """The final tuning of the first method as scikit-learn's `cv_results_` and `best_index_`: higher is better."""
    method = reading.study.methods[0]
    choice = reading.final_choice(method)
    candidates, scores = [dict(method.candidates[at]) for at in choice.tried], -choice.scores
    means = scores.mean(axis=1)
    results: dict[str, Any] = {f"param_{name}": _values(candidates, name) for name in _names(candidates)}
    results["params"] = candidates
    results |= {f"split{at}_test_score": scores[:, at] for at in range(scores.shape[1])}
    results |= {"mean_test_score": means, "std_test_score": scores.std(axis=1), "rank_test_score": _ranks(means)}
    return {"cv_results_": results, "best_index_": [*choice.tried].index(choice.candidate or 0)}


def _names(candidates: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for candidate in candidates for name in candidate))


def _values(candidates: Sequence[Mapping[str, Any]], name: str) -> Any:
    """The values of one parameter; masked where a candidate of a conditional space has none."""
    values = np.ma.array(np.empty(len(candidates), dtype=object), mask=True)
    for at, candidate in enumerate(candidates):
        if name in candidate:
            values[at] = candidate[name]
    return values


def _ranks(means: FloatArray) -> IntArray:
    """1 for the highest mean; equal ones share the better rank, and those that were not scored are last."""
    known = np.where(np.isnan(means), -np.inf, means)
    return np.array([1 + int((known > one).sum()) for one in known])


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
