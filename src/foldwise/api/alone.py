"""What a tuned learner or a blend does when it is fitted on its own: a study without outer splits, then a fit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from foldwise.api.judging import remember_rows
from foldwise.data.dataset import Dataset
from foldwise.errors import BadSplits, BadStudy, FitsFailed
from foldwise.executors.local.local_executor import LocalExecutor
from foldwise.executors.options import RunOptions
from foldwise.executors.progress import Progress
from foldwise.executors.worker import limited_threads
from foldwise.learners.blend import Blend, BlendedModel, fit_final
from foldwise.learners.checks import check_learner
from foldwise.learners.inputs import read_rows
from foldwise.learners.learner import Learner
from foldwise.learners.model import make_fitting, seeded_world
from foldwise.learners.named import Named
from foldwise.learners.trial import check_space
from foldwise.losses.loss import Loss, make_losses, task_hint
from foldwise.plans.blends import BLEND, read_blend
from foldwise.plans.methods import make_learners
from foldwise.plans.runnable import RunnableStudy, StudyOptions, make_study
from foldwise.plans.searches import Tuning
from foldwise.questions.guarantee import dev_guarantee
from foldwise.questions.method import MethodAnswer
from foldwise.questions.tables import score_table, search_results
from foldwise.records.memory import MemoryStore
from foldwise.run import fit_model, run
from foldwise.splits.making import INNER_NAMES, make_splits
from foldwise.splits.nesting import INNER_FOLDS, Inner
from foldwise.splits.split import Splits
from foldwise.studies.members import held_out, members_of
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method, Stage


def fit_alone(learner: Any, X: Any, y: Any, *, weights: Any = None, groups: Any = None) -> dict[str, Any]:
    """Tune a learner on all of these rows and fit what was chosen: its fitted attributes by name."""
    from sklearn import config_context
    from sklearn.base import clone

    asked, learner = learner, read_blend(learner) or learner
    # a learner for both tasks may have met the other one before
    kind = learner.estimator if hasattr(learner, "estimator") else clone(learner)
    data = read_rows(kind, X, y, weights=weights, groups=groups, loss_task=task_hint(learner.loss))
    # Weights and groups have arrived: inside, they go to the fits by keyword, whatever the caller routes.
    with config_context(enable_metadata_routing=False):
        runnable = _study(learner, data)
        executor = LocalExecutor(RunOptions(jobs=learner.jobs))
        reading, made = run(runnable, executor=executor, store=MemoryStore(), progress=Progress(False))
        members = len(reading.study.methods[0].members)
        found = _together(runnable, reading) if members else _chosen(learner, runnable, reading)
    for model in (asked, found["model_"]):
        remember_rows(model, data)
    table = {"n_features_in_": data.columns, "_met_frame": hasattr(data.X, "iloc")}
    return {**table, **found, "fits_": made.total() + (members or 1)}


def _study(learner: Any, data: Dataset) -> RunnableStudy:
    """No outer splits, and one tuning on all rows."""
    losses, final = make_losses(learner.loss, data), _splits(learner, data)
    return make_study(
        data,
        [_as_learner(learner, data, losses)],
        losses=losses,
        outer=Splits((), scheme="no outer splits", kind="none", is_partition=False),
        tuning=Tuning(inner=Inner((), final, final.scheme)),
        options=StudyOptions(seed=learner.seed),
    )


def _as_learner(learner: Any, data: Dataset, losses: tuple[Loss, ...]) -> Learner:
    """The learner as a study takes it, without the options that it uses only on its own."""
    if isinstance(learner, Blend):
        options = {**learner.get_params(deep=False), "loss": None, "seed": 0, "inner": None}
        return make_learners({BLEND: Blend(**options)}, data, losses)[0]
    if isinstance(learner, Named):
        return make_learners({learner.name: Named(learner.name, learner.changes, **learner.search)}, data, losses)[0]
    made: Learner = learner.as_learner(type(learner.estimator).__name__)
    check_space(made, data)
    check_learner(made.name, made.estimator, data, losses)
    return replace(made, inner=None)


def _chosen(learner: Any, runnable: RunnableStudy, reading: Reading) -> dict[str, Any]:
    """The chosen candidate of a tuned learner, fitted."""
    method = reading.study.methods[0]
    if method.inner is None:  # a built-in learner with nothing to tune
        return {"candidate_": {}, "model_": fit_model(runnable, reading, 0, 0, np.arange(runnable.data.rows))}
    choice = reading.final_choice(method)
    if choice.candidate is None:
        raise no_choice(reading, method)
    assert method.inner.final is not None
    rows = np.arange(runnable.data.rows) if getattr(learner, "refit", True) else method.inner.final[0].train
    return {
        "guarantee_": dev_guarantee(MethodAnswer(reading, method), runnable.data),
        "candidate_": dict(method.candidates[choice.candidate]),
        "selection_score_": choice.score,
        "scores_": score_table(reading),
        **search_results(reading),
        "model_": fit_model(runnable, reading, 0, choice.candidate, rows),
    }


def _together(runnable: RunnableStudy, reading: Reading) -> dict[str, Any]:
    """The members of a blend at their chosen candidates, and their weighted mean."""
    method = reading.study.methods[0]
    model = fit_blend(runnable, reading, method)
    members = members_of(reading.study, method)
    chosen = [member.candidates[reading.final_choice(member).candidate or 0] for member in members]
    names = [name for name, _ in method.members]
    return {
        "candidates_": dict(zip(names, map(dict, chosen), strict=True)),
        "weights_": model.weights_,
        "model_": model,
    }


def _splits(learner: Any, data: Dataset) -> Splits:
    """The splits that a learner tunes on when it is fitted on its own."""
    inner = _default_folds(data) if learner.inner is None else learner.inner
    if isinstance(inner, str) and inner in INNER_NAMES:
        raise BadSplits(f"inner={inner!r} goes with outer folds, and a learner fitted alone has none", "Give inner=5")
    splits = make_splits(inner, data, seed=learner.seed)
    if not getattr(learner, "refit", True) and len(splits) != 1:
        found = f"refit=False keeps the model of one training part, but there are {len(splits)}"
        raise BadStudy(found, "Give inner=0.25, or leave refit out")
    return splits


def _default_folds(data: Dataset) -> int:
    """Five folds, or the largest usual number that the classes and the groups allow; the user left it open."""
    sizes = [data.rows]
    sizes += [] if data.strata is None else [int(np.bincount(data.strata).min())]
    sizes += [] if data.groups is None else [int(data.groups.max()) + 1]
    return next((folds for folds in INNER_FOLDS if folds <= min(sizes)), INNER_FOLDS[-1])


def fit_blend(runnable: RunnableStudy, reading: Reading, method: Method, stage: Stage | None = None) -> BlendedModel:
    """The members of a blend at their chosen candidates, and their weighted mean.

    Fitted on all rows, or on the training rows of a `stage`.
    """
    from sklearn.frozen import FrozenEstimator

    study, data = reading.study, runnable.data
    parts, rows = members_of(study, method), np.arange(data.rows) if stage is None else stage.split.train
    for part in parts:
        if part.inner is None or part.inner.final is None:
            raise BadStudy("there are no inner splits of all rows to tune on", "Give them as a last entry of inner")
        if reading.final_choice(part).candidate is None:
            raise no_choice(reading, part)
    held = held_out(reading, method, stage)
    assert held is not None
    at = study.methods.index(method)
    seed = study.fit_seed(runnable.families[at], "all rows" if stage is None else study.rows_name(stage.split))
    with limited_threads(study.threads), seeded_world(seed):
        final = fit_final(make_fitting(runnable.estimators[at][0]), data, held.rows, held.columns, seed)
    models = {}
    for (name, _), part in zip(method.members, parts, strict=True):
        choice = reading.final_choice(part) if stage is None else reading.choice(part, stage.at)
        models[name] = fit_model(runnable, reading, study.methods.index(part), choice.candidate or 0, rows)
    classes = list(data.classes) if data.classes else None
    return BlendedModel(models, FrozenEstimator(final), classes)


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
