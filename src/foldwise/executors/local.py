"""Fits on this machine: in the calling process while that is quick, in worker processes otherwise."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from foldwise.data.mapped import open_mapped, save
from foldwise.errors import BadStudy
from foldwise.executors.worker import Worker, Workload, workload_of
from foldwise.plans.fit import Batch, Fit
from foldwise.plans.sharing import make_batches
from foldwise.plans.study import Study
from foldwise.records.record import Record
from foldwise.splits.part import whole_number

SMALL_STUDY_SECONDS = 2.0
DIED = "the worker process died (killed, out of memory, or exited)"

_Deaths = Generator[list[Record], None, list[int]]  # records as they come, then the batches that were out


class LocalExecutor:
    """One flat queue and one number of workers.

    With `jobs=None` the first fits are timed here; if the rest would take longer than
    about two seconds it goes to worker processes, one per core. `isolate` decides it
    beforehand. Workers are started fresh, never forked, and map the data from a file.
    """

    def __init__(self, *, jobs: int | None = None, isolate: bool | None = None) -> None:
        self.jobs = _cores() if jobs is None else whole_number(jobs, "jobs", least=1, error=BadStudy)
        self.may_isolate = self.jobs > 1 if isolate is None else isolate
        self.must_isolate = isolate if isolate is not None else bool(jobs and jobs > 1)
        self.seconds: dict[int, float] = {}  # of one fit, by method
        self._counts: dict[int, int] = {}

    def run(self, study: Study, fits: Sequence[Fit]) -> Iterator[list[Record]]:
        left = list(fits)
        if not self.must_isolate:
            worker = Worker(workload_of(study))
            for batch in self._pilot_then_rest(left):
                if self.may_isolate and self.seconds_left(left) > SMALL_STUDY_SECONDS:
                    break
                yield self._timed(batch, worker.do(batch))
                del left[: len(batch)]
        if left:
            yield from self._run_in_workers(study, left)

    def seconds_left(self, fits: Sequence[Fit]) -> float:
        """What these fits would take one after another, as far as methods have been timed."""
        return sum(self.seconds.get(fit.method, 0.0) for fit in fits)

    def _pilot_then_rest(self, left: list[Fit]) -> Iterator[Batch]:
        """Single fits of methods not timed yet, then batches; always from the head of the list."""
        first = {fit.method: fit for fit in reversed(left) if fit.method not in self.seconds}
        pilots = list(first.values())
        chosen = {id(fit) for fit in pilots}
        left[:] = pilots + [fit for fit in left if id(fit) not in chosen]
        for fit in pilots:
            yield (fit,)
        batches = make_batches(left, self.seconds)
        left[:] = [fit for batch in batches for fit in batch]
        yield from batches

    def _timed(self, batch: Batch, records: list[Record]) -> list[Record]:
        for fit, record in zip(batch, records, strict=True):
            count = self._counts.get(fit.method, 0)
            mean = self.seconds.get(fit.method, 0.0)
            self._counts[fit.method] = count + 1
            self.seconds[fit.method] = mean + (record.seconds - mean) / (count + 1)
        return records

    def _run_in_workers(self, study: Study, fits: list[Fit]) -> Iterator[list[Record]]:
        left = dict(enumerate(make_batches(fits, self.seconds, workers=self.jobs)))
        with tempfile.TemporaryDirectory(prefix="foldwise-") as folder:
            write_workload(workload_of(study), Path(folder))
            while left:
                # A worker that dies takes its pool along; any of the batches that were out may be to blame.
                suspects = yield from self._until_a_death(study, folder, left)
                yield from self._one_by_one(study, folder, [fit for at in suspects for fit in left.pop(at)])

    def _until_a_death(self, study: Study, folder: str, left: dict[int, Batch]) -> _Deaths:
        """Do the batches and take them off the list; if a worker dies, give back those that were out."""
        from concurrent.futures.process import BrokenProcessPool

        import joblib

        out: list[int] = []

        def handed_out() -> Iterator[Any]:
            for at, batch in list(left.items()):
                out.append(at)
                yield joblib.delayed(_do)(folder, at, batch)

        with joblib.parallel_config(backend="loky", inner_max_num_threads=study.outline.threads):
            # joblib runs one job in this process, so a single worker is two that are given work one at a time
            ahead = "2*n_jobs" if self.jobs > 1 else 1
            workers = max(self.jobs, 2)
            pool = joblib.Parallel(workers, return_as="generator_unordered", batch_size=1, pre_dispatch=ahead)
            with suppress(BrokenProcessPool):
                for at, records in pool(handed_out()):
                    yield self._timed(left.pop(at), records)
        return [at for at in out if at in left]

    def _one_by_one(self, study: Study, folder: str, fits: Sequence[Fit]) -> Iterator[list[Record]]:
        """Fits in one worker that is replaced when it dies, so that the guilty one is known."""
        worker = _LoneWorker(folder)
        try:
            for fit in fits:
                record = worker.do(fit) or worker.do(fit)  # memory may have been short for a moment
                name = study.learners[fit.method].name
                record = record or Record(key=fit.key, status="error", rows=fit.rows, error=DIED, learner=name)
                yield self._timed((fit,), [record])
        finally:
            worker.stop()


class _LoneWorker:
    """A process that does one fit at a time; made when it is needed."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._pool: Any = None

    def do(self, fit: Fit) -> Record | None:
        """The record of a fit, or None where the process died of it."""
        from concurrent.futures.process import BrokenProcessPool

        from joblib.externals.loky import ProcessPoolExecutor

        self._pool = self._pool or ProcessPoolExecutor(max_workers=1)
        try:
            _, (record,) = self._pool.submit(_do, self.folder, 0, (fit,)).result()
        except BrokenProcessPool:
            self.stop()
            return None
        return record  # type: ignore[no-any-return]

    def stop(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(kill_workers=True)
            self._pool = None


def _cores() -> int:
    """Cores this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def write_workload(work: Workload, folder: Path) -> None:
    """The data as mapped arrays and the learners as bytes, for workers on this machine."""
    import cloudpickle

    save(work.data, folder)
    parts = (work.learners, work.candidates, work.threads)
    (folder / "learners").write_bytes(cloudpickle.dumps(parts))


def _do(folder: str, at: int, batch: Batch) -> tuple[int, list[Record]]:
    return at, _worker(folder).do(batch)


@lru_cache(maxsize=1)
def _worker(folder: str) -> Worker:
    import cloudpickle

    parts: Any = cloudpickle.loads((Path(folder) / "learners").read_bytes())
    learners, candidates, threads = parts
    return Worker(Workload(open_mapped(Path(folder)), learners, candidates, threads))
