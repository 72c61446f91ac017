"""What it costs to predict with a method."""

from __future__ import annotations

from typing import Any

from foldwise.questions.method import MethodAnswer
from foldwise.studies.measured import PREDICTING, model_name


def first_model_name(answer: MethodAnswer) -> str | None:
    """The model of the first outer split, whose predictions are timed; None where none was chosen."""
    candidate = answer.reading.outer_candidate(answer.method, 0)
    return None if candidate is None else model_name(answer.study, answer.method, candidate, answer.study.outer[0])


def seconds_per_1000(answer: MethodAnswer, importance: dict[str, Any] | None) -> float | None:
    """Seconds of predicting 1,000 rows: of all outer models where their importance was measured, else of the first."""
    if importance is not None and importance["seconds_per_1000"] is not None:
        return float(importance["seconds_per_1000"])
    kept = PREDICTING.read(answer.reading.store) or {}
    name = first_model_name(answer) if kept else None
    found = None if name is None else kept.get(name)
    return None if found is None or found.rows < 1 else 1000 * found.seconds / found.rows
