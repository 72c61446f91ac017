"""Pictures of out-of-fold predictions: residuals of numbers; ranking, calibration and confusion of classes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from foldwise.blocks.block import Panels
from foldwise.blocks.figure import Axis, Band, Bars, Cells, Figure, Level, Line, Points, Style, Whiskers
from foldwise.blocks.numbers import number, plain
from foldwise.data.dataset import Dataset
from foldwise.questions.answer import Answer
from foldwise.questions.contest import BASELINE
from foldwise.questions.method import MethodAnswer
from foldwise.questions.pictures.columns import column_residuals
from foldwise.questions.predicted import Summary, predictions

MOST_POINTS = 2000  # rows that are drawn one by one; of more, cells are shaded
CLASS_STYLES: tuple[Style, ...] = ("c0", "c1", "c2", "c3", "c4", "c5")


def prediction_panels(answer: Answer, data: Dataset | None = None) -> tuple[Panels, ...]:
    """A group of figures for every method, that of the best one open."""
    best = answer.best.method.name if answer.best else None
    panels = []
    for method in sorted(answer.methods, key=lambda method: (method.method.name != best, method.risk)):
        if method.method.name == BASELINE and best != BASELINE:
            continue
        figures = tuple(method_figures(method))
        if method.method.name == best and data is not None:
            figures += tuple(map(column_figure, column_residuals(method, data)))
        if figures:
            name = method.method.name
            panels.append(Panels(figures, plain(name), name, is_folded=name != best))
    return tuple(panels)


def method_figures(method: MethodAnswer) -> Iterator[Figure]:
    """What the predictions of one method look like."""
    summary = predictions(method.reading, method.method)
    if summary is None:
        return
    name = plain(method.method.name)
    if method.study.task == "regression":
        yield predicted_figure(method, summary, name)
        yield residual_figure(summary, name)
        if summary.get("quantiles"):
            yield quantile_figure(summary["quantiles"], name)
        return
    if summary["ranking"] is not None:
        yield roc_figure(summary["ranking"], name)
        yield precision_figure(summary["ranking"], name)
    if summary["calibration"] is not None:
        yield calibration_figure(summary["calibration"], name)
    if summary.get("histogram") is not None and summary["histogram"]["of"] is not None:
        yield probability_figure(summary["histogram"], name)
    if summary["confusion"] is not None:
        yield confusion_figure(summary["confusion"], name)


def predicted_figure(method: MethodAnswer, summary: Summary, name: str) -> Figure:
    """Predicted against true values: a dot for every row, or shaded cells where there are very many."""
    low, high = summary["low"], summary["high"]
    diagonal = Line([low, high], [low, high], "diagonal", "equal")
    x, y = Axis("predicted", low, high), Axis("true", low, high)
    words = "Dots above the dashed line were predicted too low."
    folds = [method.out_of_fold(number_of) for number_of in range(len(method.study.outer))]
    predicted = np.concatenate([np.asarray(fold.responses["predict"], np.float64) for fold in folds])
    if len(predicted) <= MOST_POINTS:
        truth = np.concatenate([fold.target for fold in folds])
        dots = Points(predicted.tolist(), truth.tolist())
        return Figure(f"Predicted and true values, {name}", x, y, (diagonal, dots), words, is_square=True)
    counts = np.array(summary["counts"])
    columns, lines = np.nonzero(counts)
    shades = (np.sqrt(counts[columns, lines]) / np.sqrt(counts.max())).tolist()
    cells = Cells(columns.tolist(), lines.tolist(), shades, low="1 row", high=f"{counts.max():,} rows")
    places = [(0.0, _short(low)), (len(counts) - 1.0, _short(high))]
    axes = Axis("predicted", ticks=tuple(places)), Axis("true", ticks=tuple(places))
    span = [-0.5, len(counts) - 0.5]
    marks = (cells, Line(span, span, "diagonal", "equal"))
    return Figure(f"Predicted and true values, {name}", *axes, marks, words, is_square=True)


def residual_figure(summary: Summary, name: str) -> Figure:
    """The mean residual and the middle eight tenths, by tenths of the predictions."""
    bins = summary["bins"]
    x = [part["predicted"] for part in bins]
    marks = (
        Level(0.0),
        Band(x, [part["low"] for part in bins], [part["high"] for part in bins], label="8 of 10 rows"),
        Line(x, [part["mean"] for part in bins], label="mean"),
        Points(x, [part["mean"] for part in bins]),
    )
    worst = max(bins, key=lambda part: abs(part["mean"]))
    at = _short(worst["predicted"])
    words = f"The largest mean residual is {_short(worst['mean'])}, where about {at} is predicted."
    return Figure(f"Residuals, {name}", Axis("predicted"), Axis("true minus predicted", has_zero=True), marks, words)


def quantile_figure(quantiles: Summary, name: str) -> Figure:
    """Quantiles of the residuals beside those of a normal distribution."""
    points = quantiles["points"]
    normal = [point["normal"] for point in points]
    line = [quantiles["mean"] + quantiles["deviation"] * value for value in normal]
    marks = (
        Line(normal, line, "diagonal", "a normal distribution"),
        Points(normal, [point["residual"] for point in points]),
    )
    errors = quantiles["errors"]
    half, most = _short(errors["0.5"]), _short(errors["0.9"])
    words = f"Half of all errors are below {half}, nine in ten below {most}."
    axes = Axis("quantile of a normal distribution"), Axis("residual")
    return Figure(f"How large errors are, {name}", *axes, marks, words)


def column_figure(summary: Summary) -> Figure:
    """Mean residuals by tenths or levels of one column."""
    bins, is_ordered = summary["bins"], summary["is_ordered"]
    x = [part["at"] if is_ordered else float(place) for place, part in enumerate(bins)]
    ticks = None if is_ordered else tuple((float(place), plain(part["name"])) for place, part in enumerate(bins))
    means, low, high = ([part[key] for part in bins] for key in ("mean", "low", "high"))
    tips = [f"{plain(part['name'])}: {_short(part['mean'])} ({part['rows']:,} rows)" for part in bins]
    spread = Band(x, low, high, label="8 of 10 rows") if is_ordered else Whiskers(x, low, high)
    marks = (Level(0.0), spread, Points(x, means, label="mean residual", tips=tips))
    words = f"This column explains {100 * summary['explained']:.2g}% of what the model left."
    axes = Axis(plain(summary["column"]), ticks=ticks), Axis("true minus predicted", has_zero=True)
    return Figure(f"Residuals by {plain(summary['column'])}", *axes, marks, words)


def _short(value: float) -> str:
    return number(value, digits=3)


def _unit_axis(name: str) -> Axis:
    return Axis(name, 0.0, 1.0)


def _ranked(ranking: Summary, key: str) -> list[Line | Band]:
    places = np.linspace(0, 1, len(ranking[key]["mean"])).tolist()
    curve = ranking[key]
    marks: list[Line | Band] = [Band(places, curve["low"], curve["high"], label="range over folds")]
    for number_of, (label, line) in enumerate(zip(ranking["classes"], curve["lines"], strict=False)):
        marks.append(Line(places, line, CLASS_STYLES[number_of % 6], plain(label), is_thin=True))
    return [*marks, Line(places, curve["mean"], label="mean over folds" if ranking["folds"] > 1 else "this test set")]


def roc_figure(ranking: Summary, name: str) -> Figure:
    """The receiver operating characteristic: the mean and the range over folds."""
    marks = (Line([0, 1], [0, 1], "diagonal", "chance"), *_ranked(ranking, "roc"))
    of = "" if ranking["of"] is None else f" of class {plain(ranking['of'])}"
    axes = _unit_axis("false positive rate"), _unit_axis(f"true positive rate{of}")
    return Figure(f"ROC curve, {name}", *axes, marks, "The closer to the upper left, the better.", is_square=True)


def precision_figure(ranking: Summary, name: str) -> Figure:
    """Precision against recall: the mean and the range over folds."""
    marks = (Level(ranking["share"], "diagonal", "chance"), *_ranked(ranking, "precision"))
    words = f"A random order has a precision of {_short(ranking['share'])} at any recall."
    axes = _unit_axis("recall"), _unit_axis("precision")
    return Figure(f"Precision and recall, {name}", *axes, marks, words, is_square=True)


def calibration_figure(summary: Summary, name: str) -> Figure:
    """The share observed against the probability predicted."""
    bins = summary["bins"]
    x, y = [part["said"] for part in bins], [part["so"] for part in bins]
    most = max(part["rows"] for part in bins)
    tips = [
        f"predicted {a:.2f}, observed {b:.2f} ({part['rows']:,} rows)" for a, b, part in zip(x, y, bins, strict=True)
    ]
    known = [part for part in bins if part.get("low") is not None]
    middle, low, high = ([part[key] for part in known] for key in ("said", "low", "high"))
    label = "" if summary["level"] is None else f"{100 * summary['level']:g}% interval"
    marks = (
        Line([0, 1], [0, 1], "diagonal", "perfect"),
        Line(x, y, is_thin=True),
        Whiskers(middle, low, high, label=label),
        Points(x, y, tips=tips, sizes=[part["rows"] / most for part in bins]),
    )
    axes = _unit_axis(f"predicted probability of {plain(summary['of'])}"), _unit_axis("share observed")
    return Figure(
        f"Calibration, {name}", *axes, marks, "Dots above the line: the probability was too low.", is_square=True
    )


def probability_figure(summary: Summary, name: str) -> Figure:
    """The predicted probabilities of both classes, the second upwards, the first downwards."""
    marks: list[Bars] = []
    styles: tuple[Style, Style] = ("second", "main")
    for sign, style, counts, label in zip((-1, 1), styles, summary["counts"], summary["classes"], strict=True):
        total, bins = sum(counts) or 1, len(counts)
        shares = [sign * count / total for count in counts]
        edges = [place / bins for place in range(bins + 1)]
        tips = [f"{100 * abs(share):.1f}% of class {plain(label)}" for share in shares]
        bottoms, tops = [min(0.0, share) for share in shares], [max(0.0, share) for share in shares]
        marks.append(Bars(edges[:-1], edges[1:], bottoms, tops, style, plain(label), tips))
    most = max((abs(height) for bars in marks for height in (*bars.bottom, *bars.top)), default=1.0)
    ticks = tuple((sign * share, f"{100 * share:.0f}%") for share in (most / 2, most) for sign in (-1, 1))
    x = Axis(f"predicted probability of {plain(summary['of'])}", 0.0, 1.0)
    y = Axis("share of the class", -1.05 * most, 1.05 * most, ticks=((0.0, "0"), *ticks))
    return Figure(f"Probabilities by true class, {name}", x, y, tuple(marks), "The further apart, the better.")


def confusion_figure(summary: Summary, name: str) -> Figure:
    """Rows by true and predicted class, shaded by the share of the true class."""
    classes, counts = [plain(label) for label in summary["classes"]], np.array(summary["counts"])
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    truth, predicted = (places.ravel().tolist() for places in np.indices(counts.shape))
    texts = [f"{count:,} ({100 * share:.0f}%)" for count, share in zip(counts.ravel(), shares.ravel(), strict=True)]
    if len(classes) > 4:
        texts = [f"{count:,}" for count in counts.ravel()]
    tips = [
        f"{classes[row]} predicted as {classes[column]}: {counts[row, column]:,}"
        for row, column in zip(truth, predicted, strict=True)
    ]
    cells = Cells(predicted, truth, shares.ravel().tolist(), texts, tips)
    ticks = tuple((float(place), label) for place, label in enumerate(classes))
    wrong = int(counts.sum() - np.trace(counts))
    words = f"{wrong:,} of {counts.sum():,} out-of-fold predictions are wrong."
    axes = Axis("predicted", ticks=ticks), Axis("true", ticks=ticks, is_reversed=True)
    return Figure(f"Confusion matrix, {name}", *axes, (cells,), words, is_wide=len(classes) > 6)
