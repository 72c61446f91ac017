"""`time_limit`: an answer in time, and the words that give it again."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import foldwise as fw
from foldwise.api.request import request
from foldwise.api.time_limit import DECISION
from foldwise.cli import run
from foldwise.plans import cost
from foldwise.plans import limit as limits
from foldwise.plans.cost import TuningCost
from foldwise.records.sqlite import SqliteStore

X = np.random.default_rng(0).normal(size=(300, 3))
Y = X[:, 0] + np.abs(X[:, 1]) + np.random.default_rng(1).normal(size=300)
HERE = {"jobs": 1, "isolate": False, "progress": False}


@pytest.fixture
def slow(monkeypatch):
    """A machine on which sums of trees take too long, and are not tried."""
    dear = {name: TuningCost(1e6) for name in ("forest", "boosting", "extra-trees", "kernel-ridge")}
    monkeypatch.setattr(cost, "SHORTER", {})
    cheap = {name: TuningCost(1e-3) for name in ("ridge", "tree", "k-nn")}
    monkeypatch.setattr(cost, "TUNING_COSTS", dear | cheap)
    monkeypatch.setattr(limits, "MERIT", {})


@pytest.fixture
def sampling(monkeypatch):
    """A machine on which forests take too long on all rows."""
    paces = {name: TuningCost(1e-3) for name in ("ridge", "tree", "k-nn", "boosting")}
    monkeypatch.setattr(cost, "TUNING_COSTS", {**paces, "forest": TuningCost(1e6), "extra-trees": TuningCost(1e-3)})
    monkeypatch.setattr(cost, "STAGES", (100, 50))


def numbers_of(result) -> list:
    methods = result.to_dict()["methods"]
    return [[method[key] for key in ("name", "risk", "low", "high", "selection_score", "folds")] for method in methods]


def test_what_a_limit_decides_is_told_in_words_that_give_the_same_numbers(slow):
    limited = fw.compare(None, X, Y, time_limit="2 min", **HERE)
    note = next(note["text"] for note in limited.to_dict()["notes"] if note["code"] == "time_limit")
    words = "effort='quick', learners=['ridge', 'k-nn', 'tree', 'blend'], outer=0.2, inner=0.25"
    assert note.startswith(f"for an answer within 2 min: {words}")
    assert "left out, as they would take too long: forest, extra-trees, boosting and kernel-ridge" in note
    assert limited.is_finished
    again = fw.compare(X=X, y=Y, **eval(f"dict({words})"), **HERE)
    assert numbers_of(again) == numbers_of(limited)


@pytest.mark.slow
def test_a_dear_learner_learns_from_a_sample_and_the_words_say_so(sampling, tmp_path):
    """The risk is that of a forest of the sampled rows, from the test rows of the split like every other."""
    learners = ["ridge", "tree", "forest"]
    limited = fw.compare(None, X, Y, time_limit=2_500, store=tmp_path / "run", **HERE)
    text = next(note["text"] for note in limited.to_dict()["notes"] if note["code"] == "time_limit")
    assert "'forest': fw.learner('forest', max_rows=50)" in text
    words = eval(f"dict({text.partition(': ')[2].partition('; ')[0]})")
    again = fw.compare(X=X, y=Y, **words, **HERE)
    assert numbers_of(again) == numbers_of(limited)
    assert set(learners) <= {row[0] for row in numbers_of(limited) if row[1] is not None}
    resumed = fw.compare(None, X, Y, time_limit=250_000, store=tmp_path / "run", **HERE)
    assert (resumed.fits_made, numbers_of(resumed)) == (0, numbers_of(limited))


def test_a_sample_is_written_as_a_study_file_has_it(sampling):
    found = {one["name"]: one for one in request(None, X, Y, time_limit=2_500).timed().study().decided["learners"]}
    assert found["forest"] == {"name": "forest", "learner": "forest", "parameters": [["max_rows", 50]]}


def test_the_decision_is_in_the_store_before_the_fits_and_is_kept(slow, tmp_path, monkeypatch):
    first = fw.compare(None, X, Y, time_limit=100, store=tmp_path / "run", **HERE)
    with_store = SqliteStore(tmp_path / "run", readonly=True)
    assert DECISION.read(with_store).decision.options["outer"] == 0.2
    with_store.close()
    monkeypatch.setattr(cost, "TUNING_COSTS", {name: TuningCost(1e-6) for name in ("ridge", "tree", "k-nn", "forest")})
    again = fw.compare(None, X, Y, time_limit=100_000, store=tmp_path / "run", **HERE)
    assert (again.fits_made, numbers_of(again)) == (0, numbers_of(first))


def test_a_limit_leaves_explicit_words_alone(slow):
    words = {"outer": 3, "inner": 2, "effort": "normal"}
    limited = fw.compare(["ridge"], X, Y, time_limit=60, **words, **HERE)
    assert numbers_of(limited) == numbers_of(fw.compare(["ridge"], X, Y, **words, **HERE))
    assert "time_limit" not in [note["code"] for note in limited.to_dict()["notes"]]


def test_making_the_study_counts_as_time(slow):
    asked = request({"mine": Ridge()}, X, Y, outer=3, time_limit=50).timed()
    assert asked.ends is not None
    assert 0 < asked.ends - time.monotonic() <= 50
    assert asked._run_now().time_limit <= 50


def test_decided_learners_are_written_as_a_study_file_has_them(slow):
    decided = request(None, X, Y, time_limit=50).timed().study().decided
    assert decided["learners"][0] == {"name": "ridge", "learner": "ridge", "parameters": []}
    assert (decided["effort"], decided["outer"]) == ("quick", 0.2)


def test_a_time_that_cannot_be_read_is_refused():
    with pytest.raises(
        fw.errors.BadStudy, match=r"positive number of seconds, not '2 apples'. Write a time as '2 min'"
    ):
        fw.compare(["ridge"], X, Y, time_limit="2 apples")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "data.csv"
    rows = np.column_stack([X, Y])
    path.write_text("a,b,c,target\n" + "\n".join(",".join(f"{value:.6f}" for value in row) for row in rows) + "\n")
    return path


def test_a_command_ends_with_0_when_all_that_was_decided_is_finished_and_is_resumed(slow, file, tmp_path, capsys):
    store = str(tmp_path / "run")
    options = ["--target", "target", "--jobs", "1", "--no-isolate", "--quiet", "--json", "--store", store]
    assert run(["compare", str(file), *options, "--time-limit", "2 min"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert [method["name"] for method in first["methods"]][:3] == ["ridge", "k-nn", "tree"]
    assert run(["resume", store, "--quiet", "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert (again["fits_made"], again["methods"][0]["risk"]) == (0, first["methods"][0]["risk"])


def test_the_cheapest_methods_do_not_wait_for_worker_processes(monkeypatch):
    """A short limit on a busy machine may be over before a process has started."""
    from foldwise.executors.local.pool import Pool

    monkeypatch.setattr(Pool, "is_ready", lambda pool: False)
    monkeypatch.setattr(Pool, "run", lambda pool, batches: iter(()))
    result = fw.compare(["ridge", "tree"], X, Y, outer=3, inner=2, effort="quick", time_limit=60, progress=False)
    methods = {method["name"]: method["risk"] for method in result.to_dict()["methods"]}
    assert methods["ridge"] < methods["baseline"]
    assert methods["tree"] is None
