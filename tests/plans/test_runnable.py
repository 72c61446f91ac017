"""A study that can be run: its methods, what their tuners become, and seeds that do not depend on candidates."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import foldwise as fw
from foldwise.api.request import request
from foldwise.errors import BadSpace, BadSplits, BadStudy
from foldwise.plans.runnable import StudyOptions

X = np.random.default_rng(0).normal(size=(24, 2))


def runnable(learners, **options):
    return request(learners, X, X[:, 0], **{"outer": 3, "inner": 2} | options).study()


def test_a_small_space_within_its_budget_is_tried_in_full_and_a_note_says_so():
    found = runnable({"a": fw.tune(Ridge(), alpha=[1, 2, 3], tuner="tpe", budget=9)}, solvers=False)
    method = found.study.methods[0]
    assert (method.tuner.name, len(method.candidates)) == ("grid", 3)
    assert any("within the budget of 9, so all are tried" in text for _, text in method.notes)


def test_a_search_has_no_candidates_before_it_proposes_any():
    method = runnable({"a": fw.tune(Ridge(), alpha=fw.log_range(0.1, 9), tuner="tpe", budget=9)}).study.methods[0]
    assert (method.candidates, method.identities, method.responses) == ((), (), ())
    assert method.proposals_name


def test_inner_splits_are_made_once_for_all_that_ask_for_the_same():
    tuned = fw.tune(Ridge(), alpha=[1, 2])
    own = fw.tune(Ridge(), alpha=[1, 2], inner=3)
    a, b, c, _ = runnable({"a": tuned, "b": tuned, "c": own}).study.methods
    assert a.inner is b.inner
    assert a.inner is not c.inner


def test_a_default_space_asks_for_no_more_neighbours_than_there_are_rows():
    method = runnable({"near": "k-nn"}, outer=0.5, inner=0.75).study.methods[0]
    assert max(candidate["n_neighbors"] for candidate in method.candidates) <= 3  # of 24 rows a half, and a quarter


def test_one_standard_error_needs_an_order_of_simplicity():
    with pytest.raises(BadSpace, match="learner 'a'"):
        runnable({"a": fw.tune(Ridge(), alpha=[1, 2], solver=["svd", "lsqr"])}, rule="one_se")
    ranks = runnable({"a": fw.learner("ridge", alpha=[1.0, 3.0, 2.0])}, rule="one_se").study.methods[0].ranks
    assert list(ranks) == [2, 0, 1]


REFUSED = {
    "policy": ({"on_failure": "fale"}, BadStudy, "no failure policy 'fale'. Did you mean 'fail'"),
    "level": ({"level": 95}, BadStudy, "the level must lie between 0 and 1, not 95. Write level=0.95"),
    "solvers": ({"solvers": "some"}, BadStudy, "solvers must be 'auto', 'all', False or a list of solvers, not 'some'"),
    "seed": ({"seed": -1}, BadStudy, "the seed must be a whole number of at least 0, not -1"),
    "threads": ({"fit_threads": 0}, BadStudy, "fit_threads must be a whole number of at least 1, not 0"),
    "repeats": ({"repeats": 1.5}, BadSplits, "repeats must be a whole number of at least 1, not 1.5"),
}


@pytest.mark.parametrize(("options", "error", "words"), REFUSED.values(), ids=REFUSED)
def test_options_that_make_no_study_are_refused(options, error, words):
    with pytest.raises(error, match=words):
        StudyOptions(**options)


def test_numbers_of_numpy_become_plain_ones():
    options = StudyOptions(seed=np.int64(7), repeats=np.int32(2))
    assert (type(options.seed), type(options.repeats)) == (int, int)
