"""The live page in a real browser: it moves, it is silent, it asks nobody else, and it shows the report."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from foldwise.api.watching import start_page

pytestmark = pytest.mark.extras
SLOW = Path(__file__).parents[1] / "live" / "slow_study.py"
EVIL = "<img src=x onerror=alert(1)></script>"
LONG = 120.0


@pytest.fixture
def page(tmp_path):
    """A slow run, and a page beside it that is there before its store."""
    beside = start_page(tmp_path / "run")
    environment = {**os.environ, "SECONDS": "0.4"}
    run = subprocess.Popen([sys.executable, str(SLOW), str(tmp_path / "run"), EVIL], env=environment)
    yield beside.url
    for process in (run, beside.process):
        process.kill()
        process.wait()


def wait_for(look):
    """What `look` finds once it finds something; a page that is just being renewed has no elements."""
    from selenium.common.exceptions import WebDriverException

    end = time.monotonic() + LONG
    while time.monotonic() < end:
        try:
            if found := look():
                return found
        except WebDriverException:  # of many kinds: the element is gone, stale, or of the document before
            pass
        time.sleep(0.2)
    raise AssertionError("waited in vain")


def text(browser, part):
    return browser.find_element("id", part).text


def in_report(browser, script):
    """What a script says of the report, which is a frame of the page."""
    return browser.execute_script(f"const page = document.querySelector('iframe').contentDocument; return {script}")


def test_a_run_is_seen_from_before_its_beginning_to_its_report(browser, page):
    def fits():
        return int(text(browser, "fits").partition(" ")[0] or 0)

    browser.get_log("browser")
    browser.get(page)
    first = wait_for(fits)
    wait_for(lambda: fits() > first)
    wait_for(lambda: "elapsed" in text(browser, "words"))
    requests = browser.execute_script("return performance.getEntriesByType('resource').map(e => e.name)")
    assert all(name.startswith(page) for name in requests)
    wait_for(lambda: text(browser, "phase") == "Finished")
    wait_for(lambda: EVIL in in_report(browser, "page.body.textContent"))
    wait_for(lambda: in_report(browser, "page.querySelectorAll('table').length") > 1)
    if folder := os.environ.get("SCREENSHOTS"):
        browser.save_screenshot(f"{folder}/live.png")
    assert browser.get_log("browser") == []


def test_the_report_is_renewed_where_it_is_read(browser, page):
    browser.get(page)
    wait_for(lambda: in_report(browser, "page.querySelector('table') !== null"))
    browser.execute_script(
        "const frame = document.querySelector('iframe'); frame.contentDocument.documentElement.dataset.theme = 'dark';"
        "frame.contentWindow.scrollTo(0, 50)"
    )
    wait_for(lambda: text(browser, "phase") == "Finished")
    wait_for(lambda: "report is being" not in text(browser, "words"))
    assert in_report(browser, "page.documentElement.dataset.theme") == "dark"
    assert in_report(browser, "page.defaultView.scrollY") == 50


def test_a_page_whose_server_has_gone_says_so(browser, tmp_path):
    beside = start_page(tmp_path / "run")
    browser.get(beside.url)
    wait_for(lambda: "no study in the store yet" in text(browser, "words"))
    beside.process.kill()
    beside.process.wait()
    wait_for(lambda: "has stopped" in text(browser, "words"))
    browser.get("about:blank")
    browser.get_log("browser")
