"""The state of a run as the page tells it, and how often its store is looked at and its report is written."""

from __future__ import annotations

import os
import time

import numpy as np
import pytest

from foldwise.errors import BadStore
from foldwise.live import view as live
from foldwise.live.view import Rendered, View
from foldwise.records.record import Record
from foldwise.records.sqlite import SqliteStore


class Renderer:
    """Makes reports that say how often it was asked, of a study of nine fits."""

    calls, problem, is_finished = 0, None, False

    def __call__(self, run):
        self.calls += 1
        if self.problem is not None:
            raise self.problem
        return Rendered(f"report {self.calls}", "wine", self.is_finished, {"ridge": 6, "k-nn": 3}, "at most")


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(live, "PAUSE", 0.0)
    monkeypatch.setattr(live, "SHARE", 1e9)


def add(store, *keys, learner="ridge", seconds=2.0):
    store.add(
        Record(key=key, status="error", rows=np.arange(2), error="no", learner=learner, seconds=seconds) for key in keys
    )


def settled(view):
    """The state once the report is that of the store."""
    end = time.monotonic() + 20
    view.state()
    while view._is_rendering:
        assert time.monotonic() < end
        time.sleep(0.01)
    return view.state()


def test_a_run_that_has_not_begun_is_waited_for(tmp_path):
    state = View(tmp_path / "run", Renderer()).state()
    assert (state["phase"], state["report"], state["fits"]) == ("waiting", 0, "")


def test_a_run_is_followed_from_its_first_fit_to_its_end(tmp_path):
    render = Renderer()
    view, store = View(tmp_path / "run", render), SqliteStore(tmp_path / "run")
    add(store, "a")
    state = settled(view)
    assert (state["phase"], state["title"], state["fits"]) == ("running", "wine", "1 of at most 9 fits")
    assert state["words"].endswith(" elapsed")
    add(store, "b", "c")
    add(store, "d", learner="k-nn")
    assert settled(view)["fits"] == "4 of at most 9 fits"
    store.close()
    state = settled(view)
    assert (state["phase"], state["words"]) == ("stopped", f"foldwise resume {tmp_path / 'run'}")
    render.is_finished = True
    with SqliteStoreOpen(tmp_path / "run") as store:
        add(store, "e")
    state = settled(view)
    assert (state["phase"], state["fits"], state["share"]) == ("finished", "5 of 5 fits", 1.0)


class SqliteStoreOpen:
    def __init__(self, path):
        self.store = SqliteStore(path)

    def __enter__(self):
        return self.store

    def __exit__(self, *_):
        self.store.close()


def test_the_report_is_written_again_only_when_the_store_has_changed(tmp_path):
    render = Renderer()
    view = View(tmp_path / "run", render)
    with SqliteStoreOpen(tmp_path / "run") as store:
        add(store, "a")
        for _ in range(5):
            settled(view)
        assert render.calls == 1
        add(store, "b")
        assert settled(view)["report"] == render.calls == 2


def test_looks_and_reports_of_a_run_take_a_small_share_of_the_time(tmp_path, monkeypatch):
    monkeypatch.setattr(live, "PAUSE", 30.0)
    render = Renderer()
    view = View(tmp_path / "run", render)
    with SqliteStoreOpen(tmp_path / "run") as store:
        add(store, "a")
        first = view.state()
        add(store, "b")
        assert view.state() is first
        assert render.calls <= 1


def test_what_cannot_be_told_yet_is_waited_for(tmp_path):
    render = Renderer()
    render.problem = BadStore("there is no study yet")
    view = View(tmp_path / "run", render)
    with SqliteStoreOpen(tmp_path / "run") as store:
        add(store, "a")
        assert settled(view)["phase"] == "waiting"
        render.problem = None
        add(store, "b")
        assert settled(view)["phase"] == "running"


def test_a_store_that_cannot_be_read_is_a_sentence(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "records.db").write_bytes(os.urandom(5000))
    state = View(tmp_path / "run", Renderer()).state()
    assert state["phase"] == "unreadable"
    assert state["words"]
