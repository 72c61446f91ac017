"""Seconds of predicting are of an outer model (questions/predicting.py, studies/measured.py), kept as records."""

from __future__ import annotations

import time

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge

import foldwise as fw
from foldwise.records.encoding import pack
from foldwise.records.store import opened


class Slow(LinearRegression):
    """Sleeps when it predicts."""

    def predict(self, X):
        time.sleep(0.02)
        return super().predict(X)


@pytest.fixture
def ran(tmp_path):
    x = np.linspace(0, 1, 40)
    ridge = fw.tune(Ridge(), alpha=[0.1, 1.0])
    learners = {"slow": Slow(), "ridge": ridge, "blend": fw.blend([LinearRegression(), Ridge()])}
    return fw.compare(learners, x[:, None], np.sin(9 * x), outer=4, inner=2, jobs=1, store=tmp_path / "run")


def test_it_is_measured_once_and_kept_with_the_records(ran, tmp_path):
    before, risks = ran.to_dict()["methods"], ran.table()["risk"].tolist()
    assert {method["seconds_per_1000"] for method in before} == {None}

    found = ran.predicting()

    assert set(found) == {"slow", "ridge", "blend", "baseline"}
    assert 2 <= found["slow"] < 20  # 0.02 s for the 10 rows that are held out, more on a busy machine
    assert found["slow"] > found["ridge"] > 0
    made = {method["name"]: method["fits_made"] for method in ran.to_dict()["methods"]}
    more = {method["name"]: made[method["name"]] - method["fits_made"] for method in before}
    assert (more["slow"], more["ridge"]) == (1, 1)
    assert ran.table()["risk"].tolist() == risks
    assert ran.predicting() == found
    assert {method["name"]: method["fits_made"] for method in ran.to_dict()["methods"]} == made
    assert fw.load(tmp_path / "run").predicting() == found


def test_what_importance_has_measured_is_not_measured_again(ran):
    pace = ran.importance("slow").to_dict()["seconds_per_1000"]

    assert ran.predicting()["slow"] == pace


@pytest.mark.parametrize("value", [[], {"a": 1}, {"a": {"method": "m", "rows": "x", "seconds": 1.0}}])
def test_a_strangers_document_is_left_out(ran, tmp_path, value):
    with opened(tmp_path / "run") as store:
        store.write_document("predicting", pack({"value": value}, {}))

    assert fw.load(tmp_path / "run").predicting() == {}
