"""Typed answers and their one serialisation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


class Value:
    """A frozen dataclass that is an answer; its fields are the fields of the JSON."""

    def to_dict(self) -> dict[str, Any]:
        """The answer in plain values; what cannot be given is None."""
        return {field.name: plain_value(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]


def plain_value(value: Any) -> Any:
    """A value for JSON: numbers that are not finite become None, tuples and arrays lists, answers dictionaries.

    >>> plain_value({"low": float("nan"), "classes": ("a", np.int64(2))})
    {'low': None, 'classes': ['a', 2]}
    """
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Value):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {name: plain_value(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(part) for part in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain_value(getattr(value, field.name)) for field in fields(value)}
    return value
