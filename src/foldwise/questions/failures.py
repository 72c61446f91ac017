"""What failed and what was done about it, in words: the same in text, on the page and in notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from foldwise.blocks.numbers import plain

POLICY_WORDS = {
    "fail": "a method has no risk if a fit that its risk rests on failed",
    "baseline": "a failed fit predicts as the featureless baseline of its own training rows",
    "drop_candidate": "a candidate that failed while tuning is not chosen there; a failed outer fit leaves no risk",
}


def policy_words(answer: Mapping[str, Any]) -> str:
    """The policy for failed fits, by its name and in words.

    >>> policy_words({"on_failure": "fail"})
    'on_failure=fail, a method has no risk if a fit that its risk rests on failed'
    """
    policy = str(answer.get("on_failure") or "fail")
    return f"on_failure={plain(policy)}" + (f", {POLICY_WORDS[policy]}" if policy in POLICY_WORDS else "")


def own_words(own: int, folds: int) -> str:
    """How many folds of a risk are the method's own, and how many the baseline's.

    >>> own_words(9, 13), own_words(1, 1)
    ("9 of 13 folds own, 4 the baseline's", '1 of 1 folds own')
    """
    rest = f", {folds - own} the baseline's" if own < folds else ""
    return f"{own} of {folds} folds own{rest}"


def mixed_words(method: Mapping[str, Any]) -> str:
    """The same for one method, where not all folds are its own."""
    own, folds = method.get("own_folds"), len(method.get("folds") or [])
    is_mixed = own is not None and own < folds and method.get("risk") is not None
    return own_words(own, folds) if is_mixed and own is not None else ""


def count_words(failures: Iterable[Mapping[str, Any]]) -> str:
    """Failed fits by status.

    >>> count_words([{"status": "timeout", "count": 2}, {"status": "crashed: SIGSEGV", "count": 1}])
    '2 timeout, 1 crashed: SIGSEGV'
    """
    return ", ".join(f"{failure['count']} {plain(failure['status'])}" for failure in failures)


def failure_rows(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One row per method and type of failure, with the first error of each."""
    return [
        {"method": method["name"], **failure}
        for method in answer.get("methods") or []
        for failure in method.get("failures") or []
    ]
