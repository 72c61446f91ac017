"""The live page in a real browser: it moves, it is silent, it asks nobody else, and it ends with the report."""

from __future__ import annotations

import os
import re
import signal
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


def width(browser, number):
    words = {"width": number, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", words)
    return browser.execute_script("return document.documentElement.scrollWidth")


def test_a_run_is_seen_from_before_its_beginning_to_its_report(browser, page):
    def fits():
        found = browser.execute_script("return document.querySelector('#tiles strong')?.textContent")
        return int(found) if found else None

    browser.get_log("browser")
    browser.get(page)
    first = wait_for(fits)
    wait_for(lambda: fits() > first)
    assert browser.get_log("browser") == []
    asked = browser.execute_script("return performance.getEntriesByType('resource').map(e => e.name)")
    assert all(name.startswith(page) for name in asked)
    names = browser.execute_script(
        "return [...document.querySelectorAll('#progress tbody th')].map(c => c.textContent)"
    )
    assert names == ["slow", "plain", "failing", "baseline"]
    colors = {}
    try:
        for scheme in ("light", "dark"):
            spec = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", spec)
            colors[scheme] = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
            for number in (400, 1600):
                assert width(browser, number) <= number
                if folder := os.environ.get("SCREENSHOTS"):
                    browser.save_screenshot(f"{folder}/live-{scheme}-{number}.png")
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert colors["light"] != colors["dark"]

    wait_for(lambda: browser.current_url == f"{page}report")
    ids = "return [...document.querySelectorAll('main > section')].map(s => s.id)"
    sections = wait_for(lambda: browser.execute_script(ids))
    assert sections[0] == "verdict"
    wait_for(lambda: EVIL in browser.find_element("id", "failures").text)
    assert browser.get_log("browser") == []


def test_a_run_that_is_interrupted_shows_its_table_and_follows_the_one_that_goes_on(browser, tmp_path):
    beside, store = start_page(tmp_path / "run"), str(tmp_path / "run")

    def go(seconds):
        return subprocess.Popen([sys.executable, str(SLOW), store], env={**os.environ, "SECONDS": seconds})

    def text(part):
        return browser.find_element("id", part).text

    run = go("1.5")
    try:
        browser.get(beside.url)
        wait_for(lambda: re.search(r"plain.*all folds, ", text("risks")))  # while the other method runs
        assert "Running" in text("status")
        run.send_signal(signal.SIGINT)
        run.wait()
        wait_for(lambda: "Stopped" in text("status"))
        assert f"foldwise resume {store}" in text("status")
        assert "No risk yet: slow." in text("risks")
        assert re.search(r"plain.*all folds, ", text("risks"))
        wait_for(lambda: "of work for one core" in text("tiles"))
        if folder := os.environ.get("SCREENSHOTS"):
            browser.save_screenshot(f"{folder}/live-stopped.png")
        run = go("0")
        wait_for(lambda: browser.current_url == f"{beside.url}report")
        wait_for(lambda: "slow" in text("verdict"))
    finally:
        for process in (run, beside.process):
            process.kill()
            process.wait()
        browser.get("about:blank")
        browser.get_log("browser")


def test_a_page_without_scripts_renews_itself(browser, page):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(page)
        wait_for(lambda: "Progress by learner" in browser.find_element("tag name", "body").text)
        wait_for(lambda: not browser.find_element("id", "theme").is_displayed())
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        browser.get("about:blank")


def test_a_page_whose_server_has_gone_says_so(browser, tmp_path):
    beside = start_page(tmp_path / "run")
    browser.get(beside.url)
    assert not browser.find_element("id", "lost").is_displayed()
    beside.process.kill()
    beside.process.wait()
    wait_for(lambda: browser.find_element("id", "lost").is_displayed())
    browser.get("about:blank")
    browser.get_log("browser")
