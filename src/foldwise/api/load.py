"""`load`: a result again, from its store alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from foldwise.answers.evidence import with_interval
from foldwise.api.manifest import stored_versions
from foldwise.api.result import Result
from foldwise.estimates.intervals import IntervalMethod
from foldwise.records.opening import opened
from foldwise.records.store import Store
from foldwise.studies.file import read_study
from foldwise.studies.reading import Reading
from foldwise.tuners.tuner import Tuner


def load(
    run: str | Path | Store,
    *,
    loss: Any = None,
    interval: str | IntervalMethod | None = None,
    tuner: Tuner | None = None,
) -> Result:
    """The result of the latest study in a store; no learner needs to be installed, and nothing is fitted.

    `run`: the folder of the store, or a store of your own. `loss`, `interval`, `tuner`: those of the study, to be given
    again if they were your own; or another interval.
    """
    with opened(run, readonly=True) as store:
        study = read_study(store, loss=loss, tuner=tuner)
        reading = Reading(study if interval is None else with_interval(study, interval), store)
        result = Result(reading, made={}, seconds=0.0, versions=stored_versions(store))
        result.to_dict()
    return result
