"""What a Tuned learner does when it is fitted on its own: tune on inner splits, fit the chosen candidate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from foldwise.data.dataset import Dataset, make_dataset
from foldwise.errors import BadSplits, BadStudy, FitsFailed
from foldwise.executors.local import LocalExecutor
from foldwise.executors.progress import Progress
from foldwise.formulas.bounds import excess_bound
from foldwise.learners.checks import check_learner
from foldwise.learners.model import task_of
from foldwise.losses.loss import Loss, make_losses
from foldwise.outlines.reading import Reading
from foldwise.plans.study import Study, Tuning, make_study
from foldwise.records.memory import MemoryStore
from foldwise.run import fit_model, run
from foldwise.splits.making import make_splits
from foldwise.splits.nesting import Inner
from foldwise.splits.split import Splits

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class TuningOutcome:
    """What a Tuned learner knows after its own fit."""

    candidate: dict[str, Any]
    selection_score: float
    scores: pd.DataFrame
    guarantee: dict[str, Any]
    model: Any
    fits: int


def tune_on(tuned: Any, X: Any, y: Any, *, weights: Any = None, groups: Any = None) -> TuningOutcome:
    """Tune a learner on all of these rows and fit the chosen candidate."""
    data = make_dataset(X, y, weights=weights, groups=groups, task_hint=task_of(tuned.estimator))
    study = _tuning_study(tuned, data)
    method = study.outline.methods[0]
    executor = LocalExecutor(jobs=tuned.jobs)
    reading, made = run(study, executor=executor, store=MemoryStore(), progress=Progress(False))
    choice = reading.final_choice(method)
    if choice.candidate is None:
        raise _no_choice(reading)
    assert method.inner is not None and method.inner.final is not None
    final = method.inner.final
    rows = np.arange(data.rows) if tuned.refit else final[0].train
    return TuningOutcome(
        candidate=dict(method.candidates[choice.candidate]),
        selection_score=choice.score,
        scores=_score_table(reading),
        guarantee=dev_guarantee(study.outline.losses[0], final, len(method.candidates)),
        model=fit_model(study, 0, choice.candidate, rows),
        fits=made.total() + 1,
    )


def dev_guarantee(loss: Loss, splits: Splits, candidates: int, delta: float = 0.05) -> dict[str, Any]:
    """The excess bound of tuning on a development set, or why there is none (theory.md, section 2)."""
    if len(splits) != 1:
        return {"excess": None, "reason": "the bound is for one development set; this was tuned on several folds"}
    if loss.bounds is None:
        return {"excess": None, "reason": f"the bound needs a loss with a stated range, and {loss.name} has none"}
    dev_rows = len(splits[0].test)
    excess = excess_bound(dev_rows, candidates, delta, bounds=loss.bounds)
    words = (
        f"with probability at least {1 - delta:g} the risk of the chosen candidate, trained on the training part only, "
        f"exceeds that of the best of the {candidates} candidates by at most {excess:.4g}"
    )
    return {"excess": excess, "delta": delta, "dev_rows": dev_rows, "candidates": candidates, "words": words}


def _tuning_study(tuned: Any, data: Dataset) -> Study:
    losses = make_losses(tuned.loss, data)
    inner = 5 if tuned.inner is None else tuned.inner
    if isinstance(inner, str) and inner in ("aligned", "lines", "pairs", "dev"):
        raise BadSplits(f"inner={inner!r} goes with outer folds, and a learner fitted alone has none", "Give inner=5")
    final = make_splits(inner, data, seed=tuned.seed)
    if not tuned.refit and len(final) != 1:
        raise BadStudy("refit=False keeps the model of one training part, but there are several", "Give inner=0.25")
    learner = tuned.as_learner(type(tuned.estimator).__name__)
    check_learner(learner.name, learner.estimator, data, losses)
    nothing = Splits((), scheme="no outer splits", kind="none", is_partition=False)
    inner_only = Inner((), final, final.scheme)
    return make_study(
        data,
        [replace(learner, inner=None)],
        losses=losses,
        outer=nothing,
        tuning=Tuning(inner=inner_only),
        seed=tuned.seed,
    )


def _no_choice(reading: Reading) -> FitsFailed:
    records = [record for key in reading.store.keys() if (record := reading.store.get(key)) is not None]
    failed = [record for record in records if not record.is_ok]
    if failed:
        return FitsFailed(f"{len(failed)} of {len(records)} fits failed. The first says: {failed[0].error}")
    return FitsFailed("no candidate has a score: the loss is undefined on some inner split", "Use larger inner folds")


def _score_table(reading: Reading) -> pd.DataFrame:
    import pandas as pd

    method = reading.outline.methods[0]
    choice = reading.final_choice(method)
    table = pd.DataFrame([dict(candidate) for candidate in method.candidates])
    for at in range(choice.scores.shape[1]):
        table[f"fold {at}"] = choice.scores[:, at]
    table["score"] = choice.scores.mean(axis=1)
    table["chosen"] = [at == choice.candidate for at in range(len(table))]
    return table
