"""Models of stacks and blends: their members and what combines them, fitted on all rows."""

from __future__ import annotations

import numpy as np

from foldwise.errors import BadStudy, FitsFailed
from foldwise.executors.worker import limited_threads
from foldwise.learners.model import make_fitting, seeded_world
from foldwise.learners.stacking import CombinedModel, fit_final
from foldwise.plans.runnable import RunnableStudy
from foldwise.run import fit_model
from foldwise.studies.reading import Reading
from foldwise.studies.stacking import held_out, members_of
from foldwise.studies.study import Method, Stage


def fit_combined(
    runnable: RunnableStudy, reading: Reading, method: Method, stage: Stage | None = None
) -> CombinedModel:
    """The members of a stack or a blend at their chosen candidates, and its final learner.

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
    return CombinedModel(models, FrozenEstimator(final), [part.member_response for part in parts], classes)


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
