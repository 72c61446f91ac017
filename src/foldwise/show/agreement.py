"""What a page says where the outer splits chose different candidates: how far they agree, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foldwise.blocks.numbers import plain

HALF = 1 / 2  # of the outer splits: the check FW502 asks for more than this too
FEWEST_SPLITS = 3  # with fewer there is no majority to disagree with
COSTLY = "FW502"


def disagreements(answer: Mapping[str, Any], protocol: Mapping[str, Any] | None = None) -> dict[str, str]:
    """By method what to say where no candidate was chosen by more than half of the outer splits.

    A search that draws its own values for every split is left out: there, no two choices can be the same.

    >>> folds = [{"candidate": {"k": k}} for k in (1, 2, 3, 4)]
    >>> disagreements({"methods": [{"name": "k-nn", "agreement": 0.25, "folds": folds}]})["k-nn"].split(";")[0]
    'its commonest candidate was chosen by 25% of 4 outer splits'
    """
    searched = {method["name"] for method in (protocol or {}).get("methods") or [] if "tried" in method}
    found = {one["figures"].get("method"): one for one in answer.get("findings") or [] if one["code"] == COSTLY}
    return {
        method["name"]: _words(method, found.get(method["name"]))
        for method in answer.get("methods") or []
        if method["name"] not in {"auto", *searched} and _is_split(method)
    }


def _is_split(method: Mapping[str, Any]) -> bool:
    agreement = method.get("agreement")
    return agreement is not None and agreement <= HALF and len(method.get("folds") or []) >= FEWEST_SPLITS


def _words(method: Mapping[str, Any], finding: Mapping[str, Any] | None) -> str:
    words = (
        f"its commonest candidate was chosen by {100 * method['agreement']:.0f}% of {len(method['folds'])} outer splits"
    )
    if finding is not None:
        cost = plain(finding["text"]).split(", and ", 1)[-1]
        return f"{words}, and {cost} ({COSTLY}). {plain(finding['advice'])}."
    return (
        f"{words}; that this costs anything is not shown. The risk is that of tuning, not of one candidate: do not "
        "read a meaning into the chosen values. More inner splits or a coarser space make the choice steadier."
    )
