"""The page (live/guard.py, live/hub.py) answers whoever knows its address, and nobody else; it is only read."""

from __future__ import annotations

import asyncio
import json

import httpx
import pytest

from foldwise.api.watching import follow
from foldwise.live.app import make_app
from foldwise.live.hub import Hub
from foldwise.live.state import Row, Snapshot

ROW = Row("ridge", False, 1, 9, "", 0, 1.0, 1, 3, risk=1.0)
TOKEN, PORT = "a-token-of-some-length", 8765
HOME = f"http://127.0.0.1:{PORT}"
PAGE = f"{HOME}/{TOKEN}/"


def ask(folder, url=PAGE, method="GET", headers=None):
    """One request to the app, as a browser would send it."""

    async def send():
        app = make_app(Hub(follow(folder)), token=TOKEN, port=PORT)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app)) as client:
            return await client.request(method, url, headers=headers)

    return asyncio.run(send())


def test_the_page_is_there_for_its_address(whole):
    answer = ask(whole[0])
    assert answer.status_code == 200
    assert "Open the report" in answer.text
    assert ask(whole[0], f"http://localhost:{PORT}/{TOKEN}/").status_code == 200
    assert ask(whole[0], headers={"Origin": HOME}).status_code == 200


@pytest.mark.parametrize(
    "path", ["/", "/wrong/", f"/{TOKEN}x/", f"/{TOKEN[:-1]}/", f"//{TOKEN}/", "/%00/", "/é/", "/report"]
)
def test_a_wrong_token_is_refused(whole, path):
    answer = ask(whole[0], f"{HOME}{path}")
    assert answer.status_code == 403
    assert answer.text == "The address lacks its token. Open the one that `foldwise watch` printed.\n"


@pytest.mark.parametrize(
    "host",
    ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:1", f"127.0.0.1.evil:{PORT}", f"[::1]:{PORT}", ""],
)
def test_a_wrong_host_is_refused(whole, host):
    answer = ask(whole[0], headers={"Host": host})
    assert answer.status_code == 403
    assert "has no other name" in answer.text


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", f"https://127.0.0.1:{PORT}", "http://127.0.0.1:1", f"http://localhost:{PORT}"],
)
def test_a_wrong_origin_is_refused(whole, origin):
    for path in ("", "events", "report"):
        answer = ask(whole[0], PAGE + path, headers={"Origin": origin})
        assert answer.status_code == 403
        assert "no other site" in answer.text
        assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"])
def test_other_methods_are_refused(whole, method):
    answer = ask(whole[0], method=method)
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize("path", ["", "events", "report"])
def test_heads_are_given(whole, path):
    answer = ask(whole[0], PAGE + path, method="HEAD")
    assert answer.status_code == 200
    assert answer.content == b""


@pytest.mark.parametrize("path", ["nothing", "records.db", "../records.db", "static/x", "report/x"])
def test_there_is_nothing_else(whole, path):
    assert ask(whole[0], PAGE + path).status_code in (403, 404)


@pytest.mark.parametrize("path", ["", "report", "nothing", "../wrong"])
def test_every_answer_says_what_it_may_load(whole, path):
    headers = ask(whole[0], PAGE + path).headers
    assert headers["content-security-policy"].startswith("default-src 'none'; ")
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    assert headers["cross-origin-resource-policy"] == "same-origin"


def test_events_tell_the_state_now_and_when_it_has_changed(whole):
    """One look serves all pages that are open."""

    class Counted:
        looks = 0

        def snapshot(self):
            self.looks += 1
            return Snapshot("running", "run", done=min(self.looks, 2), total=9, rows=(ROW,))

    async def read():
        state = Counted()
        hub = Hub(state)
        streams = [hub.events() for _ in range(50)]
        heads = [await anext(stream) for stream in streams]
        first = [await anext(stream) for stream in streams]
        second = [await anext(stream) for stream in streams]
        assert hub.pages == 50
        for stream in streams:
            await stream.aclose()
        assert hub.pages == 0
        return state.looks, heads, first, second

    looks, heads, first, second = asyncio.run(read())
    assert looks == 2
    assert set(heads) == {"retry: 3000\n\n"}
    assert len(set(first)) == len(set(second)) == 1
    told = [json.loads(texts[0].removeprefix("data: ")) for texts in (first, second)]
    assert [told["phase"] for told in told] == ["running", "running"]
    assert "<strong>1</strong><span>of 9</span>" in told[0]["parts"]["tiles"]
    assert "<strong>2</strong><span>of 9</span>" in told[1]["parts"]["tiles"]


def test_nobody_looks_when_no_page_is_open(monkeypatch):
    monkeypatch.setattr("foldwise.live.hub.PAUSE", 0.01)

    class Counted:
        looks = 0

        def snapshot(self):
            self.looks += 1
            return Snapshot("waiting", "run")

    async def read():
        state = Counted()
        hub = Hub(state)
        stream = hub.events()
        await anext(stream)
        await anext(stream)
        await stream.aclose()
        await asyncio.sleep(0.1)
        looks = state.looks
        await asyncio.sleep(0.2)
        assert state.looks == looks
        assert hub.idle > 0.2

    asyncio.run(read())


def test_a_page_opened_later_is_not_told_what_was_true_before(monkeypatch):
    monkeypatch.setattr("foldwise.live.hub.PAUSE", 0.05)

    class Moving:
        done = 1

        def snapshot(self):
            return Snapshot("running", "run", done=self.done, total=9, rows=(ROW,))

    async def first_news(hub):
        stream = hub.events()
        await anext(stream)
        news = await anext(stream)
        await stream.aclose()
        return news

    async def read():
        state = Moving()
        hub = Hub(state)
        before = await first_news(hub)
        state.done = 7
        await asyncio.sleep(0.2)
        return before, await first_news(hub)

    before, after = asyncio.run(read())
    assert "<strong>1</strong>" in before
    assert "<strong>7</strong>" in after


@pytest.mark.parametrize(("site", "status"), [("cross-site", 403), ("same-origin", 200), ("none", 200)])
def test_who_was_sent_here_by_another_site_is_refused(whole, site, status):
    answer = ask(whole[0], headers={"Sec-Fetch-Site": site})
    assert answer.status_code == status
    if status == 403:
        assert "Another site has sent you here" in answer.text
