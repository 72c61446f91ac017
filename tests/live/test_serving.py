"""Around the page: its port, its end, the pace of a run and the processes that fit for it."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from types import SimpleNamespace

import pytest

from foldwise import cli
from foldwise.errors import BadStudy
from foldwise.live import server
from foldwise.live.pace import Pace
from foldwise.live.view import duration
from foldwise.live.workers import workers


def test_the_port_is_of_this_machine_alone_and_a_free_one():
    one, other = server.open_address(), server.open_address()
    try:
        assert one.socket.getsockname()[0] == "127.0.0.1"
        assert one.port != other.port
        assert one.token != other.token
        assert len(one.token) >= 32
        assert one.token not in repr(one)
        with pytest.raises(BadStudy, match=rf"cannot open port {one.port}: .*in use. Leave --port out for a free one"):
            server.open_address(one.port)
    finally:
        one.socket.close()
        other.socket.close()


@pytest.mark.parametrize(("pages", "idle"), [(0, 5.0), (3, 0.0)])
def test_a_page_without_its_run_ends_soon_if_nobody_looks_and_later_if_somebody_does(monkeypatch, pages, idle):
    monkeypatch.setattr(server, "GRACE", 0.5)
    monkeypatch.setattr(server, "PATIENCE", 2.5)
    hub, serving = SimpleNamespace(pages=pages, idle=idle), SimpleNamespace(should_exit=False)

    async def end():
        began = time.monotonic()
        await asyncio.wait_for(server._end_with(-1, hub, serving), 30)
        return time.monotonic() - began

    took = asyncio.run(end())
    assert serving.should_exit
    assert took > (2.5 if pages else 0.5)


def test_a_page_beside_a_living_run_does_not_end(monkeypatch):
    monkeypatch.setattr(server, "GRACE", 0.0)
    hub, serving = SimpleNamespace(pages=0, idle=9.0), SimpleNamespace(should_exit=False)

    async def wait():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(server._end_with(os.getppid(), hub, serving), 1.5)

    asyncio.run(wait())
    assert not serving.should_exit


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


def test_a_time_is_given_as_roughly_as_it_is_known():
    assert [duration(seconds) for seconds in (0.1, 12, 89, 91, 7200)] == ["5 s", "10 s", "90 s", "2 min", "2.0 h"]


def test_workers_are_the_children_of_the_children(tmp_path):
    tree = {10: "11 12", 11: "", 12: "13 14 15", 13: "99"}
    for process, children in tree.items():
        folder = tmp_path / str(process) / "task" / str(process)
        folder.mkdir(parents=True)
        (folder / "children").write_text(f"{children} ")
    assert workers(10, processes=tmp_path) == 3
    assert workers(11, processes=tmp_path) == 0
    assert workers(77, processes=tmp_path) is None
    assert workers(None, processes=tmp_path) is None


def test_a_run_that_is_not_there_is_refused_in_one_sentence(capsys, tmp_path):
    before = signal.getsignal(signal.SIGTERM)
    try:
        code = cli.run(["watch", str(tmp_path / "nowhere")])
    finally:
        signal.signal(signal.SIGTERM, before)
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert err.startswith("foldwise: there is no store in")
    assert err.count("\n") == 1
