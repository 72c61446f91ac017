"""Serving the page: on this machine alone, at a port and with a token that nobody can guess."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import time
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING

from foldwise.errors import BadStudy, MissingExtra
from foldwise.live.guard import new_token
from foldwise.live.hub import MOST_PAGES, Hub
from foldwise.live.state import State

if TYPE_CHECKING:
    import uvicorn

LOOPBACK = "127.0.0.1"
GRACE = 30.0  # seconds the server outlives its run without an open page
PATIENCE = 600.0  # seconds the server outlives a stopped run with an open page
NICENESS = 10
SILENCE = 10.0  # seconds that a connection has for its request
MOST_CONNECTIONS = MOST_PAGES + 100


@dataclass(frozen=True)
class Address:
    """An open port of this machine, and the token that every request needs."""

    socket: socket.socket
    token: str = field(default_factory=new_token, repr=False)

    @property
    def port(self) -> int:
        return int(self.socket.getsockname()[1])

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}/{self.token}/"


def check_extra() -> None:
    """Refuse if the packages that serve the page are not installed."""
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise MissingExtra("the live page needs Starlette and Uvicorn", "Install them: pip install 'foldwise[ui]'")


def open_address(port: int = 0) -> Address:
    """A port of the loopback interface, any free one if none is named."""
    opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((LOOPBACK, port))
        opened.listen(128)
    except (OSError, OverflowError) as reason:
        opened.close()
        words = getattr(reason, "strerror", None) or str(reason)
        raise BadStudy(f"cannot open port {port}: {words}", "Leave --port out for a free one") from None
    return Address(opened)


def serve(state: State, address: Address, *, parent: int | None = None) -> None:
    """Serve until interrupted; with a parent process, end when that has ended and no page is open."""
    with contextlib.suppress(OSError, AttributeError):
        os.nice(NICENESS)  # fits come first
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(state, address, parent))


async def _serve(state: State, address: Address, parent: int | None) -> None:
    import uvicorn

    from foldwise.live.app import make_app

    hub = Hub(state)
    app = make_app(hub, token=address.token, port=address.port)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        http=_hasty_protocol(),
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    ending = asyncio.create_task(_end_with(parent, hub, server)) if parent is not None else None
    try:
        await server.serve(sockets=[address.socket])
    finally:
        if ending is not None:
            ending.cancel()


def _hasty_protocol() -> type[asyncio.Protocol]:
    """Uvicorn's own protocol, which ends a connection that has not sent a whole request in time."""
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    class HastyProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            self.loop.call_later(SILENCE, self._end_if_silent)

        def _end_if_silent(self) -> None:
            if self.cycle is None and not self.transport.is_closing():
                self.transport.abort()

    return HastyProtocol


async def _end_with(parent: int, hub: Hub, server: uvicorn.Server) -> None:
    """Have the server end some time after its parent did."""
    ended: float | None = None
    while True:
        await asyncio.sleep(1.0)
        if os.getppid() == parent:
            continue
        now = time.monotonic()
        ended = now if ended is None else ended
        if min(hub.idle, now - ended) > GRACE or now - ended > PATIENCE:
            server.should_exit = True
            return
