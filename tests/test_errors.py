"""Errors: one problem and one way out, in whole sentences."""

from __future__ import annotations

import inspect

import pytest

import foldwise as fw
from foldwise import errors
from foldwise.errors import BadData, FitsFailed, FoldwiseError, Terminated, interrupted, nearest


@pytest.mark.parametrize(
    ("problem", "remedy", "text"),
    [
        ("cannot do it", "Do that", "cannot do it. Do that."),
        ("cannot do it.", "Do that.", "cannot do it. Do that."),
        ("cannot do it", "", "cannot do it."),
        ("cannot do it", "Did you mean 'that'?", "cannot do it. Did you mean 'that'?"),
        ("cannot do it", "Write that(...)...", "cannot do it. Write that(...)..."),
        ("cannot read it: found\n- this", "Do that", "cannot read it: found - this. Do that."),
        ("cannot read it: " + 2_000 * "x", "Do that", "cannot read it: " + 984 * "x" + "... Do that."),
    ],
)
def test_a_message_has_one_stop_after_each_part(problem, remedy, text):
    assert str(FoldwiseError(problem, remedy)) == text


def test_what_was_found_travels_with_the_error():
    error = BadData("too few rows", "Give more", rows=3)
    assert (error.problem, error.remedy, error.found) == ("too few rows", "Give more", {"rows": 3})


def test_every_error_is_of_the_project_and_a_value_error_and_says_what_it_is_for():
    found = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if kind.__module__ == errors.__name__]
    assert len(found) > 10
    for kind in found:
        assert issubclass(kind, FoldwiseError | Terminated)
        assert kind.__doc__
    assert issubclass(FoldwiseError, ValueError)


def test_exit_codes_tell_bad_input_from_a_failed_study_and_a_termination():
    assert (BadData.exit_code, FitsFailed.exit_code, Terminated("ended").code) == (2, 1, 143)


def test_an_interrupt_carries_the_answer_so_far():
    stopped = interrupted("stopped", result=[1])
    assert type(stopped) is KeyboardInterrupt
    assert (stopped.args, stopped.result) == (("stopped",), [1])


def test_the_nearest_name_is_offered_or_all_of_them():
    assert nearest("alhpa", ["alpha", "beta"]) == "Did you mean 'alpha'?"
    assert nearest("zzz", ["b", "a"]) == "Known are: a, b"


def test_those_that_users_catch_are_at_hand():
    assert issubclass(fw.FitsFailed, fw.FoldwiseError)


def test_a_notebook_shows_the_sentence_alone():
    assert BadData("cannot do it", "Do that")._render_traceback_() == ["BadData: cannot do it. Do that."]
