"""One snapshot for all open pages, renewed while a page is open."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

from foldwise.live.state import Snapshot, State
from foldwise.live.view import message

PAUSE = 1.0  # seconds between two snapshots
LONGEST_PAUSE = 30.0
SHARE = 0.05  # of one processor's time that snapshots may take
HEARTBEAT = 15.0  # seconds after which a silent stream shows that it is alive
MOST_PAGES = 200


class Hub:
    """Keeps the pages of one run up to date."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.pages = 0
        self.seats = 0  # streams that were let in, whether or not they have begun
        self.asked = time.monotonic()  # time of the last request
        self._snapshot: Snapshot | None = None
        self._text = ""
        self._at = 0.0
        self._changed = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None
        self._one_at_a_time = asyncio.Lock()

    def take_seat(self) -> bool:
        """Let one more stream in, if there is room; what it holds must be given back."""
        if self.seats >= MOST_PAGES:
            return False
        self.seats += 1
        return True

    def leave_seat(self) -> None:
        self.seats -= 1

    @property
    def idle(self) -> float:
        """Seconds since there was a page."""
        return 0.0 if self.pages else time.monotonic() - self.asked

    @property
    def _is_old(self) -> bool:
        return self._snapshot is None or time.monotonic() - self._at > PAUSE

    async def snapshot(self) -> Snapshot:
        """The latest snapshot, renewed where it is old."""
        self.asked = time.monotonic()
        if self._is_old:
            await self._look()
        assert self._snapshot is not None
        return self._snapshot

    async def events(self) -> AsyncIterator[str]:
        """Server-sent events for one page: the state now, and each time that it has changed."""
        self.pages += 1
        if self.pages == 1 and self._is_old:
            self._text = ""  # what was sent before all pages were closed is old
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._keep_looking())
        seen = ""
        try:
            yield "retry: 3000\n\n"
            while True:
                changed = self._changed  # before the comparison: a change while the page is slow to read is not missed
                if self._text and self._text != seen:
                    seen = self._text
                    yield f"data: {seen}\n\n"
                    continue
                try:
                    await asyncio.wait_for(changed.wait(), HEARTBEAT)
                except TimeoutError:
                    yield ": still here\n\n"
        finally:
            self.pages -= 1
            self.asked = time.monotonic()

    async def _keep_looking(self) -> None:
        while self.pages:
            cost = await self._look()
            await asyncio.sleep(min(LONGEST_PAUSE, max(PAUSE, cost / SHARE)))

    async def _look(self) -> float:
        """Renew the snapshot in a thread; gives the seconds of processor time that it took."""
        async with self._one_at_a_time:
            snapshot, text, cost = await asyncio.to_thread(_timed_snapshot, self.state)
        self._snapshot, self._at = snapshot, time.monotonic()
        if text != self._text:
            self._text = text
            self._changed.set()
            self._changed = asyncio.Event()
        return cost


def _timed_snapshot(state: State) -> tuple[Snapshot, str, float]:
    began = time.thread_time()
    snapshot = state.snapshot()
    return snapshot, message(snapshot), time.thread_time() - began
