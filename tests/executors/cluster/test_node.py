"""What a node does with batches and files, without any engine."""

from __future__ import annotations

import pickle
import threading
import time
import zlib
from dataclasses import replace

import numpy as np
import pytest
from leftovers import wait_until
from saboteur import SaboteurRegressor
from sklearn.linear_model import Ridge

import studies
from foldwise.errors import BadStudy
from foldwise.executors.cluster import node
from foldwise.executors.options import Limits
from foldwise.executors.worker import Worker
from foldwise.executors.workload import workload_of
from foldwise.testing.executors import first_fits


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """A temporary folder of its own, as another machine has one; nothing is left in it."""
    folder = tmp_path / "there"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    yield folder
    node.forget("t" * 32)
    assert wait_until(lambda: not any(folder.iterdir()), 5)


@pytest.fixture
def sent(tmp_path, temporary):
    """A study, what a node is sent of it, and its fits."""
    runnable = studies.fragile()
    return runnable, (studies.node_study(runnable), studies.files(runnable, tmp_path / "here")), first_fits(runnable)


def run(study, *fits):
    return pickle.loads(node.run_batch(*study, zlib.compress(pickle.dumps(fits))))


def test_records_are_those_of_this_process(sent):
    runnable, study, fits = sent
    expected = Worker(workload_of(runnable)).do(tuple(fits))

    for one, other in zip(run(study, *fits), expected, strict=True):
        assert (one.key, one.status, one.error) == (other.key, other.status, other.error)
        assert one.rows.size == 0
        for name, values in other.responses.items():
            assert np.asarray(one.responses[name]).tobytes() == np.asarray(values).tobytes()


def test_one_pool_serves_all_batches_of_a_thread(sent, temporary):
    _, study, fits = sent
    for fit in fits[:3]:
        run(study, fit)
    assert len(node._pools) == len(list(temporary.iterdir())) == 1


def test_other_versions_are_refused_by_name(sent):
    _, (study, files), fits = sent
    required = tuple((name, "0.0.1" if name == "numpy" else number) for name, number in study.versions)

    refusal = run((replace(study, versions=required), files), fits[0])

    assert isinstance(refusal, BadStudy)
    assert f"has numpy {np.__version__} instead of 0.0.1, so that its numbers might differ" in str(refusal)


def test_a_folder_without_room_is_named(sent):
    _, (study, files), fits = sent
    refusal = run((study, {**files, "x" * 300: b""}), fits[0])
    assert "the data cannot be written on the node" in str(refusal)


def test_a_deadly_fit_is_judged_on_the_node(tmp_path, temporary):
    runnable = studies.make({"deadly": SaboteurRegressor(fault="segfault"), "ridge": Ridge()}, folds=2)
    study = studies.node_study(runnable, limits=Limits(30.0)), studies.files(runnable, tmp_path / "here")

    records = run(study, *(fit for fit in first_fits(runnable) if fit.method < 2))

    statuses = sorted((record.learner, record.status) for record in records)
    assert statuses == [("deadly", "crashed"), ("deadly", "crashed"), ("ridge", "ok"), ("ridge", "ok")]


def test_a_forgotten_study_stops_in_the_midst_of_a_fit(tmp_path, temporary):
    begun = tmp_path / "begun"
    begun.mkdir()
    runnable = studies.make({"slow": studies.Slow(60.0, str(begun))})
    study = studies.node_study(runnable), studies.files(runnable, tmp_path / "here")
    thread = threading.Thread(target=run, args=(study, first_fits(runnable)[0]))
    thread.start()
    assert wait_until(lambda: any(begun.iterdir()), 30)

    node.forget(study[0].token)
    thread.join(5)

    assert not thread.is_alive()


def test_another_study_takes_the_place_of_the_last_one(sent, temporary):
    _, (study, files), fits = sent
    for token in ("s" * 32, "t" * 32):
        assert len(run((replace(study, token=token), files), fits[0])) == 1
    assert len(list(temporary.iterdir())) == 1


@pytest.mark.slow
def test_the_time_between_two_batches_is_not_that_of_a_fit(tmp_path, temporary):
    runnable = studies.make({"slow": studies.Slow(0.1)})
    study = studies.node_study(runnable, limits=Limits(0.8)), studies.files(runnable, tmp_path / "here")
    records = []
    for fit in first_fits(runnable)[:2]:
        records += run(study, fit)
        time.sleep(1.0)

    assert [record.status for record in records] == ["ok", "ok"]
