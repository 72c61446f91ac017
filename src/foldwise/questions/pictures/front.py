"""Which methods no other beats in both risk and cost, and which win on which outer splits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

CLOSE = 1e-12  # relative: losses this close share a win


def front(methods: Sequence[Mapping[str, Any]]) -> list[str]:
    """Methods to which none is both as good and as quick, and better in one of both; the quickest first.

    >>> front([{"name": "a", "risk": 1.0, "seconds": 9}, {"name": "b", "risk": 2.0, "seconds": 1},
    ...        {"name": "c", "risk": 2.5, "seconds": 5}])
    ['b', 'a']
    """
    known = [method for method in methods if method.get("risk") is not None and method.get("seconds") is not None]
    found: list[str] = []
    least = float("inf")
    for method in sorted(known, key=lambda one: (one["seconds"], one["risk"])):
        if method["risk"] < least:
            found.append(str(method["name"]))
            least = method["risk"]
    return found


def wins(methods: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """On how many outer splits each method has the smallest loss; equal ones share a split.

    >>> folds = [[{"loss": 1.0}, {"loss": 2.0}], [{"loss": 1.5}, {"loss": 2.0}]]
    >>> wins([{"name": name, "folds": own} for name, own in zip("ab", folds)])
    {'a': 1.5, 'b': 0.5}
    """
    names = [str(method["name"]) for method in methods]
    found = dict.fromkeys(names, 0.0)
    for losses in zip(*([fold["loss"] for fold in method["folds"]] for method in methods), strict=True):
        if any(loss is None for loss in losses):
            continue
        least = min(losses)
        best = [name for name, loss in zip(names, losses, strict=True) if loss - least <= CLOSE * abs(least)]
        for name in best:
            found[name] += 1 / len(best)
    return found
