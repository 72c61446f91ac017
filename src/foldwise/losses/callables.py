"""A user's own function of (y, prediction) as a loss."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.errors import BadLoss, nearest
from foldwise.losses.loss import CLASSIFICATION, REGRESSION, RESPONSES, Loss, label_array
from foldwise.losses.scorers import is_scorer

TAKES = dict(zip(("predictions", "probabilities", "decision values"), RESPONSES, strict=True))
# Names of arguments that are no predicted classes.
SOUNDS = {"probabilities": r"(?i)prob", "decision values": r"(?i)score|decision|margin|logit"}
VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(frozen=True, eq=False)
class UserRows:
    """Calls the function with labels instead of class codes; one loss per row."""

    function: Callable[..., Any]
    labels: AnyArray | None
    name: str

    def __call__(self, target: AnyArray, prediction: AnyArray) -> FloatArray:
        answer = self.function(decoded(target, self.labels), decoded(prediction, self.labels))
        if np.asarray(answer).dtype.kind in "SU":  # which NumPy would read
            raise TypeError("a loss must be numbers, not text")
        return np.asarray(answer, np.float64)


@dataclass(frozen=True, eq=False)
class UserFold:
    """Calls the function with labels instead of class codes; one number per fold."""

    function: Callable[..., Any]
    labels: AnyArray | None
    takes_weights: bool

    def __call__(self, target: AnyArray, prediction: AnyArray, weights: FloatArray | None) -> float:
        options = {"sample_weight": weights} if self.takes_weights and weights is not None else {}
        answer = self.function(decoded(target, self.labels), decoded(prediction, self.labels), **options)
        if isinstance(answer, str | bytes):  # which float would read
            raise TypeError(f"a loss must be a number, not the text {answer!r}")
        return float(answer)


def loss(
    function: Callable[..., Any],
    *,
    takes: str | None = None,
    name: str | None = None,
    bounds: tuple[float, float] | None = None,
) -> Callable[..., Any]:
    """A function of (y, prediction) as a loss, for `loss=`: what it takes, its name, and its range if it has one.

    `function`: gives one number per row, or a single one for a whole fold; lower is better. `takes`: "predictions",
    "probabilities" (one column per class) or "decision values" (None: predictions; what metrics of scikit-learn take is
    known, and a function with an argument y_prob or y_score must say it). `name`: in answers (None: that of the
    function). `bounds`: the smallest and the largest loss, which allow more intervals.

    >>> import foldwise as fw
    >>> late = fw.loss(lambda y, p: np.maximum(y - p, 0.0), name="late")
    >>> fw.compare(["ridge"], "diabetes", loss=late, outer=0.2, inner=0.2).to_dict()["loss"]
    'late'
    """
    if not callable(function) or is_scorer(function):
        raise BadLoss(
            f"fw.loss takes a function of (y, prediction), not {function!r}",
            "Give it to loss= as it is; a range goes with a name, as in loss='squared in [0, 25]'",
        )
    if takes is not None and takes not in TAKES:
        raise BadLoss(f"a loss cannot take {takes!r}", nearest(takes, TAKES))
    described = partial(function)
    needs = {} if takes is None else {"needs": TAKES[takes]}
    described.__dict__.update(needs, bounds=bounds, name=name, __name__=name or _name(function))
    return described


def callable_loss(function: Callable[..., Any], data: Any, *, name: str | None = None) -> Loss:
    """The loss a function of (y, prediction) computes, found out on two rows before any fit.

    An answer of one value per row makes a per-row loss, a single number a fold-level one. The function may carry
    `needs` ("predict_proba") and `bounds` ((low, high)) as attributes.
    """
    name = name or _name(function)
    _check_arguments(function, name)
    needs = _needs(function, name)
    _check_doubt(function, name, data.task)
    labels = None if data.task == "regression" else label_array(data.classes)
    bounds = getattr(function, "bounds", None)
    is_per_row = _probe(function, name, labels, data, needs[0])
    measure: UserRows | UserFold
    if is_per_row:
        measure = UserRows(function, labels, name)
    else:
        measure = UserFold(function, labels, "sample_weight" in _parameters(function))
    words = f"the function {name} of (y, prediction)"
    if data.weights is not None and isinstance(measure, UserFold) and not measure.takes_weights:
        words += ", without weights: it takes no sample_weight"
    tasks = REGRESSION if labels is None else CLASSIFICATION
    loss = Loss(name, measure, tasks, needs, is_per_row=is_per_row, words=words)
    return loss if bounds is None else loss.with_bounds(*bounds)


def decoded(values: AnyArray, labels: AnyArray | None) -> AnyArray:
    """Class codes as labels; numbers and tables of probabilities as they are."""
    return values if labels is None or values.ndim != 1 or values.dtype.kind not in "iu" else labels[values]


def _probe(function: Callable[..., Any], name: str, labels: AnyArray | None, data: Any, response: str) -> bool:
    """Whether the function answers per row, seen on two rows of different targets; refuses what is no loss."""
    target = np.asarray(data.target)
    rows = np.array([0, int(np.argmax(target != target[0]))])
    truth = target[rows]
    right, wrong = _predictions(truth, 0 if labels is None else len(labels), response)
    answers = []
    for prediction in (wrong, right):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                answer = np.asarray(function(decoded(truth, labels), decoded(prediction, labels)))
        except Exception as error:
            raise BadLoss(f"the loss {name!r} fails on two rows: {type(error).__name__}: {error}") from error
        answers.append(_numbers(answer, name))
    # a score, larger for the better prediction, would pick the worst method
    if answers[1].mean() > answers[0].mean():
        raise BadLoss(
            f"the loss {name!r} is larger for right predictions ({answers[1].mean():g}) than for wrong ones "
            f"({answers[0].mean():g})",
            "Turn it so that lower is better, or give the name of a scikit-learn scorer",
        )
    return answers[0].ndim == 1


def _predictions(truth: AnyArray, classes: int, response: str) -> tuple[AnyArray, AnyArray]:
    if response == "predict" or classes == 0:
        return truth, truth[::-1].copy()
    table = np.full((2, classes), 0.1 / classes)
    table[np.arange(2), truth] += 0.9
    if response == "decision_function" and classes == 2:
        return table[:, 1] - 0.5, 0.5 - table[:, 1]
    return table, table[::-1].copy()


def _numbers(answer: AnyArray, name: str) -> FloatArray:
    if answer.dtype.kind not in "buif" or answer.shape not in ((), (2,)):
        given = f"an array of shape {answer.shape}" if answer.shape else f"{answer.item()!r}"
        raise BadLoss(f"the loss {name!r} gave {given} for two rows", "Return one number per row, or a single number")
    return answer.astype(np.float64)


def _needs(function: Callable[..., Any], name: str) -> tuple[str, ...]:
    needs = getattr(function, "needs", "predict")
    needs = (needs,) if isinstance(needs, str) else tuple(needs)
    if not needs or not set(needs) <= set(RESPONSES):
        raise BadLoss(f"the loss {name!r} needs {needs!r}", f"Known are: {', '.join(RESPONSES)}")
    return needs


def _check_arguments(function: Callable[..., Any], name: str) -> None:
    required = [
        parameter.name
        for parameter in _parameters(function).values()
        if parameter.default is parameter.empty and parameter.kind not in VARIADIC
    ]
    if len(required) > 2:
        raise BadLoss(f"the loss {name!r} asks for {', '.join(required)}", "Write it as a function of (y, prediction)")


def _check_doubt(function: Callable[..., Any], name: str, task: str) -> None:
    """Refuse a function whose second argument sounds like probabilities or scores, and would be predicted classes."""
    if task == "regression" or hasattr(function, "needs"):
        return
    second = next(iter(list(_parameters(function))[1:2]), "")
    takes = next((takes for takes, pattern in SOUNDS.items() if re.search(pattern, second)), None)
    if takes is not None:
        raise BadLoss(
            f"the loss {name!r} calls its second argument {second!r} and would be given predicted classes",
            f'Write fw.loss({name}, takes="{takes}"), or takes="predictions" if it wants those',
        )


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # some compiled functions have no signature
        return {}


def _name(function: Callable[..., Any]) -> str:
    inner = getattr(function, "func", function)  # functools.partial
    return str(getattr(function, "__name__", getattr(inner, "__name__", type(function).__name__)))
