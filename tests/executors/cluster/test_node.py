"""What a node does with batches and files, without any engine."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from leftovers import wait_until
from saboteur import SaboteurRegressor
from sklearn.linear_model import Ridge

import studies
from foldwise.executors.cluster import node
from foldwise.executors.cluster.bridge import pieces
from foldwise.executors.cluster.packed_batch import pack_batch
from foldwise.executors.options import Limits
from foldwise.executors.worker import Worker
from foldwise.executors.workload import workload_of
from foldwise.testing.executors import first_fits


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """A temporary folder of its own, as another machine has one."""
    folder = tmp_path / "there"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.fixture
def sent(tmp_path, temporary):
    """A study whose files are on the node, what the node knows of it, and its fits."""
    runnable = studies.fragile()
    study = studies.node_study(runnable)
    deliver(study, studies.write(runnable, tmp_path / "here"))
    yield runnable, study, first_fits(runnable)
    node.forget(study.token)
    assert list(temporary.iterdir()) == []


def deliver(study, folder):
    for name, content in pieces(folder):
        node.receive(study.token, name, content)
    node.seal(study)


def test_a_node_without_the_data_says_so(temporary):
    runnable = studies.fragile()

    found = node.run_batch(studies.node_study(runnable), pack_batch(tuple(first_fits(runnable)[:1])))

    assert found == node.Missing(node.place())
    assert list(temporary.iterdir()) == []


def test_records_are_those_of_this_process(sent):
    runnable, study, fits = sent
    expected = Worker(workload_of(runnable)).do(tuple(fits))

    found = node.run_batch(study, pack_batch(tuple(fits)))

    assert isinstance(found, list)
    for one, other in zip(found, expected, strict=True):
        assert (one.key, one.status, one.error) == (other.key, other.status, other.error)
        assert one.rows.size == 0
        for name, values in other.responses.items():
            assert np.asarray(one.responses[name]).tobytes() == np.asarray(values).tobytes()


def test_files_are_sent_in_pieces_and_arrive_whole(tmp_path, temporary, monkeypatch):
    monkeypatch.setattr("foldwise.executors.cluster.bridge.PIECE", 100)
    runnable = studies.fragile()
    study = studies.node_study(runnable)
    folder = studies.write(runnable, tmp_path / "here")
    deliver(study, folder)
    (there,) = temporary.iterdir()

    for path in folder.iterdir():
        assert (there / path.name).read_bytes() == path.read_bytes()
    node.forget(study.token)


@pytest.mark.slow
def test_two_batches_at_a_time_use_two_workers_and_one_copy_of_the_data(sent, temporary):
    _, study, fits = sent
    at_once = [threading.Thread(target=node.run_batch, args=(study, pack_batch((fit,)))) for fit in fits[:2]]
    for thread in at_once:
        thread.start()
    for thread in at_once:
        thread.join()

    copies = list(temporary.glob("*/X.npy"))
    assert len(copies) in (1, 2)  # the first may have been done before the second began
    assert len({path.stat().st_ino for path in copies}) == 1


@pytest.mark.slow
def test_the_data_outlive_the_process_that_received_them(sent, temporary):
    _, study, fits = sent
    first = node._take(study)  # the worker that was started with the files
    second = node._take(study)
    first.is_over = True
    node._give_back(study.token, first)
    assert len(list(temporary.glob("*/X.npy"))) == 1
    node._give_back(study.token, second)

    assert node.run_batch(study, pack_batch(tuple(fits[:1])))[0].is_ok in (True, False)


def test_other_versions_are_refused_by_name(temporary):
    runnable = studies.fragile()
    study = studies.node_study(runnable)
    wanted = tuple((name, "0.0.1" if name == "numpy" else number) for name, number in study.versions)

    found = node.run_batch(replace(study, versions=wanted), pack_batch(tuple(first_fits(runnable)[:1])))

    assert isinstance(found, node.Refused)
    assert f"has numpy {np.__version__} instead of 0.0.1, so that its numbers might differ" in found.problem
    assert found.remedy == "Install the same versions on every node"


def test_a_deadly_fit_is_judged_on_the_node(tmp_path, temporary):
    runnable = studies.make({"deadly": SaboteurRegressor(fault="segfault"), "ridge": Ridge()}, folds=2)
    study = studies.node_study(runnable, limits=Limits(30.0))
    deliver(study, studies.write(runnable, tmp_path / "here"))
    fits = [fit for fit in first_fits(runnable) if fit.method < 2]

    found = node.run_batch(study, pack_batch(tuple(fits)))

    assert sorted((record.learner, record.status) for record in found) == [
        ("deadly", "crashed"),
        ("deadly", "crashed"),
        ("ridge", "ok"),
        ("ridge", "ok"),
    ]
    node.forget(study.token)
    assert list(temporary.iterdir()) == []


def test_a_forgotten_study_stops_in_the_midst_of_a_fit(tmp_path, temporary):
    begun = tmp_path / "begun"
    begun.mkdir()
    runnable = studies.make({"slow": studies.Slow(60.0, str(begun))})
    study = studies.node_study(runnable)
    deliver(study, studies.write(runnable, tmp_path / "here"))
    thread = threading.Thread(target=node.run_batch, args=(study, pack_batch(tuple(first_fits(runnable)[:1]))))
    thread.start()
    assert wait_until(lambda: any(begun.iterdir()), 30)

    node.forget(study.token)
    thread.join(5)

    assert not thread.is_alive()
    assert list(temporary.iterdir()) == []


def test_idle_workers_end_by_themselves(tmp_path, temporary, monkeypatch):
    """Their coordinator may have been killed, and nobody else would tell them."""
    monkeypatch.setattr(node, "IDLE_SECONDS", 0.2)
    runnable = studies.fragile()
    study = studies.node_study(runnable)
    deliver(study, studies.write(runnable, tmp_path / "here"))

    assert wait_until(lambda: not any(temporary.iterdir()), 10)
    assert isinstance(node.run_batch(study, pack_batch(tuple(first_fits(runnable)[:1]))), node.Missing)


def test_a_token_in_the_folder_of_another_user_is_not_trusted(sent, monkeypatch):
    _, study, _ = sent
    assert node._source(study.token) is not None
    monkeypatch.setattr(os, "getuid", lambda: 12345)

    assert node._source(study.token) is None


@pytest.mark.slow
def test_the_time_between_two_batches_is_not_that_of_a_fit(tmp_path, temporary):
    runnable = studies.make({"slow": studies.Slow(0.1)})
    study = studies.node_study(runnable, limits=Limits(0.8))
    deliver(study, studies.write(runnable, tmp_path / "here"))
    found = []
    for fit in first_fits(runnable)[:2]:
        found += node.run_batch(study, pack_batch((fit,)))
        time.sleep(1.0)
    node.forget(study.token)

    assert [record.status for record in found] == ["ok", "ok"]
