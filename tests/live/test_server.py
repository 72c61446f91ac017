"""The server of the page: its port and its end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from types import SimpleNamespace

import pytest

from foldwise import cli
from foldwise.api.watching import render
from foldwise.errors import BadStudy
from foldwise.live import server
from foldwise.live.view import View


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


@pytest.mark.parametrize("is_asked", [False, True])
def test_a_page_without_its_run_ends_soon_if_nobody_looks_and_later_if_somebody_does(monkeypatch, is_asked):
    monkeypatch.setattr(server, "GRACE", 0.5)
    monkeypatch.setattr(server, "PATIENCE", 2.5)

    class Asked:
        @property
        def asked(self):
            return time.monotonic() if is_asked else 0.0

    serving = SimpleNamespace(should_exit=False)
    began = time.monotonic()
    asyncio.run(asyncio.wait_for(server._end_with(-1, Asked(), serving), 30))
    assert serving.should_exit
    assert time.monotonic() - began > (2.5 if is_asked else 0.5)


def test_a_page_beside_a_living_run_does_not_end(monkeypatch):
    monkeypatch.setattr(server, "GRACE", 0.0)
    serving = SimpleNamespace(should_exit=False)

    async def wait():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(server._end_with(os.getppid(), SimpleNamespace(asked=0.0), serving), 1.5)

    asyncio.run(wait())
    assert not serving.should_exit


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


@pytest.fixture
def serving(whole, monkeypatch):
    """The page of a finished run on a real port, for at most `seconds` of a test."""
    monkeypatch.setattr(server, "SILENCE", 1.0)
    monkeypatch.setattr(server, "MOST_CONNECTIONS", 20)

    def serve(test):
        address = server.open_address()

        async def both():
            task = asyncio.create_task(server._serve(View(whole[0], render), address, None))
            try:
                await asyncio.sleep(0.3)
                return await asyncio.wait_for(test(address), 30)
            finally:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
                address.socket.close()

        return asyncio.run(both())

    return serve


def test_the_limit_of_connections_holds_for_a_crowd(serving):
    async def crowd(address):
        waiting = [await asyncio.open_connection("127.0.0.1", address.port) for _ in range(25)]
        reader, writer = await asyncio.open_connection("127.0.0.1", address.port)
        request = f"GET /{address.token}/state HTTP/1.1\r\nHost: 127.0.0.1:{address.port}\r\n\r\n"
        writer.write(request.encode())
        line = await reader.readline()
        for _, other in [*waiting, (reader, writer)]:
            other.close()
        return line.split()[1]

    assert serving(crowd) == b"503"


@pytest.mark.parametrize("words", [b"", b"GET / HTTP/1.1\r\nHost: 127", b"GET /"])
def test_a_connection_that_does_not_finish_its_request_is_closed(serving, words):
    async def wait(address):
        reader, writer = await asyncio.open_connection("127.0.0.1", address.port)
        writer.write(words)
        began = time.monotonic()
        with contextlib.suppress(ConnectionError):
            assert await asyncio.wait_for(reader.read(), 20) == b""
        writer.close()
        return time.monotonic() - began

    assert serving(wait) < 10


def test_a_connection_answers_one_request(serving):
    async def twice(address):
        reader, writer = await asyncio.open_connection("127.0.0.1", address.port)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = await asyncio.wait_for(reader.read(), 20)
        writer.close()
        return answer

    assert b"connection: close" in serving(twice).lower()
