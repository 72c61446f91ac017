"""The report: a verdict and a chart, one table, then metrics, differences, predictions, data, tuning and method."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from foldwise.blocks.block import (
    Block,
    Cell,
    Chapter,
    Column,
    Document,
    Drawn,
    Facts,
    Panels,
    Row,
    Sentence,
    Strip,
    Table,
)
from foldwise.blocks.figure import Axis, Figure, Line, Points
from foldwise.blocks.numbers import MISSING, listed, measured, number, plain, rounded
from foldwise.data.dataset import Dataset
from foldwise.questions.answer import Answer, MethodValue
from foldwise.questions.auto import AUTO
from foldwise.questions.contest import BASELINE
from foldwise.questions.data_blocks import data_blocks
from foldwise.questions.fine_print import MEANINGS, details
from foldwise.questions.methods_paragraph import cited, methods_paragraph
from foldwise.questions.overview import Overview
from foldwise.questions.pictures.front import front
from foldwise.questions.pictures.hard_rows import hard_rows
from foldwise.questions.predicted import Summary
from foldwise.questions.prediction_figures import prediction_panels
from foldwise.questions.tuning_figures import choice_figure, optimism_table, tuned_methods, tuning_panels
from foldwise.questions.units import fixed, places_for, ratio_of

MOST_COLUMNS = 15  # of an importance chart
TASKS = {"regression": "Regression", "binary": "Two classes", "multiclass": "Several classes"}
METRICS = {
    "rmse": ("RMSE", False),
    "mae": ("MAE", False),
    "mape": ("MAPE", False),
    "median_absolute_error": ("median error", False),
    "r2": ("R²", True),
    "accuracy": ("accuracy", True),
    "balanced_accuracy": ("balanced accuracy", True),
    "auc": ("AUC", True),
    "average_precision": ("average precision", True),
    "log_loss": ("log loss", False),
    "brier": ("Brier score", False),
    "mcc": ("MCC", True),
}
BY_CLASS = ("precision", "recall", "f1")
EXPLAINED = {
    "corrected t": "It widens the usual t interval, since folds share training rows (Nadeau and Bengio, 2003)",
    "Clopper-Pearson": "It is the exact interval of a share of independent rows",
    "t": "It takes the rows of the test set as independent",
}


def report(
    answer: Answer,
    *,
    title: str | None = None,
    data: Dataset | None = None,
    curves: Sequence[Figure] = (),
    rows: bool = False,
) -> Document:
    """The whole page as blocks; `rows` shows the values of the hardest rows too, else no row of the data is in it."""
    overview = Overview(answer)
    chapters = (
        Chapter("Metrics", tuple(_metrics(answer)), "metrics"),
        Chapter("Differences to the best", tuple(_differences(answer, overview)), "differences"),
        Chapter("Predictions", (*prediction_panels(answer, data), *_hard_rows(answer, data, rows)), "predictions"),
        Chapter("Data and checks", (*data_blocks(answer, data), *_importance(answer)), "data"),
        Chapter("Tuning", tuple(_tuning(answer, curves)), "tuning", is_folded=True),
        Chapter("All numbers and notes", details(answer), "details", is_folded=True),
        Chapter("How this was tested", tuple(_method(answer)), "how", is_folded=True),
    )
    return Document(
        title=title or _untitled(answer),
        about=_about(answer),
        lead=overview.lead(),
        table=(*overview.table(), *_explained(answer)),
        chapters=tuple(chapter for chapter in chapters if chapter.blocks),
    )


def _untitled(answer: Answer) -> str:
    """A title for data without a name: what was compared, on how many rows."""
    names = [plain(method.method.name) for method in answer.methods if method.method.name != BASELINE]
    what = names[0] if len(names) == 1 else f"{len(names)} methods compared"
    return f"{what} on {answer.study.rows:,} rows"


def _about(answer: Answer) -> str:
    study = answer.study
    inner = next((method.inner.scheme for method in study.methods if method.inner is not None), None)
    words = f"{TASKS[study.task]}, {study.rows:,} rows. Errors are measured on rows held out ({study.outer.scheme})"
    return plain(words + (f"; each training part is tuned by itself ({inner})." if inner else "."))


def _explained(answer: Answer) -> Iterator[Block]:
    """What the intervals of the table are, in one sentence."""
    names = list(dict.fromkeys(risk.interval for risk in answer.risks if risk.interval))
    for name in names[:1]:
        words = f"Intervals: {100 * answer.study.level:g}% {plain(name)}."
        words += f" {EXPLAINED[name]}." if name in EXPLAINED else ""
        if answer.winner is not None and answer.winner.among > 1 and answer.winner.low_simultaneous is not None:
            words += (
                f" That of {plain(answer.winner.name)} is a little wider, as it was picked from {answer.winner.among}."
            )
        yield Sentence(words, "note")


def _metrics(answer: Answer) -> Iterator[Block]:
    """The usual metrics of the same predictions; the best of each column is bold."""
    order = [risk.name for risk in Overview(answer).sorted_risks()]
    methods = sorted(answer.rows, key=lambda row: order.index(row.name))
    heads = [name for name in METRICS if any(row.metrics.get(name) is not None for row in methods)]
    classes = list(methods[0].class_metrics or {}) if methods else []
    if not heads:
        return
    positive = classes[1] if len(classes) == 2 else None
    columns = [Column("method", is_text=True)]
    cells = [[Cell(plain(row.name))] for row in methods]
    for name in heads:
        head, is_high = METRICS[name]
        columns.append(Column(head))
        values = [row.metrics.get(name) for row in methods]
        for line, cell in zip(cells, _metric_cells(methods, name, values, is_high), strict=True):
            line.append(cell)
    for name in BY_CLASS if classes else ():
        values = [_of_class(row, name, positive) for row in methods]
        columns.append(Column(name))
        for line, value in zip(cells, values, strict=True):
            line.append(Cell(MISSING if value is None else f"{value:.3f}", value))
    rows = tuple(Row(tuple(line), method=row.name) for line, row in zip(cells, methods, strict=True))
    about = "the mean over classes" if positive is None else f"those of class {plain(positive)}"
    by_class = f" Precision, recall and F1 are {about}." if classes else ""
    yield Sentence(
        f"Of the same out-of-fold predictions, without a new fit. The best of each column is bold.{by_class}"
    )
    yield Table(tuple(columns), rows, title="Usual metrics by method")


def _of_class(row: MethodValue, name: str, positive: str | None) -> float | None:
    if positive is None:
        return row.metrics.get(f"{name}_macro")
    return (row.class_metrics or {}).get(positive, {}).get(name)


def _metric_cells(
    methods: Sequence[MethodValue], name: str, values: Sequence[float | None], is_high: bool
) -> Iterator[Cell]:
    known = [value for value in values if value is not None]
    best = max(known) if is_high else min(known)
    for row, value in zip(methods, values, strict=True):
        ends = row.metric_intervals.get(name)
        is_constant = row.name == BASELINE and name in ("balanced_accuracy", "auc")
        low, high = (None, None) if ends is None or is_constant else (ends.low, ends.high)
        text, around = measured(value, low, high)
        text = rounded(value, 3) if around == MISSING and value is not None and abs(value) < 10 else text
        beside = "" if around == MISSING else around.replace(" to ", "–") if "-" not in around else around
        yield Cell(text, value, beside, is_strong=value is not None and value == best)


def _differences(answer: Answer, overview: Overview) -> Iterator[Block]:
    table = differences_table(answer, overview)
    if table is not None:
        yield Sentence("On the same held-out rows; each interval holds for its own comparison.")
        yield table


def differences_table(answer: Answer, overview: Overview) -> Table | None:
    """Every method beside the best one, by the ratio of their errors where that says something."""
    best = answer.best
    if best is None or not answer.differences:
        return None
    ratios = {
        method.method.name: ratio
        for method in answer.every
        if method.method.name in answer.differences and (ratio := ratio_of(method, best)) is not None
    }
    is_ratio = bool(ratios)
    rows = []
    for risk in overview.sorted_risks():
        difference = answer.differences.get(risk.name)
        if difference is None:
            continue
        ratio = ratios.get(risk.name)
        value, low, high = (
            (ratio.value, ratio.low, ratio.high)
            if ratio is not None
            else (difference.value, difference.low, difference.high)
        )
        ends = None if low is None or high is None else (low, high)
        places = 2 if is_ratio else places_for([ends])
        around = MISSING if ends is None else " to ".join(fixed(end, places) for end in ends)
        cells = (Cell(plain(risk.name)), Cell(fixed(value, places), value), Cell(around), Cell(_p_text(difference.p)))
        words = f"{plain(risk.name)}: {fixed(value, places)}, {around}"
        mark = "quiet" if risk.name in (AUTO, BASELINE) else ""
        rows.append(Row(cells, Drawn(value, low, high, words=words), mark, method=risk.name))  # type: ignore[arg-type]
    name = plain(best.method.name)
    head = f"times the {overview.unit.name} of {name}" if is_ratio else f"risk less that of {name}"
    columns = (Column("method", is_text=True), Column(head), Column(f"{overview.level} CI"), Column("p"))
    others = [row.drawn for row in rows if row.drawn is not None and row.mark != "quiet" and row.drawn.high is not None]
    most = max((drawn.high or 0.0 for drawn in others), default=None)
    strip = Strip("worse →", line=1.0 if is_ratio else 0.0, most=most)
    return Table(columns, tuple(rows), strip, 1, "Differences to the best method")


def _p_text(p: float | None) -> str:
    return MISSING if p is None else "<0.001" if p < 0.001 else f"{p:.2g}"


def _hard_rows(answer: Answer, data: Dataset | None, has_values: bool) -> Iterator[Block]:
    """Rows that every method finds hard."""
    hard = hard_rows(answer.methods, data=data, values=has_values)
    if not hard:
        return
    heads = ["row", *(["true"] if has_values else []), *hard["columns"], *hard["methods"]]
    labels = hard["labels"] or [str(row["row"]) for row in hard["rows"]]
    rows = []
    for label, row in zip(labels, hard["rows"], strict=True):
        values = [row["truth"], *row["values"]] if has_values else []
        texts = [number(value) if isinstance(value, float) else plain(value) for value in values]
        losses = [Cell(number(row["losses"][name], digits=3), row["losses"][name]) for name in hard["methods"]]
        rows.append(Row((Cell(plain(label)), *map(Cell, texts), *losses)))
    words = (
        f"{hard['wrong']:,} of {hard['judged']:,} rows are wrong under every method."
        if hard["wrong"] is not None
        else f"The {len(rows)} rows here have {100 * hard['share']:.0f}% of the loss that no method avoids."
    )
    where = " Their predictions are in result.predictions()."
    columns = tuple(Column(plain(head), is_text=place == 0) for place, head in enumerate(heads))
    table = Table(columns, tuple(rows), title="Loss of the hardest rows by method")
    yield Chapter("Rows that are hard for every method", (Sentence(words + where), table), is_folded=True)


def _importance(answer: Answer) -> Iterator[Block]:
    """Permutation importance, where it was measured."""
    for row in answer.rows:
        if row.importance and row.importance["columns"]:
            yield Chapter(f"Which columns {plain(row.name)} needs", importance_blocks(row.name, row.importance))


def importance_blocks(name: str, importance: Summary) -> tuple[Sentence, Table]:
    """How much larger the loss is with a column shuffled, the largest increase first."""
    rows = []
    for column in importance["columns"][:MOST_COLUMNS]:
        text, around = measured(column["increase"], column["low"], column["high"])
        points = tuple((value, f"fold {fold}: {number(value)}") for fold, value in enumerate(column["folds"]))
        drawn = Drawn(column["increase"], points=points[:400], words=f"{plain(column['name'])}: {text}")
        rows.append(Row((Cell(plain(column["name"])), Cell(text, column["increase"]), Cell(around)), drawn))
    heads = (Column("column", is_text=True), Column("mean increase"), Column("over the folds"))
    words = (
        f"How much larger the {importance['loss']} loss of {plain(name)} is with one column shuffled among the "
        f"held-out rows, the mean of {importance['shuffles']} shuffles, with a dot for every fold. Columns that say "
        "the same share their importance."
    )
    return Sentence(words), Table(heads, tuple(rows), Strip("worse →", line=0.0), 1, f"Importance for {plain(name)}")


def _tuning(answer: Answer, curves: Sequence[Figure]) -> Iterator[Block]:
    methods = tuned_methods(answer)
    if methods:
        yield Panels(tuple(choice_figure(method) for method in methods), "Settings chosen by the outer folds")
        table = optimism_table(answer)
        if table is not None:
            yield Sentence("The inner CV error chose the setting, so it is optimistic; never report it.")
            yield table
        yield from tuning_panels(answer)
    if curves:
        yield Panels(tuple(curves), "Learning curves")
    if (figure := cost_figure(answer)) is not None:
        yield Panels((figure,), "Error and cost")


def cost_figure(answer: Answer) -> Figure | None:
    """Error over the seconds of fitting, with the front that no method beats in both."""
    unit = Overview(answer).unit
    risks = [risk for risk in answer.risks if risk.name not in (AUTO, BASELINE) and risk.risk is not None]
    if len(risks) < 2:
        return None
    best = front([vars(risk) for risk in risks])
    x, y = [max(risk.seconds, 1e-3) for risk in risks], [unit.shown(risk.risk) or 0.0 for risk in risks]
    steps = sorted((a, b) for risk, a, b in zip(risks, x, y, strict=True) if risk.name in best)
    is_log = max(x) / min(x) > 20
    line = Line([a for a, _ in steps], [b for _, b in steps], "best", "no method beats these in both")
    points = Points(x, y, names=[plain(risk.name) for risk in risks])
    axes = Axis("seconds of all fits, tuning included", is_log=is_log), Axis(unit.name)
    words = f"On the front: {listed(best)}."
    return Figure("Error and cost", *axes, (line, points), words, is_wide=True)


def _method(answer: Answer) -> Iterator[Block]:
    paragraph = methods_paragraph(answer)
    yield Sentence("A paragraph to paste into a paper:")
    yield Sentence(paragraph.text, "say")
    yield Facts(tuple((f"[{place}]", text) for place, text in enumerate(cited(paragraph), 1)), "References")
    versions = ", ".join(f"{plain(name)} {plain(version)}" for name, version in answer.versions.items())
    yield Facts((*MEANINGS, ("versions", versions), ("fingerprint of the data", answer.study.fingerprint)))
