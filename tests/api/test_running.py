"""What a running study leaves to be done (api/running.py): a model whose final tuning a time limit has cut."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import foldwise as fw
from foldwise.api.result import Result
from foldwise.records.sqlite import SqliteStore
from foldwise.studies.reading import Reading

RNG = np.random.default_rng(2)
X, Y = RNG.normal(size=(60, 3)), RNG.normal(size=60)
NAMES = ["tree:small", "ridge:small", "blend(tree:small+ridge:small)"]


def cut(whole: Result, store) -> Result:
    """The same result without the records of its final tunings."""
    study, reading = whole.study, whole.reading
    keys = set()
    for method in study.methods:
        risk = {key for run in reading.runs(method) if run.name != "final" for key in run.possible_keys()}
        keys |= {key for run in reading.runs(method) if run.name == "final" for key in run.possible_keys()} - risk
    store.discard(keys)
    store.close()
    return Result(Reading(study, store), made={}, seconds=0.0, runnable=whole.runnable)


@pytest.fixture(params=["memory", "folder"])
def both(request, tmp_path):
    """The same study whole, and cut."""
    options = {"outer": 0.25, "inner": 1 / 3, "jobs": 1}
    whole = fw.compare(NAMES, X, Y, **options)
    folder = tmp_path / "run" if request.param == "folder" else None
    again = fw.compare(NAMES, X, Y, store=folder, **options)
    return whole, cut(again, again.reading.store if folder is None else SqliteStore(folder))


@pytest.mark.parametrize("name", NAMES)
def test_refit_makes_the_fits_of_the_final_tuning_first(both, name):
    whole, half = both
    assert not half.is_finished
    with pytest.raises(fw.errors.FoldwiseError):
        half.candidate("ridge:small")
    before = {row["name"]: row["risk"] for row in half.to_dict()["methods"]}
    assert_array_equal(half.refit(name).predict(X), whole.refit(name).predict(X))
    assert half.candidate(name) == whole.candidate(name)
    after = {row["name"]: row["risk"] for row in half.to_dict()["methods"]}
    assert before.items() <= after.items()
    made = half.made
    assert sum(made.values()) > 0
    half.refit(name)
    assert half.made == made


def test_what_refit_made_is_in_the_store(both):
    whole, half = both
    half.refit("ridge:small")
    again = Result(Reading(half.study, half.reading.store), made={}, seconds=0.0, runnable=half.runnable)
    assert again.candidate("ridge:small") == whole.candidate("ridge:small")
    again.refit("ridge:small")
    assert not again.made
