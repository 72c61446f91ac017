"""Search curves: the scores and risks after 1, 2, 3, ... candidates, from the records of a study."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadStudy, FitsFailed
from foldwise.questions.evidence import gather
from foldwise.stats.comparison import paired
from foldwise.stats.differences import difference
from foldwise.stats.estimate import plain_number
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method
from foldwise.studies.tuning_run import Choice
from foldwise.tuners.rules import choose

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class SearchSteps:
    """Selection score and outer risk after 1, 2, 3, ... candidates, in the order they were tried.

    The selection score is the mean over outer splits of the best inner score so far, `spread` its standard deviation
    over them. The outer risk is that of the candidates that would have been chosen; NaN where some of them were never
    fitted on the outer splits. `p` is that of the paired test of the list so far against the whole list: of the inner
    scores of their best or, where it is smaller and they are known, of their outer losses.
    """

    learner: str
    loss: str
    selection: tuple[float, ...]
    spread: tuple[float, ...]
    outer: tuple[float, ...]
    p: tuple[float, ...] | None
    level: float = 0.95
    notes: tuple[str, ...] = ()
    loss_label: str = ""

    @property
    def tried(self) -> tuple[int, ...]:
        """The numbers of candidates: 1, 2, 3, ..."""
        return tuple(range(1, len(self.selection) + 1))

    @property
    def enough(self) -> int | None:
        """The number of candidates after which no gain by the others is shown."""
        if self.p is None:
            return None
        return 1 + max((tried for tried, p in zip(self.tried, self.p, strict=True) if p <= 1 - self.level), default=0)

    @property
    def words(self) -> str:
        """After how many candidates no further gain is shown, in a sentence."""
        count, after = len(self.selection), self.enough
        if after is None:
            return f"no gain of the search of {self.learner} can be tested: one split has nothing to pair"
        if after == count:
            return f"the search of {self.learner} was still helping at its last candidate, number {count}"
        gain = self.selection[after - 1] - self.selection[-1]
        shown = (
            f"no further gain of the search of {self.learner} is shown after {after} of {count} candidates: the others"
        )
        if gain == 0:
            return f"{shown} did not lower the selection score"
        assert self.p is not None
        return f"{shown} lowered the selection score by {gain:.3g}, which may be chance (p = {self.p[after - 1]:.2g})"

    def table(self) -> pd.DataFrame:
        """One row per number of candidates tried."""
        import pandas as pd

        columns = {"selection_score": self.selection, "spread": self.spread, "risk": self.outer, "p": self._p}
        return pd.DataFrame({"tried": self.tried, **columns})

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; a number that cannot be given is None."""
        rows = zip(self.tried, self.selection, self.spread, self.outer, self._p, strict=True)
        return {
            "learner": self.learner,
            "loss": self.loss,
            "loss_label": self.loss_label,
            "level": self.level,
            "enough": self.enough,
            "words": self.words,
            "notes": list(self.notes),
            "points": [
                {
                    "tried": tried,
                    "selection_score": plain_number(score),
                    "spread": plain_number(spread),
                    "risk": plain_number(risk),
                    "p": plain_number(p),
                }
                for tried, score, spread, risk, p in rows
            ],
        }

    def __repr__(self) -> str:
        steps = self.table().iloc[self._shown()]
        lines = [
            f"SearchCurve({self.learner}, {len(self.selection)} candidates, {self.loss_label or f'{self.loss} loss'})"
        ]
        return "\n".join([*lines, steps.to_string(index=False), f"{self.words}.", *(f"note: {n}" for n in self.notes)])

    @property
    def _p(self) -> tuple[float, ...]:
        return self.p or (math.nan,) * len(self.selection)

    def _shown(self) -> list[int]:
        """The candidates at which something changed, and the last."""
        changes = [at for at in range(1, len(self.selection)) if self.selection[at] != self.selection[at - 1]]
        return sorted({0, *changes, len(self.selection) - 1})


def search_curve(reading: Reading, method: Method) -> SearchSteps:
    """The curve of a tuned method, from records alone."""
    outer = range(len(reading.study.outer))
    choices = _choices(reading, method)
    count = max(len(choice.tried) for choice in choices)
    selection = np.array([_so_far(choice.scores.mean(axis=1), count) for choice in choices])
    risks = np.array([_risks(reading, method, at, choices[at], count) for at in outer])
    risk, spread = risks.mean(axis=0), np.full(count, np.nan)
    if len(selection) > 1:
        spread = selection.std(axis=0, ddof=1)
    inner_p, outer_p = _paired_p(choices, count, _test_train_ratio(method)), _outer_p(reading, method, risks)
    return SearchSteps(
        learner=method.name,
        loss=reading.study.losses[0].name,
        loss_label=reading.study.losses[0].label,
        selection=tuple(selection.mean(axis=0).tolist()),
        spread=tuple(spread.tolist()),
        outer=tuple(risk.tolist()),
        p=None if inner_p is None else tuple(np.fmin(inner_p, outer_p).tolist()),
        level=reading.study.level,
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


def _outer_p(reading: Reading, method: Method, risks: FloatArray) -> FloatArray:
    """p of the risk after 1, 2, 3, ... candidates against that after all, where it is larger; NaN where not known."""
    found = np.full(risks.shape[1], np.nan)
    if np.isfinite(risks[:, -1]).all():
        known = replace(gather(reading, method), row_losses=None, scores=None)
        lists = [replace(known, fold_losses=losses) for losses in risks.T]
        for at in np.flatnonzero(np.isfinite(risks).all(axis=0)):
            gain = difference(lists[at], lists[-1], names=("so far", "all"))
            found[at] = gain.p if gain.p is not None and gain.value > 0 else np.nan
    return found


def _paired_p(choices: Sequence[Choice], count: int, test_train_ratio: float) -> tuple[float, ...] | None:
    """p of the inner scores of the best so far against those of the best of all, on all inner splits.

    A change of the score is far less noisy than the score itself, as both are of the same rows.
    """
    each = [_gains(choice.scores, count) for choice in choices]  # gains[tried, inner split], of each outer split
    lists = np.concatenate(each, axis=1)
    return None if lists.shape[1] < 2 else tuple(_p_of(gains, test_train_ratio) for gains in lists)


def _gains(scores: FloatArray, count: int) -> FloatArray:
    """Scores of the best so far less those of the best of all: gains[tried, split]."""
    means = np.where(np.isnan(scores.mean(axis=1)), np.inf, scores.mean(axis=1))
    best = np.array([int(means[: tried + 1].argmin()) for tried in range(len(means))])
    best = np.concatenate([best, np.full(count - len(best), best[-1])])
    return np.asarray(scores[best] - scores[best[-1]], np.float64)


def _p_of(gains: FloatArray, test_train_ratio: float) -> float:
    if not np.isfinite(gains).all():
        return math.nan  # no candidate had a score yet
    if not np.ptp(gains):
        return 0.0 if gains.any() else 1.0  # the same gain on every split, or none
    found = paired(gains, test_train_ratio).p
    assert found is not None
    return found


def _test_train_ratio(method: Method) -> float:
    """Test rows / training rows of the inner splits."""
    assert method.inner is not None
    return float(np.mean([len(split.test) / split.train_rows for splits in method.inner.splits for split in splits]))


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
