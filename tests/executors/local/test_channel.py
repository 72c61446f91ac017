from __future__ import annotations

import socket
from contextlib import closing

import numpy as np
import pytest

from foldwise.executors.local.channel import Channel


@pytest.fixture
def ends():
    one, other = map(Channel, socket.socketpair())
    with closing(one), closing(other):
        yield one, other


def test_messages_arrive_whole_and_in_order_though_the_socket_takes_them_in_pieces(ends):
    here, there = ends
    large = np.arange(1_000_000)
    for message in ("first", large, "last"):
        here.send_nowait(message)
    assert here.has_more_to_send
    found = []
    while len(found) < 3:
        found += there.arrived()
        here.flush()
    assert (found[0], found[2], here.has_more_to_send) == ("first", "last", False)
    np.testing.assert_array_equal(found[1], large)


def test_nothing_is_waited_for_unless_asked(ends):
    here, there = ends
    assert there.arrived() == []
    here.send(("slots", 3))
    assert there.receive() == ("slots", 3)


def test_an_end_that_is_gone_is_noticed(ends):
    here, there = ends
    there.send("goodbye")
    there.close()
    assert (here.arrived(), here.is_open) == (["goodbye"], False)
    here.send_nowait("too late")
    assert not here.has_more_to_send
    with pytest.raises(EOFError):
        here.receive()
