"""The checks that `compare` makes before its fits, without those that need fits of their own."""

from __future__ import annotations

from typing import Any

from foldwise.api.request import request
from foldwise.guards.checking import find
from foldwise.guards.findings import Findings


def quick(learners: Any, X: Any, y: Any, **options: Any) -> Findings:
    asked = request(learners, X, y, **options)
    return find(asked.study(), asked.guards)
