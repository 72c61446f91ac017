"""What the bridge does when nodes die or are lost, without any engine; the rest is held by test_dask_and_ray."""

from __future__ import annotations

import asyncio
import socket

import pytest

from foldwise.executors.cluster import bridge
from foldwise.executors.local.channel import Channel


class Scripted(bridge.Bridge):
    """A cluster that answers as the test wants."""

    sizes, deaths = (2,), 0

    async def start(self):
        self.sizes = list(self.sizes)

    async def slots(self):
        return self.sizes.pop(0) if len(self.sizes) > 1 else self.sizes[0]

    async def call(self, function, *arguments):
        if self.deaths:
            self.deaths -= 1
            raise bridge.Died("the raylet died")
        return function(*arguments)


@pytest.fixture
def talk(monkeypatch):
    """Send these messages to a bridge of this kind, and give all its answers; the last one ends it."""
    monkeypatch.setattr(bridge, "PAUSE", 0.01)

    class Ended(BaseException):
        pass

    def end(code):
        raise Ended

    monkeypatch.setattr("os._exit", end)

    def ask(kind, *messages, until):
        ours, theirs = map(Channel, socket.socketpair())
        for message in messages:
            ours.send(message)
        answers = []

        async def hear():
            while not answers or answers[-1][0] != until:
                answers.extend(ours.arrived())
                await asyncio.sleep(0.01)
            ours.close()

        async def both():
            hearing = asyncio.create_task(hear())
            with pytest.raises(Ended):
                await kind(theirs, "", 2, "").serve()
            await hearing

        asyncio.run(both())
        theirs.close()
        return answers

    return ask


@pytest.mark.parametrize(("deaths", "answer"), [(bridge.CHECKS - 1, ("works",)), (99, ("lost", "the raylet died"))])
def test_a_cluster_that_cannot_do_nothing_ten_times_is_lost(talk, deaths, answer):
    answers = talk(type("Dying", (Scripted,), {"deaths": deaths}), ("check",), until=answer[0])
    assert answers == [("slots", 2), answer]


def test_a_cluster_that_gets_no_new_worker_is_lost(talk, monkeypatch):
    monkeypatch.setattr(bridge, "EMPTY_SECONDS", 0.1)
    answers = talk(type("Shrinking", (Scripted,), {"sizes": (2, 0, 1, 0)}), until="lost")
    assert answers == [("slots", 2), ("slots", 0), ("slots", 1), ("slots", 0), ("lost", "it has no worker left")]


def test_a_problem_is_put_into_one_short_line():
    assert bridge.in_words(ValueError("first\nsecond")) == "ValueError: first"
    assert bridge.in_words(ExceptionGroup("", [KeyError()])) == "KeyError"
    assert len(bridge.in_words(OSError("x" * 1000))) < 320
