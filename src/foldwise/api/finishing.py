"""What a time limit has cut of one method is done after all, once its model is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from foldwise.api.importance import writable
from foldwise.executors.engines import make_executor
from foldwise.executors.options import RunOptions
from foldwise.executors.progress import Progress
from foldwise.executors.stop import Stop
from foldwise.plans.runnable import RunnableStudy
from foldwise.run import run
from foldwise.studies.reading import Reading


def finish(runnable: RunnableStudy, reading: Reading, names: Collection[str]) -> tuple[Reading, Counter[str]]:
    """The study read again with all fits of these methods, and how many were made."""
    stop = Stop()
    executor = make_executor(RunOptions(), stop)
    with writable(reading.store) as kept:
        _, made = run(runnable.only(names), executor=executor, store=kept, progress=Progress(False), stop=stop)
    return Reading(reading.study, reading.store), made
