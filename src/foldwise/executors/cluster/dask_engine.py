"""Fits on a Dask cluster: one that runs already, or one of this machine alone for the run."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from foldwise.errors import BadStudy
from foldwise.executors.cluster import node
from foldwise.executors.cluster.bridge import GRACE, Died, Lost, pieces
from foldwise.executors.cluster.cluster_executor import ClusterExecutor
from foldwise.executors.cluster.node import NodeStudy, Outcome
from foldwise.executors.cluster.packed_batch import PackedBatch
from foldwise.executors.options import RunOptions

LOOPBACK = "127.0.0.1"
CONNECT_SECONDS = 10.0


class DaskCluster:
    """The cluster, as the bridge uses it."""

    def __init__(self, address: str | None, jobs: int, folder: Path) -> None:
        self.address, self.jobs, self.folder = address, jobs, folder
        self.is_ours = address is None
        self.client: Any = None

    async def start(self) -> None:
        import dask
        import distributed

        where = self.address if self.address is not None else await self._start_cluster(dask, distributed)
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
        return sum((await self.client.nthreads()).values())

    async def call(self, study: NodeStudy, packed: PackedBatch) -> tuple[str, Outcome]:
        from distributed import KilledWorker
        from distributed.comm import CommClosedError
        from distributed.utils import CancelledError

        try:
            answer: tuple[str, Outcome] = await self.client.submit(fit_on_worker, study, packed, pure=False)
        except KilledWorker as problem:
            raise Died(f"the Dask worker {problem.last_worker.address} died") from problem
        except (CancelledError, CommClosedError, OSError) as problem:
            raise Lost("the connection to the Dask scheduler was lost") from problem
        return answer

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
            raise Died(f"the Dask worker {where} died")

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
    from distributed import get_worker

    return get_worker().address, node.run_batch(study, packed)


async def receive_on_worker(token: str, name: str, content: bytes) -> None:
    await asyncio.to_thread(node.receive, token, name, content)


async def seal_on_worker(study: NodeStudy) -> None:
    await asyncio.to_thread(node.seal, study)


async def forget_on_worker(token: str) -> None:
    await asyncio.to_thread(node.forget, token)
