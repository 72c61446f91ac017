"""Having the checks look at a study before its fits and at its results; they change no row, column, split or number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from foldwise.checks.check import Cost, all_checks, find_traps, read_silence
from foldwise.checks.results import Outcome
from foldwise.checks.subject import Subject
from foldwise.errors import BadStudy
from foldwise.executors.worker import limited_threads
from foldwise.plans.runnable import RunnableStudy
from foldwise.questions.answer import Answer
from foldwise.questions.method import MethodAnswer
from foldwise.studies.finding import Finding, Findings


@dataclass(frozen=True)
class GuardOptions:
    """Whether the checks look, and which of them are silenced."""

    guards: bool = True
    silence: str | Sequence[str] | None = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "silence", read_silence(self.silence))

    @property
    def silenced(self) -> tuple[str, ...]:
        return tuple(self.silence or ())


def find(runnable: RunnableStudy, options: GuardOptions, *, cost: Cost = "fast") -> Findings:
    """All that the checks find before the fits, but for what is silenced."""
    # Numbers too large to square are no trap of ours; threads of BLAS cost more than they gain.
    with np.errstate(all="ignore"), limited_threads(1):
        return Findings(without(find_traps(Subject(runnable), cost=cost), options.silenced))


def checked_study(runnable: RunnableStudy, options: GuardOptions) -> RunnableStudy:
    """The study with the findings of the fast checks; refused where no number of it could mean anything."""
    findings = find(runnable, options) if options.guards else Findings(())
    for finding in findings:
        if finding.severity == "refuse":
            silence = f'silence="{finding.code}" (--silence {finding.code})'
            raise BadStudy(f"{finding.code}: {finding.text}", f"{finding.advice}, or go on with {silence}")
    study = replace(runnable.study, findings=tuple(findings), silence=options.silenced if options.guards else None)
    return replace(runnable, study=study)


def without(findings: Iterable[Finding], silenced: Sequence[str]) -> Iterator[Finding]:
    """The findings without the silenced ones; what would be refused stays as a warning, so that readers know."""
    for finding in findings:
        if finding.code not in silenced:
            yield finding
        elif all_checks()[finding.code].severity == "refuse":
            yield replace(finding, severity="warn")


def findings_in_results(answer: Answer) -> list[Finding]:
    """What the checks find in a finished study."""
    return list(find_traps(Outcome(answer.study, answer, answer.methods)))


def findings_of_method(method: MethodAnswer) -> Findings:
    """The findings of a learner that was judged alone, before the fits and in its results."""
    study = method.study
    results = () if study.silence is None else find_traps(Outcome(study, None, [method]))
    return Findings([*study.findings, *without(results, study.silence or ())])
