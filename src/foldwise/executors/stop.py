"""Whether a run was asked to end early, and why: an interrupt, a termination, or its own time limit."""

from __future__ import annotations

import os
import signal
import threading
import time
from types import FrameType, TracebackType
from typing import Any, Literal

Reason = Literal["interrupted", "terminated", "terminal closed", "time limit"]
GRACE = 2.0  # seconds for a fit in this process to notice; native code may not notice at all
_REASONS: dict[int, Reason] = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
_USUAL: dict[int, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
HANGUP = getattr(signal, "SIGHUP", None)  # Windows has none
if HANGUP is not None:
    _REASONS[HANGUP], _USUAL[HANGUP] = "terminal closed", signal.SIG_DFL


class Stop:
    """While it is entered, the first signal asks the run to end, the second ends it at once.

    A learner that runs in this process is interrupted as Python does it. Signals are left
    alone where the program has handlers of its own, and outside the main thread.
    """

    is_command = False  # whether this process is the `foldwise` command, and may be ended

    def __init__(self, time_limit: float | None = None) -> None:
        self.time_limit = time_limit
        self.reason: Reason | None = None
        self.is_fitting_here = False
        self._ends = float("inf") if time_limit is None else time.monotonic() + time_limit
        self._before: dict[int, Any] = {}
        self._watch: tuple[int, int] | None = None

    def is_asked(self) -> bool:
        if self.reason is None and time.monotonic() > self._ends:
            self.reason = "time limit"
        return self.reason is not None

    def __enter__(self) -> Stop:
        if threading.current_thread() is threading.main_thread():
            for number, usual in _USUAL.items():
                found = signal.getsignal(number)
                is_ours = Stop.is_command and not (number == HANGUP and found is signal.SIG_IGN)  # nohup goes on
                if is_ours or found is usual:
                    self._before[number] = signal.signal(number, self._on_signal)
            if self._before and Stop.is_command:
                self._watch_signals()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()
        if self._watch is not None:
            theirs, before = self._watch
            signal.set_wakeup_fd(before)
            os.close(theirs)
            self._watch = None

    def _watch_signals(self) -> None:
        """Hear of signals in a thread too: native code in this process keeps Python's own handlers waiting."""
        ours, theirs = os.pipe()
        os.set_blocking(theirs, False)
        self._watch = theirs, signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
        threading.Thread(target=self._end_if_stuck, args=(ours,), daemon=True).start()

    def _end_if_stuck(self, pipe: int) -> None:
        while heard := os.read(pipe, 1):
            number = heard[0]
            if number in _REASONS:
                time.sleep(GRACE)
                if self.is_fitting_here:
                    reason = _REASONS[number]
                    os.write(
                        2, f"\nfoldwise: {reason}; with a store, `foldwise resume RUN` goes on from here.\n".encode()
                    )
                    os._exit(exit_code(reason))
        os.close(pipe)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        is_second = self.reason in _REASONS.values()
        self.reason = _REASONS[number]
        if is_second or self.is_fitting_here:
            raise KeyboardInterrupt


def exit_code(reason: Reason) -> int:
    """What a command ends with."""
    return {"interrupted": 130, "terminated": 143, "terminal closed": 143, "time limit": 3}[reason]
