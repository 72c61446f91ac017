"""A study as a document (studies/file.py): read as it was written, and refused where it cannot be."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

import foldwise as fw
from foldwise.api.request import request
from foldwise.errors import BadStore
from foldwise.records.encoding import pack, unpack
from foldwise.records.memory import MemoryStore
from foldwise.studies.file import read_origin, read_study, study_bytes, study_from, write_study

X = np.random.default_rng(0).normal(size=(30, 2))
Y = X[:, 0]
RIDGE = fw.tune(Ridge(), alpha=[0.1, 1.0])
STUDIES = {
    "lines": ({"a": RIDGE}, Y, {"outer": 7, "inner": "aligned"}),
    "groups": ({"a": RIDGE}, Y, {"outer": 3, "inner": 2, "groups": np.arange(30) // 3, "weights": np.ones(30)}),
    "time": ({"a": RIDGE}, Y, {"outer": 4, "inner": 2, "time": np.arange(30)}),
    "bootstrap": ({"a": RIDGE}, Y, {"outer": fw.splits.Bootstrap(3), "inner": 2}),
    "classes": ({"a": LogisticRegression()}, np.where(Y > 0, "yes", "no"), {"outer": 3, "loss": ["log", "zero_one"]}),
    "search": ({"a": fw.tune(Ridge(), alpha=fw.log_range(0.1, 9), tuner="tpe", budget=9)}, Y, {"outer": 3, "inner": 2}),
    "stack": ({"a": fw.stack({"b": RIDGE, "c": Ridge()})}, Y, {"outer": 3, "inner": 2}),
}


def make(learners, target, options):
    return request(learners, X, target, **options).study().study


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_comes_back_with_the_names_of_all_its_fits(name):
    study = make(*STUDIES[name])
    found = study_from(study_bytes(study))
    assert study_bytes(found) == study_bytes(study)
    for old, new in zip(study.methods, found.methods, strict=True):
        for stage, other in zip(study.stages(old), found.stages(new), strict=True):
            assert stage.split.train.tolist() == other.split.train.tolist()
            assert stage.split.test.tolist() == other.split.test.tolist()
            assert study.keys(old, study.rows_name(stage.split)) == found.keys(new, found.rows_name(other.split))


def test_the_origin_is_kept_beside_it():
    store, one = MemoryStore(), make(*STUDIES["lines"])
    write_study(one, store, origin={"command": "compare"})
    assert read_origin(store) == {"command": "compare"}
    assert read_study(store).outer.fingerprint == one.outer.fingerprint


def test_a_loss_that_is_a_function_must_be_given_again():
    def cubed(y, predicted):
        return np.abs(y - predicted) ** 3

    content = study_bytes(make({"a": RIDGE}, Y, {"outer": 3, "inner": 2, "loss": cubed}))
    with pytest.raises(BadStore, match=r"the losses of this study \(cubed\) are not all known by name"):
        study_from(content)
    assert study_from(content, loss=cubed).losses[0].name == "cubed"


def test_a_store_without_a_study_or_with_half_of_one_says_so():
    with pytest.raises(BadStore, match="the store has no study"):
        read_study(MemoryStore())
    head, arrays = unpack(study_bytes(make(*STUDIES["lines"])))
    for key in ("outer", "methods", "classes"):
        with pytest.raises(BadStore, match=f"the study in the store cannot be read: KeyError.'{key}'"):
            study_from(pack({name: value for name, value in head.items() if name != key}, arrays))
    with pytest.raises(BadStore, match="asks for an interval 'my wilson', which there is not"):
        study_from(pack({**head, "interval": "my wilson"}, arrays))
