"""How long a run may still take."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from foldwise.live.pace import Pace


def counts(*methods):
    """(done, total, seconds) of each method."""
    made = [SimpleNamespace(done=done, total=total, seconds=seconds) for done, total, seconds in methods]
    return SimpleNamespace(methods=made, done=sum(m.done for m in made), total=sum(m.total for m in made))


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
