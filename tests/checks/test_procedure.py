"""What learners bring from outside the training rows."""

from __future__ import annotations

import pytest
from cases import check_cases, codes_in
from results_cases import Forgetful, found, lines
from sklearn.linear_model import Ridge

import foldwise as fw


@pytest.mark.parametrize("code", codes_in("procedure"))
def test_a_check_fires_where_it_should_and_is_silent_elsewhere(code):
    check_cases(code)


def test_slow_checks_are_of_check_alone():
    learners = {"clock": Forgetful(), "ridge": Ridge()}

    assert fw.check(learners, *lines(), outer=5).codes == ["FW510"]
    assert set(found(learners, *lines())) <= {"FW504"}


def test_a_learner_that_fails_is_left_to_the_run():
    class Fails(Ridge):
        def fit(self, X, y, sample_weight=None):
            raise ValueError("never")

    assert fw.check({"fails": Fails()}, *lines(), outer=5).codes == []
