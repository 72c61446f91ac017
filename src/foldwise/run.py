"""The whole flow on one screen: do the fits that are still needed, then read the records."""

from __future__ import annotations

from collections import Counter
from typing import Any

from foldwise.arrays import IntArray
from foldwise.executors.executor import Executor
from foldwise.executors.progress import Progress
from foldwise.executors.worker import limited_threads
from foldwise.outlines.outline import rows_name
from foldwise.outlines.reading import Reading
from foldwise.plans.needed import needed
from foldwise.plans.study import Study
from foldwise.recipes.model import make_recipe, seeded_world
from foldwise.records.store import Store


def run(study: Study, *, executor: Executor, store: Store, progress: Progress) -> tuple[Reading, Counter[str]]:
    """Do the fits the study still needs; give back its records to read, and the fits made by learner."""
    reading, made = Reading(study.outline, store), Counter[str]()
    with progress:
        while fits := needed(study, reading):  # a round for the tuning, another for the chosen candidates
            progress.expect(study, fits)
            for records in executor.run(study, fits):  # any order, any process
                store.add(records)  # keyed by data, learner, candidate, training rows and seed
                progress.advance(records)
                made.update(record.learner for record in records)
    return reading, made


def fit_model(study: Study, method: int, candidate: int, rows: IntArray) -> Any:
    """A fitted model of one method at one candidate: what is handed over to be used."""
    seed = study.outline.fit_seed(study.families[method], rows_name(rows))
    with limited_threads(study.outline.threads), seeded_world(seed):
        return make_recipe(study.candidate(method, candidate)).fit(study.data, rows, seed)
