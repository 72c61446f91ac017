"""What a coordinator does when nodes die, lack the data, refuse, answer twice, or are gone; without any engine."""

from __future__ import annotations

import importlib.util
import socket
from collections import Counter

import pytest
from sklearn.linear_model import Ridge

import studies
from foldwise.errors import BadLearner, BadStudy, FitsFailed, MissingExtra
from foldwise.executors.cluster import cluster_executor as cluster
from foldwise.executors.cluster import node
from foldwise.executors.cluster.attempts import TRIES, TRIES_ALONE, Attempt
from foldwise.executors.cluster.cluster_executor import ClusterExecutor
from foldwise.executors.cluster.dask_engine import DaskExecutor
from foldwise.executors.cluster.packed_batch import unpack_batch
from foldwise.executors.cluster.ray_engine import RayExecutor
from foldwise.executors.options import RunOptions
from foldwise.executors.worker import Worker
from foldwise.executors.workload import workload_of
from foldwise.testing.executors import ExecutorContract, first_fits


class Scripted:
    """A channel to a bridge that is not there: batches are done here, or die as told."""

    is_open, has_more_to_send = True, False

    def __init__(self, runnable, *, slots=2, reply=None):
        self.worker = Worker(workload_of(runnable))
        self.reply = reply or (lambda number, batch: None)
        self.seen, self.places, self.delivered = [], [], []
        self.check, self.checks, self.is_silent = lambda: ("here", ""), 0, False
        self._end, self._other = socket.socketpair()
        self._answers = [("slots", slots)]

    def fileno(self):
        return self._end.fileno()

    def flush(self):
        pass

    def send_nowait(self, message):
        what, *content = message
        if what == "do":
            number, _, packed, where = content
            batch = unpack_batch(packed)
            self.seen.append(batch)
            self.places.append(where)
            usual = ("done", number, "here", self.worker.do(batch))
            answer = self.reply(number, batch)
            self._answers += [usual] if answer is None else answer if isinstance(answer, list) else [answer]
        elif what == "check":
            self.checks += 1
            self._answers += [] if self.is_silent else [("checked", *self.check())]
        elif what == "deliver":
            self.delivered.append(content[1])
            self._answers.append(("delivered", content[1], True, ""))

    def arrived(self):
        found, self._answers = self._answers, []
        return found

    def close(self):
        self._end.close()
        self._other.close()


class Alone(ClusterExecutor):
    engine, package, extra = "dask", "json", "dask"
    channel = make_channel = None

    def _start_bridge(self):
        if self.channel.fileno() < 0:  # closed
            self.channel = self.make_channel()
        self._channel = self.channel


@pytest.fixture
def begin(request):
    """Begin a cluster with a scripted bridge."""

    def make(runnable, **words):
        executor = Alone()
        executor.make_channel = lambda: Scripted(runnable, **words)
        executor.channel = executor.make_channel()
        request.addfinalizer(executor.close)
        return executor

    return make


def statuses(executor, runnable, fits):
    found = [record for records in executor.run(runnable, fits) for record in records]
    assert sorted(record.key for record in found) == sorted(fit.key for fit in fits)
    return Counter(record.status for record in found)


class TestContract(ExecutorContract):
    @pytest.fixture
    def runnable(self):
        return studies.fragile()

    @pytest.fixture
    def executor(self, runnable, begin):
        return begin(runnable)


@pytest.fixture
def runnable():
    return studies.make({"ridge": Ridge()})


def test_a_batch_whose_node_died_is_sent_again(runnable, begin):
    executor = begin(runnable, reply=lambda number, batch: ("died", number, "the worker died") if number <= 2 else None)

    assert statuses(executor, runnable, first_fits(runnable)) == {"ok": 10}


def test_a_fit_that_takes_its_node_along_each_time_is_found_alone_and_blamed(runnable, begin):
    fits = [fit for fit in first_fits(runnable) if fit.method == 0]
    culprit = fits[0].key
    executor = begin(
        runnable,
        reply=lambda number, batch: (
            ("died", number, "the worker died") if culprit in [fit.key for fit in batch] else None
        ),
    )
    executor._slots = 1
    executor.seconds[0] = 1e-4  # so that fits travel together

    found = [record for records in executor.run(runnable, fits) for record in records]

    tries = [len(batch) for batch in executor.channel.seen if culprit in [fit.key for fit in batch]]
    assert len(tries) == TRIES + 1 + TRIES_ALONE
    assert (tries[0] > 1, tries[TRIES:]) == (True, [1] * (1 + TRIES_ALONE))
    assert executor.channel.places[-TRIES_ALONE:] == ["here"] * TRIES_ALONE  # where the cluster has just been checked
    assert Counter(record.status for record in found) == {"ok": 4, "crashed": 1}
    (crashed,) = [record for record in found if not record.is_ok]
    assert crashed.key == culprit
    assert crashed.error == "the worker died each time it was tried, also alone on a node that works"


def test_no_fit_is_blamed_for_a_cluster_that_can_do_nothing(runnable, begin, monkeypatch):
    monkeypatch.setattr(cluster, "CHECK_SECONDS", 0.0)
    executor = begin(runnable, reply=lambda number, batch: ("died", number, "the raylet died") if number > 3 else None)
    executor.channel.check = lambda: (None, "the raylet died")
    found = []

    came = iter(executor.run(runnable, first_fits(runnable)))
    while not found:
        found += next(came)
    with pytest.raises(
        FitsFailed, match=r"the dask cluster is gone \(the raylet died\). What is finished is in the st"
    ):
        found.extend(record for records in came for record in records)

    assert {record.status for record in found} == {"ok"}
    assert executor.channel.checks == cluster.CHECKS


def test_a_cluster_that_recovers_costs_no_fit(runnable, begin, monkeypatch):
    """A node is lost with all it had, and for a while every task goes to the dead one."""
    monkeypatch.setattr(cluster, "CHECK_SECONDS", 0.0)
    executor = begin(runnable, reply=lambda number, batch: ("died", number, "gone") if 2 < number < 9 else None)
    executor.channel.check = lambda: ("here", "") if executor.channel.checks % 3 == 0 else (None, "gone")

    assert statuses(executor, runnable, first_fits(runnable)) == {"ok": 10}


def test_nothing_is_sent_after_a_death_until_the_cluster_was_checked(runnable, begin):
    executor = begin(runnable, reply=lambda number, batch: ("died", number, "gone") if number == 1 else None)
    executor.channel.is_silent = True
    came = executor.run(runnable, first_fits(runnable))
    for _ in range(5):
        next(came)
    sent = len(executor.channel.seen)
    assert sent < 10
    executor.channel.is_silent = False
    executor.channel._answers.append(("checked", "here", ""))

    assert sum(map(len, came)) > 0
    assert len(executor.channel.seen) > sent


def test_a_cluster_without_a_single_worker_is_given_up(runnable, begin, monkeypatch):
    monkeypatch.setattr(cluster, "EMPTY_SECONDS", 0.2)
    executor = begin(runnable, reply=lambda number, batch: [] if number > 1 else None)
    executor.channel._answers += [("slots", 0)]

    with pytest.raises(FitsFailed, match=r"the dask cluster is gone \(it has no worker left\)"):
        list(executor.run(runnable, first_fits(runnable)))


def test_what_comes_twice_counts_once(runnable, begin):
    executor = begin(runnable)
    executor.channel.reply = lambda number, batch: [("done", number, "here", executor.channel.worker.do(batch))] * 2

    assert statuses(executor, runnable, first_fits(runnable)) == {"ok": 10}


def test_data_go_once_to_a_place_that_lacks_them(runnable, begin):
    executor = begin(runnable, slots=4)
    executor.channel.reply = lambda number, batch: (
        None if executor.channel.delivered else ("done", number, "worker 1", node.Missing("there"))
    )

    assert statuses(executor, runnable, first_fits(runnable)) == {"ok": 10}
    assert executor.channel.delivered == ["there"]


def test_a_batch_that_missed_the_data_before_they_came_is_only_sent_again(runnable, begin):
    executor = begin(runnable)
    executor._open(runnable)
    executor._delivered["there"] = 5
    attempt = Attempt(tuple(first_fits(runnable)[:1]))

    executor._hold_back(attempt, 5, "worker 1", "there")
    assert (list(executor._attempts.among_others), executor.channel.delivered) == ([attempt], [])
    executor._hold_back(attempt, 6, "worker 1", "there")
    assert executor.channel.delivered == ["there"]


def test_data_that_cannot_be_delivered_end_the_run(runnable, begin):
    executor = begin(runnable, reply=lambda number, batch: ("done", number, "worker 1", node.Missing("there:/tmp")))
    executor.channel.send_nowait = _without_delivery(executor.channel)

    with pytest.raises(FitsFailed, match=r"cannot be sent to the node there \(no space left\). See that there is room"):
        list(executor.run(runnable, first_fits(runnable)))


def _without_delivery(channel):
    usual = channel.send_nowait

    def send_nowait(message):
        if message[0] == "deliver":
            channel._answers.append(("delivered", message[2], False, "no space left"))
        else:
            usual(message)

    return send_nowait


def test_what_a_node_refuses_is_raised_in_its_words(runnable, begin):
    refusal = node.Refused("BadStudy", "the node has numpy 1 instead of 2", "Install the same versions")
    executor = begin(runnable, reply=lambda number, batch: ("done", number, "here", refusal))

    with pytest.raises(BadStudy, match=r"the node has numpy 1 instead of 2\. Install the same versions\."):
        list(executor.run(runnable, first_fits(runnable)))


def test_a_cluster_that_is_lost_says_that_finished_fits_are_kept(runnable, begin):
    executor = begin(runnable, reply=lambda number, batch: ("lost", "no route") if number == 5 else None)
    came = executor.run(runnable, first_fits(runnable))

    assert next(records for records in came if records)
    with pytest.raises(FitsFailed, match=r"the dask cluster is gone \(no route\). What is finished is in the store"):
        list(came)


def test_a_learner_that_cannot_be_pickled_is_refused_before_anything_is_sent(begin):
    runnable = studies.make({"stays": studies.Stays()})
    executor = begin(studies.fragile())

    with pytest.raises(
        BadLearner, match=r"'stays' cannot be sent to worker processes \(TypeError: I stay here\). Make"
    ):
        list(executor.run(runnable, first_fits(runnable)))
    assert executor.channel.seen == []


def test_a_cluster_that_never_answers_is_given_up(runnable, begin, monkeypatch):
    monkeypatch.setattr(cluster, "START_SECONDS", 0.0)
    executor = begin(runnable)
    executor.channel._answers = []

    with pytest.raises(FitsFailed, match=r"the dask cluster cannot be used \(it did not answer in time\)"):
        list(executor.run(runnable, first_fits(runnable)))


def test_a_stop_hands_over_what_came_and_sends_nothing_more(runnable, begin):
    executor = begin(runnable, slots=1)
    found = []
    for records in executor.run(runnable, first_fits(runnable)):
        found += records
        if found:
            executor.ask_to_stop()

    assert 0 < len(found) < 10
    assert {record.status for record in found} == {"ok"}


def test_jobs_bound_what_is_sent_to_a_cluster_of_others(runnable, begin):
    executor = begin(runnable, slots=50)
    executor.address, executor.jobs = "tcp://head:8786", 3
    most = 0
    executor.channel.reply = lambda number, batch: nonlocal_most(len(executor._in_flight))

    def nonlocal_most(count):
        nonlocal most
        most = max(most, count)

    list(executor.run(runnable, first_fits(runnable)))
    assert most == 3


@pytest.mark.parametrize(("kind", "package"), [(DaskExecutor, "distributed"), (RayExecutor, "ray")])
def test_a_missing_package_is_named_with_the_way_to_get_it(kind, package, monkeypatch):
    usual = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == package else usual(name))

    with pytest.raises(MissingExtra, match=rf"needs the package {package}.*pip install 'foldwise\[{kind.extra}\]'"):
        kind()


def test_a_scheduler_inside_the_calling_process_is_refused(monkeypatch):
    monkeypatch.setattr(DaskExecutor, "package", "json")

    with pytest.raises(BadStudy, match="lives inside this process, where nobody else can reach it"):
        DaskExecutor(RunOptions(address="inproc://192.168.0.1/7/1"))
