"""A store of one's own is taken wherever a folder is, and a result outlives its store."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import foldwise as fw
from foldwise.errors import BadStore, BadStudy
from foldwise.records.memory import MemoryStore
from foldwise.records.store import opened


class Counting(MemoryStore):
    closed = 0

    def close(self):
        self.closed += 1


@pytest.fixture
def curved():
    x = np.linspace(0, 1, 40)
    return x[:, None], np.sin(9 * x)


def test_a_store_that_was_given_is_left_open_and_what_is_none_is_refused():
    mine = Counting()
    with opened(mine) as found:
        assert found is mine
    assert mine.closed == 0
    with pytest.raises(BadStore, match="store must be a folder or a store, and 7 has no method get"), opened(7):
        pass


def test_a_comparison_keeps_its_fits_there_and_is_loaded_from_there(curved):
    store = Counting()
    words = {"outer": 4, "inner": 2, "jobs": 1, "store": store}
    first = fw.compare(["ridge:small", "k-nn:small"], *curved, **words)
    again = fw.compare(["ridge:small", "k-nn:small"], *curved, **words)
    assert first.to_dict()["fits_made"] == len(list(store.keys())) > 0 == again.to_dict()["fits_made"]
    assert fw.load(store).losses().equals(first.losses())
    assert store.closed == 0


def test_risk_curves_and_test_risks_share_it(curved):
    store = Counting()
    assert fw.risk("linear", *curved, outer=4, store=store).value > 0
    before = len(list(store.keys()))
    fw.curve("k-nn", *curved, n_neighbors=[1, 5], outer=4, store=store)
    fw.learning_curve("linear", *curved, sizes=(0.5, 1.0), outer=4, store=store)
    assert len(list(store.keys())) > before > 0
    models = [LinearRegression(fit_intercept=value).fit(*curved) for value in (True, False)]
    new = (curved[0] + 0.5, curved[1] + 0.1)
    assert [fw.test_risk(model, *new, store=store).details["scored"] for model in models] == [1, 2]


def test_a_benchmark_has_a_store_for_each_data_set(curved):
    with pytest.raises(BadStudy, match=r"a benchmark keeps a store for each data set\. Name the folder"):
        fw.benchmark({"wave": curved}, ["linear"], store=MemoryStore())


def test_a_result_answers_after_its_store_was_removed(tmp_path):
    run = tmp_path / "run"
    result = fw.compare(["linear"], "diabetes", outer=3, store=run, jobs=1, guards=False)
    shutil.rmtree(run)
    method = result.to_dict()["methods"][0]
    assert method["risk"] > 0
    assert method["importance"] is None
    assert "linear" in str(result)
