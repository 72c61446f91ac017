"""What the page shows besides the answer, read from the records: plain values, and no row of the data unasked."""

from __future__ import annotations

from typing import Any

from foldwise.data.dataset import Dataset
from foldwise.questions.combined import answer_of
from foldwise.questions.contest import pick
from foldwise.questions.pictures.columns import column_residuals
from foldwise.questions.pictures.hard_rows import hard_rows
from foldwise.questions.pictures.heat import heat_maps
from foldwise.questions.pictures.table import read_table, table_facts, target_facts
from foldwise.questions.predicted import predictions
from foldwise.questions.protocol import protocol
from foldwise.questions.validation import validation_curves
from foldwise.studies.reading import Reading


def details(reading: Reading, *, data: Dataset | None = None, rows: bool = False) -> dict[str, Any]:
    """The protocol, and by method the validation curves and what its predictions look like.

    `data`: the table, where it is at hand; no store keeps it. `rows`: show the values of the hardest rows too.
    """
    methods = reading.study.shown
    answers = [answer_of(reading, method) for method in methods]
    best = pick(answers)
    return {
        "protocol": protocol(reading.study),
        "curves": {method.name: validation_curves(reading, method) for method in methods},
        "heat_maps": {method.name: heat_maps(reading, method) for method in methods},
        "predictions": {method.name: predictions(reading, method) for method in methods},
        "columns": column_residuals(best, data) if best is not None and data is not None else [],
        "table": read_table(reading.store) if data is None else table_facts(data),
        "target": target_facts(reading.study),
        "hard_rows": hard_rows(answers, data=data, values=rows),
    }
