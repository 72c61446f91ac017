"""The sections of the page: rows and texts for each chart, made from the answer and its details."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from foldwise.blocks.numbers import MISSING, candidate_words, chance, measured, number, plain, span
from foldwise.show import charts
from foldwise.show.advice import contestants, in_percent
from foldwise.show.charts import Row
from foldwise.show.text import DETAIL_COLUMNS, RESULT_COLUMNS, as_risk, by_risk, level_words, share
from foldwise.show.verdict import rows_words

Method = Mapping[str, Any]
QUIET = ("baseline", "auto")
MOST_DOTS = 400  # single folds of a method that are drawn; leave-one-out has thousands


def risks(answer: Mapping[str, Any]) -> Markup:
    """The risk of every method with its interval, training risk and gap."""
    rows = [
        _row(
            answer,
            at,
            method,
            low=method.get("low"),
            high=method.get("high"),
            value=method.get("risk"),
            wide=_wide(answer, method),
            cells=(
                _sorted(method.get("risk"), text=RESULT_COLUMNS["risk"](method)),
                _both_intervals(answer, method),
                _sorted(method.get("train_risk"), text=DETAIL_COLUMNS["training risk"](method)),
                _sorted(method.get("gap"), text=DETAIL_COLUMNS["gap"](method)),
            ),
            words=_risk_words(method),
        )
        for at, method in ranked(answer)
    ]
    heads = ("method", "risk", f"{level_words(answer)} interval", "training risk", "gap")
    return charts.intervals(rows, heads=heads, caption="Risk of each method", picture="risk and interval")


def differences(answer: Mapping[str, Any]) -> Markup:
    """Each method less the best, on the same test rows."""
    rows = [
        _row(
            answer,
            at,
            method,
            value=method["difference"],
            low=method.get("difference_low"),
            high=method.get("difference_high"),
            cells=(
                _sorted(method["difference"], text=_apart(method)[0]),
                _apart(method)[1],
                _sorted(method.get("p"), text=chance(method.get("p"))),
                _sorted(method.get("p_holm"), text=chance(method.get("p_holm"))),
            ),
            words=f"{plain(method['name'])}: {_apart(method)[0]} more than {plain(answer.get('best'))}",
        )
        for at, method in ranked(answer)
        if method.get("difference") is not None and method["name"] != answer.get("best")
    ]
    if not rows:
        return Markup("")
    heads = ("method", "difference", "interval", "p", "p, Holm")
    caption = f"Risk minus that of {plain(answer.get('best'))}, on the same test rows"
    return charts.intervals(rows, heads=heads, caption=caption, picture="worse →", zero=True, line=0.0)


def pair_rows(pairs: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """All pairs of methods as a plain table."""
    return [
        (
            f"{plain(pair['names'][0])} minus {plain(pair['names'][1])}",
            *measured(pair["value"], pair["low"], pair["high"]),
            chance(pair["p"]),
            plain(pair["interval"] or MISSING),
        )
        for pair in pairs
    ]


def folds(answer: Mapping[str, Any]) -> Markup:
    """The outer losses of every method, one dot per outer split."""
    rows = []
    for at, method in ranked(answer):
        known = [fold for fold in method.get("folds") or [] if fold.get("loss") is not None]
        if not known:
            continue
        losses = [fold["loss"] for fold in known]
        shown = known if len(known) <= MOST_DOTS else known[:: -(-len(known) // MOST_DOTS)]
        points = tuple((fold["loss"], f"{_fold_words(fold, method)}: {number(fold['loss'])}") for fold in shown)
        cells = (_sorted(min(losses)), _sorted(max(losses)))
        mean, ends = number(method.get("risk")), span(min(losses), max(losses))
        words = f"{plain(method['name'])}: mean {mean}, outer losses {ends}"
        rows.append(_row(answer, at, method, value=method.get("risk"), points=points, cells=cells, words=words))
    heads, caption = ("method", "smallest", "largest"), "Mean loss on the test rows of each outer split"
    return charts.dots(rows, heads=heads, caption=caption, picture="outer losses")


def choices(answer: Mapping[str, Any], curves: Mapping[str, Any]) -> Markup:
    """How often each value of each parameter was chosen."""
    rows = []
    for at, method in ranked(answer):
        for curve in curves.get(method["name"]) or []:
            taken = sum(point["folds"] for point in curve["points"])
            if not taken:
                continue
            name = f"{plain(method['name'])}: {plain(curve['parameter'])}"
            points = tuple((point["folds"], _chosen_words(curve, point)) for point in curve["points"])
            top = max(curve["points"], key=lambda point: point["folds"])
            final = next((point for point in curve["points"] if point["is_final"]), None)
            cells = (
                candidate_words({"": top["value"]})[1:],
                (share(top["folds"] / taken), top["folds"] / taken),
                MISSING if final is None else candidate_words({"": final["value"]})[1:],
            )
            places = tuple(candidate_words({"": point["value"]})[1:] for point in curve["points"])
            words = _choice_words(name, points)
            rows.append(Row(name, cells=cells, points=points, places=places, key=at, words=words))
    if not rows:
        return Markup("")
    heads = ("method: parameter", "commonest", "in", "on all rows")
    return charts.counts(rows, heads=heads, caption="Values chosen by the outer splits", picture="values tried →")


def optimism(answer: Mapping[str, Any]) -> Markup:
    """From the selection score (hollow) to the risk (full)."""
    rows = []
    for at, method in ranked(answer):
        if method.get("selection_score") is None or method["name"] == "auto":
            continue
        corrected = method.get("selection_corrected") or {}
        rows.append(
            _row(
                answer,
                at,
                method,
                value=method.get("risk"),
                low=method["selection_score"],
                cells=(
                    _sorted(method["selection_score"], text=RESULT_COLUMNS["selection score"](method)),
                    _sorted(method.get("selection_train_rows")),
                    _sorted(method.get("risk"), text=RESULT_COLUMNS["risk"](method)),
                    _sorted(answer.get("train_rows")),
                    _sorted(method.get("optimism"), text=RESULT_COLUMNS["optimism"](method)),
                    *(
                        _sorted(corrected.get(name), text=as_risk(method, corrected.get(name)))
                        for name in ("bbc", "tibshirani")
                    ),
                ),
                words=f"{plain(method['name'])}: selection score {number(method['selection_score'])} "
                f"({number(method.get('selection_train_rows'))} training rows), risk {number(method.get('risk'))} "
                f"({number(answer.get('train_rows'))} training rows)",
            )
        )
    if not rows:
        return Markup("")
    heads = ("method", "selection score", "at rows", "risk", "at rows", "optimism", "BBC", "TT")
    return charts.dumbbells(rows, heads=heads, caption="Selection score against risk", picture="○ score ● risk")


def validation_panels(
    answer: Mapping[str, Any], curves: Mapping[str, Any], unsettled: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """One panel per tuned parameter, with its warning; the first of a method says where splits disagree."""
    for at, method in ranked(answer):
        is_told = method["name"] not in unsettled
        for curve in curves.get(method["name"]) or []:
            title = f"{plain(method['name'])}: {plain(curve['parameter'])}"
            levels = {"train_risk": method.get("train_risk"), "risk": method.get("risk")}
            picture = charts.curve_panel(curve, title=title, **levels)
            if picture:
                yield {
                    "key": at,
                    "title": title,
                    "picture": picture,
                    "edge": curve.get("edge"),
                    "agreement": None if is_told else share(method["agreement"]),
                    "others": curve["others"],
                    "gap": method.get("gap"),
                }
                is_told = True


def learning_curve(curve: Mapping[str, Any]) -> dict[str, Any]:
    """A curve of its own, with what it says of more rows."""
    name = plain(curve["learner"])
    return {
        "title": f"{name}: {plain(curve['parameter']).replace('train_rows', 'training rows')}",
        "picture": charts.learning_panel(curve, title=name),
        "words": rows_words(curve),
    }


def chosen_rows(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """The candidates chosen, fold by fold."""
    return [
        (
            plain(row["method"]),
            plain(row["repeat"]),
            plain(row["fold"]),
            candidate_words(row["candidate"]),
            number(row["selection_score"]),
            number(row["selection_train_rows"]),
            number(row["loss"]),
            number(row["train_rows"]),
        )
        for row in rows
    ]


def decision_rows(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Of each contestant: how probable it is the best, and what it costs to take it."""
    rivals, places = contestants(answer), {method["name"]: at for at, method in ranked(answer)}
    if len(rivals) < 2:
        return []
    smallest = rivals[0]["risk"]
    return [
        {
            "key": places[method["name"]],
            "name": plain(method["name"]),
            "p_best": share(method["p_best"]),
            "share": round(100 * method["p_best"], 1),
            "regret": number(method["expected_regret"], digits=3),
            "percent": in_percent(method["expected_regret"], smallest) or MISSING,
            "most": number(method["regret_high"], digits=3),
            "within": share(method.get("p_within_margin")),
        }
        for method in rivals
    ]


def cost_rows(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Candidates, fits, failures and seconds by method; the seconds also as a share of the most."""
    most = max((method.get("seconds") or 0 for _, method in ranked(answer) if method["name"] != "auto"), default=0)
    return [
        {
            "key": at,
            "name": plain(method["name"]),
            "candidates": number(method.get("candidates")),
            "fits": number(method.get("fits")),
            "failed": number(method.get("failed")),
            "seconds": number(method.get("seconds"), digits=3),
            "predicting": number(method.get("seconds_per_1000"), digits=2),
            "share": round(100 * (method.get("seconds") or 0) / most, 1) if most else 0,
        }
        for at, method in ranked(answer)
        if method["name"] != "auto"
    ]


def ranked(answer: Mapping[str, Any]) -> list[tuple[int, Method]]:
    """The methods by their risk, each with its place in the answer, by which it is shown and hidden."""
    places = {id(method): at for at, method in enumerate(answer.get("methods") or [])}
    return [(places[id(method)], method) for method in by_risk(answer)]


def _row(answer: Mapping[str, Any], at: int, method: Method, **more: Any) -> Row:
    mark = "best" if method["name"] == answer.get("best") else "quiet" if method["name"] in QUIET else ""
    return Row(plain(method["name"]), mark=mark, key=at, **more)


def _sorted(value: float | None, *, digits: int = 4, text: str = "") -> Any:
    """A cell with the number it is sorted by."""
    return MISSING if value is None else (text or number(value, digits=digits), value)


def _risk_words(method: Method) -> str:
    if method.get("risk") is None:
        return f"{plain(method['name'])}: no risk"
    risk, around = measured(method["risk"], method.get("low"), method.get("high"))
    interval = "no interval" if around == MISSING else f"{around}, {plain(method.get('interval'))}"
    return f"{plain(method['name'])}: risk {risk} ({interval})"


def _wide(answer: Mapping[str, Any], method: Method) -> tuple[float, float] | None:
    """The interval that the best method has as the best of several."""
    ends = method.get("low_simultaneous"), method.get("high_simultaneous")
    is_one_of = ((answer.get("winner") or {}).get("among") or 1) > 1
    return (ends[0], ends[1]) if is_one_of and ends[0] is not None and ends[1] is not None else None


def _both_intervals(answer: Mapping[str, Any], method: Method) -> Any:
    """The interval of a method alone and, below it, the one it has as the best of several."""
    around, wide = measured(None, method.get("low"), method.get("high"))[1], _wide(answer, method)
    if wide is None:
        return around
    words = f"{measured(None, *wide)[1]} as the best of {answer['winner']['among']}"
    return charts.tag("span", around, charts.tag("small", words, class_="beside"))


def _apart(method: Method) -> tuple[str, str]:
    return measured(method.get("difference"), method.get("difference_low"), method.get("difference_high"))


def _fold_words(fold: Mapping[str, Any], method: Method) -> str:
    is_repeated = any(one.get("repeat") for one in method.get("folds") or [])
    name = f"repeat {fold['repeat']}, fold {fold['fold']}" if is_repeated else f"fold {fold['fold']}"
    chosen = f" ({candidate_words(fold['candidate'])})" if fold.get("candidate") else ""
    whose = ", the baseline's" if fold.get("own") is False else ""
    return f"{name}{chosen}{whose}"


def _chosen_words(curve: Mapping[str, Any], point: Mapping[str, Any]) -> str:
    return f"{candidate_words({curve['parameter']: point['value']})}: {point['folds']} outer splits"


def _choice_words(name: str, points: Sequence[tuple[float, str]]) -> str:
    return f"{name}: " + "; ".join(words for count, words in points if count)
