"""The usual metrics as plain values and as a data frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from foldwise.questions.method import MethodAnswer
from foldwise.questions.usual_metrics import LOSSES, Metric
from foldwise.questions.value import Value
from foldwise.stats.estimate import plain_number

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["method", "metric", "class", "value", "low", "high", "level", "interval", "averaged", "better", "note"]
NUMBERS = ("value", "low", "high", "level")


@dataclass(frozen=True)
class MetricEnds(Value):
    """The interval of a metric."""

    low: float | None
    high: float | None
    interval: str | None


def metric_values(method: MethodAnswer) -> dict[str, Any]:
    """The metrics of a method for its row: their values, those that have an interval, and those of one class."""
    whole = [metric for metric in method.metrics if metric.of is None]
    values = {metric.name: plain_number(metric.value) for metric in whole}
    values |= {LOSSES[one.name]: plain_number(one.loss) for one in whole if one.name == "balanced_accuracy"}
    by_class: dict[str, dict[str, float | None]] = {}
    for metric in method.metrics:
        if metric.of is not None:
            by_class.setdefault(str(metric.of), {})[metric.name] = plain_number(metric.value)
    ends = {
        metric.name: MetricEnds(plain_number(metric.low), plain_number(metric.high), metric.interval)
        for metric in whole
        if metric.interval is not None
    }
    return {"metrics": values, "metric_intervals": ends, "class_metrics": by_class or None}


def metric_table(methods: Sequence[MethodAnswer]) -> pd.DataFrame:
    """One row per method, metric and, for precision, recall and F1, class."""
    import pandas as pd

    rows = [_row(method, metric) for method in methods for metric in method.metrics]
    columns = {name: [row[name] for row in rows] for name in COLUMNS}
    # as objects, classes stay what they are, and what is lacking stays None
    return pd.DataFrame(
        {name: pd.Series(values, dtype=float if name in NUMBERS else object) for name, values in columns.items()}
    )


def _row(method: MethodAnswer, metric: Metric) -> dict[str, Any]:
    return {
        "method": method.method.name,
        "metric": metric.name,
        "class": metric.of,
        "value": metric.value,
        "low": metric.low,
        "high": metric.high,
        "level": None if metric.interval is None else method.study.level,
        "interval": metric.interval,
        "averaged": metric.averaged,
        "better": "high" if metric.is_better_high else "low",
        "note": metric.note,
    }
