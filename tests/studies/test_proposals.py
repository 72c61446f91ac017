"""The proposals of a search: what was asked for, kept in the store and read with suspicion."""

from __future__ import annotations

import shutil
import sqlite3

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import foldwise as fw
from foldwise.errors import BadStore
from foldwise.records.encoding import pack, unpack
from foldwise.records.sqlite import SqliteStore

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 2))
Y = X[:, 0] + 0.3 * rng.normal(size=40)


def search(store):
    specs = {"ridge": fw.tune(Ridge(), alpha=fw.log_range(0.01, 100))}
    return fw.compare(specs, X, Y, outer=2, inner=2, tuner="random", budget="0.05 s", jobs=1, store=store)


@pytest.fixture(scope="module")
def proposals(tmp_path_factory):
    """A store, the name of the proposals in it, and its content."""
    folder = tmp_path_factory.mktemp("proposals") / "run"
    name = search(folder).study.methods[0].proposals_name
    return folder, name, unpack(SqliteStore(folder, readonly=True).document(name))[0]["value"]


def rewritten(folder, name, written, target):
    shutil.copytree(folder, target)
    store = SqliteStore(target)
    store.write_document(name, pack({"value": written}, {}))
    store.close()
    return target


def test_every_candidate_has_a_point_an_identity_and_its_answers(proposals):
    _, _, written = proposals
    count = len(written["points"])
    assert count >= 10
    assert {len(written[part]) for part in ("candidates", "identities", "responses")} == {count}
    assert len(set(written["identities"])) == count
    assert set(written["asked"]) == {"outer 0", "outer 1", "final"}
    assert [candidate["alpha"] for candidate in written["candidates"]] == [at[0] for _, at in written["points"]]


def test_damaged_proposals_are_missing_and_made_again(proposals, tmp_path):
    folder, name, written = proposals
    target = rewritten(folder, name, written, tmp_path / "copy")
    with sqlite3.connect(target / "records.db") as database:
        database.execute("UPDATE documents SET content = ? WHERE name = ?", (b"{}", name))
    database.close()
    assert fw.load(target).methods[0].status == "unfinished"
    search(target)
    assert fw.load(target).methods[0].status == "ok"


@pytest.mark.parametrize(
    "change",
    [
        {"asked": {"final": [10**6]}},
        {"asked": {"final": [-1]}},
        {"asked": [1]},
        {"candidates": []},
        {"identities": [3]},
        {"points": [[0]]},
        {"points": "abc"},
        {"over": 3},
        {"seconds": []},
        None,
    ],
)
def test_inconsistent_proposals_are_refused(proposals, tmp_path, change):
    folder, name, written = proposals
    content = [] if change is None else {**written, **change}
    target = rewritten(folder, name, content, tmp_path / "copy")
    with pytest.raises(BadStore, match="proposals"):
        fw.load(target)


def test_a_point_outside_the_space_is_refused_when_a_study_goes_on(proposals, tmp_path):
    folder, name, written = proposals
    points = [[7, at] for _, at in written["points"]]
    target = rewritten(folder, name, {**written, "points": points}, tmp_path / "copy")
    with pytest.raises(BadStore, match="a point outside its space"):
        search(target)


def test_a_store_without_the_proposals_is_an_unfinished_study(proposals, tmp_path):
    folder, name, _ = proposals
    empty = {"points": [], "candidates": [], "identities": [], "responses": [], "ranks": None}
    empty |= {"asked": {}, "over": [], "seconds": {}}
    target = rewritten(folder, name, empty, tmp_path / "copy")
    answer = fw.load(target).to_dict()
    assert not answer["finished"]
    assert answer["methods"][0]["status"] == "unfinished"
