"""What the out-of-fold predictions of each method look like: pictures with a sentence each, and the usual metrics."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from foldwise.blocks.numbers import MISSING, listed, measured, number, plain, rounded
from foldwise.show import charts
from foldwise.show.figure import Figure
from foldwise.show.sections import ranked

Found = Mapping[str, Any]
MOST_DECIMALS = 6  # of a metric without an interval
# metric -> its name in the head of the table, and whether larger is better
OF_NUMBERS = {"rmse": ("RMSE", False), "mae": ("MAE", False), "median_absolute_error": ("median error", False)}
OF_NUMBERS |= {"mape": ("MAPE", False), "r2": ("R²", True)}
OF_CLASSES = {"accuracy": ("accuracy", True), "balanced_accuracy": ("balanced accuracy", True)}
OF_COUNTS = {"precision": ("precision", True), "recall": ("recall", True), "f1": ("F1", True)}
OF_SCORES = {"mcc": ("MCC", True), "auc": ("AUC", True), "average_precision": ("average precision", True)}
OF_SCORES |= {"log_loss": ("log loss", False), "brier": ("Brier", False)}


def prediction_panels(answer: Found, found: Found) -> Iterator[dict[str, Any]]:
    """The pictures of each method, the best first and open."""
    for at, method in ranked(answer):
        known = found.get(method["name"])
        figures = list(_figures(known, method, at)) if known else []
        if figures:
            is_open = method["name"] == answer.get("best")
            yield {"key": at, "title": plain(method["name"]), "figures": figures, "is_open": is_open}


def _figures(known: Found, method: Found, at: int) -> Iterator[Figure]:
    name = plain(method["name"])
    if "bins" in known:
        yield from _of_numbers(known, name)
    if known.get("confusion"):
        yield _confusion(known, at)
    if known.get("ranking"):
        yield from _rankings(known["ranking"], method, name)
    if known.get("calibration"):
        yield _calibration(known["calibration"], name)
    if known.get("histogram"):
        yield _histogram(known["histogram"], name)


def _of_numbers(known: Found, name: str) -> Iterator[Figure]:
    yield Figure(
        title="Predicted against true",
        picture=charts.scatter_panel(known, title=f"{name}: true against predicted"),
        words="Rows far from the dashed line are predicted badly; a cloud flatter than the line means that large "
        "values are predicted too small and small ones too large.",
    )
    worst = max(known["bins"], key=lambda part: abs(part["mean"]))
    yield Figure(
        title="Residuals against predicted",
        picture=charts.residual_panel(known, title=f"{name}: residuals"),
        words=f"A line away from 0 is bias: the largest is {number(worst['mean'], digits=3)}, where predictions "
        f"are {number(worst['from'], digits=3)} to {number(worst['to'], digits=3)}. A band that widens is noise that "
        "grows with the prediction.",
    )
    if known.get("quantiles"):
        errors = known["quantiles"]["errors"]
        yield Figure(
            title="Quantiles of the residuals",
            picture=charts.quantile_panel(known["quantiles"], title=f"{name}: quantiles of the residuals"),
            words="On the dashed line residuals are normally distributed: points below it at the left or above it at "
            "the right are large errors that come more often than that.",
        )
        yield Figure(
            title="How large errors are",
            picture=charts.error_panel(known["quantiles"], title=f"{name}: share of rows by size of the error"),
            words=f"Share of the rows whose error is at most so large: half are within "
            f"{number(errors['0.5'], digits=3)}, nine in ten within {number(errors['0.9'], digits=3)}. The sooner the "
            "line rises, the better.",
        )


def _confusion(known: Found, at: int) -> Figure:
    found, steps = known["confusion"], known.get("thresholds")
    return Figure(
        title="Confusion matrix",
        picture=charts.confusion_table(found, caption="Rows, and their share of the true class", thresholds=steps),
        tool=charts.threshold_tool(steps, key=str(at)) if steps else "",
        words=_confused(found["classes"], found["counts"]),
        is_wide=True,
    )


def _confused(classes: list[str], counts: list[list[int]]) -> str:
    """Which class is most often taken for which other."""
    pairs = [
        (line[place] / sum(line), true, predicted, line[place])
        for true, line in zip(classes, counts, strict=True)
        for place, predicted in enumerate(classes)
        if predicted != true and any(line)
    ]
    share, true, predicted, rows = max(pairs, default=(0.0, "", "", 0), key=lambda pair: pair[0])
    if not rows:
        return "No row is taken for another class."
    return f"The commonest mistake for a class: {100 * share:.0f}% of {plain(true)} are taken for {plain(predicted)}."


def _rankings(found: Found, method: Found, name: str) -> Iterator[Figure]:
    of = "the mean over classes, each against the rest" if found["of"] is None else f"class {plain(found['of'])}"
    band = f"; the band spans the curves of the {found['folds']} folds" if found["folds"] > 1 else ""
    legend = [plain(label) for label in found["classes"]]
    yield Figure(
        title=f"ROC: {'all classes' if found['of'] is None else plain(found['of'])}",
        picture=charts.ranking_panel(found, "roc", title=f"{name}: ROC curve"),
        words=f"{_metric_words(method, 'auc', 'AUC')}{of}{band}. On the dashed line the order is mere chance.",
        legend=legend,
    )
    yield Figure(
        title=f"Precision and recall: {'all classes' if found['of'] is None else plain(found['of'])}",
        picture=charts.ranking_panel(found, "precision", title=f"{name}: precision over recall"),
        words=f"{_metric_words(method, 'average_precision', 'Average precision')}{of}{band}. The dashed line is the "
        f"share of the class, {number(found['share'], digits=2)}: the precision of a random order.",
        legend=legend,
    )


def _metric_words(method: Found, key: str, name: str) -> str:
    value = (method.get("metrics") or {}).get(key)
    if value is None:
        return "Curve of "
    ends = (method.get("metric_intervals") or {}).get(key) or {}
    text, around = measured(value, ends.get("low"), ends.get("high"))
    return f"{name} {text}, " if around == MISSING else f"{name} {text} ({around}), "


def _calibration(found: Found, name: str) -> Figure:
    level = found.get("level")
    whiskers = ""
    if level is not None:
        whiskers = f" Upright lines are {100 * level:g}% intervals that take rows as independent."
    return Figure(
        title=f"Calibration: {plain(found['of']).removeprefix('class ')}",
        picture=charts.calibration_panel(found, title=f"{name}: calibration"),
        words=f"{_calibrated(found['bins'])}{whiskers}",
    )


def _calibrated(bins: list[Found]) -> str:
    """Where probabilities lie outside the interval of what was observed."""
    judged = [part for part in bins if part.get("low") is not None]
    off = [part for part in judged if not part["low"] <= part["said"] <= part["high"]]
    if not judged:
        return "Below the dashed line probabilities are too high, above it too low."
    if not off:
        return "Probabilities agree with what was observed, within the intervals of every bin."
    high = [f"{part['said']:.2f}" for part in off if part["said"] > part["so"]]
    low = [f"{part['said']:.2f}" for part in off if part["said"] < part["so"]]
    told = [f"too {word} around {listed(values)}" for word, values in (("high", high), ("low", low)) if values]
    return f"Probabilities are {' and '.join(told)}; elsewhere they agree with what was observed."


def _histogram(found: Found, name: str) -> Figure:
    if found["of"] is None:
        words = "A stronger colour means more rows; a class whose rows lie at the left is hardly ever recognised."
    else:
        first, second = (plain(label) for label in found["classes"])
        words = f"{second} upwards, {first} downwards: the less both share the same probabilities, the better they are "
        words += "told apart."
    return Figure(
        title="Probabilities by true class",
        picture=charts.histogram_panel(found, title=f"{name}: probabilities by true class"),
        words=words,
    )


def metric_columns(answer: Found) -> dict[str, Any] | None:
    """The table of the usual metrics: heads, and for each method its cells, each with the number it is sorted by."""
    methods = [(at, method) for at, method in ranked(answer) if method.get("metrics")]
    if not methods:
        return None
    columns = _columns(answer, methods[0][1])
    cells = {name: [_value(method, name) for _, method in methods] for name in columns}
    columns = {name: facts for name, facts in columns.items() if any(cell[0] is not None for cell in cells[name])}
    places = {name: _places([cell[0] for cell in cells[name]]) for name in columns}
    best = {name: _best([cell[0] for cell in cells[name]], is_high) for name, (_, is_high) in columns.items()}
    rows = []
    for place, (at, method) in enumerate(methods):
        found = []
        for name in columns:
            value, low, high = cells[name][place]
            text, around = measured(value, low, high)
            text, around = (rounded(value, places[name]), "") if around == MISSING else (text, around)
            found.append((text, around.replace(" to ", "–"), value, value is not None and value == best[name]))
        rows.append({"key": at, "name": plain(method["name"]), "cells": found})
    heads = [head for head, _ in columns.values()]
    small = [head for head, is_high in columns.values() if not is_high]
    return {"heads": heads, "small": listed(small) if small else "", "rows": rows, "of": _positive(methods[0][1])}


def _columns(answer: Found, method: Found) -> dict[str, tuple[str, bool]]:
    if answer.get("task") == "regression":
        return dict(OF_NUMBERS)
    mean = "" if _positive(method) is not None else "_macro"
    counts = {f"{name}{mean}": facts for name, facts in OF_COUNTS.items()}
    return {**OF_CLASSES, **counts, **OF_SCORES}


def _places(values: list[float | None]) -> int:
    """Decimals of a column without intervals: three digits of its largest number."""
    most = max((abs(value) for value in values if value is not None), default=0.0)
    return 3 if most == 0 else min(max(0, 2 - math.floor(math.log10(most))), MOST_DECIMALS)


def _positive(method: Found) -> str | None:
    """The second of two classes, which precision and recall are about."""
    names = list(method.get("class_metrics") or {})
    return names[1] if len(names) == 2 else None


def _value(method: Found, name: str) -> tuple[float | None, float | None, float | None]:
    if name in OF_COUNTS:
        return ((method.get("class_metrics") or {}).get(_positive(method)) or {}).get(name), None, None
    ends = (method.get("metric_intervals") or {}).get(name) or {}
    return (method.get("metrics") or {}).get(name), ends.get("low"), ends.get("high")


def _best(values: list[float | None], is_high: bool) -> float | None:
    known = [value for value in values if value is not None]
    return None if not known else max(known) if is_high else min(known)
