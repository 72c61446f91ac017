"""Having the checks look at a study before its fits; what they find changes no row, column, split or number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from foldwise.errors import BadStudy
from foldwise.guards.checks.adversarial import unlike_parts
from foldwise.guards.checks.copies import telling_missing
from foldwise.guards.checks.duplicates import equal_rows
from foldwise.guards.checks.empty import constant_columns, empty_columns, free_text
from foldwise.guards.checks.encoded import filled_by_class, target_means
from foldwise.guards.checks.identifiers import identifiers, undeclared_groups
from foldwise.guards.checks.later import later_features
from foldwise.guards.checks.learners import fitted_parts, reused_studies, watched_rows
from foldwise.guards.checks.made_rows import nearly_copied_rows, rows_between
from foldwise.guards.checks.order import alike_neighbours, undeclared_time
from foldwise.guards.checks.parts import (
    large_groups,
    missing_classes,
    row_order,
    small_dev,
    small_strata,
    unlike_targets,
)
from foldwise.guards.checks.prepared import scaled_columns, selected_columns
from foldwise.guards.checks.spelling import numbers_as_text, two_spellings
from foldwise.guards.checks.together import given_away
from foldwise.guards.findings import Findings
from foldwise.guards.registry import CODES, read_silence
from foldwise.guards.seeds import seed_findings
from foldwise.guards.subject import Subject
from foldwise.plans.runnable import RunnableStudy
from foldwise.studies.finding import Finding

Check = Callable[[Subject], Iterator[Finding]]
FAST: tuple[Check, ...] = (
    equal_rows,
    nearly_copied_rows,
    rows_between,
    identifiers,
    undeclared_groups,
    undeclared_time,
    alike_neighbours,
    given_away,
    constant_columns,
    empty_columns,
    free_text,
    numbers_as_text,
    two_spellings,
    telling_missing,
    later_features,
    missing_classes,
    large_groups,
    row_order,
    unlike_targets,
    small_strata,
    small_dev,
    scaled_columns,
    target_means,
    selected_columns,
    filled_by_class,
    fitted_parts,
    reused_studies,
    watched_rows,
)
SLOW: tuple[Check, ...] = (unlike_parts,)  # they make fits or permutations of their own: in `fw.check` alone


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


def find(runnable: RunnableStudy, options: GuardOptions, *, is_slow: bool = False) -> Findings:
    """All that the checks find, but for what is silenced."""
    subject = Subject(runnable.data, runnable.study, runnable.learners)
    with np.errstate(all="ignore"):  # numbers too large to square are no trap of ours
        found = [finding for check in (*FAST, *(SLOW if is_slow else ())) for finding in check(subject)]
    found += seed_findings(runnable) if is_slow else ()
    return Findings(without(found, options.silenced))


def without(findings: Iterable[Finding], silenced: Sequence[str]) -> Iterator[Finding]:
    """The findings without the silenced ones; what would be refused stays as a warning, so that readers know."""
    for finding in findings:
        if finding.code not in silenced:
            yield finding
        elif CODES[finding.code].severity == "refuse":
            yield replace(finding, severity="warn")


def guarded(runnable: RunnableStudy, options: GuardOptions) -> RunnableStudy:
    """The study with the findings of the quick checks; refused where no number of it could mean anything."""
    found = find(runnable, options) if options.guards else Findings(())
    for finding in found:
        if finding.severity == "refuse":
            go_on = f"go on with {CODES[finding.code].silenced_by}"
            raise BadStudy(f"{finding.code}: {finding.text}", f"{finding.advice}, or {go_on}")
    study = replace(runnable.study, findings=tuple(found), silence=options.silenced if options.guards else None)
    return replace(runnable, study=study)
