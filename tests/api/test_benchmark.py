"""Several data sets (api/benchmark_data.py, api/benchmark_result.py): what is told, left out and kept."""

from __future__ import annotations

import json
import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeRegressor

import foldwise as fw
from foldwise.api import benchmark
from foldwise.errors import BadData, BadInterval, BadLearner, BadStudy, FitsFailed
from foldwise.questions.benchmark_answer import Terms

WORDS = {"outer": 3, "jobs": 1, "isolate": False, "seed": 1}


class Picky(DummyRegressor):
    """Fails on rows that are marked."""

    def fit(self, X, y, sample_weight=None):
        if np.max(X) > 50:
            raise RuntimeError("too large for me")
        return super().fit(X, y, sample_weight)


def learners():
    return {"line": LinearRegression(), "stump": DecisionTreeRegressor(max_depth=1, random_state=0), "picky": Picky()}


def words(found):
    """What is printed, lines joined."""
    return " ".join(str(found).split())


def make_sets(count=4):
    rng = np.random.default_rng(3)
    made = {}
    for at in range(count):
        X = rng.normal(size=(24, 2))
        made[f"set {at}"] = (X, X @ [1.0, -1.0] * (1 + at) + 0.3 * rng.normal(size=24))
    return made


@pytest.fixture(scope="module")
def found():
    data = make_sets()
    X, y = data["set 2"]
    data["set 2"] = (X + 100, y)  # where one learner fails
    data["constant"] = (X, np.ones(24))  # which is no data set at all
    return fw.benchmark(data, learners(), **WORDS)


def test_each_data_set_is_answered_as_it_is_alone(found):
    alone = fw.compare(learners(), *make_sets()["set 1"], **WORDS)
    ours = found.table().query("data == 'set 1'").set_index("method")

    for name, row in alone.table().set_index("method").iterrows():
        assert (ours.loc[name, "risk"], ours.loc[name, "low"]) == (row["risk"], row["low"])
    assert found.results["set 1"].best == alone.best


def test_ranks_are_of_those_with_a_risk_everywhere(found):
    table = found.table()
    wide = table[table["method"].isin(["line", "stump"]) & table["data"].str.startswith("set")]
    wide = wide.pivot(index="data", columns="method", values="risk")
    expected = dict(zip(wide.columns, stats.rankdata(wide, axis=1).mean(axis=0), strict=True))
    ranks = found.ranks().set_index("method")

    assert ranks.loc["line", "mean_rank"] == pytest.approx(expected["line"])
    assert ranks.loc["stump", "mean_rank"] == pytest.approx(expected["stump"])
    assert math.isnan(ranks.loc["picky", "mean_rank"])
    assert "baseline" not in ranks.index


def test_what_failed_is_told_and_left_out(found):
    notes = "\n".join(found.notes)

    assert "constant has no answer and is left out: the target is constant" in notes
    assert "picky has no risk of its own on set 2: it has no mean rank" in notes
    assert found.difference("picky", "line").left_out == ("set 2",)
    assert "Without an answer: constant." in words(found)
    assert found.is_finished


def test_relative_risks_are_shares_of_the_baseline(found):
    table = found.table().set_index(["data", "method"])["risk"]
    shares = [table[f"set {at}", "line"] / table[f"set {at}", "baseline"] for at in range(4)]

    ranks = found.ranks().set_index("method")
    assert ranks.loc["line", "relative_risk"] == pytest.approx(np.mean(shares))
    assert found.difference("line", "stump").p == 0.125


def test_so_few_data_sets_are_said_to_show_nothing(found):
    assert any("no p can be below 0.38" in note for note in found.notes)
    assert "So few data sets could not have shown a difference." in words(found)


def test_the_answer_is_plain_json_with_the_same_keys_whatever_happened(found):
    answer = json.loads(json.dumps(found.to_dict(), allow_nan=False))

    assert [data["status"] for data in answer["datasets"]] == ["ok"] * 4 + ["failed"]
    assert len({tuple(data) for data in answer["datasets"]}) == 1
    assert len({tuple(method) for method in answer["methods"]}) == 1
    assert answer["best"] == found.best == "line"
    assert answer["datasets"][0]["answer"] == json.loads(json.dumps(found.results["set 0"].to_dict()))
    assert list(found.pairs()["other"]) == [pair["names"][1] for pair in answer["pairs"]]


def test_a_folder_of_stores_makes_no_fit_twice(tmp_path):
    data = {"wine / 1": make_sets()["set 0"], "../up": make_sets()["set 1"]}
    own = {"line": LinearRegression()}
    first = fw.benchmark(data, own, store=tmp_path / "runs", **WORDS)
    again = fw.benchmark(data, own, store=tmp_path / "runs", **WORDS)

    assert first.to_dict()["fits_made"] > again.to_dict()["fits_made"] == 0
    assert again.table().equals(first.table())
    assert len(list((tmp_path / "runs").iterdir())) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["runs"]


def test_learners_for_another_task_sit_out():
    X, y = make_sets()["set 0"]
    data = {"numbers": (X, y), "classes": {"X": X, "y": np.where(y > 0, "yes", "no"), "loss": "zero_one"}}
    both = {"line": LinearRegression(), "logit": LogisticRegression(), "k-nn": fw.learner("k-nn", n_neighbors=3)}
    found = fw.benchmark(data, both, **WORDS)

    assert found.to_dict()["datasets"][0]["left_out"] == ["logit"]
    assert any(note.startswith("line is not for the task of classes") for note in found.notes)
    assert any("different losses (squared, zero_one)" in note for note in found.notes)
    assert found.ranks().set_index("method").loc["k-nn", "mean_rank"] == 1
    assert found.difference("line", "logit").p is None


def test_a_risk_that_is_partly_the_baselines_is_shown_but_not_compared():
    data = make_sets(2)
    data["set 0"][0][0] = 99.0  # in the training rows of two folds of three
    found = fw.benchmark(data, learners(), on_failure="baseline", **WORDS)

    assert found.table().set_index(["data", "method"]).loc[("set 0", "picky"), "risk"] > 0
    assert any(note.startswith("the risk of picky on set 0 is not compared: 1 of 3 folds own") for note in found.notes)
    assert found.difference("picky", "line").data_sets == ("set 1",)
    assert "picky" not in found.across.ranked


def test_time_that_is_up_leaves_the_rest_unfinished(monkeypatch):
    ticks = iter([0.0, 1.0, 99.0, *[100.0] * 9])
    monkeypatch.setattr(benchmark, "time", SimpleNamespace(monotonic=lambda: next(ticks)))
    found = fw.benchmark(make_sets(3), {"line": LinearRegression()}, time_limit=60, **WORDS)

    assert [entry.status for entry in found.entries] == ["ok", "unfinished", "unfinished"]
    assert not found.is_finished
    assert "Not finished: set 1 and set 2." in words(found)


def test_an_interrupt_carries_what_there_is(monkeypatch):
    asked = []

    def run_comparison(*given, **more):
        asked.append(more)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return run(*given, **more)

    run = benchmark.run_comparison
    monkeypatch.setattr(benchmark, "run_comparison", run_comparison)
    with pytest.raises(KeyboardInterrupt) as stopped:
        fw.benchmark(make_sets(3), {"line": LinearRegression()}, **WORDS)
    assert [entry.status for entry in stopped.value.result.entries] == ["ok", "unfinished", "unfinished"]


def test_where_all_fail_the_first_says_why():
    X = np.zeros((9, 1))
    with pytest.raises(BadData, match=r"one \(and 1 more without an answer\): the target is constant"):
        fw.benchmark({"one": (X, np.ones(9)), "two": (X, np.ones(9))}, {"line": LinearRegression()}, **WORDS)
    with pytest.raises(BadLearner, match="learner 'rigde'"):
        fw.benchmark({"none": make_sets()["set 0"]}, ["rigde"], **WORDS)


def test_any_error_of_one_data_set_is_its_own(monkeypatch):
    def read():
        raise OSError("the disk is gone")

    with pytest.raises(FitsFailed, match="far: OSError: the disk is gone"):
        benchmark.run_benchmark({"far": benchmark.Source(read, ["ridge"])}, Terms())


def test_a_control_is_compared_alone_and_checked_before_the_first_fit():
    own = {name: learners()[name] for name in ("line", "stump")}
    found = fw.benchmark(make_sets(2), own, control="stump", **WORDS)

    assert found.to_dict()["control"] == "stump"
    assert "cannot be told apart from stump" in words(found)
    with pytest.raises(BadInterval, match=r"no method 'stamp' to be the control\. Did you mean 'stump'"):
        fw.benchmark(make_sets(2), own, control="stamp", **WORDS)


def test_what_cannot_be_read_as_data_sets_is_refused():
    X, y = make_sets()["set 0"]
    with pytest.raises(BadStudy, match="data sets are given by name, not as ndarray"):
        fw.benchmark(X, ["ridge"])
    with pytest.raises(BadStudy, match="there are no data sets"):
        fw.benchmark({}, ["ridge"])
    with pytest.raises(BadStudy, match="two data sets are named 'rows'"):
        fw.benchmark(["a/rows.csv", "b/rows.csv"], ["ridge"])
    with pytest.raises(BadStudy, match=r"pair .* not 3 things"):
        fw.benchmark({"a": (X, y, y)}, ["ridge"])
    with pytest.raises(BadStudy, match="no 'X' but 'x', 'y'"):
        fw.benchmark({"a": {"x": X, "y": y}}, ["ridge"])
    with pytest.raises(BadStudy, match="no option 'foldz'"):
        fw.benchmark({"a": (X, y)}, ["ridge"], foldz=3)
    with pytest.raises(BadStudy, match=r"no option 'lost'\. Did you mean 'loss'"):
        fw.benchmark({"a": {"X": X, "y": y, "lost": "squared"}}, ["ridge"])


def test_built_in_sets_come_by_name():
    found = fw.benchmark(["iris"], {"tree": fw.learner("tree", max_depth=2)}, **WORDS)

    assert found.to_dict()["datasets"][0]["rows"] == 150
    assert "tree is the only learner with a risk on all of 1 data set" in words(found)
