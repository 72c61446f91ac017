"""Pictures of the tuning: validation curves, maps of two parameters, and what the folds chose."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from foldwise.blocks.block import Cell, Column, Drawn, Panels, Row, Strip, Table
from foldwise.blocks.figure import Axis, Band, Bars, Cells, Figure, Level, Line, Marks, Points
from foldwise.blocks.numbers import candidate_words, number, plain
from foldwise.questions.answer import Answer
from foldwise.questions.method import MethodAnswer
from foldwise.questions.pictures.heat import heat_maps
from foldwise.questions.predicted import Summary
from foldwise.questions.units import Unit, unit_of
from foldwise.questions.validation import validation_curves

LOG_RATIO = 20  # of the largest over the smallest value, from which an axis is logarithmic
SHADES = 8
MOST_CHOICES = 12


def tuned_methods(answer: Answer) -> list[MethodAnswer]:
    """The methods with a space of their own, the best one first."""
    methods = [method for method in answer.methods if method.method.inner is not None]
    return sorted(methods, key=lambda method: (math.isnan(method.risk), method.risk))


def tuning_panels(answer: Answer) -> Iterator[Panels]:
    """Validation curves and maps of every tuned method."""
    for method in tuned_methods(answer):
        figures = validation_figures(method)
        figures += [heat_figure(summary, method.method.name) for summary in heat_maps(method.reading, method.method)]
        if figures:
            name = method.method.name
            yield Panels(tuple(figures), plain(name), name, is_folded=method is not tuned_methods(answer)[0])


def validation_figures(method: MethodAnswer) -> list[Figure]:
    """One figure for each tuned parameter."""
    curves = validation_curves(method.reading, method.method)
    scored = [curve for curve in curves if sum(point["score"] is not None for point in curve["points"]) > 1]
    return [validation_figure(method, curve) for curve in scored]


def validation_figure(method: MethodAnswer, curve: Summary) -> Figure:
    """The inner CV error by the value of one parameter, the others at their best; who chose it below."""
    unit, points = unit_of(method.study.losses[0]), [point for point in curve["points"] if point["score"] is not None]
    x, ticks, is_log = _places([point["value"] for point in points], is_ordered=curve["is_ordered"])
    score = [unit.shown(point["score"]) or 0.0 for point in points]
    ends = [unit.ends(point["low"], point["high"]) for point in points]
    marks: list[Marks] = []
    if all(ends) and len(points) > 1:
        low, high = zip(*(end for end in ends if end is not None), strict=True)
        marks.append(Band(x, low, high, "quiet", "range over folds"))
    name = curve["parameter"]
    tips = [_point_words(name, point, unit) for point in points]
    if curve["is_ordered"] and len(points) > 2:
        marks.append(Line(x, score, label="inner CV error"))
    marks.append(Points(x, score, tips=tips))
    final = [(a, b) for a, b, point in zip(x, score, points, strict=True) if point["is_final"]]
    if final:
        marks.append(Points([final[0][0]], [final[0][1]], "second", "chosen on all rows", is_hollow=True, sizes=[1.0]))
    marks += _levels(method, unit, score)
    bottom, top = min(score), max(score)
    room = 0.3 * ((top - bottom) or abs(top) or 1.0)
    folds = sum(point["folds"] for point in points)
    words = f"{folds} folds chose: " + ", ".join(
        f"{candidate_words({'': point['value']})[1:]} ({point['folds']})" for point in points if point["folds"]
    )
    words = f"{words}. {curve['edge']}." if curve["edge"] else f"{words}."
    axis = Axis(plain(name), is_log=is_log, ticks=ticks)
    return Figure(
        f"{plain(name)}, {plain(method.method.name)}",
        axis,
        Axis(unit.name, bottom - room, top + room),
        tuple(marks),
        words if len(words) < 200 else f"{folds} folds chose {sum(bool(point['folds']) for point in points)} values.",
    )


def _levels(method: MethodAnswer, unit: Unit, score: list[float]) -> Iterator[Level]:
    """The error on new rows, and the training error, which is told with an arrow where it would flatten the curve."""
    risk, train = unit.shown(method.risk), unit.shown(method.train_risk)
    if risk is not None:
        yield Level(risk, "best", "error on new rows")
    if train is not None:
        yield Level(train, "train", "training error")


def _point_words(name: str, point: Summary, unit: Unit) -> str:
    words = f"{candidate_words({name: point['value']})}: inner CV error {number(unit.shown(point['score']))}"
    return f"{words}, chosen by {point['folds']} folds" if point["folds"] else words


def _places(
    values: list[object], *, is_ordered: bool
) -> tuple[list[float], tuple[tuple[float, str], ...] | None, bool]:
    """Where values stand on an axis, their names where they are words, and whether the axis is logarithmic."""
    if is_ordered:
        numbers = [float(value) for value in values]  # type: ignore[arg-type]
        is_log = min(numbers) > 0 and max(numbers) / min(numbers) > LOG_RATIO
        return numbers, None, is_log
    names = tuple((float(place), candidate_words({"": value})[1:]) for place, value in enumerate(values))
    return [place for place, _ in names], names, False


def heat_figure(summary: Summary, name: str) -> Figure:
    """The inner CV error of two parameters at once: the darker, the better; the best cell has a ring."""
    (across, upwards), (columns, lines) = summary["parameters"], summary["values"]
    scores = [score for _, _, score in summary["cells"]]
    low, usual = min(scores), sorted(scores)[round(0.75 * (len(scores) - 1))]
    spread = (usual - low) or 1.0
    shades = [1 - min(1.0, (score - low) / spread) for score in scores]
    places = [(i, j) for i, j, _ in summary["cells"]]
    across, upwards = plain(across), plain(upwards)
    tips = [f"{across} {columns[i]}, {upwards} {lines[j]}: {number(score)}" for i, j, score in summary["cells"]]
    marked = [place for place, cell in enumerate(places) if list(cell) in (summary["best"], summary["final"])]
    cells = Cells(
        [i for i, _ in places],
        [j for _, j in places],
        shades,
        tips=tips,
        marked=tuple(marked),
        low=f"{number(usual)}{' or more' if max(scores) > usual else ''}",
        high=number(low),
    )
    x = Axis(across, ticks=tuple((float(place), text) for place, text in enumerate(columns)))
    y = Axis(upwards, ticks=tuple((float(place), text) for place, text in enumerate(lines)))
    return Figure(f"{across} and {upwards}, {plain(name)}", x, y, (cells,))


def choice_figure(method: MethodAnswer) -> Figure:
    """How often each setting was chosen by the outer folds, the most frequent first."""
    chosen = [candidate_words(fold.candidate) for fold in method.folds() if fold.candidate]
    counts = Counter(chosen).most_common()
    shown, rest = counts[:MOST_CHOICES], counts[MOST_CHOICES:]
    if rest:
        shown.append((f"{len(rest)} others", sum(count for _, count in rest)))
    places = list(range(len(shown)))
    bars = Bars(
        [0.0] * len(shown),
        [float(count) for _, count in shown],
        [place - 0.32 for place in places],
        [place + 0.32 for place in places],
        tips=[f"{words}: {count} folds" for words, count in shown],
    )
    y = Axis("", ticks=tuple((float(place), words) for place, (words, _) in enumerate(shown)), is_reversed=True)
    title = f"Settings chosen, {plain(method.method.name)}"
    words = f"{len(chosen)} folds chose {len(counts)} different settings."
    return Figure(title, Axis("outer folds", 0.0, is_whole=True), y, (bars,), words, is_wide=True)


def optimism_table(answer: Answer) -> Table | None:
    """From the inner CV error that chose each method's setting to its error on new rows."""
    unit = unit_of(answer.study.losses[0])
    rows = [
        Row(
            (
                Cell(plain(risk.name)),
                Cell(unit.text(risk.selection_score, None), unit.shown(risk.selection_score)),
                Cell(unit.text(risk.risk, None), unit.shown(risk.risk)),
            ),
            Drawn(unit.shown(risk.risk), start=unit.shown(risk.selection_score)),
            method=risk.name,
        )
        for risk in answer.risks
        if risk.selection_score is not None and risk.risk is not None
    ]
    if not rows:
        return None
    columns = (Column("method", is_text=True), Column(f"inner CV {unit.name}"), Column(f"{unit.name} on new rows"))
    return Table(columns, tuple(rows), Strip("○ inner CV, ● new rows"), 1, "What tuning reported, and what is true")
