"""What a Tuned learner does when it is fitted on its own: tune on inner splits, fit the chosen candidate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from foldwise.answers.guarantee import Guarantee, dev_guarantee
from foldwise.answers.method import MethodAnswer
from foldwise.api.seen import remember_rows
from foldwise.data.dataset import Dataset
from foldwise.errors import BadSplits, BadStudy, FitsFailed
from foldwise.executors.local.local_executor import LocalExecutor
from foldwise.executors.options import RunOptions
from foldwise.executors.progress import Progress
from foldwise.learners.checks import check_learner
from foldwise.learners.inputs import read_rows
from foldwise.learners.trial import check_space
from foldwise.losses.loss import make_losses
from foldwise.plans.options import StudyOptions
from foldwise.plans.runnable import RunnableStudy, make_study
from foldwise.plans.searches import Tuning
from foldwise.records.memory import MemoryStore
from foldwise.run import fit_model, run
from foldwise.splits.making import INNER_WORDS, make_splits
from foldwise.splits.nesting import INNER_FOLDS, Inner
from foldwise.splits.split import Splits
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class TuningOutcome:
    """What a Tuned learner knows after its own fit."""

    candidate: dict[str, Any]
    selection_score: float
    scores: pd.DataFrame
    guarantee: Guarantee
    model: Any
    fits: int
    is_frame: bool  # whether the model was given a data frame


def tune_on(tuned: Any, X: Any, y: Any, *, weights: Any = None, groups: Any = None) -> TuningOutcome:
    """Tune a learner on all of these rows and fit the chosen candidate."""
    from sklearn import config_context

    data = read_rows(tuned.estimator, X, y, weights=weights, groups=groups)
    runnable = _tuning_study(tuned, data)
    # Weights and groups have arrived: inside, they go to the fits by keyword, whatever the caller routes.
    with config_context(enable_metadata_routing=False):
        outcome = _outcome(runnable, jobs=tuned.jobs, refit=tuned.refit)
    for model in (tuned, outcome.model):
        remember_rows(model, data)
    return outcome


def _outcome(runnable: RunnableStudy, *, jobs: int | None, refit: bool) -> TuningOutcome:
    data, executor = runnable.data, LocalExecutor(RunOptions(jobs=jobs))
    reading, made = run(runnable, executor=executor, store=MemoryStore(), progress=Progress(False))
    method = reading.study.methods[0]
    choice = reading.final_choice(method)
    if choice.candidate is None:
        raise no_choice(reading, method)
    assert method.inner is not None
    assert method.inner.final is not None
    final = method.inner.final
    return TuningOutcome(
        candidate=dict(method.candidates[choice.candidate]),
        selection_score=choice.score,
        scores=score_table(reading),
        guarantee=dev_guarantee(MethodAnswer(reading, method), data),
        model=fit_model(runnable, reading, 0, choice.candidate, np.arange(data.rows) if refit else final[0].train),
        fits=made.total() + 1,
        is_frame=hasattr(data.X, "iloc"),
    )


def _tuning_study(tuned: Any, data: Dataset) -> RunnableStudy:
    losses = make_losses(tuned.loss, data)
    learner = tuned.as_learner(type(tuned.estimator).__name__)
    check_space(learner, data)
    check_learner(learner.name, learner.estimator, data, losses)
    final = alone_splits(tuned, data)
    nothing = Splits((), scheme="no outer splits", kind="none", is_partition=False)
    return make_study(
        data,
        [replace(learner, inner=None)],
        losses=losses,
        outer=nothing,
        tuning=Tuning(inner=Inner((), final, final.scheme)),
        options=StudyOptions(seed=tuned.seed),
    )


def alone_splits(tuned: Any, data: Dataset) -> Splits:
    """The splits that a learner tunes on when it is fitted on its own."""
    inner = _default_folds(data) if tuned.inner is None else tuned.inner
    if isinstance(inner, str) and inner in INNER_WORDS:
        raise BadSplits(f"inner={inner!r} goes with outer folds, and a learner fitted alone has none", "Give inner=5")
    splits = make_splits(inner, data, seed=tuned.seed)
    if not getattr(tuned, "refit", True) and len(splits) != 1:
        found = f"refit=False keeps the model of one training part, but there are {len(splits)}"
        raise BadStudy(found, "Give inner=0.25, or leave refit out")
    return splits


def _default_folds(data: Dataset) -> int:
    """Five folds, or the largest usual number that the classes and the groups allow; the user left it open."""
    sizes = [data.rows]
    sizes += [] if data.strata is None else [int(np.bincount(data.strata).min())]
    sizes += [] if data.groups is None else [int(data.groups.max()) + 1]
    return next((folds for folds in INNER_FOLDS if folds <= min(sizes)), INNER_FOLDS[-1])


def no_choice(reading: Reading, method: Method) -> FitsFailed:
    """Why nothing was chosen on all rows: the first failed fit in declared order speaks for all."""
    assert method.inner is not None
    splits = list(method.inner.final or ())
    failed = [
        (candidate, record.error)
        for at, candidate in enumerate(method.candidates)
        for split in splits
        if (record := reading.record(method, at, split)) is not None and not record.is_ok
    ]
    if not failed:
        return FitsFailed("no candidate has a score: the loss is undefined on an inner split", "Use larger inner folds")
    count = f"{len(failed)} of {len(method.candidates) * len(splits)} fits failed, so no candidate is chosen"
    return FitsFailed(f"{count}. The first, {failed[0][0]}, says: {failed[0][1]}", "Leave out the values that fail")


def score_table(reading: Reading) -> pd.DataFrame:
    """Candidates of the first method x folds of its final tuning, and which was chosen."""
    import pandas as pd

    method = reading.study.methods[0]
    choice = reading.final_choice(method)
    own = choice.tried
    table = pd.DataFrame([dict(method.candidates[at]) for at in own])
    for at in range(choice.scores.shape[1]):
        table[f"fold {at}"] = choice.scores[:, at]
    table["score"] = choice.scores.mean(axis=1)
    table["chosen"] = [at == choice.candidate for at in own]
    return table
