"""What a study is asked besides data, learners, losses and splits."""

from __future__ import annotations

import numpy as np
import pytest

from foldwise.errors import BadSplits, BadStudy
from foldwise.plans.options import StudyOptions

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
