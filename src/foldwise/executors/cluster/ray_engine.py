"""Fits on a Ray cluster: one that runs already, or one of this machine alone for the run."""

from __future__ import annotations

import asyncio
import os
import secrets
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from foldwise.executors.cluster import node
from foldwise.executors.cluster.bridge import FOLDERS, GRACE, Died, in_words, pieces
from foldwise.executors.cluster.cluster_executor import ClusterExecutor
from foldwise.executors.cluster.node import NodeStudy, Outcome
from foldwise.executors.cluster.packed_batch import PackedBatch
from foldwise.executors.local.nursery import LOCK
from foldwise.executors.local.scratch import PREFIX, SHORT
from foldwise.records.lock import take

LOOPBACK = "127.0.0.1"
LONGEST = 40  # letters of a folder in which Ray can still name its sockets
STORE_BYTES = 256 * 2**20  # data go by files, so that little goes through Ray's own store
# Read by Ray when it is imported.
OURS = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # on Linux too: a node of this machine alone, at the loopback address
    "RAY_AUTH_MODE": "token",
    "RAY_memory_monitor_refresh_ms": "0",  # memory is watched where the fits are
}
ALWAYS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_gcs_rpc_server_reconnect_timeout_s": "10",  # after which a head node that does not answer is gone
}


class RayCluster:
    """The cluster, as the bridge uses it."""

    def __init__(self, address: str | None, jobs: int, folder: Path) -> None:
        self.address, self.jobs, self.folder = address, jobs, folder
        self.is_ours = address is None
        self.ray: Any = None
        self._fit: Any = None
        self._node: Any = None
        self._places: set[str] = set()  # nodes that have data of ours

    async def start(self) -> None:
        os.environ.update(ALWAYS)
        if self.is_ours:
            os.environ.update(OURS, RAY_AUTH_TOKEN=secrets.token_hex(32))
        import ray

        ray.init(**(self._own() if self.is_ours else {"address": self.address}), log_to_driver=False)
        self.ray = ray
        self._fit = ray.remote(num_cpus=1, max_retries=0)(fit_on_worker)
        self._node = ray.remote(num_cpus=1, max_retries=0)(node_of_worker)

    def _own(self) -> dict[str, Any]:
        if len(str(self.folder)) > LONGEST:
            self.folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=SHORT))
            FOLDERS.append(str(self.folder))
            self._lock = take(self.folder / LOCK)  # held until this process ends
        return {
            "address": "local",  # whatever RAY_ADDRESS says
            "num_cpus": self.jobs,
            "num_gpus": 0,
            "include_dashboard": False,
            "object_store_memory": STORE_BYTES,
            "_node_ip_address": LOOPBACK,
            "_temp_dir": str(self.folder),
        }

    async def slots(self) -> int:
        return int(self.ray.cluster_resources().get("CPU", 0))

    async def call(self, study: NodeStudy, packed: PackedBatch, where: str | None) -> tuple[str, Outcome]:
        answer: tuple[str, Outcome] = await self._answer(self._at(self._fit, where).remote(study, packed))
        self._places.add(answer[0])
        return answer

    async def check(self) -> str:
        found: str = await self._answer(self._node.remote())
        return found

    def _at(self, task: Any, where: str | None) -> Any:
        """The task on that node and no other."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        if where is None:
            return task
        return task.options(scheduling_strategy=NodeAffinitySchedulingStrategy(where, soft=False))

    async def deliver(self, where: str, study: NodeStudy, folder: Path) -> None:
        receive = self._at(self.ray.remote(num_cpus=1, max_retries=0)(receive_on_worker), where)
        await self._answer(receive.remote(study, [(name, self.ray.put(content)) for name, content in pieces(folder)]))

    async def _answer(self, reference: Any) -> Any:
        """What a task gave or raised. Whatever Ray itself raises is an accident of the cluster."""
        try:
            return await reference
        except self.ray.exceptions.RayTaskError as problem:
            cause = getattr(problem, "cause", None) or problem
            if isinstance(cause, OSError):  # of that node: its disk is full, its memory is short
                raise Died(in_words(cause)) from problem
            raise cause from problem
        except self.ray.exceptions.RayError as problem:
            raise Died(f"the Ray worker died ({type(problem).__name__})") from problem

    async def forget(self, token: str) -> None:
        """Workers end when they are idle for long, or with our job."""

    async def leave(self, tokens: Sequence[str]) -> None:
        """The processes of our job end with it, nurseries too, so that files must go before."""
        clear = self.ray.remote(num_cpus=0, max_retries=0)(clear_node)
        found = [self._at(clear, where).remote(list(tokens)) for where in self._places]
        with suppress(Exception):
            await asyncio.wait_for(asyncio.gather(*found, return_exceptions=True), GRACE)
        self.ray.shutdown()


class RayExecutor(ClusterExecutor):
    """`address` is that of a head node, as Ray writes it: host:6379, ray://host:10001 or auto."""

    engine, package, extra = "ray", "ray", "ray"
    cluster = RayCluster


def fit_on_worker(study: NodeStudy, packed: PackedBatch) -> tuple[str, Outcome]:
    return node_of_worker(), node.run_batch(study, packed)


def node_of_worker() -> str:
    import ray

    found: str = ray.get_runtime_context().get_node_id()
    return found


def receive_on_worker(study: NodeStudy, content: list[tuple[str, Any]]) -> None:
    import ray

    try:
        for name, reference in content:
            node.receive(study.token, name, ray.get(reference))
    except BaseException:
        node.abandon(study.token)
        raise
    node.seal(study)


def clear_node(tokens: list[str]) -> None:
    for token in tokens:
        node.clear(token)
