"""Does it matter which method is taken? The probability to be the best, and the regret of taking each, of one study."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from foldwise.comparisons.choosing import contest_of
from foldwise.errors import BadInterval
from foldwise.estimates.estimate import plain_number
from foldwise.questions.contest import BASELINE, compared
from foldwise.questions.method import MethodAnswer
from foldwise.studies.study import Note

PART = 10  # the margin is this part of the gap between the baseline and the best, unless one is given
FIGURES = ("p_best", "expected_regret", "expected_regret_percent", "regret_high", "p_within_margin", "within_margin")
# Whom a decision is about, and how often its figures held; docs/decide.md has the simulations.
LEARNERS, PREDICTORS, FORECASTS = "learners", "predictors", "forecasts"
MEASURED_DECISIONS = {
    LEARNERS: "a method called the best with 0.9 or more was the best in 95% of simulated studies, in half of those "
    "where several were equally good (where it was said in 2%); stated regrets were 4.8 times the true ones on average",
    PREDICTORS: "a predictor called the best with 0.9 or more was the best in 94% of simulated test sets, in half of "
    "those where several were equally good (where it was said in 7%); stated regrets were 2.4 times the true ones on "
    "average",
    FORECASTS: "forecasts called the best with 0.9 or more were the best in 94% of simulated series, in half of those "
    "where several were equally good (where it was said in 5%); stated regrets were 2.8 times the true ones on average",
}
NO_MEAN = "no expected regret is told: two splits leave one degree of freedom, a law without a mean; make more folds"
NOBODY: dict[str, Any] = dict.fromkeys(FIGURES)  # of a method that is no contestant


@dataclass(frozen=True)
class Decision:
    """The figures of each contestant by name, and the margin they are judged by; a `reason` where there are none.

    The baseline and the auto row are no contestants, nor is a method for whose failed fits the baseline answers.
    """

    level: float
    figures: dict[str, dict[str, Any]] = field(default_factory=dict)
    margin: float | None = None
    margin_from: str | None = None  # "given" or "baseline"
    reason: str | None = None
    about: str = LEARNERS
    df: float | None = None  # of the law; None where it is normal, or there is none

    def of(self, name: str) -> dict[str, Any]:
        """The figures of a method, None each where it is no contestant."""
        return self.figures.get(name, NOBODY)

    @property
    def within(self) -> list[str] | None:
        """The methods whose regret is at most the margin with the probability of the level."""
        if self.margin is None or not self.figures:
            return None
        return [name for name, figures in self.figures.items() if figures["within_margin"]]

    def to_dict(self) -> dict[str, Any]:
        """What holds for all methods, in plain values."""
        return {
            "margin": plain_number(self.margin),
            "margin_from": self.margin_from,
            "level": self.level,
            "within": self.within,
            "about": self.about,
            "df": self.df,
            "note": self.reason,
        }


def decide(methods: list[MethodAnswer], best: MethodAnswer | None, *, margin: float | None = None) -> Decision:
    """The decision figures of a study, by the law that agrees with the interval of every difference.

    `margin`: a regret that does not matter, in the unit of the loss; else a tenth of the gap between the baseline and
    the best method, if some method beats the baseline.
    """
    given, level = checked_margin(margin), methods[0].study.level
    margin, source = (given, "given") if given is not None else _default_margin(methods, best)
    about = _about(methods[0])
    rivals = sorted(
        (one for one in compared(methods) if _is_contestant(one)), key=lambda one: (one.risk, one.method.name)
    )
    if not rivals:
        return Decision(level, margin=margin, margin_from=source, about=about)
    pairs = [one.difference(other) for one, other in combinations(rivals, 2)]
    contest = contest_of([one.risk for one in rivals], pairs)
    if isinstance(contest, str):
        return Decision(level, margin=margin, margin_from=source, reason=contest, about=about)
    found = contest.choices(margin=margin, level=level)
    smallest = rivals[0].risk
    figures = {
        one.method.name: {
            "p_best": float(found.p_best[at]),
            "expected_regret": plain_number(float(found.expected_regret[at])),
            "expected_regret_percent": plain_number(100 * float(found.expected_regret[at]) / smallest)
            if smallest > 0
            else None,
            "regret_high": float(found.regret_high[at]),
            "p_within_margin": None if found.within is None else float(found.within[at]),
            "within_margin": None if found.within is None else bool(found.within[at] >= level),
        }
        for at, one in enumerate(rivals)
    }
    df = contest.df if math.isfinite(contest.df) else None
    return Decision(level, figures, margin, source, about=about, df=df)


def decision_notes(decision: Decision, others: list[Note]) -> list[Note]:
    """Why there are no figures; in few words where another note has the reason already."""
    if any(figures["expected_regret"] is None for figures in decision.figures.values()):
        return [("decision", NO_MEAN)]
    if decision.reason is None:
        return []
    is_told = any(decision.reason in text for _, text in others)
    why = "methods cannot be compared here" if is_told else decision.reason
    return [("decision", f"which method is the best, and what it costs to take another, is not told: {why}")]


def checked_margin(margin: Any) -> float | None:
    """A margin as a number; refused where it is none."""
    if margin is None:
        return None
    try:
        found = float(margin)
    except (TypeError, ValueError):
        found = math.nan
    if isinstance(margin, bool) or not 0 <= found < math.inf:
        raise BadInterval(
            f"margin is the largest regret that does not matter, in the unit of the loss, not {margin!r}",
            "Give a number of at least 0, or leave it out for a tenth of the gap to the baseline",
        )
    return found


def _about(method: MethodAnswer) -> str:
    outer = method.study.outer
    return FORECASTS if outer.is_ordered else PREDICTORS if len(outer) == 1 else LEARNERS


def _is_contestant(method: MethodAnswer) -> bool:
    return method.method.name != BASELINE and not method.stand_ins


def _default_margin(methods: list[MethodAnswer], best: MethodAnswer | None) -> tuple[float | None, str | None]:
    baseline = next((method for method in methods if method.method.name == BASELINE), None)
    if best is None or baseline is None or best is baseline or baseline.status != "ok":
        return None, None
    gap = baseline.risk - best.risk
    return (gap / PART, "baseline") if gap > 0 else (None, None)
