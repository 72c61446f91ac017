"""What the page shows besides the answer, read from the records: plain values, never a single row of the data."""

from __future__ import annotations

from typing import Any

from foldwise.answers.predicted import predictions
from foldwise.answers.protocol import protocol
from foldwise.answers.validation import validation_curves
from foldwise.studies.reading import Reading


def details(reading: Reading) -> dict[str, Any]:
    """The protocol, and by method the validation curves and what its predictions look like."""
    methods = reading.study.shown
    return {
        "protocol": protocol(reading.study),
        "curves": {method.name: validation_curves(reading, method) for method in methods},
        "predictions": {method.name: predictions(reading, method) for method in methods},
    }
