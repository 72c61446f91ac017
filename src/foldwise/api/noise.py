"""Where the noise of a risk comes from: the rows, how they were split, and the learner's own seed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.executors.worker import Worker
from foldwise.executors.workload import workload_of
from foldwise.plans.fit import Fit
from foldwise.plans.runnable import RunnableStudy
from foldwise.questions.method import MethodAnswer
from foldwise.studies.study import rows_name


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
    study, own, worker = method.study, method.method, Worker(workload_of(runnable))
    at, judge = study.methods.index(own), study.losses[0]
    losses = []
    for place, split in enumerate(study.outer):
        candidate = method.reading.outer_candidate(own, place)
        assert candidate is not None
        response = own.response_for(judge, candidate)
        seed = replace(study, seed=study.seed + 7919 * (number + 1)).fit_seed(
            runnable.families[at], rows_name(split.train)
        )
        point = own.proposals.points[candidate] if own.proposals.points else None
        fit = Fit("seed", at, candidate, split.train, split.test, (response,), seed, point)
        (record,) = worker.do((fit,))
        weights = None if study.weights is None else study.weights[split.test]
        losses.append(judge.fold(study.target[split.test], record.responses[response], weights))
    return np.array(losses)
