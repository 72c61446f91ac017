"""A study as a document (studies/stored.py): read as it was written, and refused where it cannot be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

import foldwise as fw
from foldwise.api.request import request
from foldwise.errors import BadStore, FoldwiseError
from foldwise.records.encoding import pack, unpack
from foldwise.records.memory import MemoryStore
from foldwise.studies.stored import ORIGIN, STUDY, pack_study, read_study, unpack_study, write_study

X = np.random.default_rng(0).normal(size=(30, 2))
Y = X[:, 0]
RIDGE = fw.tune(Ridge(), alpha=[0.1, 1.0])
STUDIES = {
    "lines": ({"a": RIDGE}, Y, {"outer": 7, "inner": "aligned"}),
    "groups": ({"a": RIDGE}, Y, {"outer": 3, "inner": 2, "groups": np.arange(30) // 3, "weights": np.ones(30)}),
    "time": ({"a": RIDGE}, Y, {"outer": 4, "inner": 2, "time": np.arange(30)}),
    "bootstrap": ({"a": RIDGE}, Y, {"outer": fw.Bootstrap(3), "inner": 2}),
    "classes": ({"a": LogisticRegression()}, np.where(Y > 0, "yes", "no"), {"outer": 3, "loss": ["log", "zero_one"]}),
    "search": ({"a": fw.tune(Ridge(), alpha=fw.log_range(0.1, 9), tuner="tpe", budget=9)}, Y, {"outer": 3, "inner": 2}),
    "blend": ({"a": fw.blend({"b": RIDGE, "c": Ridge()})}, Y, {"outer": 3, "inner": 2}),
}


def make(learners, target, options):
    return request(learners, X, target, **options).study().study


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_comes_back_with_the_names_of_all_its_fits(name):
    study = make(*STUDIES[name])
    content = STUDY.encode(pack_study(study))
    found = unpack_study(STUDY.decode(content))
    assert STUDY.encode(pack_study(found)) == content
    for old, new in zip(study.methods, found.methods, strict=True):
        for stage, other in zip(study.stages(old), found.stages(new), strict=True):
            assert stage.split.train.tolist() == other.split.train.tolist()
            assert stage.split.test.tolist() == other.split.test.tolist()
            assert study.keys(old, study.rows_name(stage.split)) == found.keys(new, found.rows_name(other.split))


def test_the_origin_is_kept_beside_it():
    store, one = MemoryStore(), make(*STUDIES["lines"])
    write_study(one, store, origin={"command": "compare"})
    assert ORIGIN.read(store) == {"command": "compare"}
    assert read_study(store).outer.fingerprint == one.outer.fingerprint


def test_a_loss_that_is_a_function_must_be_given_again():
    def cubed(y, predicted):
        return np.abs(y - predicted) ** 3

    stored = pack_study(make({"a": RIDGE}, Y, {"outer": 3, "inner": 2, "loss": cubed}))
    with pytest.raises(BadStore, match=r"the losses of this study \(cubed\) are not all known by name"):
        unpack_study(stored)
    assert unpack_study(stored, loss=cubed).losses[0].name == "cubed"


def test_a_store_without_a_study_or_with_half_of_one_says_so():
    with pytest.raises(BadStore, match="the store has no study"):
        read_study(MemoryStore())
    head, arrays = unpack(STUDY.encode(pack_study(make(*STUDIES["lines"]))))
    for key in ("outer", "methods", "classes"):
        half = {"value": {name: value for name, value in head["value"].items() if name != key}}
        with pytest.raises(BadStore, match=f"the document 'study' of the store cannot be read: {key}: Field required"):
            STUDY.decode(pack(half, arrays))


@pytest.mark.parametrize("change", [{"inner": 7}, {"tuner": "nobody"}, {"candidates": []}])
def test_a_study_that_contradicts_itself_is_refused(change):
    head, arrays = unpack(STUDY.encode(pack_study(make(*STUDIES["lines"]))))
    methods = [{**method, **change} for method in head["value"]["methods"]]
    store = MemoryStore()
    store.write_document("study", pack({"value": {**head["value"], "methods": methods}}, arrays))
    with pytest.raises(FoldwiseError):
        fw.load(store)


def test_an_interval_of_a_store_is_a_built_in_one():
    stored = pack_study(make(*STUDIES["lines"]))
    with pytest.raises(BadStore, match="asks for an interval 'my wilson', which there is not"):
        unpack_study(replace(stored, interval="my wilson"))
