"""The same pictures as Matplotlib figures, for notebooks and papers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from foldwise.blocks.numbers import candidate_words, loss_words, plain
from foldwise.errors import BadOption
from foldwise.show.sheet import USUAL, Sheet
from foldwise.show.text import by_risk

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The colours of the page; marks differ by their shapes too.
BLUE, ORANGE, GREEN, GREY = "#0a5fa5", "#b4470f", "#12704f", "#66717f"
Method = Mapping[str, Any]
ERRORS = {"train": "training error", "test": "test error"}
SEARCH = {"train": "selection score", "test": "risk"}
MOST_BARS = 15  # candidates of a method that are drawn one by one
MOST_LETTERS = 70  # of all names below an axis; beyond, they are slanted
MOST_SLANTED = 15  # names below an axis; beyond, they are upright


def plot_risks(answer: Mapping[str, Any], **on: Any) -> Figure:
    """The risk of each method with its interval, the smallest first."""
    methods = [method for method in by_risk(answer) if method["risk"] is not None]
    rows = [(method["name"], method["risk"], method["low"], method["high"]) for method in methods]
    figure, _ = _intervals(rows, answer, label=f"risk ({plain(loss_words(answer))})", sheet=Sheet(**on))
    return figure


def plot_differences(answer: Mapping[str, Any], **on: Any) -> Figure:
    """The risk of each method less that of the best, on the same test rows."""
    methods = [m for m in by_risk(answer) if m["difference"] is not None and m["name"] != answer["best"]]
    rows = [(m["name"], m["difference"], m["difference_low"], m["difference_high"]) for m in methods]
    label = f"risk minus that of {plain(answer['best'])}"
    figure, axis = _intervals(rows, answer, label=label, sheet=Sheet(**on))
    axis.axvline(0, color=GREY, linestyle="--", linewidth=1)
    return figure


def plot_choices(answer: Mapping[str, Any], *, method: str | None = None, **on: Any) -> Figure:
    """How often each candidate was chosen by the outer splits, one panel per tuned method."""
    tuned = _tuned(answer, method)
    counted = [_counts(one) for one in tuned]
    longest = max((len(words) for counts in counted for words in counts), default=0)
    sheet = Sheet(**on, usual=min(10, 5 + 0.07 * longest))
    names = [_candidate_names(sheet, counts, is_own=not on.get("width")) for counts in counted]
    rows = [0.24 if on.get("width") is None else sheet.row(list(counts), least=0.24) for counts in counted]
    figure, axes = sheet.panels([0.9 + row * len(counts) for row, counts in zip(rows, counted, strict=True)] or [1.2])
    for axis, one, counts, labels in zip(axes, tuned, counted, names, strict=False):
        axis.barh(range(len(counts)), list(counts.values()), height=0.6, color=BLUE)
        axis.set_yticks(range(len(counts)), labels)
        axis.set_ylim(len(counts) - 0.5, -0.5)
        sheet.title(axis, plain(one["name"]))
        _whole_numbers(axis)
    axes[-1].set_xlabel("outer splits")
    return figure


def _tuned(answer: Mapping[str, Any], name: str | None) -> list[Method]:
    """The methods that chose candidates, or the one of this name."""
    tuned = [m for m in by_risk(answer) if m["name"] != "auto" and any(fold["candidate"] for fold in m["folds"])]
    if name is None:
        return tuned
    names = [str(method["name"]) for method in tuned]
    if name not in names:
        raise BadOption(f"no tuned method is named {name!r}", f"There are: {', '.join(names) or 'none'}")
    return [method for method in tuned if method["name"] == name]


def _candidate_names(sheet: Sheet, counts: Mapping[str, int], *, is_own: bool) -> list[str]:
    """What was chosen, in one line where the figure may be as wide as it needs."""
    return [_dollars(words) if is_own and sheet.ax is None else sheet.wrapped(words) for words in counts]


def _counts(method: Method) -> dict[str, int]:
    """How many outer splits chose each candidate, the commonest first; those beyond are counted together."""
    words = [candidate_words(fold["candidate"]) for fold in method["folds"] if fold["candidate"]]
    counts = Counter(words).most_common()
    rest = counts[MOST_BARS:]
    more = {f"{len(rest)} others": sum(count for _, count in rest)} if rest else {}
    return {**dict(counts[:MOST_BARS]), **more}


def plot_optimism(answer: Mapping[str, Any], **on: Any) -> Figure:
    """From the selection score to the risk, with the training rows of both."""
    tuned = [m for m in by_risk(answer) if m["selection_score"] is not None and m["risk"] is not None]
    sheet, names = Sheet(**on), [plain(method["name"]) for method in tuned]
    figure, (axis,) = sheet.panels([1.6 + sheet.row(names, least=0.4) * len(tuned)])
    places = range(len(tuned))
    scores, risks = [method["selection_score"] for method in tuned], [method["risk"] for method in tuned]
    axis.hlines(places, scores, risks, color=GREY)
    sizes = sorted({method["selection_train_rows"] for method in tuned if method.get("selection_train_rows")})
    at = f" ({' to '.join(map(str, sizes[:: max(1, len(sizes) - 1)]))} training rows)" if sizes else ""
    axis.plot(scores, places, "o", color=ORANGE, fillstyle="none", label=f"selection score{at}")
    axis.plot(risks, places, "o", color=BLUE, label=f"risk ({answer.get('train_rows')} training rows)")
    _name_rows(axis, names, sheet)
    axis.set_xlabel(sheet.wrapped(plain(loss_words(answer)), times=2))
    sheet.name_marks(figure, axis)
    return figure


def plot_curve(curve: Mapping[str, Any], **on: Any) -> Figure:
    """Training error, test error and the best value of a curve."""
    return _curve(curve, names=ERRORS, best="smallest test error: {}", sheet=Sheet(**on))


def plot_search(curve: Mapping[str, Any], **on: Any) -> Figure:
    """Selection score and risk over the candidates tried, and after how many no further gain is shown."""
    points = [
        {"value": point["tried"], "train": point["selection_score"], "test": point["risk"]} for point in curve["points"]
    ]
    steps = {**curve, "parameter": "candidates tried", "points": points, "best": curve["enough"]}
    return _curve(steps, names=SEARCH, best="no further gain is shown after {}", sheet=Sheet(**on))


def _curve(curve: Mapping[str, Any], *, names: Mapping[str, str], best: str, sheet: Sheet) -> Figure:
    """The two lines of a curve over its values, and the one value that is marked."""
    points = curve["points"]
    values = [point["value"] for point in points]
    is_number = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    ticks = [] if is_number else [_dollars(candidate_words({"": value})[1:]) for value in values]
    is_slanted = sum(len(tick) + 2 for tick in ticks) > MOST_LETTERS * sheet.width / USUAL
    height = 3.7 if not sheet.is_narrow else 0.6 * sheet.width + 1.0
    figure, (axis,) = sheet.panels([height + (0.7 if is_slanted else 0)])
    places = values if is_number else range(len(values))
    for key, color, mark in (("train", ORANGE, "s"), ("test", BLUE, "o")):
        errors = [float("nan") if point[key] is None else point[key] for point in points]
        axis.plot(places, errors, marker=mark, markersize=4, color=color, label=names[key])
    if curve["best"] is not None:
        place = curve["best"] if is_number else values.index(curve["best"])
        axis.axvline(place, color=GREEN, linestyle=":", label=_dollars(best.format(plain(curve["best"]))))
    if is_number:
        _number_axis(axis, values)
    else:
        slant: dict[str, Any] = {"rotation": 30 if len(ticks) <= MOST_SLANTED else 90, "ha": "right"}
        axis.set_xticks(list(places), ticks, **(slant if is_slanted else {}))
    name = "training rows" if curve["parameter"] == "train_rows" else plain(curve["parameter"])
    axis.set(xlabel=sheet.wrapped(name, times=2), ylabel=sheet.wrapped(plain(loss_words(curve)), times=1.5))
    sheet.title(axis, plain(curve["learner"]))
    sheet.name_marks(figure, axis)
    return figure


def _number_axis(axis: Axes, values: Sequence[float]) -> None:
    """Values far apart by their logarithm; whole numbers at whole numbers."""
    if min(values) > 0 and max(values) / min(values) > 50:
        axis.set_xscale("log")
    elif all(isinstance(value, int) for value in values):
        _whole_numbers(axis)


def _whole_numbers(axis: Axes) -> None:
    from matplotlib.ticker import MaxNLocator

    axis.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


def _intervals(
    rows: Sequence[tuple[Any, ...]], answer: Mapping[str, Any], *, label: str, sheet: Sheet
) -> tuple[Figure, Axes]:
    names = [plain(row[0]) for row in rows]
    figure, (axis,) = sheet.panels([1.2 + sheet.row(names, least=0.4) * len(rows)])
    for place, (name, value, low, high) in enumerate(rows):
        color = BLUE if name == answer["best"] else GREY
        if low is not None and high is not None:
            axis.plot([low, high], [place, place], color=color, marker="|", linewidth=2)
        axis.plot(value, place, "o", color=color)
    _name_rows(axis, names, sheet)
    axis.set_xlabel(sheet.wrapped(label, times=2))
    return figure, axis


def _name_rows(axis: Axes, names: Sequence[str], sheet: Sheet) -> None:
    axis.set_yticks(range(len(names)), [sheet.wrapped(name) for name in names])
    axis.set_ylim(max(1, len(names)) - 0.5, -0.5)  # the first row at the top
    axis.grid(axis="x", alpha=0.3)


def _dollars(text: str) -> str:
    """Text that is not read as a formula."""
    return text.replace("$", r"\$")
