"""How long a run may still take."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from foldwise.studies.pace import Pace, work_left


def counts(*methods):
    """(done, total, seconds) of each method."""
    return [SimpleNamespace(done=done, total=total, seconds=seconds) for done, total, seconds in methods]


def test_the_time_left_follows_the_work_and_not_the_number_of_fits():
    pace = Pace()
    assert pace.left(counts((0, 10, 0.0))) is None
    pace.note(0.0, counts((0, 10, 0.0), (0, 10, 0.0)))
    now = counts((10, 10, 10.0), (2, 10, 20.0))
    pace.note(15.0, now)  # 30 seconds of work in 15: two at a time
    assert pace.left(now) == pytest.approx(8 * 10.0 / 2)


def test_there_is_no_time_left_before_anything_has_moved():
    pace = Pace()
    pace.note(0.0, counts((5, 10, 5.0)))
    pace.note(60.0, counts((5, 10, 5.0)))
    assert pace.left(counts((5, 10, 5.0))) is None


def test_who_has_waited_for_a_minute_is_not_told_that_nothing_is_left():
    pace = Pace()
    pace.note(0.0, counts((0, 10, 0.0)))
    pace.note(9.0, counts((9, 10, 9.0)))
    assert pace.left(counts((9, 10, 9.0))) == pytest.approx(1.0)
    for now in range(10, 70):
        pace.note(float(now), counts((9, 10, 9.0)))
    assert pace.left(counts((9, 10, 9.0))) == pytest.approx(60.0)


def test_before_a_pace_was_seen_as_many_work_as_there_are_workers():
    pace, now = Pace(workers=2), counts((1, 10, 4.0), (1, 5, 1.0))
    pace.note(0.0, counts((0, 10, 0.0), (0, 5, 0.0)))
    pace.note(1.0, now)
    assert pace.left(now) == pytest.approx((9 * 4.0 + 4 * 1.0) / 2)
    assert work_left(now) == [36.0, 4.0]


def test_a_method_that_has_done_nothing_is_like_the_others():
    assert work_left(counts((2, 2, 6.0), (2, 4, 2.0), (0, 3, 0.0))) == [0.0, 2.0, 6.0]
