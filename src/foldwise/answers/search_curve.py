"""Search curves: the scores and risks after 1, 2, 3, ... candidates, from the records of a study."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadStudy, FitsFailed
from foldwise.estimates.estimate import plain_number
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method
from foldwise.studies.tuning_run import Choice
from foldwise.tuners.rules import choose

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class SearchCurve:
    """Selection score and outer risk after 1, 2, 3, ... candidates, in the order they were tried.

    The selection score is the mean over outer splits of the best inner score so far, `spread` its standard deviation
    over them. The outer risk is that of the candidates that would have been chosen; NaN where some of them were never
    fitted on the outer splits. `noise` is the standard error of an inner score.
    """

    learner: str
    loss: str
    selection: tuple[float, ...]
    spread: tuple[float, ...]
    outer: tuple[float, ...]
    noise: float | None
    notes: tuple[str, ...] = ()

    @property
    def tried(self) -> tuple[int, ...]:
        return tuple(range(1, len(self.selection) + 1))

    @property
    def enough(self) -> int | None:
        """The number of candidates after which the selection score fell by less than its noise."""
        if self.noise is None:
            return None
        pairs = zip(self.tried, self.selection, strict=True)  # scores without any noise end where they are the last one
        return next(tried for tried, score in pairs if score == self.end or score - self.end < self.noise)

    @property
    def end(self) -> float:
        """The selection score after all candidates."""
        return self.selection[-1]

    @property
    def words(self) -> str:
        """When search stopped helping, in a sentence."""
        count, after = len(self.selection), self.enough
        if after is None:
            return f"it cannot be said when the search of {self.learner} stopped helping: one inner split has no noise"
        if after == count:
            return f"the search of {self.learner} was still helping at its last candidate, number {count}"
        gain = self.selection[after - 1] - self.end
        stopped = f"the search of {self.learner} stopped helping after {after} of {count} candidates: the others"
        if gain == 0:
            return f"{stopped} did not lower the selection score"
        return f"{stopped} lowered the selection score by {gain:.3g}, less than its standard error ({self.noise:.3g})"

    def table(self) -> pd.DataFrame:
        """One row per number of candidates tried."""
        import pandas as pd

        columns = {"selection_score": self.selection, "spread": self.spread, "risk": self.outer}
        return pd.DataFrame({"tried": self.tried, **columns})

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; a number that cannot be given is None."""
        rows = zip(self.tried, self.selection, self.spread, self.outer, strict=True)
        return {
            "learner": self.learner,
            "loss": self.loss,
            "noise": plain_number(self.noise),
            "enough": self.enough,
            "words": self.words,
            "notes": list(self.notes),
            "points": [
                {
                    "tried": tried,
                    "selection_score": plain_number(score),
                    "spread": plain_number(spread),
                    "risk": plain_number(risk),
                }
                for tried, score, spread, risk in rows
            ],
        }

    def __repr__(self) -> str:
        steps = self.table().iloc[self._shown()]
        lines = [f"SearchCurve({self.learner}, {len(self.selection)} candidates, {self.loss} loss)"]
        return "\n".join([*lines, steps.to_string(index=False), f"{self.words}.", *(f"note: {n}" for n in self.notes)])

    def _repr_html_(self) -> str:
        return str(self.table().to_html(index=False))

    def _shown(self) -> list[int]:
        """The candidates at which something changed, and the last."""
        changes = [at for at in range(1, len(self.selection)) if self.selection[at] != self.selection[at - 1]]
        return sorted({0, *changes, len(self.selection) - 1})


def search_curve(reading: Reading, method: Method) -> SearchCurve:
    """The curve of a tuned method, from records alone."""
    outer = range(len(reading.study.outer))
    choices = _choices(reading, method)
    count = max(len(choice.tried) for choice in choices)
    selection = np.array([_so_far(choice.scores.mean(axis=1), count) for choice in choices])
    risks = np.array([_risks(reading, method, at, choices[at], count) for at in outer])
    risk, spread = risks.mean(axis=0), np.full(count, np.nan)
    if len(selection) > 1:
        spread = selection.std(axis=0, ddof=1)
    return SearchCurve(
        learner=method.name,
        loss=reading.study.losses[0].name,
        selection=tuple(selection.mean(axis=0).tolist()),
        spread=tuple(spread.tolist()),
        outer=tuple(risk.tolist()),
        noise=_noise(choices),
        notes=_notes(risk, is_listed=method.tuner.is_listed),
    )


def _choices(reading: Reading, method: Method) -> list[Choice]:
    """The choice of every outer split's tuning; refused where some candidate has no score."""
    if method.inner is None:
        raise BadStudy(f"{method.name} tries no candidates, so there is no curve of its search", "Name a tuned method")
    if not method.tuner.is_exhaustive:
        raise BadStudy(
            f"{method.name} is tuned by {method.tuner}, which drops candidates before they have a score",
            "Use tuner='grid', 'random' or 'tpe'",
        )
    choices = [reading.choice(method, at) for at in range(len(reading.study.outer))]
    if not choices:
        raise BadStudy(f"{method.name} has no outer splits, so there is no curve of its search")
    if any(choice.candidate is None for choice in choices):
        raise FitsFailed(f"{method.name} has not chosen a candidate on every outer split", "See result.notes")
    return choices


def _so_far(scores: FloatArray, count: int) -> FloatArray:
    """The smallest score so far; a tuning that ended early stays where it was.

    >>> _so_far(np.array([3.0, np.nan, 2.0, 4.0]), 5).tolist()
    [3.0, 3.0, 2.0, 2.0, 2.0]
    """
    lowest = np.fmin.accumulate(scores)
    return np.concatenate([lowest, np.full(count - len(lowest), lowest[-1])])


def _risks(reading: Reading, method: Method, at: int, choice: Choice, count: int) -> FloatArray:
    """The outer loss of what would have been chosen among the first 1, 2, 3, ... candidates."""
    tried, split = choice.tried, reading.study.outer[at]
    known: dict[int | None, float] = {None: math.nan}
    found = []
    for size in range(1, count + 1):
        ranks = None if method.ranks is None else [method.ranks[one] for one in tried[:size]]
        place = choose(choice.scores[: min(size, len(tried))], rule=method.rule, ranks=ranks)
        candidate = None if place is None else tried[place]
        if candidate not in known:
            known[candidate] = reading.fold_loss(method, candidate, split)  # type: ignore[arg-type]
        found.append(known[candidate])
    return np.array(found)


def _noise(choices: Sequence[Choice]) -> float | None:
    """The standard error of the best score over inner splits, averaged over outer ones; else of its mean over those."""
    folds = choices[0].scores.shape[1]
    if folds > 1:
        best = [choice.scores[int(np.nanargmin(choice.scores.mean(axis=1)))] for choice in choices]
        return float(np.mean([scores.std(ddof=1) / math.sqrt(folds) for scores in best]))
    if len(choices) < 2:
        return None
    return float(np.std([choice.score for choice in choices], ddof=1) / math.sqrt(len(choices)))


def _notes(risk: FloatArray, *, is_listed: bool) -> tuple[str, ...]:
    missing = int(np.isnan(risk).sum())
    if not missing:
        return ()
    # a search has other candidates in every fold, so that it refuses optimism=True
    remedy = "; optimism=True (--optimism) adds these fits" if is_listed else ""
    return (
        f"the outer risk is given for {len(risk) - missing} of {len(risk)} numbers of candidates: elsewhere some were "
        f"never fitted on the outer splits{remedy}",
    )
