"""A store of a study that was stopped (api/load.py) opens as a partial answer, and becomes whole when run again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsRegressor

import foldwise as fw
from foldwise.errors import FitsFailed
from foldwise.records.sqlite import SqliteStore


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """A finished study, and its store without some of the records."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(42, 2))
    y = X[:, 0] + 0.3 * rng.normal(size=42)
    learners = {"tuned": fw.tune(KNeighborsRegressor(), n_neighbors=[1, 3, 5]), "plain": KNeighborsRegressor(4)}
    words: dict[str, Any] = {"outer": 7, "jobs": 1, "store": tmp_path_factory.mktemp("honest") / "run"}
    whole = fw.compare(learners, X, y, **words)
    tuned = whole.methods[0]
    store = SqliteStore(words["store"])
    store.discard(sorted(tuned.keys)[::4])
    store.close()
    return whole, words["store"], lambda: fw.compare(learners, X, y, **words)


def test_methods_that_are_done_keep_their_numbers_and_the_others_have_none(stopped):
    whole, run, _ = stopped
    partial = fw.load(run)
    assert not partial.is_finished
    assert whole.is_finished
    before, after = ({row["name"]: row for row in one.to_dict()["methods"]} for one in (whole, partial))
    for name in ("plain", "baseline"):
        assert (after[name]["status"], after[name]["risk"]) == ("ok", before[name]["risk"])
    assert (after["tuned"]["status"], after["tuned"]["risk"], after["tuned"]["low"]) == ("unfinished", None, None)
    assert "auto" not in after
    assert partial.best == "plain"
    assert "So far, use plain" in repr(partial)
    count = len(whole.methods[0].keys)
    gone = len(sorted(whole.methods[0].keys)[::4])
    note = next(note for note in partial.notes if note.startswith("tuned: not finished"))
    assert int(note.rsplit(" of ", 1)[1].split()[0]) == count
    assert int(note.rsplit(", ", 1)[1].split()[0]) <= count - gone


def test_every_table_of_a_loaded_part_can_be_had(stopped):
    partial = fw.load(stopped[1])
    assert len(partial.table()) == 3
    assert len(partial.choices()) == 21
    assert np.isnan(partial.difference("tuned", "plain").value)
    assert "tuned: no risk (unfinished)" in partial.explain()
    with pytest.raises(FitsFailed, match="tuned could not be tuned on all rows: its fits are not finished"):
        partial.candidate("tuned")


def test_running_it_again_gives_the_whole_answer(stopped):
    whole, _, again = stopped
    result = again()
    assert 0 < result.fits_made <= len(whole.methods[0].keys)
    first, second = whole.to_dict(), result.to_dict()
    for answer in (first, second):
        for row in (answer, *answer["methods"]):
            row.pop("seconds")
            row.pop("fits_made")
    assert first == second
