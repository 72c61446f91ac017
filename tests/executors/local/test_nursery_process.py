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
from foldwise.executors.local.nursery_process import NurseryProcess, _waiting, end_waiting, take_nursery
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


@pytest.fixture
def mother(tmp_path, monkeypatch):
    """One who forks the nurseries of all pools."""
    address = str(tmp_path / "mother")
    taken = "foldwise.executors.local.pool.take_nursery"
    monkeypatch.setattr(taken, lambda threads, **_: take_nursery(threads, address=address))
    mother = NurseryProcess(1, address=address)
    until = time.monotonic() + 30
    while not Path(address).exists() and time.monotonic() < until:
        time.sleep(0.01)
    yield mother
    mother.end()


def test_nurseries_of_a_mother_are_forks_of_her_that_end_with_their_studies(mother):
    left = set()
    for _ in range(2):
        with closing(LocalExecutor(RunOptions(jobs=1, isolate=True))) as executor:
            do_fits(executor, Ridge())
            (worker,) = executor._pool._workers.values()
            nursery = parent(worker.pid)
            assert parent(nursery) == mother.pid
            left |= {worker.pid, nursery}
        assert not any(map(is_alive, left))
    assert len(left) == 4
    assert is_alive(mother.pid)


@pytest.mark.slow
def test_where_the_mother_was_killed_everyone_has_a_nursery_of_their_own(mother):
    os.kill(mother.pid, signal.SIGKILL)
    mother.process.wait()
    with closing(LocalExecutor(RunOptions(jobs=1, isolate=True))) as executor:
        do_fits(executor, Ridge())
        (worker,) = executor._pool._workers.values()
        assert parent(parent(worker.pid)) == os.getpid()


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
