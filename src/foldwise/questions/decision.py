"""Does it matter which method is taken? The probability to be the best, and the regret of taking each, of one study."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from foldwise.blocks.numbers import number, plain
from foldwise.errors import BadInterval
from foldwise.questions.contest import BASELINE, compared
from foldwise.questions.method import MethodAnswer
from foldwise.questions.value import Value
from foldwise.stats.choices import contest_of
from foldwise.stats.estimate import plain_number
from foldwise.studies.study import Note

PART = 10  # the margin is this part of the gap between the baseline and the best, unless one is given
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


@dataclass(frozen=True)
class Stake:
    """What taking one method may cost; all None where it is no contestant."""

    p_best: float | None = None
    expected_regret: float | None = None
    expected_regret_percent: float | None = None
    regret_high: float | None = None
    p_within_margin: float | None = None
    within_margin: bool | None = None


NO_STAKE = Stake()  # of a method that is no contestant
FIGURES = tuple(vars(NO_STAKE))


@dataclass(frozen=True)
class Decision(Value):
    """What holds for all methods: the margin they are judged by, and those within it; a `note` where there is none.

    The baseline and the auto row are no contestants, nor is a method for whose failed fits the baseline answers.
    """

    margin: float | None
    margin_from: str | None  # "given" or "baseline"
    level: float
    within: list[str] | None  # the methods whose regret is at most the margin with the probability of the level
    about: str = LEARNERS
    df: float | None = None  # of the law; None where it is normal, or there is none
    note: str | None = None


@dataclass(frozen=True)
class Decided:
    """The decision of a study, and what is at stake with each method."""

    decision: Decision
    stakes: Mapping[str, Stake] = field(default_factory=dict)

    def of(self, name: str) -> Stake:
        """The figures of a method."""
        return self.stakes.get(name, NO_STAKE)


def decide(methods: list[MethodAnswer], best: MethodAnswer | None, *, margin: float | None = None) -> Decided:
    """The decision figures of a study, by the law that agrees with the interval of every difference.

    `margin`: a regret that does not matter, in the unit of the loss; else a tenth of the gap between the baseline and
    the best method, if some method beats the baseline.
    """
    given, level = checked_margin(margin), methods[0].study.level
    margin, source = (given, "given") if given is not None else _default_margin(methods, best)
    undecided = Decision(plain_number(margin), source, level, within=None, about=_about(methods[0]))
    rivals = sorted(
        (method for method in compared(methods) if _is_contestant(method)), key=lambda one: (one.risk, one.method.name)
    )
    if not rivals:
        return Decided(undecided)
    pairs = [first.difference(second) for first, second in combinations(rivals, 2)]
    contest = contest_of([method.risk for method in rivals], pairs)
    if isinstance(contest, str):
        return Decided(replace(undecided, note=contest))
    choices = contest.choices(margin=margin, level=level)
    smallest = rivals[0].risk
    stakes = {
        method.method.name: Stake(
            p_best=float(choices.p_best[at]),
            expected_regret=plain_number(float(choices.expected_regret[at])),
            expected_regret_percent=plain_number(100 * float(choices.expected_regret[at]) / smallest)
            if smallest > 0
            else None,
            regret_high=float(choices.regret_high[at]),
            p_within_margin=None if choices.within is None else float(choices.within[at]),
            within_margin=None if choices.within is None else bool(choices.within[at] >= level),
        )
        for at, method in enumerate(rivals)
    }
    within = None if margin is None else [name for name, stake in stakes.items() if stake.within_margin]
    df = contest.df if math.isfinite(contest.df) else None
    return Decided(replace(undecided, within=within, df=df), stakes)


def decision_notes(decided: Decided, others: list[Note]) -> list[Note]:
    """Why there are no figures; in few words where another note has the reason already."""
    if any(stake.expected_regret is None for stake in decided.stakes.values()):
        return [("decision", NO_MEAN)]
    reason = decided.decision.note
    if reason is None:
        return []
    is_said = any(reason in text for _, text in others)
    why = "methods cannot be compared here" if is_said else reason
    return [("decision", f"which method is the best, and what it costs to take another, is not told: {why}")]


def advice(decided: Decided, best: str | None) -> str:
    """Which method to take and what that may cost, in one sentence; nothing where there is no choice."""
    rivals = sum(stake.p_best is not None for stake in decided.stakes.values())
    if best is None or rivals < 2 or decided.of(best).p_best is None:
        return ""
    stake, level = decided.of(best), f"{100 * decided.decision.level:g}%"
    chance = "more than 0.99" if (stake.p_best or 0) > 0.99 else f"{stake.p_best:.2g}"
    expected = stake.expected_regret
    regret = "" if expected is None else f" its expected regret is {number(expected, digits=2)} and"
    most = f"with {level} probability it is at most {number(stake.regret_high, digits=2)}"
    return (
        f"Take {plain(best)}, the best of {rivals} with probability {chance}:{regret} {most}, in the unit of the loss."
    )


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
