"""What the page is told of a run: the numbers of its store, and a sentence where there are none."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest
from scipy import stats
from sklearn.dummy import DummyRegressor
from small_study import cut, learners, rows

import foldwise as fw
from foldwise.api.watching import follow
from foldwise.records import database
from foldwise.records.sqlite import SqliteStore


@pytest.fixture(autouse=True)
def _time_enough(monkeypatch):
    """One look works out all there is, also on a busy machine."""
    monkeypatch.setattr("foldwise.live.state.MOST_SECONDS", 60.0)


def outer_key(result, name, at):
    """The key of the fit that judges an outer split."""
    method = next(method for method in result.study.methods if method.name == name)
    return result.study.key(method, result.reading.outer_candidate(method, at), result.study.outer[at])


def test_a_finished_run_shows_the_numbers_of_its_answer(whole):
    folder, result = whole
    snapshot = follow(folder).snapshot()
    table = result.table().set_index("method")

    assert snapshot.phase == "finished"
    assert (snapshot.done, snapshot.total, snapshot.failed) == (result.fits, result.fits, 0)
    assert [row.name for row in snapshot.rows] == ["ridge", "k-nn", "plain", "baseline"]
    for row in snapshot.rows:
        assert (row.done, row.total) == (table.fits[row.name], table.fits[row.name])
        assert (row.risk, row.low, row.high) == tuple(table.loc[row.name, ["risk", "low", "high"]])
        assert not row.is_partial


def test_a_finished_run_is_told_whole_at_the_first_look_of_a_slow_machine(whole, monkeypatch):
    """No time to work out a fold, and yet no fold is left out for ever."""
    monkeypatch.setattr("foldwise.live.state.MOST_SECONDS", -1.0)
    snapshot = follow(whole[0]).snapshot()
    assert snapshot.phase == "finished"
    assert [(row.folds, row.is_partial) for row in snapshot.rows] == [(4, False)] * len(snapshot.rows)


def test_partial_risks_rest_on_the_finished_folds_alone(whole, finished):
    result = whole[1]
    cut(finished, [outer_key(result, "ridge", 2)])
    snapshot = follow(finished).snapshot()
    row = snapshot.rows[0]
    choices = result.choices()
    losses = choices[(choices.method == "ridge") & (choices.fold != 2)].loss.to_numpy()
    low, high = stats.t.interval(0.95, 2, losses.mean(), losses.std(ddof=1) / np.sqrt(3))

    assert snapshot.phase == "stopped"
    assert (row.folds, row.all_folds, row.is_partial) == (3, 4, True)
    assert (row.risk, row.low, row.high) == pytest.approx((losses.mean(), low, high))
    assert snapshot.total - snapshot.done == row.total - row.done == 1
    assert not any(other.is_partial for other in snapshot.rows[1:])


def test_a_fold_whose_tuning_is_not_done_is_no_finished_fold(whole, finished):
    result = whole[1]
    method = result.study.methods[0]
    key = result.study.key(method, 0, method.inner.splits[1][0])
    record = result.reading.store.get(key)
    cut(finished, [key])
    state = follow(finished)
    row = state.snapshot().rows[0]
    assert row.folds == 3
    assert row.total - row.done == 1
    store = SqliteStore(finished)
    store.add([record])
    store.close()
    assert state.snapshot().rows[0].folds == 4


def test_two_folds_have_no_interval(whole, finished):
    result = whole[1]
    cut(finished, [outer_key(result, "plain", at) for at in (0, 1)])
    row = follow(finished).snapshot().rows[2]
    assert row.folds == 2
    assert row.risk is not None
    assert row.low is row.high is None


def test_a_run_is_followed_to_its_end(whole, finished):
    result = whole[1]
    records = SqliteStore(finished, readonly=True)
    lost = [outer_key(result, "ridge", at) for at in range(4)]
    kept = [records.get(key) for key in lost]
    records.close()
    cut(finished, lost)
    state = follow(finished)
    assert state.snapshot().phase == "stopped"
    writer = SqliteStore(finished)
    assert state.snapshot().phase == "running"
    assert state.report() is None
    folds = []
    for record in kept:
        writer.add([record])
        folds.append(state.snapshot().rows[0].folds)
    assert folds == [1, 2, 3, 4]
    assert state.snapshot().phase == "ending"
    writer.close()
    snapshot = state.snapshot()
    assert snapshot.phase == "finished"
    assert snapshot.rows[0].risk == result.table().risk[0]
    assert state.report().is_finished


def test_the_importance_of_columns_is_followed_after_the_last_fit(tmp_path, monkeypatch):
    from foldwise.api import importance
    from foldwise.live.view import parts

    looks, folder, once = [], tmp_path / "run", importance._shuffled

    def seen(*arguments):
        looks.append(follow(folder).snapshot())
        return once(*arguments)

    monkeypatch.setattr(importance, "_shuffled", seen)
    fw.compare(learners(), *rows(), outer=4, inner=3, jobs=1, store=folder, importance=True)
    assert [(look.phase, look.measured) for look in looks] == [("ending", (done, 4)) for done in range(4)]
    assert looks[0].left is None
    assert all(look.left > 0 for look in looks[1:])
    assert "is being measured: 3 of 4 models" in parts(looks[3])["status"]
    assert parts(looks[0])["tiles"].count("<strong>-</strong>") == 1
    assert follow(folder).snapshot().phase == "finished"


def test_a_stopped_run_has_a_report_of_what_there_is(whole, finished):
    cut(finished, [outer_key(whole[1], "ridge", 2)])
    state = follow(finished)
    assert state.snapshot().has_report
    found = state.report()
    assert not found.is_finished
    assert "not finished, 3 of 4 outer folds done" in found.text


def test_another_study_in_the_store_is_followed_from_its_beginning(finished):
    state = follow(finished)
    assert len(state.snapshot().rows) == 4
    fw.compare({"other": DummyRegressor(strategy="median")}, *rows(), outer=3, jobs=1, store=finished)
    snapshot = state.snapshot()
    assert [row.name for row in snapshot.rows] == ["other", "baseline"]
    assert (snapshot.phase, snapshot.done) == ("finished", 6)


def test_failed_fits_are_told_with_their_first_error(tmp_path):
    class Failing(DummyRegressor):
        def fit(self, X, y, sample_weight=None):
            raise ValueError("<script>no</script>")

    spec = {**learners(), "bad": fw.tune(Failing(), quantile=[0.1, 0.2])}
    result = fw.compare(spec, *rows(), outer=4, inner=3, jobs=1, store=tmp_path / "run")
    snapshot = follow(tmp_path / "run").snapshot()

    assert snapshot.phase == "finished"
    failed = result.table().set_index("method").failed["bad"]
    assert snapshot.failed == failed > 0
    assert snapshot.failures == (("bad", "error", failed, "ValueError: <script>no</script> (in fit)"),)
    assert next(row for row in snapshot.rows if row.name == "bad").risk is None


def test_a_store_that_is_not_there_yet_is_waited_for(tmp_path, finished):
    state = follow(tmp_path / "later")
    assert state.snapshot().phase == "waiting"
    assert state.report() is None
    store = SqliteStore(tmp_path / "later")
    assert state.snapshot().phase == "waiting"
    store.close()
    finished.rename(tmp_path / "old")
    (tmp_path / "later").rename(tmp_path / "empty")
    (tmp_path / "old").rename(tmp_path / "later")
    assert state.snapshot().phase == "finished"


def test_a_damaged_store_is_a_sentence_and_comes_back(finished):
    whole = (finished / "records.db").read_bytes()
    state = follow(finished)
    (finished / "records.db").write_bytes(whole[:5000] + b"\0" * 5000 + whole[10000:])
    snapshot = state.snapshot()
    assert snapshot.phase == "unreadable"
    assert "damaged" in snapshot.problem
    (finished / "records.db").write_bytes(whole)
    assert state.snapshot().phase == "finished"


def test_a_store_that_is_held_is_a_sentence(finished, monkeypatch):
    monkeypatch.setattr(database, "_WAIT", 0.1)
    holder = sqlite3.connect(finished / "records.db", isolation_level=None)
    holder.execute("PRAGMA locking_mode=EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    try:
        snapshot = follow(finished).snapshot()
        assert snapshot.phase == "unreadable"
        assert "held by another process. Try again when its run has ended." in snapshot.problem
    finally:
        holder.close()


def test_looking_writes_nothing(finished):
    before = {path.name: path.read_bytes() for path in finished.iterdir()}
    state = follow(finished)
    for _ in range(3):
        state.snapshot()
    state.report()
    assert {path.name: path.read_bytes() for path in finished.iterdir()} == before
