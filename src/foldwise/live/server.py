"""Serving the page: on this machine alone, at a port and with a token that nobody can guess."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import socket
import time
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING

from foldwise.errors import BadStudy, MissingExtra
from foldwise.live.guard import NOTHING, Guard
from foldwise.live.view import View

if TYPE_CHECKING:
    import uvicorn
    from starlette.requests import Request
    from starlette.responses import Response

LOOPBACK = "127.0.0.1"
GRACE = 30.0  # seconds the server outlives its run without an open page
PATIENCE = 600.0  # seconds the server outlives a stopped run with an open page
SILENCE = 10.0  # seconds that a connection has for its request
MOST_CONNECTIONS = 200
FRAMED = {"X-Frame-Options": "SAMEORIGIN", "Content-Security-Policy": "frame-ancestors 'self'"}  # beside its own


@dataclass(frozen=True)
class Address:
    """An open port of this machine, and the token that every request needs."""

    socket: socket.socket
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)

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


def make_app(view: View, *, token: str, port: int) -> Guard:
    """The page, its state and the report as an ASGI app that only reads."""
    from starlette.applications import Starlette
    from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse
    from starlette.routing import Route

    nonce = secrets.token_urlsafe(16)  # by which the page may use its own style and script, and no other
    text = files("foldwise.live").joinpath("templates", "live.html").read_text(encoding="utf-8")
    text = text.replace("<style>", f'<style nonce="{nonce}">').replace("<script>", f'<script nonce="{nonce}">')
    own = f"style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'"
    policy = f"{NOTHING}; {own}; connect-src 'self'; frame-src 'self'; img-src data:"

    async def page(request: Request) -> Response:
        return HTMLResponse(text, headers={"Content-Security-Policy": policy})

    async def state(request: Request) -> Response:
        return JSONResponse(await asyncio.to_thread(view.state))

    async def report(request: Request) -> Response:
        if view.rendered is None:
            return PlainTextResponse("There is no report yet.\n", status_code=404)
        return HTMLResponse(view.rendered.page, headers=FRAMED)

    routes = [Route("/", page), Route("/state", state), Route("/report", report)]
    return Guard(Starlette(routes=routes), token=token, port=port)


def serve(view: View, address: Address, *, parent: int | None = None) -> None:
    """Serve until interrupted; with a parent process, end when that has ended and no page is open."""
    with contextlib.suppress(OSError, AttributeError):
        os.nice(10)  # fits come first
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(view, address, parent))


async def _serve(view: View, address: Address, parent: int | None) -> None:
    import uvicorn
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    class HastyProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
        """Ends a connection that has not sent a whole request in time."""

        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            self.loop.call_later(SILENCE, self._end_if_silent)

        def _end_if_silent(self) -> None:
            if self.cycle is None and not self.transport.is_closing():
                self.transport.abort()

    config = uvicorn.Config(
        make_app(view, token=address.token, port=address.port),
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        http=HastyProtocol,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    ending = asyncio.create_task(_end_with(parent, view, server)) if parent is not None else None
    await server.serve(sockets=[address.socket])
    if ending is not None:
        ending.cancel()


async def _end_with(parent: int, view: View, server: uvicorn.Server) -> None:
    """Have the server end some time after its parent did."""
    while os.getppid() == parent:
        await asyncio.sleep(1.0)
    ended = time.monotonic()
    while (now := time.monotonic()) - ended <= PATIENCE and now - max(view.asked, ended) <= GRACE:
        await asyncio.sleep(1.0)
    server.should_exit = True
