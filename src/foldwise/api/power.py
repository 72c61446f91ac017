"""How much more data it would take to tell two methods apart, and where the noise of a risk comes from."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from foldwise.answers.method import MethodAnswer
from foldwise.arrays import FloatArray
from foldwise.comparisons.comparison import Comparison
from foldwise.executors.worker import Worker
from foldwise.executors.workload import workload_of
from foldwise.plans.fit import Fit
from foldwise.plans.runnable import RunnableStudy
from foldwise.studies.study import rows_name

MOST_ROWS = 1e9


@dataclass(frozen=True)
class RowsNeeded:
    """About how many rows would tell two methods apart, or None where no number would."""

    rows: int | None
    words: str

    def __repr__(self) -> str:
        return self.words


def rows_needed(found: Comparison, rows: int) -> RowsNeeded:
    """Rows at which the interval of this difference would no longer contain 0, if the difference stays what it is.

    The distance to the end nearest 0 falls with the square root of the rows. Repeats bring no rows: they do not narrow
    the interval.
    """
    one, other = found.names
    if found.low is None or found.high is None:
        return RowsNeeded(None, f"{one} and {other}: there is no valid interval here to say how many rows it takes.")
    gap = abs(found.value)
    reach = found.value - found.low if found.value > 0 else found.high - found.value
    if found.low > 0 or found.high < 0:
        return RowsNeeded(rows, f"{one} and {other}, looked at alone, are told apart by these {rows} rows.")
    wanted = rows * (reach / gap) ** 2 if gap > 0 else math.inf
    if wanted > MOST_ROWS:
        return RowsNeeded(
            None, f"{one} and {other} cannot be told apart by any number of rows, if they differ by no more than here."
        )
    number = math.ceil(wanted)
    words = f"To tell {one} and {other} apart you would need about {number} rows; more repeats would not do it."
    return RowsNeeded(number, words)


def noise(runnable: RunnableStudy, method: MethodAnswer, *, seeds: int = 5) -> dict[str, float | None]:
    """Standard deviations of a risk by source: the rows drawn, how they were split, and the learner's own seed.

    The share of the rows is what the interval is about. That of the splits needs repeats; that of the seed refits the
    outer models with other seeds (0 for a learner without any).
    """
    estimate, outer = method.estimate(), runnable.study.outer
    runs = method.fold_losses.reshape(outer.repeats, -1).mean(axis=1)
    split = float(runs.std(ddof=1)) if outer.repeats > 1 else None
    data = estimate.details.get("se")
    return {"data": data, "split": split, "seed": _seed_noise(runnable, method, seeds)}


def _seed_noise(runnable: RunnableStudy, method: MethodAnswer, seeds: int) -> float:
    risks = [float(np.mean(_losses_with_seed(runnable, method, number))) for number in range(seeds)]
    return float(np.std(risks, ddof=1)) if np.ptp(risks) > 0 else 0.0


def _losses_with_seed(runnable: RunnableStudy, method: MethodAnswer, number: int) -> FloatArray:
    study, own, worker = runnable.study, method.method, Worker(workload_of(runnable))
    at, judge = study.methods.index(own), study.losses[0]
    losses = []
    for place, split in enumerate(study.outer):
        candidate = method.reading.outer_candidate(own, place)
        assert candidate is not None
        response = own.response_for(judge, candidate)
        seed = replace(study, seed=study.seed + 7919 * (number + 1)).fit_seed(
            runnable.family(at, candidate), rows_name(split.train)
        )
        fit = Fit("seed", at, candidate, split.train, split.test, (response,), seed)
        (record,) = worker.do((fit,))
        weights = None if study.weights is None else study.weights[split.test]
        losses.append(judge.fold(study.target[split.test], record.responses[response], weights))
    return np.array(losses)
