"""A nursery serves one study after another, as long as a new one would be no different."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from foldwise.data.dataset import make_dataset
from foldwise.executors.local.local_executor import LocalExecutor, start_ahead
from foldwise.executors.local.nursery_process import _waiting, end_waiting
from foldwise.executors.local.pool import Pool
from foldwise.executors.options import RunOptions
from foldwise.losses.loss import make_losses
from foldwise.plans.methods import make_learners
from foldwise.plans.runnable import make_study
from foldwise.splits.making import make_splits
from foldwise.testing.executors import first_fits


def serve(learner):
    """The nursery that served a study of this learner, and the workers it had."""
    with closing(LocalExecutor(RunOptions(jobs=1, isolate=True))) as executor:
        do_fits(executor, learner)
        return executor._pool._nursery.pid, {worker.pid for worker in executor._pool._workers.values()}


def do_fits(executor, learner):
    rng = np.random.default_rng(0)
    data = make_dataset(rng.normal(size=(20, 2)), rng.normal(size=20))
    losses = make_losses(None, data)
    learners = make_learners({"learner": learner}, data, losses)
    runnable = make_study(data, learners, losses=losses, outer=make_splits(2, data, seed=0))
    fits = [fit for fit in first_fits(runnable) if fit.method == 0]
    found = [record for records in executor.run(runnable, fits) for record in records]
    assert [record.status for record in found] == ["ok"] * len(fits)


def parent(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def is_alive(pid):
    """Does it run? One that has ended and was not reaped yet does not."""
    try:
        return b") Z " not in Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False


@pytest.fixture(autouse=True)
def alone():
    end_waiting()
    yield
    end_waiting()


def test_the_next_study_has_the_same_nursery_and_new_workers():
    first, workers = serve(Ridge())
    assert not any(map(is_alive, workers))
    second, others = serve(Ridge())
    assert second == first
    assert not workers & others


def test_a_nursery_that_was_started_ahead_serves_the_study():
    start_ahead(RunOptions(jobs=2), threads=1)
    ahead = [nursery.pid for nursery in _waiting]
    assert [serve(Ridge())[0]] == ahead


def test_semaphores_of_what_a_nursery_kills_are_removed():
    """Those that Dask makes for its workers: their tracker must not be killed before it has removed them."""
    code = (
        "import multiprocessing, os, socket, time\n"
        "from foldwise.executors.local.nursery import Nursery\n"
        "if os.fork() == 0:\n"
        "    made = [multiprocessing.get_context('spawn').Semaphore() for _ in range(3)]\n"
        "    print(*(one._semlock.name for one in made), flush=True)\n"
        "    time.sleep(60)\n"
        "time.sleep(2)\n"
        "nursery = Nursery(socket.socketpair()[0])\n"
        "nursery._end_study()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    names = done.stdout.split()
    assert len(names) == 3
    assert [name for name in names if Path(f"/dev/shm/sem.{name.strip('/')}").exists()] == []


@pytest.mark.slow
def test_a_study_that_was_over_before_its_nursery_was_up_is_followed_by_another_one(tmp_path):
    pool = Pool(tmp_path, jobs=1)
    pool.keeps_nursery = True
    pool.start()
    began = pool._nursery.pid
    pool.close()
    assert serve(Ridge())[0] == began


@pytest.mark.parametrize("options", [{"jobs": 1}, {"isolate": False}, {"isolate": False, "fit_timeout": 1.0}])
def test_none_is_started_ahead_where_fits_may_stay_in_this_process(options):
    start_ahead(RunOptions(**options), threads=1)
    assert _waiting == []


@pytest.mark.slow
def test_a_nursery_with_a_module_of_the_users_own_is_not_kept(tmp_path, monkeypatch):
    (tmp_path / "own_ridge.py").write_text("from sklearn.linear_model import Ridge\nclass Own(Ridge): ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert not is_alive(serve(import_module("own_ridge").Own())[0])


@pytest.mark.slow
def test_another_environment_needs_another_nursery(monkeypatch):
    first, _ = serve(Ridge())
    monkeypatch.setenv("FOLDWISE_TEST", "changed")
    assert serve(Ridge())[0] != first
    assert not is_alive(first)


@pytest.mark.slow
def test_a_nursery_that_was_killed_while_it_waited_is_replaced():
    first, _ = serve(Ridge())
    os.kill(first, signal.SIGKILL)
    assert serve(Ridge())[0] != first


FORKED = """
import os, time
from sklearn.linear_model import Ridge
import foldwise as fw
fw.compare({"ridge": Ridge()}, [[i] for i in range(20)], [i % 7 for i in range(20)], outer=2, jobs=2)
from foldwise.executors.local.nursery_process import _waiting
nursery = _waiting[0].pid
if child := os.fork():
    print(nursery, child, flush=True)
else:
    os.close(1)
    time.sleep(40)
os._exit(0)
"""


@pytest.mark.slow
def test_a_nursery_ends_with_its_process_though_a_child_of_that_lives_on():
    found = subprocess.run([sys.executable, "-c", FORKED], stdout=subprocess.PIPE, text=True, timeout=600)
    nursery, child = map(int, found.stdout.split())
    while is_alive(nursery):
        time.sleep(0.05)
    assert is_alive(child)
    os.kill(child, signal.SIGKILL)
