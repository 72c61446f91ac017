"""What predicting costs: the first outer model of every method is made again, and predicts its held-out rows."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence

import numpy as np

from foldwise.api.fold_models import fold_model
from foldwise.api.running import writable
from foldwise.executors.worker import limited_threads
from foldwise.learners.model import respond, seeded_world
from foldwise.plans.runnable import RunnableStudy
from foldwise.questions.importance import importance_of
from foldwise.questions.method import MethodAnswer
from foldwise.questions.predicting import first_model_name, seconds_per_1000
from foldwise.studies.measured import Timed, write_timed

TIMES = 5  # predictions, of which the median counts: the first one also loads what is lazy


def measure_predicting(runnable: RunnableStudy, answers: Sequence[MethodAnswer]) -> dict[str, int]:
    """Time the methods that were not timed yet, and keep it; gives the fits that were made by method."""
    made: dict[str, int] = {}
    with writable(answers[0].reading.store) as store:
        for answer in answers:
            if answer.status != "ok" or answer.stand_ins:
                continue
            name = first_model_name(answer)
            if name is None or seconds_per_1000(answer, importance_of(answer)) is not None:
                continue
            rows = len(answer.study.outer[0].test)
            write_timed(store, name, Timed(answer.method.name, rows, _seconds(runnable, answer)))
            made[answer.method.name] = 1 + len(answer.method.members)
    return made


def _seconds(runnable: RunnableStudy, answer: MethodAnswer) -> float:
    """The median of several predictions by the first outer model, on the threads of the study."""
    study, rows = answer.study, answer.study.outer[0].test
    response = answer.method.response_for(study.losses[0], answer.reading.outer_candidate(answer.method, 0) or 0)
    with warnings.catch_warnings(), limited_threads(study.threads), seeded_world(study.seed):
        warnings.simplefilter("ignore")  # the run has told them
        model, took = fold_model(runnable, answer, 0), []
        table = runnable.data.take(rows)
        for _ in range(TIMES):
            began = time.perf_counter()
            respond(model, runnable.data, rows, (response,), table=table)
            took.append(time.perf_counter() - began)
    return float(np.median(took))
