"""The live page as a read-only ASGI app: the page, its events, the report."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from foldwise.live.guard import Guard, Receive, Scope, Send, policy
from foldwise.live.hub import Hub
from foldwise.live.view import page, script, styles
from foldwise.show.page import asset

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response


def make_app(hub: Hub, *, token: str, port: int) -> Guard:
    """The app behind its guard."""
    from starlette.applications import Starlette
    from starlette.routing import Route

    pages = _Pages(hub)
    routes = [Route("/", pages.page), Route("/events", pages.events), Route("/report", pages.report)]
    return Guard(Starlette(routes=routes), token=token, port=port)


class _Pages:
    """The responses of the app."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.page_policy = policy(styles=styles(), scripts=[script()], more="connect-src 'self'; img-src data:")
        self.report_policy = policy(styles=[asset("page.css")], scripts=[asset("page.js")])

    async def page(self, request: Request) -> Response:
        from starlette.responses import HTMLResponse

        text = page(await self.hub.snapshot())
        return HTMLResponse(text, headers={"Content-Security-Policy": self.page_policy})

    async def events(self, request: Request) -> Response:
        from starlette.responses import PlainTextResponse, Response, StreamingResponse

        if request.method == "HEAD":
            return Response(media_type="text/event-stream")
        if not self.hub.take_seat():  # before anything is awaited, so that the limit holds for a crowd too
            return PlainTextResponse("Too many pages are open.\n", status_code=503)
        hub = self.hub

        class Seated(StreamingResponse):
            async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
                try:
                    await super().__call__(scope, receive, send)
                finally:  # also where the page was gone before its first event
                    hub.leave_seat()

        return Seated(self.hub.events(), media_type="text/event-stream")

    async def report(self, request: Request) -> Response:
        from starlette.responses import HTMLResponse, PlainTextResponse

        await self.hub.snapshot()
        found = await asyncio.to_thread(self.hub.state.report)
        if found is None:
            return PlainTextResponse("There is no report while the run goes on.\n", status_code=404)
        return HTMLResponse(found.text, headers={"Content-Security-Policy": self.report_policy})
