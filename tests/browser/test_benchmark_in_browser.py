"""The page of a benchmark in a real browser: complete, silent, alone, and usable at any width."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

import foldwise as fw

pytestmark = pytest.mark.extras
SECTIONS = ["verdict", "risks", "pairs", "notes", "how"]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    rng, data = np.random.default_rng(0), {}
    for at in range(6):
        X = rng.normal(size=(24, 2))
        data[f"<b>set</b> {at}"] = (X, X @ [1.0, -1.0] + rng.normal(size=24))
    learners = {"line": LinearRegression(), "<img src=x onerror=alert(1)>": DecisionTreeRegressor(random_state=0)}
    learners["stump"] = DecisionTreeRegressor(max_depth=1, random_state=0)
    path = tmp_path_factory.mktemp("page") / "benchmark.html"
    fw.benchmark(data | {"constant": (X, np.ones(24))}, learners, outer=3, jobs=1).report(path)
    return path


def test_every_section_is_there_and_nothing_is_complained_of_or_asked_for(browser, page):
    browser.get(page.as_uri())

    found = browser.execute_script("return [...document.querySelectorAll('main > section')].map(s => s.id)")
    assert found == SECTIONS
    assert browser.get_log("browser") == []
    assert browser.execute_script("return performance.getEntriesByType('resource').map(e => e.name)") == []


@pytest.mark.parametrize("width", [400, 700, 1600])
def test_the_page_never_scrolls_sideways(browser, page, width):
    browser.get(page.as_uri())
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        browser.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_method_that_is_not_wanted_leaves_every_table(browser, page):
    browser.get(page.as_uri())
    browser.find_element("css selector", "#chooser input[value='0']").click()

    shown = browser.execute_script(
        "return [...document.querySelectorAll('[data-method=\"0\"]')].filter(e => e.getClientRects().length).length"
    )
    assert shown == 0
