"""A record knows which questions it can answer."""

from __future__ import annotations

import numpy as np

from foldwise.testing.stores import some_record


def test_a_record_answers_for_its_own_rows_only():
    record = some_record()
    assert record.answers(np.array([1, 300]), ("predict",))
    assert not record.answers(np.array([1, 2]), ("predict",))
    assert not record.answers(np.array([301]), ("predict",))
    assert not record.answers(np.array([1]), ("decision_function",))


def test_a_failed_record_answers_every_question_with_its_failure():
    assert some_record(status="error", responses={}).answers(np.array([99]), ("predict",))


def test_a_response_is_given_for_the_rows_asked():
    record = some_record(rows=np.array([2, 5, 9]), responses={"predict": np.array([20.0, 50.0, 90.0])})
    assert record.response("predict", np.array([5, 9])).tolist() == [50.0, 90.0]
    assert record.response("predict", np.array([2, 5, 9])).tolist() == [20.0, 50.0, 90.0]


def test_a_response_is_found_only_where_all_rows_are_held():
    some = some_record(rows=np.array([2, 5, 9]), responses={"predict": np.array([20.0, 50.0, 90.0])})
    every = some_record(rows=np.arange(4), responses={"predict": np.array([0.0, 10.0, 20.0, 30.0])})
    assert some.find("predict", np.array([5, 9])).tolist() == [50.0, 90.0]
    assert every.find("predict", np.array([1, 3])).tolist() == [10.0, 30.0]
    assert some.find("predict", np.array([], dtype=int)).tolist() == []
    for record, rows in ((some, [3]), (some, [2, 10]), (every, [4]), (some, [2, 5, 9, 11])):
        assert record.find("predict", np.array(rows)) is None
        assert not record.answers(np.array(rows), ("predict",))
    assert some.find("predict_proba", np.array([5])) is None
