"""The winner's interval: that of the method which was picked, whichever it was."""

from __future__ import annotations

from foldwise.questions.method import MethodAnswer
from foldwise.stats.comparison import Comparison
from foldwise.stats.winner_level import level_of_winner

NAME = "winner's interval"
TARGET = "the risk of the method picked, as the target of its own interval says, whichever was picked"
ASSUMES = (
    "estimates follow a multivariate t and move together as the losses of rows do; others may be as near to the picked "
    "one as the intervals of their differences allow, all pairs at once; approximate"
)
# docs/decide.md has the simulation.
COVERAGE = (
    "0.97 to 0.99 with 2, 4 and 8 methods that are equal, nearly so, or of which one is clearly the best, at 0.75 to "
    "0.88 of Bonferroni's width"
)


def winner_level_of(best: MethodAnswer, among: list[MethodAnswer]) -> float | None:
    """The level of the best method's interval that makes it hold as the one picked from `among`.

    None where the law of the estimates is not known: on one test set, or where a method has no interval.
    """
    among = sorted(among, key=lambda method: (method.risk, method.method.name))  # whose order must not matter
    details = [method.estimate().details for method in among]
    same = Comparison(0.0, p=1.0)
    pairs = [same if method is best else method.difference(best) for method in among]
    return level_of_winner([method.evidence for method in among], details, pairs, level=best.study.level)
