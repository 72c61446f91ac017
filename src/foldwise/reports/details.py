"""What the page shows beside the answer, read from the records: plain values, no row of the data by itself."""

from __future__ import annotations

from typing import Any

from foldwise.outlines.reading import Reading
from foldwise.reports.predicted import predictions
from foldwise.reports.protocol import protocol
from foldwise.reports.validation import validation_curves


def details(reading: Reading) -> dict[str, Any]:
    """The protocol, and by method the validation curves and what its predictions look like."""
    methods = reading.outline.shown
    return {
        "protocol": protocol(reading.outline),
        "curves": {method.name: validation_curves(reading, method) for method in methods},
        "predictions": {method.name: predictions(reading, method) for method in methods},
    }
