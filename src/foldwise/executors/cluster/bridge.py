"""The process that talks to Dask or Ray, so that their threads, signal handlers and log lines stay out of the user's.

If an engine takes its process along, the coordinator loses nothing. It is forked by a nursery, which ends all that was
started here when the bridge or the coordinator is gone, for whatever reason.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import secrets
import socket
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from foldwise.errors import BadStudy
from foldwise.executors.cluster import node
from foldwise.executors.local.channel import Channel
from foldwise.executors.local.child import be_quiet, log_file
from foldwise.executors.local.nursery import LOCK

GRACE = 1.0  # seconds for nodes to let go
PAUSE = 1.0  # seconds between two looks at the size of the cluster, and between two checks that failed
CHECKS = 10  # that may fail in a row
EMPTY_SECONDS = 60.0  # without a single worker, in a cluster of our own; others may get new ones from a queue
EMPTY_SECONDS_OF_OTHERS = 600.0
CONNECT_SECONDS = 10.0
LOOPBACK = "127.0.0.1"
STORE_BYTES = 256 * 2**20  # of Ray's own store, which holds the data and writes to disk what has no room
ALWAYS = {  # read by Ray when it is imported
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_gcs_rpc_server_reconnect_timeout_s": "10",  # after which a head node that does not answer is gone
}
OURS = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # on Linux too: a node of this machine alone, at the loopback address
    "RAY_AUTH_MODE": "token",
    "RAY_memory_monitor_refresh_ms": "0",  # memory is watched where the fits are
}


class Died(Exception):
    """Whatever carried a task ended, as often as the engine tries one."""


class Lost(Exception):
    """The cluster as a whole cannot be used."""


class Bridge:
    """Passes messages of the coordinator to a cluster, and answers back; subclasses know an engine."""

    def __init__(self, channel: Channel, address: str | None, jobs: int, folder: str) -> None:
        self.channel, self.address, self.jobs, self.folder = channel, address, jobs, folder
        self.studies: dict[str, tuple[node.NodeStudy, Any]] = {}  # with their files, as the engine has them

    async def start(self) -> None:
        """Join the cluster at the address, or start one of this machine alone, to which nobody else has access."""

    async def slots(self) -> Any:
        """How many batches can run at a time."""

    def put(self, files: Mapping[str, bytes]) -> Any:
        """What to give to `call` in place of these files; the engine brings them to where they are needed."""

    async def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What the function gives on some node. The engine tries three times where a worker or node is lost."""

    async def leave(self) -> None:
        """Let go of a cluster that goes on without us, and of what the studies have there."""

    async def serve(self) -> None:
        """Until the coordinator is gone, or the engine goes wrong; this process ends then."""
        try:
            await self.start()
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._watch_slots())
                while True:
                    self._obey(tasks, *await asyncio.to_thread(self.channel.receive))
        except* EOFError:
            await asyncio.wait_for(self.leave(), GRACE)
        except* Exception as problem:
            self.channel.send(("lost", in_words(problem)))
        finally:
            os._exit(0)  # engines take their time to say goodbye, and nobody waits for it

    def _obey(self, tasks: asyncio.TaskGroup, what: str, *content: Any) -> None:
        if what == "study":
            study, folder = content
            files = {path.name: path.read_bytes() for path in folder.iterdir() if path.name != LOCK}
            self.studies[study.token] = study, self.put(files)
        else:
            tasks.create_task(self._run_batch(*content) if what == "do" else self._check())

    async def _run_batch(self, number: int, token: str, batch: bytes) -> None:
        try:
            self.channel.send(("done", number, await self.call(node.run_batch, *self.studies[token], batch)))
        except Died as death:
            self.channel.send(("died", number, str(death)))
        except (ImportError, AttributeError, TypeError) as problem:  # raised where the batch was unpacked
            words = f"a node of the cluster cannot read what it is sent ({in_words(problem)})"
            remedy = "Install the same versions of Python, foldwise and the packages of the learners on every node"
            self.channel.send(("done", number, pickle.dumps(BadStudy(words, remedy))))

    async def _check(self) -> None:
        """Have a task done that does nothing, to see whether the cluster can do any."""
        words = ""
        for _ in range(CHECKS):
            try:
                await self.call(do_nothing)
                return self.channel.send(("works",))
            except Died as death:
                words = str(death)
                await asyncio.sleep(PAUSE)
        raise Lost(words)

    async def _watch_slots(self) -> None:
        """Tell the coordinator how large the cluster is; one that has lost all its workers may get others, in time."""
        slots, empty_since = -1, None
        patience = EMPTY_SECONDS_OF_OTHERS if self.address else EMPTY_SECONDS
        while True:
            before, slots = slots, await self.slots()
            if slots != before:
                self.channel.send(("slots", slots))
                empty_since = None if slots else time.monotonic()
            if empty_since is not None and time.monotonic() - empty_since > patience:
                raise Lost("it has no worker left")
            await asyncio.sleep(PAUSE)


class DaskBridge(Bridge):
    client: Any

    async def start(self) -> None:
        import dask
        import distributed

        cluster: Any = self.address
        if not self.address:
            dask.config.set({"distributed.scheduler.allowed-failures": 2, "temporary-directory": self.folder})
            cluster = await distributed.LocalCluster(
                n_workers=self.jobs,
                threads_per_worker=1,
                processes=True,
                host=LOOPBACK,
                dashboard_address=f"{LOOPBACK}:0",
                worker_dashboard_address=f"{LOOPBACK}:0",
                scheduler_kwargs={"dashboard": False},
                memory_limit=0,  # memory is watched where the fits are
                local_directory=self.folder,
                asynchronous=True,
                silence_logs=40,
            )
            cluster.adapt(minimum=self.jobs, maximum=self.jobs)  # Dask gives up on a worker that dies while it starts
        self.client = await distributed.Client(cluster, asynchronous=True, timeout=CONNECT_SECONDS)

    async def slots(self) -> int:
        return sum((await self.client.nthreads()).values())

    def put(self, files: Mapping[str, bytes]) -> Any:
        """As a task, not as scattered data: Dask computes again what a lost worker had."""
        return self.client.submit(dict, files, pure=False)

    async def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        from distributed import KilledWorker
        from distributed.utils import CancelledError

        task = self.client.submit(function, *arguments, pure=False)
        try:
            problem = await task.exception()
            if problem is None:
                return await task
        except (CancelledError, OSError) as lost:  # closed connections are OSErrors
            raise Lost("the connection to the Dask scheduler was lost") from lost
        if isinstance(problem, KilledWorker):
            raise Died("the Dask worker died") from problem
        raise Died(in_words(problem)) if isinstance(problem, OSError) else problem  # the worker's disk may be full

    async def leave(self) -> None:
        """The scheduler sees that we are gone; our pools on its nodes do not."""
        await asyncio.gather(*(self.client.run(forget_on_worker, token) for token in self.studies if self.address))


class RayBridge(Bridge):
    ray: Any

    async def start(self) -> None:
        os.environ.update(ALWAYS)
        settings: dict[str, Any] = {"address": self.address}
        if not self.address:
            os.environ.update(OURS, RAY_AUTH_TOKEN=secrets.token_hex(32))
            size = {"num_cpus": self.jobs, "num_gpus": 0, "object_store_memory": STORE_BYTES}
            places = {"address": "local", "_node_ip_address": LOOPBACK, "_temp_dir": self.folder}
            settings = {**size, **places, "include_dashboard": False}
        import ray

        ray.init(**settings, log_to_driver=False)
        self.ray = ray

    async def slots(self) -> int:
        return int(self.ray.cluster_resources().get("CPU", 0))

    def put(self, files: Mapping[str, bytes]) -> Any:
        """In a list, so that tasks are given the reference: only the first of a process needs the files."""
        return [self.ray.put(files)]

    async def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return await self.ray.remote(num_cpus=1, max_retries=2)(function).remote(*arguments)
        except self.ray.exceptions.RayTaskError as problem:
            cause = getattr(problem, "cause", None) or problem
            raise Died(in_words(cause)) if isinstance(cause, OSError) else cause from problem  # a disk may be full
        except self.ray.exceptions.RayError as problem:  # whatever Ray itself raises is an accident of the cluster
            raise Died(f"the Ray worker died ({type(problem).__name__})") from problem

    async def leave(self) -> None:
        """The processes of our job end with it, nurseries too, so that files must go before."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy as On

        forget = self.ray.remote(num_cpus=0, max_retries=0)(node.forget)
        nodes = [On(about["NodeID"], soft=False) for about in self.ray.nodes() if about["Alive"] and self.address]
        tasks = [forget.options(scheduling_strategy=one).remote(token) for one in nodes for token in self.studies]
        await asyncio.gather(*tasks, return_exceptions=True)


BRIDGES: dict[str, type[Bridge]] = {"dask": DaskBridge, "ray": RayBridge}


def do_nothing() -> None:
    """A task that any node can do."""


async def forget_on_worker(token: str) -> None:
    """In a thread: the Dask worker goes on talking to its scheduler."""
    await asyncio.to_thread(node.forget, token)


def in_words(problem: BaseException) -> str:
    """An exception in one short line."""
    while isinstance(problem, BaseExceptionGroup):
        problem = problem.exceptions[0]
    text = (str(problem).strip().splitlines() or [""])[0][:300]
    return text if isinstance(problem, Lost) else f"{type(problem).__name__}: {text}".removesuffix(": ")


def work(end: socket.socket, folder: str, number: int) -> None:
    """What the nursery of a cluster forks; when it ends, the nursery kills all that it started."""
    be_quiet(log_file(folder, number))
    os.environ["PYTHONPATH"] = os.pathsep.join(path or os.getcwd() for path in sys.path)  # for the engine's processes
    channel = Channel(end)
    engine, address, jobs = channel.receive()
    asyncio.run(BRIDGES[engine](channel, address, jobs, folder).serve())
