"""What learners made of learners do when they are fitted: on their own, and at the end of a study."""

from __future__ import annotations

from typing import Any

import numpy as np

from foldwise.api.seen import remember_rows
from foldwise.api.tuning import alone_splits, no_choice, score_table
from foldwise.data.dataset import Dataset
from foldwise.errors import BadStudy
from foldwise.executors.local.local_executor import LocalExecutor
from foldwise.executors.options import RunOptions
from foldwise.executors.progress import Progress
from foldwise.executors.worker import limited_threads
from foldwise.learners.inputs import read_rows
from foldwise.learners.learner import METHOD
from foldwise.learners.model import make_fitting, seeded_world
from foldwise.learners.stacking import CombinedModel, fit_final
from foldwise.losses.loss import make_losses
from foldwise.plans.methods import make_learners
from foldwise.plans.options import StudyOptions
from foldwise.plans.runnable import RunnableStudy, make_study
from foldwise.plans.searches import Tuning
from foldwise.records.memory import MemoryStore
from foldwise.run import fit_model, run
from foldwise.splits.nesting import Inner
from foldwise.splits.split import Splits
from foldwise.studies.reading import Reading
from foldwise.studies.stacking import held_out, members_of
from foldwise.studies.study import Method


def combine_on(combined: Any, X: Any, y: Any, *, weights: Any = None, groups: Any = None) -> dict[str, Any]:
    """Fit a learner made of learners on all of these rows: its fitted attributes by name."""
    from sklearn import config_context

    data = read_rows(combined, X, y, weights=weights, groups=groups)
    with config_context(enable_metadata_routing=False):
        runnable = _alone(combined, data)
        executor = LocalExecutor(RunOptions(jobs=combined.jobs))
        reading, made = run(runnable, executor=executor, store=MemoryStore(), progress=Progress(False))
        method = reading.study.methods[0]
        found = _best(runnable, reading) if method.combines == "best_of" else _together(runnable, reading)
    fits = made.total() + (1 if method.combines == "best_of" else len(method.members))
    for model in (combined, found["model_"]):
        remember_rows(model, data)
    return {**found, "fits_": fits, "_met_frame": hasattr(data.X, "iloc")}


def _alone(combined: Any, data: Dataset) -> RunnableStudy:
    """The study of a learner that is fitted on its own: no outer splits, and one tuning on all rows."""
    losses = make_losses(combined.loss, data)
    name = combined.combines.replace("_", " ")
    words = {**combined.get_params(deep=False), "loss": None, "seed": 0, "inner": None}
    learner = make_learners({name: type(combined)(**words)}, data, losses)[:1]
    final = alone_splits(combined, data)
    nothing = Splits((), scheme="no outer splits", kind="none", is_partition=False)
    return make_study(
        data,
        learner,
        losses=losses,
        outer=nothing,
        tuning=Tuning(inner=Inner((), final, final.scheme)),
        options=StudyOptions(seed=combined.seed),
    )


def _best(runnable: RunnableStudy, reading: Reading) -> dict[str, Any]:
    method = reading.study.methods[0]
    choice = reading.final_choice(method)
    if choice.candidate is None:
        raise no_choice(reading, method)
    candidate = dict(method.candidates[choice.candidate])
    return {
        "method_": candidate.pop(METHOD),
        "candidate_": candidate,
        "selection_score_": choice.score,
        "scores_": score_table(reading),
        "model_": fit_model(runnable, reading, 0, choice.candidate, np.arange(runnable.data.rows)),
    }


def _together(runnable: RunnableStudy, reading: Reading) -> dict[str, Any]:
    method = reading.study.methods[0]
    model = fit_combined(runnable, reading, method)
    parts = members_of(reading.study, method)
    chosen = [part.candidates[reading.final_choice(part).candidate or 0] for part in parts]
    names = [name for name, _ in method.members]
    return {
        "candidates_": dict(zip(names, map(dict, chosen), strict=True)),
        "weights_": model.weights_,
        "model_": model,
    }


def fit_combined(runnable: RunnableStudy, reading: Reading, method: Method) -> CombinedModel:
    """The members of a stack or a blend at their chosen candidates, fitted on all rows, and its final learner."""
    from sklearn.frozen import FrozenEstimator

    study, data = reading.study, runnable.data
    parts, everything = members_of(study, method), np.arange(data.rows)
    for part in parts:
        if part.inner is None or part.inner.final is None:
            raise BadStudy("there are no inner splits of all rows to tune on", "Give them as a last entry of inner")
        if reading.final_choice(part).candidate is None:
            raise no_choice(reading, part)
    held = held_out(reading, method, None)
    assert held is not None
    at = study.methods.index(method)
    seed = study.fit_seed(runnable.families[at], "all rows")
    with limited_threads(study.threads), seeded_world(seed):
        final = fit_final(make_fitting(runnable.estimators[at][0]), data, held.rows, held.columns, seed)
    models = {}
    for (name, _), part in zip(method.members, parts, strict=True):
        candidate = reading.final_choice(part).candidate or 0
        models[name] = fit_model(runnable, reading, study.methods.index(part), candidate, everything)
    classes = list(data.classes) if data.classes else None
    return CombinedModel(models, FrozenEstimator(final), [part.member_response for part in parts], classes)
