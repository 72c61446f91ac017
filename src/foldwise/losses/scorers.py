"""scikit-learn's scorers as fold-level measures, turned so that lower is better.

A scorer is called as scikit-learn's users call it, scorer(model, X, y), with a stand-in for the model that repeats
the predictions we have; which of them it wants is found out by asking it, before any fit.
"""

from __future__ import annotations

import functools
import math
import re
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.errors import BadLoss
from foldwise.losses.known_metrics import check_response
from foldwise.losses.loss import CLASSIFICATION, REGRESSION, RESPONSES, Loss, label_array

SCORE_NAMES = {"roc_auc": "AUC"}
OF_POSITIVE_CLASS = {"f1", "precision", "recall", "jaccard", "average_precision"}


class Answers:
    """Stands in for a fitted model: repeats the answers it was given and notes which were asked for."""

    def __init__(self, answers: dict[str, AnyArray], classes: AnyArray | None = None) -> None:
        self.answers = answers
        self.classes = classes
        self.asked: list[str] = []
        if classes is not None:
            self.classes_ = classes

    def fit(self, X: Any, y: Any = None) -> Answers:
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True


def predict(model: Answers, X: Any) -> AnyArray:
    return _answer(model, "predict")


def predict_proba(model: Answers, X: Any) -> AnyArray:
    return _answer(model, "predict_proba")


def decision_function(model: Answers, X: Any) -> AnyArray:
    return _answer(model, "decision_function")


# Methods with their own names, as scorers go by those; a stand-in has only the ones it can answer.
METHODS = {"predict": predict, "predict_proba": predict_proba, "decision_function": decision_function}


def _answer(model: Answers, name: str) -> AnyArray:
    model.asked.append(name)
    # scorers may write into what they are handed
    return model.answers[name].copy()


@functools.cache
def _stand_in(is_regression: bool, responses: tuple[str, ...]) -> Any:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

    mixin = RegressorMixin if is_regression else ClassifierMixin
    return type("StandIn", (Answers, mixin, BaseEstimator), {name: METHODS[name] for name in responses})


@dataclass(frozen=True, eq=False)
class ScorerFold:
    """offset - score of one fold; nan where the score is not defined."""

    scorer: Any
    offset: float
    labels: AnyArray | None
    needs: tuple[str, ...]
    takes_weights: bool

    def __call__(self, target: AnyArray, prediction: AnyArray, weights: FloatArray | None) -> float:
        answers = {self._response(prediction): prediction}
        try:
            weights = weights if self.takes_weights else None
            return self.offset - _score(self.scorer, target, answers, self.labels, weights)
        except ValueError:  # scikit-learn's way to say "not defined here", such as a single class
            return math.nan

    def _response(self, prediction: AnyArray) -> str:
        """The response this is, known by its shape."""
        if prediction.ndim == 2:  # of three classes or more both look alike, and are used alike
            kinds = RESPONSES[1:2] if prediction.shape[1] == 2 else RESPONSES[1:]
        else:
            kinds = RESPONSES[:1] if self.labels is None or prediction.dtype.kind in "iu" else RESPONSES[2:]
        return next((response for response in self.needs if response in kinds), self.needs[0])


def is_scorer(spec: Any) -> bool:
    """Whether this is a scorer as made by scikit-learn's make_scorer or get_scorer."""
    return callable(spec) and hasattr(spec, "get_metadata_routing") and not hasattr(spec, "fit")


@functools.cache
def scorer_names() -> tuple[str, ...]:
    """The names scikit-learn knows its scorers by."""
    from sklearn.metrics import get_scorer_names

    return tuple(get_scorer_names())


@functools.cache
def measures_regression(name: str) -> bool:
    """Whether a named scorer judges predicted numbers."""
    from sklearn.metrics import get_scorer

    truth, right, wrong = _made_up_numbers()
    scorer = get_scorer(name)
    try:
        return _score(scorer, truth, right, None) > _score(scorer, truth, wrong, None)
    except (ValueError, TypeError, AttributeError):
        return False


def scorer_loss(spec: Any, data: Any) -> Loss:
    """A scorer, or the name of one, as a loss: 1 - score, or minus the score of a `neg_` or a user's own scorer.

    Named scorers see the classes as codes, so that the last of the data's classes is the positive one; a scorer
    object sees the labels, as scikit-learn would show them, and the codes where it cannot use those.
    """
    from sklearn.metrics import get_scorer

    is_named = isinstance(spec, str)
    scorer = get_scorer(spec) if is_named else spec
    name = spec if is_named else _object_name(spec)
    if is_named:
        _check_named_task(name, data)
    labels, needs = _needs_of(scorer, name, data, _ways_to_show(data, is_named))
    if not is_named:
        check_response(name, needs[0])
    offset = 1.0 if is_named and not name.startswith("neg_") else 0.0
    measure = ScorerFold(scorer, offset, labels, needs, _takes_weights(scorer, labels))
    _check_tells(measure, name)
    if labels is None:
        _check_target(scorer, name, data)
    return Loss(
        name,
        measure,
        REGRESSION if labels is None else CLASSIFICATION,
        needs,
        is_per_row=False,
        words=_words(name, is_named, measure, data),
        spec=name if is_named else None,
        score=SCORE_NAMES.get(name, name) if offset else None,
    )


def one_less(loss: Loss) -> Loss:
    """Minus a score that is 1 at its best as 1 less that score."""
    assert isinstance(loss.measure, ScorerFold)
    words = loss.words.replace("minus ", "1 - ", 1)
    return replace(loss, measure=replace(loss.measure, offset=1.0), words=words, score=loss.name)


def _check_named_task(name: str, data: Any) -> None:
    if data.task == "regression" and not measures_regression(name):
        remedy = "Use squared, absolute, pinball(q), poisson, or a scorer of numbers such as r2"
        raise BadLoss(f"the scorer {name!r} does not judge predicted numbers, and the task is regression", remedy)
    if data.task != "regression" and measures_regression(name):
        remedy = "Use zero_one, log, brier, or a scorer of classes such as balanced_accuracy"
        raise BadLoss(f"the scorer {name!r} judges predicted numbers, and the task is classification", remedy)


def _score(
    scorer: Any,
    target: AnyArray,
    answers: dict[str, AnyArray],
    labels: AnyArray | None,
    weights: FloatArray | None = None,
) -> float:
    """The score of these answers; classes are shown as their labels, in sorted order."""
    classes = labels
    if labels is not None:
        target = labels[target]
        answers = {name: labels[answer] if name == "predict" else answer for name, answer in answers.items()}
        if len(labels) == 2 and labels[0] > labels[1]:  # the positive class was named and sorts first
            classes = labels[::-1]
            answers = {name: _turned(answer) if name != "predict" else answer for name, answer in answers.items()}
    model = _stand_in(labels is None, tuple(answers))(answers, classes)
    options = {} if weights is None else {"sample_weight": weights}
    X = np.broadcast_to(0.0, (len(target), 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        score = float(scorer(model, X, target, **options))
    if len(set(model.asked)) > 1:
        raise TypeError(f"it asks for {' and '.join(dict.fromkeys(model.asked))} at once")
    return score


def _turned(answer: AnyArray) -> AnyArray:
    return -answer if answer.ndim == 1 else answer[:, ::-1]


def _ways_to_show(data: Any, is_named: bool) -> list[AnyArray | None]:
    if data.task == "regression":
        return [None]
    codes = np.arange(len(data.classes))
    if is_named:
        return [codes]
    labels = label_array(data.classes)
    # a positive class that the user named is known by its code alone
    is_sorted = bool(labels[0] < labels[-1])
    return [labels, codes] if is_sorted else [codes, labels]


def _needs_of(
    scorer: Any, name: str, data: Any, ways: list[AnyArray | None]
) -> tuple[AnyArray | None, tuple[str, ...]]:
    reason = ""
    for labels in ways:
        try:
            return labels, _alternatives(scorer, labels)
        except Exception as error:
            reason = reason or str(error).splitlines()[0]
    task = data.task if data.task == "regression" else f"{data.task} classification"
    raise BadLoss(f"the scorer {name!r} cannot judge {task}: {reason.rstrip('.')}", _other_scorers(name))


def _alternatives(scorer: Any, labels: AnyArray | None) -> tuple[str, ...]:
    """The responses a scorer can use, in its order of preference: hide the one it takes, and ask again."""
    truth, answers, _ = _made_up_numbers() if labels is None else _made_up_classes(len(labels))
    usable: list[str] = []
    while answers:
        taken = _taken(scorer, truth, answers, labels, is_first=not usable)
        if taken is None:
            break
        usable.append(taken)
        answers = {response: answer for response, answer in answers.items() if response != taken}
    return tuple(usable)


def _taken(
    scorer: Any, truth: AnyArray, answers: dict[str, AnyArray], labels: AnyArray | None, *, is_first: bool
) -> str | None:
    noted: list[str] = []

    def listening(model: Any, X: Any, y: Any) -> Any:
        score = scorer(model, X, y)
        noted.extend(model.asked)
        return score

    try:
        _score(listening, truth, answers, labels)
    except (AttributeError, ValueError, TypeError):
        if is_first:
            raise
        return None
    if not noted:
        raise TypeError("it does not ask the model for predictions")
    return noted[0]


def _takes_weights(scorer: Any, labels: AnyArray | None) -> bool:
    truth, answers, _ = _made_up_numbers() if labels is None else _made_up_classes(len(labels))
    try:
        _score(scorer, truth, answers, labels, np.ones(len(truth)))
    except Exception:
        return False
    return True


def _check_tells(measure: ScorerFold, name: str) -> None:
    """Refuses what does not prefer right predictions to wrong ones, such as agreement up to renaming the classes."""
    made_up = _made_up_numbers() if measure.labels is None else _made_up_classes(len(measure.labels))
    truth, *both = made_up
    right, wrong = (measure(truth, answers[measure.needs[0]], None) for answers in both)
    if math.isfinite(right) and math.isfinite(wrong) and not right < wrong:
        problem = f"{right:g} for right predictions and {wrong:g} for wrong ones, where lower should be better"
        raise BadLoss(f"the scorer {name!r} gives {problem}", _other_scorers(name))


def _check_target(scorer: Any, name: str, data: Any) -> None:
    """Refuses targets the scorer cannot take, such as negative ones under a logarithm."""
    target = np.asarray(data.target, np.float64)
    try:
        _score(scorer, target, {"predict": np.abs(target) + 1}, None)
    except ValueError as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise BadLoss(f"the scorer {name!r} cannot judge this target: {reason}", "Use squared or absolute") from None


def _made_up_numbers() -> tuple[AnyArray, dict[str, AnyArray], dict[str, AnyArray]]:
    # no whole numbers: those would pass for classes
    truth = np.array([0.5, 1.25, 2.75, 4.5, 6.25, 9.75])
    return truth, {"predict": truth}, {"predict": truth[::-1]}


def _made_up_classes(k: int) -> tuple[AnyArray, dict[str, AnyArray], dict[str, AnyArray]]:
    """Targets, right answers and wrong ones; the true class is the likeliest in one, the least likely in the other."""
    truth = np.tile(np.arange(k), max(2, math.ceil(6 / k)))
    distance = np.asarray((np.arange(k) - truth[:, None]) % k + 0.25, np.float64)
    return truth, _responses(k - distance), _responses(distance)


def _responses(strength: FloatArray) -> dict[str, AnyArray]:
    shares = strength / strength.sum(axis=1, keepdims=True)
    decision = shares[:, 1] - 0.5 if shares.shape[1] == 2 else np.log(shares)
    return {"predict": shares.argmax(axis=1), "predict_proba": shares, "decision_function": decision}


def _words(name: str, is_named: bool, measure: ScorerFold, data: Any) -> str:
    words = f"1 - {SCORE_NAMES.get(name, name)}" if is_named else f"minus {name}"
    if is_named and name.startswith("neg_"):
        words = name.removeprefix("neg_")
    if is_named and name in OF_POSITIVE_CLASS and data.task == "binary":
        words += f" of class {data.classes[-1]!r}"
    if data.weights is not None and not measure.takes_weights:
        words += ", without weights"
    return f"{words}: lower is better"


def _object_name(scorer: Any) -> str:
    written = re.match(r"make_scorer\((\w+)", repr(scorer))
    return written[1] if written else type(scorer).__name__


def _other_scorers(name: str) -> str:
    others = [known for known in scorer_names() if known.startswith(name + "_") and not known.endswith("_samples")]
    shortest = sorted(others, key=len)[:2]
    return f"Perhaps use {' or '.join(shortest)}" if others else "Use one of Foldwise's losses or another scorer"
