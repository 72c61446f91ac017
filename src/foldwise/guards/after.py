"""Findings of a finished study, read from its answer: the checks of results."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from foldwise.guards.results.again import test_set_again
from foldwise.guards.results.folds import unstable_folds
from foldwise.guards.results.outcome import Outcome
from foldwise.guards.results.standing import blind_loss, misfits, no_better, too_good
from foldwise.guards.results.tuning import edge_choices, overtuned, unsettled_choices
from foldwise.questions.answer import Answer
from foldwise.questions.method import MethodAnswer
from foldwise.studies.finding import Finding

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


def findings_in_results(answer: Answer) -> list[Finding]:
    """What the checks find in a finished study."""
    outcome = Outcome(answer.study, answer, answer.methods)
    return [finding for check in CHECKS for finding in check(outcome)]


def findings_of_method(method: MethodAnswer) -> list[Finding]:
    """The findings of a learner that was judged alone, before the fits and in its results."""
    study = method.study
    outcome = Outcome(study, None, [method])
    found = [] if study.silence is None else [finding for check in CHECKS for finding in check(outcome)]
    return [*study.findings, *(finding for finding in found if finding.code not in (study.silence or ()))]
