"""Who may see the page: whoever knows its address, from this machine, and not through another site."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
UNREAD = 60.0  # seconds that a page may leave unread what it was sent
HEADERS = {
    "Cache-Control": "no-store",
    "Connection": "close",  # one request each: nobody sits on a connection that asks for nothing
    "Content-Security-Policy": NOTHING,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Guard:
    """Lets a request through to the app only with the right method, host, origin and token."""

    def __init__(self, app: App, *, token: str, port: int) -> None:
        self.app, self.token = app, token
        self.hosts = (f"127.0.0.1:{port}", f"localhost:{port}")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return  # no web sockets

        async def safely(event: MutableMapping[str, Any]) -> None:
            if event["type"] == "http.response.start":
                given = list(event.get("headers", ()))
                names = {name.lower() for name, _ in given}
                ours = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
                event = {**event, "headers": given + [(name, value) for name, value in ours if name not in names]}
            await asyncio.wait_for(send(event), UNREAD)

        with contextlib.suppress(TimeoutError):  # of a page that does not read what it is sent
            if (refusal := self._refusal(scope)) is not None:
                status, sentence = refusal
                headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"allow", b"GET, HEAD")]
                await safely({"type": "http.response.start", "status": status, "headers": headers})
                return await safely({"type": "http.response.body", "body": f"{sentence}\n".encode()})
            path = scope["path"].removeprefix(f"/{self.token}") or "/"
            await self.app({**scope, "path": path, "raw_path": path.encode(), "root_path": ""}, receive, safely)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """The status and the sentence with which a request is refused, or None."""
        if scope["method"] not in ("GET", "HEAD"):
            return 405, "This page can only be read."
        hosts, origins = _values(scope, b"host"), _values(scope, b"origin")
        if len(hosts) != 1 or hosts[0] not in self.hosts:
            return 403, f"This page is at http://{self.hosts[0]} and has no other name."
        if origins and origins != [f"http://{hosts[0]}"]:
            return 403, "This page answers itself alone, no other site."
        if "cross-site" in _values(scope, b"sec-fetch-site"):
            return 403, "Another site has sent you here. Open the address that `foldwise watch` printed by hand."
        given = scope["path"].split("/")[1] if scope["path"].startswith("/") else ""
        if not secrets.compare_digest(given.encode(), self.token.encode()):
            return 403, "The address lacks its token. Open the one that `foldwise watch` printed."
        return None


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]
