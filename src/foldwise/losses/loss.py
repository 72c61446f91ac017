"""What a loss is, and how what a study asks for becomes a tuple of them."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.errors import BadLoss, nearest
from foldwise.plugins import load_plugin, plugin_names
from foldwise.shown import Shown

GROUP = "foldwise.losses"
REGRESSION = ("regression",)
CLASSIFICATION = ("binary", "multiclass")
RESPONSES = ("predict", "predict_proba", "decision_function")

# What other libraries call our losses.
ALIASES = {
    "mse": "squared",
    "mean_squared_error": "squared",
    "squared_error": "squared",
    "l2": "squared",
    "root_mean_squared_error": "rmse",
    "mae": "absolute",
    "mean_absolute_error": "absolute",
    "absolute_error": "absolute",
    "l1": "absolute",
    "mean_absolute_percentage_error": "mape",
    "msle": "squared_log",
    "mean_squared_log_error": "squared_log",
    "root_mean_squared_log_error": "rmsle",
    "poisson_deviance": "poisson",
    "mean_poisson_deviance": "poisson",
    "error": "zero_one",
    "error_rate": "zero_one",
    "misclassification": "zero_one",
    "0_1": "zero_one",
    "01": "zero_one",
    "zero_one_loss": "zero_one",
    "acc": "accuracy",
    "balanced_error": "balanced_zero_one",
    "balanced_error_rate": "balanced_zero_one",
    "log_loss": "log",
    "logloss": "log",
    "cross_entropy": "log",
    "brier_score": "brier",
    "brier_score_loss": "brier",
    "hinge_loss": "hinge",
    "auc": "roc_auc",
    "ap": "average_precision",
    "r_squared": "r2",
    "mcc": "matthews_corrcoef",
    "median_absolute_error": "neg_median_absolute_error",
    "max_error": "neg_max_error",
}
# Scorers of two classes, and what they are called for more of them.
MULTICLASS = {"roc_auc": "roc_auc_ovr", "f1": "f1_macro", "precision": "precision_macro", "recall": "recall_macro"}
# What others call a loss that wants a number with it.
NEAR = {"quantile": "pinball(0.5)", "mean_pinball_loss": "pinball(0.5)"}


@dataclass(frozen=True, eq=False)
class Loss(Shown):
    """The cost of predictions, lower is better: row by row, or only for a whole fold.

    `measure(target, prediction)` gives one loss per row; where `is_per_row` is false,
    `measure(target, prediction, weights)` gives one number. Classes are codes, in the order of the data's classes.
    """

    name: str
    measure: Callable[..., Any]
    tasks: tuple[str, ...] = REGRESSION + CLASSIFICATION
    needs: tuple[str, ...] = ("predict",)
    bounds: tuple[float, float] | None = None
    is_per_row: bool = True
    words: str = ""
    spec: str | list[list[float]] | None = None
    quantile: float | None = None
    score: str | None = None  # what it is 1 less, such as the AUC

    @property
    def label(self) -> str:
        """What its numbers are called: "squared loss", "1 - AUC"; risks under a `neg_` scorer are above 0."""
        name = self.name.removeprefix("neg_") if isinstance(self.spec, str) else self.name
        return f"{name} loss" if self.score is None else f"1 - {self.score}"

    def __repr__(self) -> str:
        return f"Loss({self.name!r})"

    @property
    def is_nonnegative(self) -> bool:
        """Is it known never to be negative? Ours are not; of a user's own function it must be stated."""
        return (self.bounds is not None and self.bounds[0] >= 0) or (self.is_per_row and isinstance(self.spec, str))

    @property
    def possible(self) -> tuple[float, float]:
        """The smallest and the largest risk there can be, as far as is known."""
        if self.bounds is not None:
            return self.bounds
        if not isinstance(self.spec, str):
            return (-math.inf if self.score is None else 0.0), math.inf
        # named scorers are 1 - score, or minus a neg_ score; a few of the former have no smallest score of 0
        is_share = not self.is_per_row and self.tasks == CLASSIFICATION and not self.name.startswith(("neg_", "d2_"))
        return 0.0, (2.0 if self.name == "matthews_corrcoef" else 1.0) if is_share else math.inf

    @property
    def is_elementwise(self) -> bool:
        """Does its function treat every row of a table of predictions as it treats one? Known of a few of ours."""
        return self.spec in ("squared", "absolute", "zero_one", "accuracy")

    def rows(self, target: AnyArray, prediction: AnyArray) -> FloatArray:
        """The loss of every row."""
        if not self.is_per_row:
            raise BadLoss(f"{self.name!r} is a measure of a whole fold and has no loss per row", "Use a per-row loss")
        losses: FloatArray = self.measure(target, prediction)
        # a prediction of shape (rows, 1) would broadcast in silence
        if losses.shape != target.shape:
            raise BadLoss(f"{self.name!r} gave losses of shape {losses.shape} for targets of shape {target.shape}")
        return losses

    def fold(self, target: AnyArray, prediction: AnyArray, weights: FloatArray | None = None) -> float:
        """The mean loss of the rows, weighted if weights are given, or the fold-level measure."""
        if not self.is_per_row:
            return float(self.measure(target, prediction, weights))
        losses = self.rows(target, prediction)
        if weights is None:
            return float(np.add.reduce(losses)) / len(losses)
        total = float(np.add.reduce(weights))
        return float(weights @ losses) / total if total > 0 else math.nan

    def with_bounds(self, low: float, high: float) -> Loss:
        """The same loss with a stated range, which guarantees for bounded losses ask for."""
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise BadLoss(f"the range of {self.name!r} must have low < high, not ({low}, {high})")
        plain = self.spec.split(" in [")[0] if isinstance(self.spec, str) else None
        spec = self.spec if plain is None else f"{plain} in [{float(low)!r}, {float(high)!r}]"
        return replace(self, bounds=(float(low), float(high)), spec=spec)


def make_losses(spec: Any, data: Any) -> tuple[Loss, ...]:
    """The losses a study asks for; the first one selects, and none named means the default of the task."""
    if spec is None:
        spec = "squared" if data.task == "regression" else "zero_one"
    wanted = list(spec) if isinstance(spec, (list, tuple)) and not _is_matrix(spec) else [spec]
    if not wanted:
        raise BadLoss("the list of losses is empty", "Name at least one, or leave it out for the default")
    losses = tuple(_make_loss(each, data) for each in wanted)
    names = [loss.name for loss in losses]
    for name in names:
        if names.count(name) > 1:
            raise BadLoss(f"two losses are called {name!r}", "Name each loss once, and give functions different names")
    return losses


def task_hint(spec: Any) -> str | None:
    """The task that a loss asked for is made for: "regression", "classification", or None where it may be either."""
    if isinstance(spec, (list, tuple)) and not _is_matrix(spec):
        return task_hint(spec[0]) if spec else None
    from foldwise.losses.known_metrics import is_metric, metric_task

    if is_metric(spec):
        return metric_task(spec)
    if isinstance(spec, Loss):
        tasks = set(spec.tasks)
    elif isinstance(spec, str):
        tasks = set(_tasks_of_name(_plain(_split_bounds(spec)[0])))
    else:
        return "classification" if _is_table(spec) or _is_matrix(spec) else None
    if not tasks or tasks > set(CLASSIFICATION):
        return None
    return "regression" if tasks == set(REGRESSION) else "classification"


def check_task(loss: Loss, data: Any) -> Loss:
    """The loss itself if it can judge this task; otherwise a sentence on what can."""
    if data.task in loss.tasks:
        return loss
    task = "regression" if data.task == "regression" else f"classification ({len(data.classes)} classes)"
    if data.task == "regression":
        remedy = "Use squared, absolute, pinball(q) or poisson, or task='classification'"
    else:
        remedy = "Use zero_one, balanced_zero_one, log or brier"
        remedy += ", or task='regression'" if np.asarray(data.y).dtype.kind in "iuf" else ""
    loss_task = "regression" if loss.tasks == REGRESSION else "classification"
    name = loss.spec if loss.score and isinstance(loss.spec, str) else loss.name
    raise BadLoss(f"the loss {name!r} is for {loss_task}, and the task is {task}", remedy)


def label_array(classes: Sequence[Any]) -> AnyArray:
    """The classes as an array, the same whether they come from a table or from a store: texts stay objects."""
    return np.array(classes, dtype=object if isinstance(classes[0], str) else None)


def is_foreign(spec: Any) -> bool:
    """Is this the name of a loss of another package? Ours come first, and nothing is imported to find out.

    >>> is_foreign("squared")
    False
    """
    return isinstance(spec, str) and not _tasks_of_name(_plain(_split_bounds(spec)[0])) and spec in plugin_names(GROUP)


def _make_loss(spec: Any, data: Any) -> Loss:
    # imported when asked for: these files stand on this one
    from foldwise.losses.callables import callable_loss
    from foldwise.losses.classification import cost
    from foldwise.losses.known_metrics import is_metric
    from foldwise.losses.scorers import is_scorer, scorer_loss

    if isinstance(spec, Loss):
        return check_task(spec, data)
    if is_foreign(spec):
        plugin = load_plugin(GROUP, spec)
        return check_task(plugin, data) if isinstance(plugin, Loss) else callable_loss(plugin, data, name=spec)
    if isinstance(spec, str):
        name, bounds = _split_bounds(spec)
        loss = _named_loss(name, data)
        return loss if bounds is None else loss.with_bounds(*bounds)
    if _is_table(spec) or _is_matrix(spec):
        return cost(spec, data)
    if is_scorer(spec):
        return scorer_loss(spec, data)
    if callable(spec):
        return _metric_loss(spec, data) if is_metric(spec) else callable_loss(spec, data)
    raise BadLoss(
        f"a loss cannot be made of {spec!r}",
        "Give a name, a cost matrix, a function of (y, prediction) or a scikit-learn scorer",
    )


def _metric_loss(metric: Callable[..., Any], data: Any) -> Loss:
    """A metric of scikit-learn: what it stands for, under the name and with the range that were given with it."""
    from foldwise.losses.callables import callable_loss
    from foldwise.losses.known_metrics import is_score, known_metric
    from foldwise.losses.scorers import one_less

    meaning = known_metric(metric)
    if meaning is None:
        return callable_loss(metric, data)
    loss, options = _make_loss(meaning, data), vars(metric) if hasattr(metric, "func") else {}
    loss = one_less(loss) if is_score(metric) and not isinstance(meaning, str) else loss
    loss = loss if options.get("name") is None else replace(loss, name=options["name"], spec=None)
    return loss if options.get("bounds") is None else loss.with_bounds(*options["bounds"])


def _named_loss(name: str, data: Any) -> Loss:
    from foldwise.losses.classification import CLASSIFICATION_LOSSES, for_classes
    from foldwise.losses.regression import REGRESSION_LOSSES, check_target, pinball
    from foldwise.losses.scorers import scorer_loss, scorer_names

    plain = _plain(name)
    if written := re.fullmatch(r"pinball\((.*)\)", plain):
        try:
            quantile = float(written[1])
        except ValueError:
            raise BadLoss(f"{written[1]!r} is not a quantile", "Write the loss as 'pinball(0.9)'") from None
        return check_task(pinball(quantile), data)
    if plain in REGRESSION_LOSSES:
        return check_target(check_task(REGRESSION_LOSSES[plain], data), data)
    if plain in CLASSIFICATION_LOSSES:
        return for_classes(check_task(CLASSIFICATION_LOSSES[plain], data), data)
    if plain in scorer_names():
        return scorer_loss(MULTICLASS.get(plain, plain) if data.task == "multiclass" else plain, data)
    if plain == "pinball":
        raise BadLoss("the loss 'pinball' needs its quantile", "Write 'pinball(0.9)'")
    ours = [*REGRESSION_LOSSES, *CLASSIFICATION_LOSSES, "pinball(0.5)"]
    hint = f"Did you mean {NEAR[plain]!r}?" if plain in NEAR else nearest(plain, [*ours, *scorer_names(), *ALIASES])
    if not hint.startswith("Did"):
        hint = f"Known are: {', '.join(ours)}, and scikit-learn's scorers"
    raise BadLoss(f"the loss {name!r} is not known", hint)


def _tasks_of_name(plain: str) -> Sequence[str]:
    from foldwise.losses.classification import CLASSIFICATION_LOSSES
    from foldwise.losses.regression import REGRESSION_LOSSES
    from foldwise.losses.scorers import measures_regression, scorer_names

    if plain in REGRESSION_LOSSES or plain.startswith("pinball"):
        return REGRESSION
    if plain in CLASSIFICATION_LOSSES:
        return CLASSIFICATION
    if plain in scorer_names():
        return REGRESSION if measures_regression(plain) else CLASSIFICATION
    return ()


def _plain(name: str) -> str:
    """The name as it is known here, however it was written, and whatever other libraries call it."""
    plain = name.strip().lower().replace("-", "_").replace(" ", "")
    return ALIASES.get(plain, plain)


def _split_bounds(spec: str) -> tuple[str, tuple[float, float] | None]:
    """'squared in [0, 25]' as a name and a range: how a stated range is written down in a store."""
    written = re.fullmatch(r"(.+?)\s+in\s+\[([^,]+),([^,]+)\]\s*", spec)
    if written is None:
        return spec, None
    try:
        return written[1], (float(written[2]), float(written[3]))
    except ValueError:
        raise BadLoss(f"the range in {spec!r} is not two numbers", "Write it as 'squared in [0, 25]'") from None


def _is_table(spec: Any) -> bool:
    return isinstance(spec, np.ndarray) or (hasattr(spec, "columns") and hasattr(spec, "to_numpy"))


def _is_matrix(spec: Any) -> bool:
    """Nested lists of numbers are a cost matrix; a list of anything else is a list of losses."""

    def is_row(row: Any) -> bool:
        if isinstance(row, np.ndarray):
            return row.ndim == 1
        return isinstance(row, (list, tuple)) and len(row) > 0 and all(isinstance(cell, numbers.Real) for cell in row)

    return isinstance(spec, (list, tuple)) and len(spec) > 0 and all(map(is_row, spec))
