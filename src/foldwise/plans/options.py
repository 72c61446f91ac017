"""Options of a study besides its data, learners, losses and splits."""

from __future__ import annotations

from dataclasses import dataclass

from foldwise.errors import BadStudy, nearest
from foldwise.solvers.finding import checked_solvers
from foldwise.solvers.solver import SolverOption
from foldwise.splits.part import whole_number
from foldwise.stats.interval_method import IntervalMethod

POLICIES = ("fail", "baseline", "drop_candidate")


@dataclass(frozen=True, eq=False)
class StudyOptions:
    """The options of `compare` that numbers depend on, and those of smaller studies; checked when made.

    >>> StudyOptions(on_failure="fale")
    Traceback (most recent call last):
    foldwise.errors.BadStudy: there is no failure policy 'fale'. Did you mean 'fail'?
    """

    seed: int = 0
    repeats: int | None = None  # None: by effort and the shape of the table; one where that has no say
    fit_threads: int = 1
    level: float = 0.95
    interval: IntervalMethod | None = None
    optimism: bool = False
    importance: bool = False  # is the permutation importance of the picked method measured?
    defaults: bool | None = False  # are tuned learners judged at their own default parameters too? None: where cheap
    on_failure: str = "fail"
    solvers: SolverOption = "auto"
    keeps_all: bool = False  # do tuning fits keep all responses, so that a store can answer later questions?
    is_validation_curve: bool = False  # are all candidates shown and none chosen, as in a validation curve?
    has_final: bool = True  # is every learner tuned on all rows too?
    wants_training_risk: bool = False  # even where it costs more than the rest of the study

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", whole_number(self.seed, "the seed", least=0, error=BadStudy))
        object.__setattr__(self, "fit_threads", whole_number(self.fit_threads, "fit_threads", least=1, error=BadStudy))
        if self.repeats is not None:
            object.__setattr__(self, "repeats", whole_number(self.repeats, "repeats", least=1))
        if self.on_failure not in POLICIES:
            raise BadStudy(f"there is no failure policy {self.on_failure!r}", nearest(self.on_failure, POLICIES))
        if not 0 < self.level < 1:
            raise BadStudy(f"the level must lie between 0 and 1, not {self.level}", "Write level=0.95 for 95 %")
        object.__setattr__(self, "solvers", checked_solvers(self.solvers))
