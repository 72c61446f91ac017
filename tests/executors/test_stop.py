"""A run is asked to end by a signal or its own time limit; what was before comes back."""

from __future__ import annotations

import os
import signal
import time

import pytest

from foldwise.executors.stop import Stop, exit_code


def send(number):
    os.kill(os.getpid(), number)
    time.sleep(0.01)


@pytest.fixture(autouse=True)
def _usual_handlers(monkeypatch):
    monkeypatch.setattr(Stop, "is_command", False)  # a test of the command may have run here before
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(
    ("number", "reason", "code"),
    [
        (signal.SIGINT, "interrupted", 130),
        (signal.SIGTERM, "terminated", 143),
        (signal.SIGHUP, "terminal closed", 143),
    ],
)
def test_the_first_signal_asks_and_the_second_ends_at_once(number, reason, code):
    with Stop() as stop:
        assert not stop.is_asked()
        send(number)
        assert stop.is_asked()
        assert (stop.reason, exit_code(stop.reason)) == (reason, code)
        with pytest.raises(KeyboardInterrupt):
            send(number)


def test_a_fit_in_this_process_is_interrupted_by_the_first():
    with Stop() as stop:
        stop.is_fitting_here = True
        with pytest.raises(KeyboardInterrupt):
            send(signal.SIGINT)


def test_handlers_of_the_program_are_left_alone_and_the_usual_ones_come_back():
    heard = []
    signal.signal(signal.SIGTERM, lambda *_: heard.append("ours"))
    with Stop() as stop:
        send(signal.SIGTERM)
        assert not stop.is_asked()
        assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    assert heard == ["ours"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_command_under_nohup_goes_on_when_its_terminal_closes(monkeypatch):
    monkeypatch.setattr(Stop, "is_command", True)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with Stop() as stop:
        send(signal.SIGHUP)
        assert not stop.is_asked()


def test_a_time_limit_asks_when_it_is_over():
    with Stop(time_limit=0.05) as stop:
        assert not stop.is_asked()
        time.sleep(0.06)
        assert stop.is_asked()
    assert (stop.reason, exit_code(stop.reason)) == ("time limit", 3)
