"""Candidates as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np


def plain_candidate(candidate: Mapping[str, Any]) -> dict[str, Any]:
    """The user's names, numbers and text; other values by their repr.

    >>> plain_candidate({"alpha": np.float64(0.1), "shape": (2, 3)})
    {'alpha': 0.1, 'shape': [2, 3]}
    """
    return {name: _plain_value(value) for name, value in candidate.items()}


def _plain_value(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return [_plain_value(part) for part in value] if isinstance(value, list | tuple) else repr(value)
