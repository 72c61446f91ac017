"""The same pictures as Matplotlib figures, for notebooks and papers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from foldwise.answers.numbers import candidate_words, plain
from foldwise.errors import BadStudy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Distinct under every common type of colour blindness, and by their markers.
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#66717f"
Method = Mapping[str, Any]


def plot_risks(answer: Mapping[str, Any]) -> Figure:
    """The risk of each method with its interval."""
    methods = [method for method in answer["methods"] if method["risk"] is not None]
    rows = [(method["name"], method["risk"], method["low"], method["high"]) for method in methods]
    return _intervals(rows, answer, label=f"risk ({plain(answer['loss'])} loss)")


def plot_differences(answer: Mapping[str, Any]) -> Figure:
    """The risk of each method less that of the best, on the same test rows."""
    methods = [m for m in answer["methods"] if m["difference"] is not None and m["name"] != answer["best"]]
    rows = [(m["name"], m["difference"], m["difference_low"], m["difference_high"]) for m in methods]
    figure = _intervals(rows, answer, label=f"risk minus that of {plain(answer['best'])}")
    figure.axes[0].axvline(0, color=GREY, linestyle="--", linewidth=1)
    return figure


def plot_choices(answer: Mapping[str, Any]) -> Figure:
    """How often each candidate was chosen by the outer splits, one panel per tuned method."""
    from collections import Counter

    tuned = [m for m in answer["methods"] if m["name"] != "auto" and any(fold["candidate"] for fold in m["folds"])]
    figure, axes = _figure(max(1, len(tuned)), height=2.6)
    for axis, method in zip(axes, tuned, strict=False):
        counts = Counter(candidate_words(fold["candidate"]) for fold in method["folds"] if fold["candidate"])
        words, times = zip(*reversed(counts.most_common()), strict=True)
        axis.barh([_dollars(word) for word in words], times, color=BLUE)
        axis.set(title=_dollars(plain(method["name"])), xlabel="outer splits")
    return figure


def plot_optimism(answer: Mapping[str, Any]) -> Figure:
    """From the selection score, which is too good on average, to the risk."""
    tuned = [m for m in answer["methods"] if m["selection_score"] is not None and m["risk"] is not None]
    figure, (axis,) = _figure(1, height=1.2 + 0.4 * len(tuned))
    places = range(len(tuned))
    scores, risks = [method["selection_score"] for method in tuned], [method["risk"] for method in tuned]
    axis.hlines(places, scores, risks, color=GREY)
    axis.plot(scores, places, "o", color=ORANGE, fillstyle="none", label="selection score")
    axis.plot(risks, places, "o", color=BLUE, label="risk")
    _name_rows(axis, [method["name"] for method in tuned])
    axis.set_xlabel(f"{plain(answer['loss'])} loss")
    axis.legend(frameon=False)
    return figure


def plot_curve(curve: Mapping[str, Any]) -> Figure:
    """Training error, test error and the best value of a curve."""
    points = curve["points"]
    figure, (axis,) = _figure(1, height=3.4)
    values = [point["value"] for point in points]
    is_number = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    places = values if is_number else range(len(values))
    for key, color, mark, words in (("train", ORANGE, "s", "training error"), ("test", BLUE, "o", "test error")):
        errors = [float("nan") if point[key] is None else point[key] for point in points]
        axis.plot(places, errors, marker=mark, markersize=4, color=color, label=words)
    if is_number and min(values) > 0 and max(values) / min(values) > 50:
        axis.set_xscale("log")
    if not is_number:
        axis.set_xticks(list(places), [candidate_words({"": value})[1:] for value in values])
    if curve["best"] is not None:
        place = curve["best"] if is_number else values.index(curve["best"])
        axis.axvline(place, color=GREEN, linestyle=":", label=f"smallest test error: {plain(curve['best'])}")
    name = "training rows" if curve["parameter"] == "train_rows" else plain(curve["parameter"])
    axis.set(xlabel=_dollars(name), ylabel=f"{plain(curve['loss'])} loss", title=_dollars(plain(curve["learner"])))
    axis.legend(frameon=False)
    return figure


def _intervals(rows: Sequence[tuple[Any, ...]], answer: Mapping[str, Any], *, label: str) -> Figure:
    figure, (axis,) = _figure(1, height=1.2 + 0.4 * len(rows))
    for place, (name, value, low, high) in enumerate(rows):
        color = BLUE if name == answer["best"] else GREY
        if low is not None and high is not None:
            axis.plot([low, high], [place, place], color=color, marker="|", linewidth=2)
        axis.plot(value, place, "o", color=color)
    _name_rows(axis, [row[0] for row in rows])
    axis.set_xlabel(_dollars(label))
    return figure


def _name_rows(axis: Axes, names: Sequence[str]) -> None:
    axis.set_yticks(range(len(names)), [_dollars(plain(name)) for name in names])
    axis.invert_yaxis()
    axis.grid(axis="x", alpha=0.3)


def _dollars(text: str) -> str:
    """Text that is not read as a formula."""
    return text.replace("$", r"\$")


def _figure(panels: int, *, height: float) -> tuple[Figure, list[Axes]]:
    """A figure that no window holds: it is shown by a notebook and saved by `savefig`."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        raise BadStudy("plots need Matplotlib, which is not installed", "Run pip install 'foldwise[plot]'") from None
    figure = Figure(figsize=(max(6.4, 3.8 * panels), height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, panels, squeeze=False)[0]
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
    return figure, list(axes)
