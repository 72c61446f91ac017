"""The guarantee of tuning on a development set, or why there is none."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from foldwise.data.dataset import Dataset
from foldwise.losses.loss import Loss
from foldwise.questions.bias import selection_table
from foldwise.questions.method import MethodAnswer
from foldwise.splits.split import Splits
from foldwise.stats.bounds import excess_bound, observed_excess_bound, paired_excess_bound, uniform_bound


@dataclass(frozen=True)
class Guarantee:
    """How much worse than the best candidate the chosen one can be; `excess` is None where nothing can be said.

    >>> print(Guarantee(dev_rows=1000, candidates=50, excess=0.1233))
    with probability at least 0.95 the chosen candidate, trained without the 1000 dev rows, has a risk at most 0.1233
    above that of the best of the 50 candidates
    >>> print(Guarantee(dev_rows=20, candidates=3, reason="the loss squared has no stated range"))
    no guarantee: the loss squared has no stated range
    """

    dev_rows: int
    candidates: int
    excess: float | None = None
    delta: float = 0.05
    reason: str | None = None  # why there is no bound
    paired: float | None = None  # the sharper bound by differences to each rival
    observed: float | None = None  # sharper still, from the dev losses themselves
    low: float | None = None  # where the risk of the chosen candidate lies, at the same delta, whichever was chosen
    high: float | None = None

    @property
    def words(self) -> str:
        """The guarantee in one sentence, or why there is none."""
        if self.excess is None:
            return f"no guarantee: {self.reason}"
        return (
            f"with probability at least {1 - self.delta:g} the chosen candidate, trained without the {self.dev_rows} "
            f"dev rows, has a risk at most {self.excess:.4g} above that of the best of the {self.candidates} candidates"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**asdict(self), "words": self.words}

    def __str__(self) -> str:
        return self.words


def dev_guarantee(method: MethodAnswer, data: Dataset, *, delta: float = 0.05) -> Guarantee:
    """The excess bound of tuning on a development set; candidates are fixed beforehand here."""
    assert method.method.inner is not None
    splits, loss = method.method.inner.final, method.study.losses[0]
    assert splits is not None
    candidates, dev_rows = method.candidates, len(splits[0].test)
    reason = _reason_against(loss, splits, data)
    if reason is None and not method.method.tuner.is_listed:
        reason = "the bound is for candidates fixed beforehand, and these were found by looking at the dev rows"
    if reason is not None:
        return Guarantee(dev_rows, candidates, delta=delta, reason=reason)
    dev_losses = selection_table(method)[splits[0].test]
    assert loss.bounds is not None
    if dev_losses.min() < loss.bounds[0] or dev_losses.max() > loss.bounds[1]:
        reason = f"dev losses from {dev_losses.min():g} to {dev_losses.max():g} leave the stated range"
        return Guarantee(dev_rows, candidates, delta=delta, reason=reason)
    reach, value = uniform_bound(dev_rows, candidates, delta, bounds=loss.bounds), float(dev_losses.mean(axis=0).min())
    return Guarantee(
        dev_rows,
        candidates,
        excess=excess_bound(dev_rows, candidates, delta, bounds=loss.bounds),
        delta=delta,
        paired=paired_excess_bound(dev_rows, candidates, delta, bounds=loss.bounds),
        observed=observed_excess_bound(dev_losses, delta, bounds=loss.bounds) if dev_rows > 1 else None,
        low=value - reach,
        high=value + reach,
    )


def _reason_against(loss: Loss, splits: Splits, data: Dataset) -> str | None:
    """The bound is Hoeffding's: a plain mean of independent losses in a known range, over one set of dev rows."""
    if len(splits) != 1:
        return f"the bound is for one development set, and this was tuned on {len(splits)} splits"
    if not loss.is_per_row:
        return f"the bound needs a loss per row, and {loss.name} is a measure of a whole fold"
    if loss.bounds is None:
        return f"the bound needs a loss with a stated range, and {loss.name} has none"
    if data.weights is not None:
        return "the bound is for a plain mean, and these rows are weighted"
    if data.groups is not None:
        return "the bound needs independent dev rows, and rows of one group are not"
    return None
