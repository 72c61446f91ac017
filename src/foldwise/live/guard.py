"""Who may see the page: whoever knows its address, from this machine, and not through another site."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import secrets
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
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
        send = _with_headers(send)
        refused = self._refusal(scope)
        if refused is not None:
            await _say(send, *refused)
            return
        inside = scope["path"].removeprefix(f"/{self.token}") or "/"
        with contextlib.suppress(TimeoutError):  # of a page that does not read what it is sent
            await self.app({**scope, "path": inside, "raw_path": inside.encode(), "root_path": ""}, receive, send)

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
        found = scope["path"].split("/")[1] if scope["path"].startswith("/") else ""
        if not secrets.compare_digest(found.encode(), self.token.encode()):
            return 403, "The address lacks its token. Open the one that `foldwise watch` printed."
        return None


def policy(*, styles: Iterable[str] = (), scripts: Iterable[str] = (), more: str = "") -> str:
    """A content security policy that allows these styles and scripts by their hashes, and nothing else."""
    found = [NOTHING]
    for name, texts in (("style-src", list(styles)), ("script-src", list(scripts))):
        found += [" ".join([name, *(f"'{_hash(text)}'" for text in texts)])] if texts else []
    return "; ".join([*found, *([more] if more else [])])


def new_token() -> str:
    return secrets.token_urlsafe(24)


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


def _with_headers(send: Send) -> Send:
    """A `send` that adds the security headers to every response; without a policy of its own it may load nothing."""

    async def careful(event: MutableMapping[str, Any]) -> None:
        if event["type"] == "http.response.start":
            given = list(event.get("headers", ()))
            names = {name.lower() for name, _ in given}
            ours = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
            event = {**event, "headers": given + [(name, value) for name, value in ours if name not in names]}
        await asyncio.wait_for(send(event), UNREAD)

    return careful


async def _say(send: Send, status: int, sentence: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), *([(b"allow", b"GET, HEAD")] if status == 405 else [])]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": f"{sentence}\n".encode()})
