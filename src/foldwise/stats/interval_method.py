"""One interval as a value: how it is computed, where it is refused, and what is known about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from foldwise.errors import BadInterval, nearest
from foldwise.shown import Shown
from foldwise.stats.evidence import Evidence

# What an interval can be about, in the words that are printed.
COVERS = {
    "predictor": "the risk of this predictor",
    "learner": "the risk of the learner, averaged over training sets of the size used",
    "these models": "the average risk of these {} models",
    "these forecasts": "the mean loss of these forecasts in this period",
}
# Schemes for which no interval of exchangeable rows holds, and why.
NONE_VALID = {
    "leave-one-out": "leave-one-out folds of one row have no means whose spread could be corrected",
    "one test set in time": "rows that follow each other in time are not independent",
    "time-ordered": "time-ordered folds are neither exchangeable nor trained on equal numbers of rows",
    "bootstrap": "bootstrap training sets repeat rows, which no interval here allows for",
    "given splits": "the given splits do not partition the rows, so how far they overlap is not known",
}
Note = tuple[str, str]


class Ends(NamedTuple):
    """The ends of an interval; `value` is what they are around, where that is not the mean loss over splits.

    `details` are further numbers, such as the standard error `se` and its degrees of freedom `df`; `notes` are pairs of
    a code and a sentence.
    """

    low: float
    high: float
    value: float | None = None
    details: Mapping[str, Any] = {}
    notes: Sequence[Note] = ()


def ends_around(value: float, reach: float, **details: Any) -> Ends:
    """The interval of all that is at most `reach` from the value.

    >>> ends_around(0.5, 0.25)[:3]
    (0.25, 0.75, 0.5)
    """
    return Ends(value - reach, value + reach, value, details)


def _always_valid(evidence: Evidence) -> str | None:
    return None


@dataclass(frozen=True, repr=False)
class IntervalMethod(Shown):
    """One interval, built in or your own: pass it as `interval=` to `compare`, `risk` or `test_risk`.

    `compute(evidence, level)` gives `(low, high)`. The `Evidence` has the losses by split (`fold_losses`) and by row
    (`row_losses`), the test rows and training sizes of the splits (`test_rows`, `train_counts`), their `scheme`, the
    `loss` with its `bounds`, and `groups`. `refuse(evidence)` gives the reason why the interval is not valid there, as
    a sentence, or None. `foldwise.testing.check_interval` checks what is claimed here.

    `name`: what it is printed under.
    `compute`: a function.
    `refuse`: a function.
    `covers`: "learner", "predictor", "these models" or "these forecasts".
    `assumes`: a sentence that is printed.
    `coverage`: how often it was measured to cover, in words.
    `coverage_by_scheme`: the same for schemes that differ.
    `reference`: the paper.
    `aliases`: further names.
    `default_for`: schemes for which it is the default.
    `ignores_order`: whether the order of splits, and of rows of a test set, is all the same to it.
    `is_affine`: whether losses in another unit give the same interval in that unit.

    >>> import numpy as np, foldwise as fw
    >>> def compute(evidence, level):
    ...     return np.quantile(evidence.fold_losses, [(1 - level) / 2, (1 + level) / 2])
    >>> fw.IntervalMethod("split quantiles", compute, assumes="as many splits as you have patience for")
    IntervalMethod('split quantiles', the risk of the learner, averaged over training sets of the size used)
    """

    name: str
    compute: Callable[[Evidence, float], Ends | tuple[float, float]]
    refuse: Callable[[Evidence], str | None] = _always_valid
    covers: str = "learner"  # predictor, learner, these models or these forecasts
    assumes: str = "its assumptions are not stated"
    coverage: str = "not measured"  # at the 95% level
    coverage_by_scheme: Mapping[str, str] = field(default_factory=dict)  # where a scheme differs from the others
    reference: str = ""
    aliases: tuple[str, ...] = ()
    default_for: tuple[str, ...] = ()  # schemes; the first in the table that is valid is taken
    ignores_order: bool = True  # of splits, and of the rows of a test set
    is_affine: bool = True  # losses in other units give the same interval in those units

    def __post_init__(self) -> None:
        if not self.name or not isinstance(self.name, str):
            raise BadInterval(f"an interval needs a name to be printed under, not {self.name!r}")
        if self.covers not in COVERS:
            raise BadInterval(f"an interval cannot cover {self.covers!r}", nearest(self.covers, COVERS))

    def __repr__(self) -> str:
        return f"IntervalMethod({self.name!r}, {COVERS[self.covers].format('K')})"

    @property
    def names(self) -> tuple[str, ...]:
        """The name and its aliases, in the form in which names are compared."""
        return tuple(comparable(name) for name in (self.name, *self.aliases))

    def measured(self, scheme: str) -> str:
        """The measured coverage over such splits, in words.

        `scheme`: its name.
        """
        return self.coverage_by_scheme.get(scheme, self.coverage)

    def ends(self, evidence: Evidence, level: float) -> Ends:
        """The result of `compute` in one form.

        `evidence`: of a study.
        `level`: of the interval.
        """
        ends = self.compute(evidence, level)
        if isinstance(ends, Ends):
            return ends
        low, high = ends
        return Ends(float(low), float(high))


def comparable(name: str) -> str:
    """
    >>> comparable("Clopper_Pearson"), comparable("clopper-pearson")
    ('clopper pearson', 'clopper pearson')
    """
    return str(name).lower().replace("_", " ").replace("-", " ").strip()
