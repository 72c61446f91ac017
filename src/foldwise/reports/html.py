"""The answer as one self-contained page: no script, no network, everything escaped."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from foldwise.errors import BadStudy
from foldwise.reports.failures import failure_rows, policy_words
from foldwise.reports.numbers import candidate_words, number
from foldwise.reports.text import DETAIL_COLUMNS, RESULT_COLUMNS, study_words
from foldwise.reports.verdict import verdict

COLUMNS = {**RESULT_COLUMNS, **DETAIL_COLUMNS}


def render_html(answer: Mapping[str, Any], *, choices: Any = None, title: str | None = None) -> str:
    """The whole answer as a page; `choices` replaces the choices found in the answer."""
    rows = _choice_rows(answer) if choices is None else _records(choices)
    return _render("report.html", answer, title=title or "Foldwise report", choices=rows)


def html_fragment(answer: Mapping[str, Any]) -> str:
    """The table and the verdict, for a notebook."""
    return _render("fragment.html", answer)


def write_html(path: str | Path, answer: Mapping[str, Any], *, choices: Any = None, title: str | None = None) -> Path:
    """Write the page to a file, making its folder if need be."""
    path = Path(path)
    page = render_html(answer, choices=choices, title=title)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise BadStudy(f"cannot write the report {path}: {error.strerror}", "Give another path") from None
    return path


def _render(template: str, answer: Mapping[str, Any], **more: Any) -> str:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    page = Environment(
        loader=PackageLoader("foldwise.reports"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    ).get_template(template)
    methods = list(answer.get("methods") or [])
    return page.render(
        heads=list(COLUMNS),
        rows=[
            (method["name"] == answer.get("best"), [read(method) for read in COLUMNS.values()]) for method in methods
        ],
        methods=methods,
        verdict=verdict(answer),
        study=study_words(answer),
        failures=failure_rows(answer),
        policy=policy_words(answer),
        notes=list(answer.get("notes") or []),
        refit=answer.get("refit") or {},
        versions=dict(answer.get("versions") or {}),
        fingerprint=answer.get("fingerprint") or "",
        answer_json=json.dumps(answer, indent=1, allow_nan=False),
        number=number,
        candidate_words=candidate_words,
        **more,
    )


def _choice_rows(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {"method": method["name"], **fold}
        for method in answer.get("methods") or []
        for fold in method.get("folds") or []
    ]


def _records(choices: Any) -> list[dict[str, Any]]:
    """Rows of a data frame, or of any iterable of mappings, with the keys the page shows."""
    rows: Iterable[Mapping[str, Any]] = choices.to_dict("records") if hasattr(choices, "to_dict") else choices
    keys = ("method", "repeat", "fold", "candidate", "selection_score", "loss")
    return [{key: _plain_value(row.get(key)) for key in keys} for row in rows]


def _plain_value(value: Any) -> Any:
    # A data frame says NaN where the answer says null.
    return None if isinstance(value, float) and value != value else value
