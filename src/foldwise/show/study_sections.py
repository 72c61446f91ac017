"""Pictures of the whole study: every loss, cost, folds, pairs of hyperparameters, columns and hard rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from foldwise.blocks.numbers import candidate_words, listed, measured, number, plain
from foldwise.questions.pictures.front import front, wins
from foldwise.show import charts
from foldwise.show.charts import Row
from foldwise.show.figure import Figure
from foldwise.show.sections import QUIET, ranked
from foldwise.show.text import level_words

Found = Mapping[str, Any]
MOST_MAPS = 40  # heat maps of a page


def every_loss(answer: Found) -> list[dict[str, Any]]:
    """The risks under every loss that was asked for, one chart each; none where there is one loss."""
    names = list(answer.get("losses") or [])
    if len(names) < 2:
        return []
    return [{"title": _loss_title(answer, name), "chart": _loss_chart(answer, name)} for name in names]


def _loss_title(answer: Found, name: str) -> str:
    for method in answer.get("methods") or []:
        label = ((method.get("losses") or {}).get(name) or {}).get("label")
        if label:
            return plain(label)
    return f"{plain(name)} loss"


def _loss_chart(answer: Found, name: str) -> Markup:
    rows, best = [], _least(answer, name)
    for at, method in ranked(answer):
        own = (method.get("losses") or {}).get(name) or {}
        value, low, high = own.get("value"), own.get("low"), own.get("high")
        risk, around = measured(value, low, high)
        mark = "quiet" if method["name"] in QUIET else "best" if value is not None and value == best else ""
        words = f"{plain(method['name'])}: {risk} ({around})"
        cells = ((risk, value) if value is not None else risk, around)
        rows.append(Row(plain(method["name"]), value, low, high, cells=cells, mark=mark, key=at, words=words))
    heads = ("method", "risk", f"{level_words(answer)} interval")
    return charts.intervals(rows, heads=heads, caption=_loss_title(answer, name), picture="risk and interval")


def _least(answer: Found, name: str) -> float | None:
    known = [((method.get("losses") or {}).get(name) or {}).get("value") for method in answer.get("methods") or []]
    return min((value for value in known if value is not None), default=None)


def loss_words(answer: Found) -> str:
    """Whether the losses agree on the best method."""
    best: dict[str, list[str]] = {}
    for name in answer.get("losses") or []:
        least = _least(answer, name)
        for method in answer.get("methods") or []:
            own = ((method.get("losses") or {}).get(name) or {}).get("value")
            if own is not None and own == least and method["name"] != "auto":
                best.setdefault(plain(method["name"]), []).append(_loss_title(answer, name))
                break
    if len(best) == 1:
        return f"All losses are smallest for {next(iter(best))}."
    return " ".join(f"{name} has the smallest {listed(losses)}." for name, losses in best.items())


def cost_figures(answer: Found) -> list[Figure]:
    """Risk over the seconds of all fits and, once they were measured, over those of predicting."""
    asked = [method for _, method in ranked(answer) if method["name"] not in QUIET and method.get("risk") is not None]
    fitted = [method for method in asked if method.get("seconds") is not None]
    timed = [
        {**method, "seconds": 1000 * method["seconds_per_1000"]}
        for method in asked
        if method.get("seconds_per_1000") is not None
    ]
    found = [
        _cost(fitted, "Risk against cost", "seconds of fitting and predicting, tuning included", "s"),
        _cost(timed, "Risk against the cost of predicting", "milliseconds of predicting 1,000 rows", "ms"),
    ]
    shown = [figure for figure in found if figure is not None]
    return [figure._replace(is_wide=len(shown) == 1) for figure in shown]


def _cost(methods: Sequence[Found], title: str, axis: str, unit: str) -> Figure | None:
    if len(methods) < 2:
        return None
    best = front(methods)
    words = f"On the front {'is' if len(best) == 1 else 'are'} {listed(best)}: no method is both quicker and better."
    return Figure(title, charts.cost_panel(methods, best, axis=axis, unit=unit, title=title), words)


def predicting_words(answer: Found) -> str:
    """Where the seconds of predicting are, or how they are had."""
    asked = [method for method in answer.get("methods") or [] if method["name"] != "auto"]
    if any(method.get("seconds_per_1000") is None for method in asked if method.get("risk") is not None):
        return "Those of predicting alone are measured by result.predicting(), with one more fit of each method."
    return "Those of predicting 1,000 rows are of an outer model and as many rows at once as its split holds out."


def fold_figure(answer: Found) -> Figure | None:
    """Who wins where: the outer folds as lines through all methods."""
    methods = [
        method
        for _, method in ranked(answer)
        if method["name"] not in QUIET and method.get("folds") and _is_whole(method["folds"])
    ]
    counts = {len(method["folds"]) for method in methods}
    if len(methods) < 2 or len(counts) > 1 or max(counts) < 2:
        return None
    found, folds = wins(methods), len(methods[0]["folds"])
    told = [f"{plain(name)} {number(count, digits=3)}" for name, count in found.items() if count]
    shared = ", those of equal losses in parts" if any(count % 1 for count in found.values()) else ""
    words = (
        f"Outer splits won, of {folds}{shared}: {listed(told)}. Lines that run in parallel agree on the order of the "
    )
    words += "methods; where all lie to the right, the fold is hard for every method."
    picture = charts.fold_lines(methods, found, title="Outer folds through all methods")
    return Figure("Who wins where", picture, words, is_wide=True)


def _is_whole(folds: Sequence[Found]) -> bool:
    return all(fold.get("loss") is not None for fold in folds)


def heat_figures(answer: Found, maps: Found) -> Iterator[dict[str, Any]]:
    """By method the heat maps of every two of its parameters, the first one open."""
    left = MOST_MAPS
    for at, method in ranked(answer):
        found = (maps.get(method["name"]) or [])[:left]
        left -= len(found)
        if found:
            figures = [_heat(plain(method["name"]), one)._replace(is_wide=len(found) == 1) for one in found]
            yield {"key": at, "title": plain(method["name"]), "figures": figures}


def _heat(name: str, found: Found) -> Figure:
    (one, other), (i, j) = found["parameters"], found["best"]
    best = candidate_words({one: found["values"][0][i], other: found["values"][1][j]})
    is_chosen = found["final"] is None or found["final"] == found["best"]
    words = f"Best around {best} (ring)."
    words += "" if is_chosen else " The dashed ring is what was chosen on all rows."
    title = f"{plain(other)} against {plain(one)}"
    return Figure(title, charts.heat_panel(found, title=f"{name}: {title}"), words)


def column_figures(answer: Found, columns: Sequence[Found]) -> list[Figure]:
    """Residuals of the best method against the columns on which they still depend most."""
    name = plain(answer.get("best"))
    return [
        Figure(
            f"Residuals against {plain(found['column'])}",
            charts.column_panel(found, title=f"{name}: residuals against {plain(found['column'])}"),
            _column_words(found),
        )
        for found in columns
    ]


def _column_words(found: Found) -> str:
    share = 100 * found["explained"]
    worst = max(found["bins"], key=lambda part: abs(part["mean"]))
    if share < 0.5:
        return "What was left does not depend on this column by more than chance."
    return (
        f"One of the columns on which residuals still depend most: it explains {share:.0f}% of them; at "
        f"{plain(worst['name'])} their mean is {number(worst['mean'], digits=3)}, which the method has not learnt."
    )


def hard_row_table(answer: Found, found: Found | None) -> dict[str, Any] | None:
    """The rows that every method finds hard, as a table."""
    if not found:
        return None
    methods = [plain(name) for name in found["methods"]]
    has_values = "truth" in found["rows"][0]
    heads = ["row", *(["true"] if has_values else []), *map(plain, found["columns"]), *methods]
    labels = found["labels"] or [str(row["row"]) for row in found["rows"]]
    rows = []
    for label, row in zip(labels, found["rows"], strict=True):
        own = [_shown(row["truth"]), *map(plain, row["values"])] if has_values else []
        losses = [number(row["losses"][name], digits=3) for name in found["methods"]]
        rows.append([plain(label), *own, *losses])
    first = 1 + (len(heads) - 1 - len(methods))
    return {"heads": heads, "rows": rows, "first": first, "words": _hard_words(found)}


def _hard_words(found: Found) -> str:
    if found["wrong"] is not None:
        share = 100 * found["wrong"] / max(1, found["judged"])
        rows = "1 row" if found["wrong"] == 1 else f"{number(found['wrong'])} rows"
        are = "is" if found["wrong"] == 1 else "are"
        most = "" if found["wrong"] == 1 else "; those most surely wrong"
        return f"{rows} ({share:.1f}%) {are} wrong under every method{most}:"
    share = 100 * found["share"]
    return (
        f"Rows whose loss is large even under the method that suits them best; the {len(found['rows'])} here have "
        f"{share:.0f}% of that loss, of {number(found['judged'])} rows."
    )


def _shown(value: Any) -> str:
    return number(value) if isinstance(value, float) else plain(value)
