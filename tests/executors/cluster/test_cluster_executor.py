"""What a coordinator does when nodes die, lack the data, refuse, answer twice, or are gone; without any engine."""

from __future__ import annotations

import importlib.util
import pickle
import socket
import zlib
from collections import Counter

import pytest
from sklearn.linear_model import Ridge

import studies
from foldwise.errors import BadLearner, BadStudy, FitsFailed, MissingExtra
from foldwise.executors.cluster.cluster_executor import ClusterExecutor, DaskExecutor, RayExecutor
from foldwise.executors.worker import Worker
from foldwise.executors.workload import workload_of
from foldwise.testing.executors import ExecutorContract, first_fits


class Scripted:
    """A channel to a bridge that is not there: batches are done here, or die as told."""

    is_open, has_more_to_send = True, False

    def __init__(self, runnable, *, slots=2, reply=None):
        self.worker = Worker(workload_of(runnable))
        self.reply = reply or (lambda number, batch: None)
        self.seen, self.checks, self.answer_to_check = [], 0, ("works",)
        self._end, self._other = socket.socketpair()
        self._answers = [("slots", slots)]

    def fileno(self):
        return self._end.fileno()

    def flush(self):
        pass

    def done(self, number, batch):
        return "done", number, pickle.dumps(self.worker.do(batch))

    def send_nowait(self, message):
        what, *content = message
        if what == "do":
            number, _, batch = content
            batch = pickle.loads(zlib.decompress(batch))
            self.seen.append(batch)
            self._answers.append(self.reply(number, batch) or self.done(number, batch))
        elif what == "check":
            self.checks += 1
            self._answers.append(self.answer_to_check)

    def arrived(self):
        found, self._answers = self._answers, []
        return found

    def close(self):
        self._end.close()
        self._other.close()


class Alone(ClusterExecutor):
    engine, package = "dask", "json"
    channel = make_channel = None

    def _start_bridge(self):
        if self.channel.fileno() < 0:  # closed
            self.channel = self.make_channel()
        self._nursery, self._channel = True, self.channel
        self._held.callback(self.channel.close)


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


def kills(*keys):
    """A reply by which these fits take whatever carries them along."""
    return lambda number, batch: ("died", number, "the worker died") if {fit.key for fit in batch} & {*keys} else None


def test_a_fit_that_takes_its_worker_along_each_time_is_found_alone_and_blamed(runnable, begin):
    fits = [fit for fit in first_fits(runnable) if fit.method == 0]
    culprit = fits[0].key
    executor = begin(runnable, reply=kills(culprit), slots=1)
    executor.seconds[0] = 1e-4  # so that fits travel together

    found = [record for records in executor.run(runnable, fits) for record in records]

    tries = [len(batch) for batch in executor.channel.seen if culprit in [fit.key for fit in batch]]
    assert (tries[0] > 1, tries[1:]) == (True, [1])
    assert executor.channel.checks == tries[0] + 1  # before each fit of that batch was tried alone, and the last death
    assert Counter(record.status for record in found) == {"ok": 4, "crashed": 1}
    (crashed,) = [record for record in found if not record.is_ok]
    assert (crashed.key, crashed.learner) == (culprit, "ridge")
    assert crashed.error == "the worker died each time it was tried, also alone"


def test_suspects_are_tried_when_nothing_else_is_left(runnable, begin):
    fits = first_fits(runnable)
    suspects = [fits[0].key, fits[3].key]
    once = Counter()

    def reply(number, batch):
        once.update(fit.key for fit in batch)
        return kills(*(key for key in suspects if once[key] == 1))(number, batch)

    executor = begin(runnable, reply=reply)
    assert statuses(executor, runnable, fits) == {"ok": 10}
    order = [fit.key for batch in executor.channel.seen for fit in batch]
    assert set(order[:10]) == {fit.key for fit in fits}
    assert set(suspects) <= set(order[10:])


def test_no_fit_is_blamed_for_a_cluster_that_can_do_nothing(runnable, begin):
    executor = begin(runnable, reply=lambda number, batch: ("died", number, "the raylet died") if number > 3 else None)
    executor.channel.answer_to_check = ("lost", "the raylet died")
    found, expected = [], r"the dask cluster is gone \(the raylet died\). What is finished is in the store"

    with pytest.raises(FitsFailed, match=expected):
        found.extend(record for records in executor.run(runnable, first_fits(runnable)) for record in records)

    assert {record.status for record in found} == {"ok"}


def test_fits_whose_pool_was_closed_are_sent_again(runnable, begin):
    executor = begin(runnable)
    executor.channel.reply = lambda number, batch: ("done", number, pickle.dumps([])) if number < 3 else None

    assert statuses(executor, runnable, first_fits(runnable)) == {"ok": 10}


def test_what_a_node_refuses_is_raised_in_its_words(runnable, begin):
    refusal = pickle.dumps(BadStudy("the node has numpy 1 instead of 2", "Install the same versions"))
    executor = begin(runnable, reply=lambda number, batch: ("done", number, refusal))

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

    with pytest.raises(MissingExtra, match=rf"needs the package {package}.*pip install 'foldwise\[{kind.engine}\]'"):
        kind()
