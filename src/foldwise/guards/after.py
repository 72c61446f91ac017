"""Findings of a finished study, read from its answer: the checks of results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from foldwise.guards.checking import without
from foldwise.guards.findings import Findings
from foldwise.guards.results.again import test_set_again
from foldwise.guards.results.folds import unstable_folds
from foldwise.guards.results.outcome import Outcome
from foldwise.guards.results.standing import blind_loss, misfits, no_better, too_good
from foldwise.guards.results.tuning import edge_choices, overtuned, unsettled_choices
from foldwise.questions.method import MethodAnswer
from foldwise.studies.finding import Finding
from foldwise.studies.study import Study

ResultCheck = Callable[[Outcome], Iterator[Finding]]
CHECKS: tuple[ResultCheck, ...] = (
    edge_choices,
    unsettled_choices,
    overtuned,
    no_better,
    blind_loss,
    too_good,
    unstable_folds,
    misfits,
    test_set_again,
)
# Codes that say what a note of the answer says, and take its place.
SAID = {"FW405": "ledger", "FW501": "edge", "FW505": "imbalance"}


def findings_of(study: Study, answer: Mapping[str, Any], methods: Sequence[MethodAnswer]) -> Findings:
    """Those from before the fits, which the study keeps, and those of its results; none where guards are off."""
    return Findings([*study.findings, *without(_found(study, answer, methods), study.silence or ())])


def with_findings(study: Study, answer: Mapping[str, Any], methods: Sequence[MethodAnswer]) -> dict[str, Any]:
    """The answer with its findings, and without the notes that say the same."""
    found = _found(study, answer, methods)
    said = {SAID[finding.code] for finding in found if finding.code in SAID}
    notes = [note for note in answer["notes"] if note["code"] not in said]
    findings = Findings([*study.findings, *without(found, study.silence or ())])
    return {**answer, "notes": notes, **findings.to_dict()}


def _found(study: Study, answer: Mapping[str, Any], methods: Sequence[MethodAnswer]) -> list[Finding]:
    if study.silence is None:
        return []
    outcome = Outcome(study, answer, methods)
    return [finding for check in CHECKS for finding in check(outcome)]
