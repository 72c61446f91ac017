"""scikit-learn's metrics given as functions: shown the response that they are made for, and turned where a score."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from foldwise.errors import BadLoss
from foldwise.losses.loss import RESPONSES

PREDICT, PROBABILITIES, DECISION = RESPONSES
SCORES = (DECISION, PROBABILITIES)  # either orders the rows
# Metrics of other responses than predictions.
RESPONSE_OF: dict[str, str | tuple[str, ...]] = {
    "log_loss": PROBABILITIES,
    "brier_score_loss": PROBABILITIES,
    "d2_log_loss_score": PROBABILITIES,
    "d2_brier_score": PROBABILITIES,
    "hinge_loss": DECISION,
    "roc_auc_score": SCORES,
    "average_precision_score": SCORES,
    "top_k_accuracy_score": SCORES,
}
OURS = {
    "log_loss": "log",
    "brier_score_loss": "brier",
    "hinge_loss": "hinge",
    "zero_one_loss": "zero_one",
    "hamming_loss": "zero_one",  # of one label per row
    "accuracy_score": "zero_one",
}


def is_metric(function: Any) -> bool:
    """Is this a metric of scikit-learn, or one with some of its options set?

    >>> from sklearn.metrics import log_loss
    >>> is_metric(log_loss), is_metric(len)
    (True, False)
    """
    return str(getattr(_plain(function), "__module__", "")).startswith("sklearn.metrics.")


def metric_task(metric: Callable[..., Any]) -> str:
    """The task that a metric of scikit-learn is for, by the file it is in."""
    return "regression" if _plain(metric).__module__.endswith("._regression") else "classification"


def known_metric(function: Callable[..., Any]) -> Any:
    """What a metric of scikit-learn stands for: the name of a loss, or a scorer; None for a loss of predictions.

    Functions that end in `_score` are better when larger, those that end in `_error`, `_loss` or `_deviance` when
    smaller: scikit-learn's own rule.
    """
    from sklearn.metrics import make_scorer

    plain, options = _plain(function), _options(function)
    name = str(plain.__name__)
    if next(iter(inspect.signature(plain).parameters), "") == "x":  # the area under any curve
        problem = f"{name} of scikit-learn is no function of (y, prediction)"
        raise BadLoss(problem, "Give a metric, or the name of a loss")
    usual = RESPONSE_OF.get(name, PREDICT)
    response = getattr(function, "needs", None) or (PROBABILITIES if "multi_class" in options else usual)
    if not options and response == usual:
        if name in OURS:
            return OURS[name]
        if is_score(plain) and (known := _scorer_name(name)):
            return known
    check_response(name, response)
    if response == PREDICT and not is_score(plain):
        return None
    return make_scorer(plain, response_method=response, greater_is_better=is_score(plain), **options)


def is_score(metric: Callable[..., Any]) -> bool:
    """Is it better when larger, and 1 at its best?"""
    name = str(_plain(metric).__name__)
    return name.endswith("_score") or name == "matthews_corrcoef"


def check_response(name: str, response: str | tuple[str, ...]) -> None:
    """Refuse predicted classes where a metric is one of probabilities or scores."""
    if name not in RESPONSE_OF or response != PREDICT:
        return
    wanted = RESPONSE_OF[name]
    better = OURS.get(name) or _scorer_name(name)
    made_for = {PROBABILITIES: "probabilities", DECISION: "decision values"}.get(
        str(wanted), "scores that order the rows"
    )
    raise BadLoss(
        f"{name} would judge predicted classes, and it is made for {made_for}",
        f"{f'Use loss={better!r}' if better else 'Say so'}, or make_scorer({name}, response_method={wanted!r}, ...)",
    )


def _scorer_name(name: str) -> str | None:
    from foldwise.losses.scorers import scorer_names

    return next((known for known in (name, name.removesuffix("_score")) if known in scorer_names()), None)


def _plain(function: Any) -> Any:
    """The function itself, without options that were set."""
    while hasattr(function, "func"):
        function = function.func
    return function


def _options(function: Any) -> dict[str, Any]:
    options: dict[str, Any] = {}
    while hasattr(function, "func"):
        options = {**function.keywords, **options}
        function = function.func
    return options
