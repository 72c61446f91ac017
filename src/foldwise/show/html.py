"""The answer as one self-contained page: no network, everything escaped, readable without its one small script."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foldwise.blocks.numbers import (
    MISSING,
    candidate_words,
    loss_words,
    measured,
    number,
    other_notes,
    plain,
    training_rows_words,
)
from foldwise.errors import BadStudy
from foldwise.questions.failures import failure_rows, policy_words
from foldwise.show import sections, study_sections
from foldwise.show.about import about_words, untitled
from foldwise.show.advice import advice
from foldwise.show.agreement import disagreements
from foldwise.show.charts.rows import breakable
from foldwise.show.data_section import data_facts, target_figure
from foldwise.show.importance_section import importance_panels
from foldwise.show.methods_text import methods_paragraph, references
from foldwise.show.prediction_sections import metric_columns, prediction_panels
from foldwise.show.text import (
    by_risk,
    chosen,
    columns_of,
    failures_words,
    interval_words,
    level_words,
    refit_words,
    study_words,
)
from foldwise.show.verdict import verdict, verdict_parts
from foldwise.studies.finding import finding_words

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

MOST_LINKED = 400_000  # characters of JSON that are given as a link too; beyond, the script makes the link
MOST_LISTED = 2000  # outer splits whose choices are listed one by one
TILE_NAME = 10  # letters of a name that fit into a tile of any page
NOTE_KINDS = {"failed": "failed", "unfinished": "unfinished", "warning": "warning", "edge": "warning"}


def render_html(
    answer: Mapping[str, Any],
    *,
    choices: Any = None,
    title: str | None = None,
    details: Mapping[str, Any] | None = None,
    curves: Sequence[Mapping[str, Any]] = (),
) -> str:
    """The whole answer as a page; `choices` replaces the choices found in the answer.

    `details` are what `reports.details` reads from the records; without them the page has no curves, no predictions
    and no methods paragraph. `curves` are further ones (`curve.to_dict()`), such as learning curves.
    """
    rows = _choice_rows(answer) if choices is None else _records(choices)
    more = dict(details or {})
    return environment().get_template("report.html").render(
        **_common(answer),
        **_charts(answer, more),
        **_paragraph(answer, more.get("protocol")),
        title=plain(title) if title else untitled(answer),
        about=about_words(answer, more.get("protocol")),
        made=f"{date.today():%-d %B %Y}",
        hero=_hero(answer),
        verdict_parts=verdict_parts(answer),
        pairs=sections.pair_rows(more.get("differences") or []),
        learning=[sections.learning_curve(curve) for curve in curves],
        choices=sections.chosen_rows(rows[:MOST_LISTED]),
        choices_left=max(0, len(rows) - MOST_LISTED),
        **record_link(answer),
        **assets(),
    )  # fmt: skip


def html_fragment(answer: Mapping[str, Any]) -> str:
    """All that the text says, for a notebook: no script, no style that leaves it, in the colours of any theme."""
    return environment().get_template("fragment.html").render(
        **_common(answer),
        risk_chart=sections.risks(answer),
        failure_words=failures_words(answer),
        refit_words=refit_words(answer),
        choices=[
            (plain(method["name"]), words, " ".join(folds))
            for method in answer.get("methods") or []
            for words, folds in chosen(method)
        ],
        style=asset("fragment.css"),
    )  # fmt: skip


def write_html(path: str | Path, answer: Mapping[str, Any], **more: Any) -> Path:
    """Write the page to a file, making its folder if need be."""
    return write_page(path, render_html(answer, **more))


def write_page(path: str | Path, page: str) -> Path:
    """Write a page that is made to a file; the old one stays until the new one is whole."""
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            path.write_text(page, encoding="utf-8")  # a pipe or a device, which nothing can replace
        else:
            _replace(path.resolve(), page)
    except OSError as error:
        raise BadStudy(f"cannot write the report {path}: {error.strerror}", "Give another path") from None
    return path


def _replace(path: Path, page: str) -> None:
    part = path.with_name(f".foldwise-{os.getpid()}.part")
    try:
        with part.open("w", encoding="utf-8") as file:
            file.write(page)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@cache
def environment(*rooms: str) -> Environment:
    """The templates of this room, and of others that use them; everything in them is escaped."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=ChoiceLoader([PackageLoader(f"foldwise.{room}") for room in (*rooms, "show")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _common(answer: Mapping[str, Any]) -> dict[str, Any]:
    methods = list(answer.get("methods") or [])
    columns = columns_of(methods)
    return {
        "answer": answer,
        "heads": list(columns),
        "rows": [
            (method["name"] == answer.get("best"), [read(method) for read in columns.values()])
            for method in by_risk(answer)
        ],
        "intervals": interval_words(answer).removeprefix("Smallest risk.").strip(),
        "methods": methods,
        "verdict": verdict(answer),
        "training_rows": training_rows_words(answer),
        "study": study_words(answer),
        "failures": failure_rows(answer),
        "policy": policy_words(answer),
        "notes": other_notes(answer),
        "findings": [(found["severity"], plain(finding_words(found))) for found in answer.get("findings") or []],
        "note_kinds": NOTE_KINDS,
        "refit": answer.get("refit") or {},
        "versions": dict(answer.get("versions") or {}),
        "fingerprint": answer.get("fingerprint") or "",
        "number": number,
        "plain": plain,
        "shown": lambda value: MISSING if value is None else plain(value),
        "candidate_words": candidate_words,
    }


def _charts(answer: Mapping[str, Any], details: Mapping[str, Any]) -> dict[str, Any]:
    """The charts and panels of the page; those that have nothing to show are empty."""
    curves, unsettled = details.get("curves") or {}, disagreements(answer, details.get("protocol"))
    return {
        "risk_chart": sections.risks(answer),
        "difference_chart": sections.differences(answer),
        "fold_chart": sections.folds(answer),
        "choice_chart": sections.choices(answer, curves),
        "optimism_chart": sections.optimism(answer),
        "panels": list(sections.validation_panels(answer, curves, unsettled)),
        "unsettled": [(plain(name), words) for name, words in unsettled.items()],
        "predicted": _predicted(answer, details),
        "metrics": metric_columns(answer),
        "importance": importance_panels(answer),
        "losses": study_sections.every_loss(answer),
        "loss_words": study_sections.loss_words(answer),
        "cost_figures": study_sections.cost_figures(answer),
        "predicting_words": study_sections.predicting_words(answer),
        "fold_figure": study_sections.fold_figure(answer),
        "heat_maps": list(study_sections.heat_figures(answer, details.get("heat_maps") or {})),
        "data_facts": data_facts(answer, details.get("table")),
        "target_figure": target_figure(details.get("target"), details.get("table")),
        "hard_rows": study_sections.hard_row_table(answer, details.get("hard_rows")),
        "costs": sections.cost_rows(answer),
        "is_timed": any(method.get("seconds_per_1000") is not None for method in answer.get("methods") or []),
        "decision": sections.decision_rows(answer),
        "advice": advice(answer),
        "level": level_words(answer),
        "margin": number(margin, digits=3)
        if (margin := (answer.get("decision") or {}).get("margin")) is not None
        else "",
    }


def _predicted(answer: Mapping[str, Any], details: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The pictures of predictions by method; the best one has its residuals against columns too."""
    panels = list(prediction_panels(answer, details.get("predictions") or {}))
    columns = study_sections.column_figures(answer, details.get("columns") or [])
    return [panel | ({"figures": panel["figures"] + columns} if panel["is_open"] else {}) for panel in panels]


def _hero(answer: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """The few numbers one looks for first: (label, number, what it is)."""
    methods = {method["name"]: method for method in answer.get("methods") or []}
    best = methods.get(answer.get("best"))
    if best is None or best.get("risk") is None:
        return []
    risk, around = measured(best["risk"], best.get("low"), best.get("high"))
    wide = measured(None, best.get("low_simultaneous"), best.get("high_simultaneous"))[1]
    among = (answer.get("winner") or {}).get("among") or 1
    of = f"; as the best of {among}: {wide}" if among > 1 and wide != MISSING else ""
    interval = "no valid interval" if around == MISSING else f"{level_words(answer)}: {around} alone{of}"
    cards = [
        ("Smallest risk", breakable(plain(best["name"]), longest=TILE_NAME), "the method picked"),
        (f"Risk ({plain(loss_words(answer))})", risk, interval),
    ]
    baseline = methods.get("baseline")
    if baseline and baseline is not best and (baseline.get("risk") or 0) > 0:
        change = f"{100 * (best['risk'] / baseline['risk'] - 1):+.0f}%".replace("-", "−")
        its = measured(baseline["risk"], baseline.get("low"), baseline.get("high"))[0]
        cards.append(("Against the baseline", change, f"its risk is {its}"))
    cards.append(("Fits", number(answer.get("fits")), f"on {number(answer.get('rows'))} rows"))
    return cards


def _paragraph(answer: Mapping[str, Any], protocol: Mapping[str, Any] | None) -> dict[str, Any]:
    if protocol is None:
        return {"protocol": None, "paragraph": "", "references": []}
    return {
        "protocol": protocol,
        "paragraph": methods_paragraph(answer, protocol),
        "references": references(answer, protocol),
    }


def record_link(answer: Mapping[str, Any]) -> dict[str, Any]:
    """The whole answer as JSON in the page, and as a link to save it."""
    text = json.dumps(answer, allow_nan=False)
    is_linked = len(text) <= MOST_LINKED
    link = "data:application/json;base64," + base64.b64encode(text.encode()).decode() if is_linked else ""
    return {"answer_json": script_json(answer), "answer_link": link}


def script_json(value: Any) -> Markup:
    """JSON that may stand in a script element: nothing in it can end the element or begin another."""
    from markupsafe import Markup

    text = json.dumps(value, allow_nan=False)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return Markup(text)


def assets(*more: str) -> dict[str, Any]:
    """Style and script, with the hashes by which the page allows these two and nothing else; `more` style follows."""
    style, script = asset("page.css"), asset("page.js")
    for name in more:
        style += asset(name)
    return {
        "styles": [style],
        "script": script,
        "policy_header": f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'",
    }


@cache
def asset(name: str) -> Markup:
    """A file of the page as it is: its style or its script."""
    from markupsafe import Markup

    return Markup(files("foldwise.show").joinpath("templates", name).read_text(encoding="utf-8"))


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _choice_rows(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {"selection_train_rows": None, "train_rows": None, "method": method["name"], **fold}
        for method in answer.get("methods") or []
        for fold in method.get("folds") or []
    ]


def _records(choices: Any) -> list[dict[str, Any]]:
    """Rows of a data frame, or of any iterable of mappings, with the keys the page shows."""
    rows: Iterable[Mapping[str, Any]] = choices.to_dict("records") if hasattr(choices, "to_dict") else choices
    keys = ("method", "repeat", "fold", "candidate", "selection_score", "selection_train_rows", "loss", "train_rows")
    return [{key: _plain_value(row.get(key)) for key in keys} for row in rows]


def _plain_value(value: Any) -> Any:
    # A data frame says NaN where the answer says null.
    return None if isinstance(value, float) and value != value else value
