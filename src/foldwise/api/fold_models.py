"""Prediction intervals with a model: the models of the outer folds are made again and kept beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from foldwise.api.alone import fit_blend
from foldwise.arrays import FloatArray, IntArray
from foldwise.errors import BadInterval, BadStudy, FitsFailed
from foldwise.learners.conformal import ConformalModel, IntervalModel, SetModel, class_scores
from foldwise.learners.model import respond
from foldwise.plans.runnable import RunnableStudy
from foldwise.questions.auto import AutoAnswer
from foldwise.questions.combined import CombinedAnswer
from foldwise.questions.method import MethodAnswer
from foldwise.run import fit_model
from foldwise.splits.split import Split
from foldwise.studies.study import Study


def check_intervals(study: Study, answer: MethodAnswer) -> None:
    """Refuse prediction intervals where their promise would not hold, before any fit is made."""
    outer = study.outer
    if study.time is not None or outer.is_ordered:
        raise BadInterval(
            "rows in time order are not exchangeable, so prediction intervals would promise too much",
            "Leave intervals out, or time if the order of the rows does not matter",
        )
    if not outer.is_partition and outer.kind != "holdout":
        raise BadInterval(
            f"prediction intervals need outer splits that hold every row out once, which {outer.scheme} do not",
            "Use outer=10",
        )
    if answer.status != "ok" or answer.stand_ins:
        why = "has no risk" if answer.status != "ok" else "has the baseline's predictions where its fits failed"
        raise FitsFailed(f"{answer.method.name} {why}, so there are no prediction intervals", "Name another method")


def with_intervals(
    runnable: RunnableStudy, answer: MethodAnswer, model: Any, *, rule: str | None = None
) -> ConformalModel:
    """The model with those of the outer folds (of the first repeat), each tuned on its own training rows.

    Where `answer` is that of the auto row, each fold has the method that its own inner splits prefer.
    """
    study, data = answer.study, runnable.data
    splits = [(at, split) for at, split in enumerate(study.outer) if split.repeat == 0]
    models = [fold_model(runnable, answer, at, rule) for at, _ in splits]
    counts, masses = _units(study, [split for _, split in splits])
    facts: dict[str, Any] = {"masses": masses, "unit_counts": counts, "unit": "row" if masses is None else "group"}
    tests = [split.test for _, split in splits]
    if data.task == "regression":
        pairs = zip(models, tests, strict=True)
        scores = [np.abs(data.y[test] - respond(one, data, test, ("predict",))["predict"]) for one, test in pairs]
        return IntervalModel(model, models, [np.asarray(score, np.float64) for score in scores], **facts)
    response = _response([model, *models])
    scores = [_own_scores(one, response, runnable, test, model) for one, test in zip(models, tests, strict=True)]
    return SetModel(model, models, scores, **facts, response=response)


def fold_model(runnable: RunnableStudy, answer: MethodAnswer, at: int, rule: str | None = None) -> Any:
    """The model of one outer split: fitted on its training rows, at the candidate that was chosen there."""
    own = answer.picks[at] if isinstance(answer, AutoAnswer) else answer
    reading, method, split = answer.reading, own.method, answer.study.outer[at]
    if isinstance(own, CombinedAnswer):
        return fit_blend(runnable, reading, method, answer.study.stages(method)[at])
    candidate = 0 if method.inner is None else reading.choice(method, at, rule=rule).candidate
    if candidate is None:
        raise FitsFailed(f"{method.name} could not be tuned on outer fold {at}", "See result.notes")
    return fit_model(runnable, reading, answer.study.methods.index(method), candidate, split.train)


def _units(study: Study, splits: Sequence[Split]) -> tuple[list[int], list[FloatArray] | None]:
    """How many rows, or groups, each fold holds out; with groups, how much each row counts: 1 / rows of its group."""
    if study.groups is None:
        return [len(split.test) for split in splits], None
    found = [np.unique(study.groups[split.test], return_inverse=True, return_counts=True) for split in splits]
    return [len(names) for names, _, _ in found], [1.0 / sizes[place] for _, place, sizes in found]


def _response(models: Sequence[Any]) -> str:
    for response in ("predict_proba", "decision_function"):
        if all(hasattr(model, response) for model in models):
            return response
    raise BadStudy(
        f"sets of classes need probabilities or decision values, which {type(models[0]).__name__} does not give",
        "Wrap it in CalibratedClassifierCV, or name another method",
    )


def _own_scores(fold_model: Any, response: str, runnable: RunnableStudy, rows: IntArray, model: Any) -> FloatArray:
    """How strange the true class of each row held out was to the fold's model."""
    classes = np.asarray(model.classes_)
    scores = class_scores(fold_model, response, runnable.data.take(rows), classes)
    place = {label: at for at, label in enumerate(classes.tolist())}
    true = [place[label] for label in np.asarray(runnable.data.y)[rows].tolist()]
    return np.asarray(scores[np.arange(len(rows)), true])
