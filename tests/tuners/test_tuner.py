"""A tuner of one's own (tuners/tuner.py): passed to a study, replayed from its records, and read again when given."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVR

import foldwise as fw
from foldwise.errors import BadStore, BadStudy

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
Y = X[:, 0] + 0.3 * rng.normal(size=60)
GRID = {"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1]}
WORDS = {"outer": 3, "inner": 3, "jobs": 1, "progress": False}


class FirstHalf(fw.Tuner):
    """The first half of the list, one inner split after another."""

    name = "first half"
    is_exhaustive = False

    def next(self, seen):
        half = range((seen.candidates + 1) // 2)
        for split in range(seen.splits):
            if not seen.is_seen()[half, split].all():
                return [fw.Evaluate(half, [split])]
        return fw.OVER


def plain(result):
    answer = result.to_dict()
    for method in (answer, *answer["methods"]):
        for name in ("seconds", "fits_made"):
            method.pop(name, None)
    return answer


def compare(tuner, **words):
    return fw.compare({"svr": fw.tune(SVR(), **GRID)}, X, Y, tuner=tuner, **{**WORDS, **words})


def test_it_chooses_what_a_grid_of_its_candidates_chooses():
    own = compare(FirstHalf()).to_dict()["methods"][0]
    half = {"svr": fw.tune(SVR(), C=[0.1], gamma=[0.01, 0.1])}
    more = {"svr": fw.tune(SVR(), space=[{"C": [0.1], "gamma": [0.01, 0.1]}, {"C": [1.0], "gamma": [0.01]}])}
    assert own["risk"] != fw.compare(half, X, Y, **WORDS).to_dict()["methods"][0]["risk"]
    same = fw.compare(more, X, Y, **WORDS).to_dict()["methods"][0]
    assert (own["risk"], own["fits"]) == (same["risk"], same["fits"])
    assert [fold["candidate"] for fold in own["folds"]] == [fold["candidate"] for fold in same["folds"]]


def test_it_is_replayed_from_the_records_and_must_be_given_again_to_be_read(tmp_path):
    first = compare(FirstHalf(), store=tmp_path / "run")
    again = compare(FirstHalf(), store=tmp_path / "run")
    assert again.to_dict()["fits_made"] == 0
    assert plain(fw.load(tmp_path / "run", tuner=FirstHalf())) == plain(first) == plain(again)
    with pytest.raises(BadStore, match=r"tuned by 'first half', which is no tuner.*fw.load\(RUN, tuner=...\)"):
        fw.load(tmp_path / "run")


def test_what_needs_the_scores_of_all_candidates_is_refused():
    simple = fw.tune(SVR(), simpler={"C": "low", "gamma": "low"}, **GRID)
    with pytest.raises(BadStudy, match="the rule 'one_se' of 'svr' needs the scores of all candidates"):
        fw.compare({"svr": simple}, X, Y, tuner=FirstHalf(), rule="one_se", **WORDS)
    with pytest.raises(BadStudy, match="optimism needs all candidates"):
        compare(FirstHalf(), optimism=True)


def test_one_that_asks_again_for_what_it_has_ends_the_study_with_a_sentence():
    class Endless(FirstHalf):
        def next(self, seen):
            return [fw.Evaluate([0], [0])]

    with pytest.raises(BadStudy, match=r"the tuner first half of 'svr' asks again for evaluations it has.*OVER"):
        compare(Endless())


def test_most_fits_is_the_worst_case_and_the_plan_says_so():
    found = fw.plan({"svr": fw.tune(SVR(), **GRID)}, X, Y, tuner=FirstHalf(), pilot=False, outer=3, inner=3)
    assert found.methods[0]["at_most"]
    assert found.methods[0]["fits"] >= compare(FirstHalf()).to_dict()["methods"][0]["fits"]
