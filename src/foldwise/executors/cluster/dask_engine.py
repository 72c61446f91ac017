"""Fits on a Dask cluster: one that runs already, or one of this machine alone for the run."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from foldwise.errors import BadStudy
from foldwise.executors.cluster import node
from foldwise.executors.cluster.bridge import GRACE, LOOK, Died, Lost, in_words, pieces
from foldwise.executors.cluster.cluster_executor import ClusterExecutor
from foldwise.executors.cluster.node import NodeStudy, Outcome
from foldwise.executors.cluster.packed_batch import PackedBatch
from foldwise.executors.options import RunOptions

LOOPBACK = "127.0.0.1"
CONNECT_SECONDS = 10.0
HEAL_SECONDS = 10.0  # without a worker, in a cluster of our own
DIED, LOST = "the Dask worker died", "the connection to the Dask scheduler was lost"


class DaskCluster:
    """The cluster, as the bridge uses it."""

    def __init__(self, address: str | None, jobs: int, folder: Path) -> None:
        self.address, self.jobs, self.folder = address, jobs, folder
        self.is_ours = address is None
        self.client: Any = None
        self._cluster: Any = None  # that of our own
        self._seen = 0.0  # when it had a worker

    async def start(self) -> None:
        import dask
        import distributed

        if self.is_ours:
            self._cluster = await self._start_cluster(dask, distributed)
        where = self._cluster if self.is_ours else self.address
        self.client = await distributed.Client(where, asynchronous=True, timeout=CONNECT_SECONDS, set_as_default=False)

    async def _start_cluster(self, dask: Any, distributed: Any) -> Any:
        """Nothing of it listens beyond this machine; a dead worker is our business, not the scheduler's."""
        dask.config.set({"distributed.scheduler.allowed-failures": 0, "temporary-directory": str(self.folder)})
        return await distributed.LocalCluster(
            n_workers=self.jobs,
            threads_per_worker=1,
            processes=True,
            host=LOOPBACK,
            dashboard_address=f"{LOOPBACK}:0",
            worker_dashboard_address=f"{LOOPBACK}:0",
            scheduler_kwargs={"dashboard": False},
            memory_limit=0,
            local_directory=str(self.folder),
            asynchronous=True,
            silence_logs=40,
        )

    async def slots(self) -> int:
        found: int = sum((await self.client.nthreads()).values())
        if found:
            self._seen = time.monotonic()
        elif self.is_ours and time.monotonic() - self._seen > HEAL_SECONDS:  # a worker killed at its start stays away
            self._seen = time.monotonic()
            self._cluster.scale(len(self._cluster.worker_spec) + self.jobs)
        return found

    async def call(self, study: NodeStudy, packed: PackedBatch, where: str | None) -> tuple[str, Outcome]:
        if where is None:
            found: tuple[str, Outcome] = await self._answer(
                self.client.submit(fit_on_worker, study, packed, pure=False)
            )
            return found
        task = self.client.submit(fit_on_worker, study, packed, pure=False, workers=[where])
        watch = asyncio.ensure_future(self._cancel_without(where, task))
        try:
            found = await self._answer(task)
        except Lost:
            raise (Died(DIED) if watch.done() else Lost(LOST)) from None
        finally:
            watch.cancel()
        return found

    async def check(self) -> str:
        found: str = await self._answer(self.client.submit(address_of_worker, pure=False))
        return found

    async def _cancel_without(self, where: str, task: Any) -> None:
        """A task for one worker alone would wait for ever where that worker is gone."""
        while where in await self.client.nthreads():
            await asyncio.sleep(LOOK)
        await task.cancel()

    async def _answer(self, task: Any) -> Any:
        """What a task gave or raised; an accident of the cluster, or the end of it."""
        from distributed import KilledWorker
        from distributed.scheduler import NoValidWorkerError, NoWorkerError
        from distributed.utils import CancelledError

        try:
            problem = await task.exception()
            if problem is None:
                return await task
        except (CancelledError, OSError) as lost:  # closed connections are OSErrors
            raise Lost(LOST) from lost
        if isinstance(problem, KilledWorker | NoWorkerError | NoValidWorkerError):
            raise Died(DIED) from problem
        if isinstance(problem, OSError):  # of that worker: its disk is full, its memory is short
            raise Died(in_words(problem)) from problem
        raise problem

    async def deliver(self, where: str, study: NodeStudy, folder: Path) -> None:
        for name, content in pieces(folder):
            await self._on(where, receive_on_worker, study.token, name, content)
        await self._on(where, seal_on_worker, study)

    async def _on(self, where: str, function: Any, *arguments: Any) -> None:
        found = await self.client.run(function, *arguments, workers=[where], on_error="return")
        for problem in found.values():
            if isinstance(problem, BaseException):
                raise problem
        if where not in found:
            raise Died(DIED)

    async def forget(self, token: str) -> None:
        await self.client.run(forget_on_worker, token, on_error="ignore")

    async def leave(self, tokens: Sequence[str]) -> None:
        """The scheduler sees that we are gone; our workers on its nodes do not."""
        await asyncio.wait_for(asyncio.gather(*map(self.forget, tokens)), GRACE)


class DaskExecutor(ClusterExecutor):
    """`address` is that of a scheduler, as Dask writes it: tcp://host:8786."""

    engine, package, extra = "dask", "distributed", "dask"
    cluster = DaskCluster

    def __init__(self, options: RunOptions | None = None) -> None:
        super().__init__(options)
        if self.address is not None and self.address.startswith("inproc:"):
            raise BadStudy(
                f"the Dask scheduler {self.address} lives inside this process, where nobody else can reach it",
                "Start the cluster with processes=True, or leave the address out",
            )


def fit_on_worker(study: NodeStudy, packed: PackedBatch) -> tuple[str, Outcome]:
    return address_of_worker(), node.run_batch(study, packed)


def address_of_worker() -> str:
    from distributed import get_worker

    found: str = get_worker().address
    return found


async def receive_on_worker(token: str, name: str, content: bytes) -> None:
    await asyncio.to_thread(node.receive, token, name, content)


async def seal_on_worker(study: NodeStudy) -> None:
    await asyncio.to_thread(node.seal, study)


async def forget_on_worker(token: str) -> None:
    await asyncio.to_thread(node.forget, token)
