"""A test set that is used again."""

from __future__ import annotations

from collections.abc import Iterator

from foldwise.guards.codes.procedure import AGAIN
from foldwise.guards.results.outcome import Outcome
from foldwise.questions.contest import asked_for
from foldwise.questions.ledger import UNSEEN, times_scored
from foldwise.studies.finding import Finding


def test_set_again(outcome: Outcome) -> Iterator[Finding]:
    """A test set on which the store knows more methods than this study asked for."""
    scored = times_scored(outcome.methods[0].reading) if outcome.methods else 0
    if scored > len(asked_for(list(outcome.methods))) and any(one.estimate().interval for one in outcome.own):
        judged = "methods have been judged on this test set, in this and other studies of the store"
        yield again_finding(scored, f"{judged}: the interval for the best of them and of later ones holds {UNSEEN}")


test_set_again.__test__ = False  # type: ignore[attr-defined]  # not a test of pytest


def again_finding(scored: int, words: str) -> Finding:
    """So many models were scored on the same rows; what is claimed of all of them at once needs wider intervals."""
    return AGAIN.found(
        f"{scored} {words}", figures={"scored": scored}, advice="Keep rows that nothing was judged on for the last word"
    )
