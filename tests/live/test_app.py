"""The page (live/guard.py, live/server.py) answers whoever knows its address, and nobody else; it is only read."""

from __future__ import annotations

import asyncio
import time

import httpx
import pytest

from foldwise.api.watching import render
from foldwise.live.server import make_app
from foldwise.live.view import View

TOKEN, PORT = "a-token-of-some-length", 8765
HOME = f"http://127.0.0.1:{PORT}"
PAGE = f"{HOME}/{TOKEN}/"


def ask(folder, url=PAGE, method="GET", headers=None):
    """One request to the app, as a browser would send it, when the report is there."""
    view = View(folder, render)
    wait_until(lambda: view.state()["phase"] != "waiting" or not folder.exists())

    async def send():
        app = make_app(view, token=TOKEN, port=PORT)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app)) as client:
            return await client.request(method, url, headers=headers)

    return asyncio.run(send())


def wait_until(is_true, seconds=30):
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_the_page_is_there_for_its_address(whole):
    answer = ask(whole[0])
    assert answer.status_code == 200
    assert 'id="phase"' in answer.text
    assert ask(whole[0], f"http://localhost:{PORT}/{TOKEN}/").status_code == 200
    assert ask(whole[0], headers={"Origin": HOME}).status_code == 200


def test_its_state_is_plain_values(whole):
    state = ask(whole[0], f"{PAGE}state").json()
    assert (state["phase"], state["title"], state["share"]) == ("finished", "whole", 1.0)
    assert state["fits"] == f"{whole[1].fits} of {whole[1].fits} fits"


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
    for path in ("", "state", "report"):
        answer = ask(whole[0], PAGE + path, headers={"Origin": origin})
        assert answer.status_code == 403
        assert "no other site" in answer.text
        assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"])
def test_other_methods_are_refused(whole, method):
    answer = ask(whole[0], method=method)
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize("path", ["", "state", "report"])
def test_heads_are_given(whole, path):
    answer = ask(whole[0], PAGE + path, method="HEAD")
    assert answer.status_code == 200
    assert answer.content == b""


@pytest.mark.parametrize("path", ["nothing", "records.db", "../records.db", "static/x", "report/x"])
def test_there_is_nothing_else(whole, path):
    assert ask(whole[0], PAGE + path).status_code in (403, 404)


@pytest.mark.parametrize("path", ["", "state", "report", "nothing", "../wrong"])
def test_every_answer_says_what_it_may_load(whole, path):
    answer = ask(whole[0], PAGE + path)
    policy = answer.headers["content-security-policy"]
    if path == "report":  # which has a policy of its own, and is framed by the page
        assert policy == "frame-ancestors 'self'"
        assert """http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;;""" in answer.text
    else:
        assert policy.startswith("default-src 'none'; ")
        assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_the_report_is_that_of_the_store(whole, tmp_path):
    answer = ask(whole[0], f"{PAGE}report")
    assert answer.status_code == 200
    assert "k-nn" in answer.text
    answer = ask(tmp_path / "none", f"{PAGE}report")
    assert (answer.status_code, answer.text) == (404, "There is no report yet.\n")


@pytest.mark.parametrize(("site", "status"), [("cross-site", 403), ("same-origin", 200), ("none", 200)])
def test_who_was_sent_here_by_another_site_is_refused(whole, site, status):
    answer = ask(whole[0], headers={"Sec-Fetch-Site": site})
    assert answer.status_code == status
    if status == 403:
        assert "Another site has sent you here" in answer.text
