"""Decisions of simulated studies hold as often as they say; the whole mix is in docs/decide.md."""

from __future__ import annotations

import numpy as np
import pytest
from evidence.decisions import SURE, block_study, decisions, learner_study, usual_mix
from numpy.testing import assert_allclose


def test_equal_blocks_are_a_near_tie_and_unequal_ones_are_not():
    equal, unequal = block_study("regression", 0.0, 2), block_study("regression", 0.5, 2)
    found = decisions([equal, unequal], replications=30, jobs=1)
    tied, apart = found[found["study"] == str(equal)], found[found["study"] == str(unequal)]
    assert tied["gap"].max() < 0.03
    assert apart["gap"].min() > 0.1
    assert (apart["p_best"] >= tied["p_best"].median()).mean() > 0.5
    assert ((found["regret"] == 0) == found["is_best"]).all()
    assert (found["p_best"] >= 0.5 - 1e-9).all()


def test_different_learners_meet_the_same_folds():
    study = learner_study("two classes", ("centroid", "k-nn"), rows=60, folds=5)
    one, other = (decisions([study], replications=4, seed=1, jobs=1) for _ in range(2))
    assert_allclose(one["p_best"], other["p_best"])
    assert str(study) == "two classes, 2 methods, 60 rows, 5 folds"


def test_the_mix_has_all_tasks_spreads_and_numbers_of_methods():
    mix = usual_mix()
    assert len({str(study) for study in mix}) == len(mix) == 52
    assert {len(study.learners) for study in mix} == {2, 3, 4, 8}
    assert {study.repeats for study in mix} == {1, 5}


@pytest.mark.slow
def test_a_method_called_the_best_is_the_best_and_regrets_are_not_understated():
    """The reduced run: the first, third, ... of the designs with up to 4 methods, 25 data sets each."""
    studies = [study for study in usual_mix() if len(study.learners) <= 4][::2]
    found = decisions(studies, replications=25, jobs=1)
    sure = found[found["p_best"] >= SURE]
    assert len(sure) > 30
    assert sure["is_best"].mean() >= 0.88
    assert found["stated_regret"].mean() >= found["regret"].mean()
    assert (found["regret"] <= found["regret_high"] + 1e-12).mean() >= 0.95
    assert np.isfinite(found.select_dtypes("number")).all().all()
