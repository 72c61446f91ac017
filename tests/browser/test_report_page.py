"""The report in a real browser: complete, silent, alone, and usable at any width."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

import foldwise as fw

pytestmark = pytest.mark.extras
SECTIONS = ["verdict", "metrics", "differences", "predictions", "data", "tuning", "details", "how"]
INJECTIONS = Path(__file__).parents[1] / "show" / "injections.json"


class Fails(DummyClassifier):
    """Fails with a text of its own."""

    def __init__(self, text=""):
        super().__init__()
        self.text = text

    def fit(self, X, y, sample_weight=None):
        raise ValueError(self.text)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 3))
    y = np.array(["low", "middle", "high"])[np.digitize(X[:, 0] + 0.5 * rng.normal(size=90), [-0.5, 0.5])]
    learners = {
        "k-nn": fw.tune(KNeighborsClassifier(), n_neighbors=[1, 3, 5, 9]),
        "logistic": fw.tune(LogisticRegression(), C=[0.01, 1.0, 100.0]),
        "fails": Fails("always"),
    }
    result = fw.compare(learners, X, y, outer=4, inner=3, jobs=1)
    curve = fw.learning_curve(KNeighborsClassifier(5), X, y, sizes=(0.5, 1.0), outer=4, jobs=1)
    path = tmp_path_factory.mktemp("page") / "report.html"
    result.importance("k-nn")
    result.importance("logistic")
    result.report(path, curves=[curve])
    return path


def test_every_section_is_there_and_nothing_is_complained_of_or_asked_for(browser, page):
    browser.get(page.as_uri())

    found = browser.execute_script("return [...document.querySelectorAll('main > section')].map(s => s.id)")
    assert found == SECTIONS
    assert browser.get_log("browser") == []
    asked = browser.execute_script("return performance.getEntriesByType('resource').map(e => e.name)")
    assert asked == []


@pytest.mark.parametrize("width", [400, 700, 1100, 1600])
def test_the_page_never_scrolls_sideways(browser, page, width):
    browser.get(page.as_uri())
    browser.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    )
    try:
        seen, wide = browser.execute_script("return [innerWidth, document.documentElement.scrollWidth]")
        assert seen == width
        assert wide <= width
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def rows_of(browser, section):
    return browser.execute_script(
        "return [...document.querySelectorAll(arguments[0] + ' tbody tr')].filter(r => !r.hidden)"
        ".map(r => [...r.cells].map(c => c.textContent.trim()))",
        f"#{section} table.sortable",
    )


def into_view(browser, selector):
    found = browser.find_element("css selector", selector)
    browser.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", found)
    return found


def test_a_click_on_a_head_sorts_and_a_second_one_turns_round(browser, page):
    browser.get(page.as_uri())
    head = into_view(browser, "#verdict th.number button")

    head.click()
    up = [row[1].rstrip("%") for row in rows_of(browser, "verdict")]
    head.click()
    down = [row[1].rstrip("%") for row in rows_of(browser, "verdict")]

    assert [float(value) for value in up[:-1]] == sorted(float(value) for value in up[:-1])
    assert up[-1] == down[-1] == "failed"  # what has no number stays last
    assert [float(value) for value in down[:-1]] == sorted((float(value) for value in up[:-1]), reverse=True)
    state = browser.execute_script("return document.querySelector('#verdict th[aria-sort]').getAttribute('aria-sort')")
    assert state == "descending"


def test_methods_can_be_chosen(browser, page):
    browser.get(page.as_uri())
    names = [row[0] for row in rows_of(browser, "verdict")]
    browser.find_element("css selector", "#chooser input[value='0']").click()

    assert [row[0] for row in rows_of(browser, "verdict")] == names[1:]


def test_the_words_of_a_mark_are_shown_under_the_pointer(browser, page):
    from selenium.webdriver import ActionChains

    browser.get(page.as_uri())
    dot = into_view(browser, "#data .dot")
    ActionChains(browser).move_to_element(dot).perform()

    tip = browser.find_element("id", "tip")
    assert tip.is_displayed()
    assert tip.text.startswith("fold ")


def test_light_and_dark_differ_and_can_be_changed(browser, page):
    def color():
        return browser.execute_script("return getComputedStyle(document.body).backgroundColor")

    found = {}
    for scheme in ("light", "dark"):
        spec = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", spec)
        browser.get(page.as_uri())
        found[scheme] = color()
        browser.find_element("id", "theme").click()
        found[f"{scheme}, changed"] = color()
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    assert found["light"] == found["dark, changed"] != found["dark"] == found["light, changed"]


CONTRAST = """
const lum = c => { const v = c.map(x => x / 255).map(x => x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4);
  return .2126 * v[0] + .7152 * v[1] + .0722 * v[2]; };
const rgb = s => s.match(/[\\d.]+/g).map(Number);
const back = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor);
  if (c.length < 4 || c[3] === 1) { return c.slice(0, 3); } } return [255, 255, 255]; };
const bad = [];
for (const e of document.querySelectorAll('main *, header *, nav *')) {
  const text = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
  if (!text || !e.getClientRects().length || e.closest('.cell-text')) { continue; }
  const ink = rgb(getComputedStyle(e)[e instanceof SVGElement ? 'fill' : 'color']).slice(0, 3);
  const a = lum(ink), b = lum(back(e)), ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  if (ratio < 4.5) { bad.push([e.tagName, e.className.baseVal ?? e.className, e.textContent.slice(0, 30), ratio]); }
}
return bad;
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_has_enough_contrast(browser, page, scheme):
    spec = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", spec)
    browser.get(page.as_uri())
    bad = browser.execute_script(CONTRAST)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    assert bad == []


def test_everything_can_be_reached_by_keyboard_and_has_a_name(browser, page):
    browser.get(page.as_uri())
    nameless = browser.execute_script(
        "return [...document.querySelectorAll('svg[role=img], button, a[href], input, [role=region]')].filter(e => "
        "!(e.getAttribute('aria-label') || e.querySelector('title') || e.textContent.trim() || e.labels?.length))"
        ".map(e => e.outerHTML.slice(0, 80))"
    )
    assert nameless == []
    heads = browser.execute_script(
        "return [...document.querySelectorAll('table')].filter(t => !t.querySelector('th[scope]')).length"
    )
    assert heads == 0


def test_the_page_is_readable_without_scripts(browser, page):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(page.as_uri())
        text = browser.find_element("tag name", "main").text
        assert "Use " in text
        assert not browser.find_element("id", "theme").is_displayed()
        assert browser.find_element("id", "download").get_attribute("href").startswith("data:application/json")
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_paper_is_light_whatever_the_screen(browser, page):
    browser.get(page.as_uri())
    browser.execute_script("document.documentElement.dataset.theme = 'dark'")
    spec = {"media": "print", "features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", spec)
    style = "const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]"
    ink, paper = browser.execute_script(style)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})

    assert paper == "rgb(255, 255, 255)"
    assert ink == "rgb(29, 37, 48)"


def test_a_print_has_what_is_open_and_leaves_out_what_is_closed(browser, page):
    browser.get(page.as_uri())
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    shown = browser.execute_script(
        "return [...document.querySelectorAll('details')].map(d => "
        "[d.open && !d.parentElement.closest('details:not([open])'), d.getClientRects().length > 0])"
    )
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})

    assert all(is_open == is_shown for is_open, is_shown in shown)
    assert {is_open for is_open, _ in shown} == {True, False}
    assert len(browser.print_page()) > 10_000


def test_sixty_hostile_texts_neither_run_nor_break_the_policy(browser, tmp_path):
    texts = json.loads(INJECTIONS.read_text(encoding="utf-8"))
    X, y = np.arange(24.0)[:, None], np.array(texts[:3])[np.arange(24) % 3]
    learners = {text: DummyClassifier() for text in texts[:40]}
    learners |= {f"fails: {text}": Fails(text) for text in texts[40:]}
    result = fw.compare(learners, X, y, outer=3, jobs=1)
    path = tmp_path / "hostile.html"
    result.report(path, title=texts[0])
    browser.get(path.as_uri())

    from selenium.common.exceptions import NoAlertPresentException

    with pytest.raises(NoAlertPresentException):
        _ = browser.switch_to.alert
    assert browser.get_log("browser") == []
    assert browser.execute_script("return document.querySelectorAll('script').length") == 2
    shown = browser.execute_script("return JSON.parse(document.getElementById('answer').textContent)")
    assert [method["name"] for method in shown["methods"]][:40] == texts[:40]


@pytest.fixture(scope="module")
def two_classes(tmp_path_factory):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(150, 3))
    y = np.where(X[:, 0] + 0.8 * rng.normal(size=150) > 0.4, "ill", "well")
    result = fw.compare({"logistic": LogisticRegression(), "k-nn": KNeighborsClassifier(9)}, X, y, outer=4, jobs=1)
    path = tmp_path_factory.mktemp("page") / "two.html"
    result.report(path)
    return path, result


FINDINGS = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ['violations']}).then(found => done(found.violations
  .filter(one => ['serious', 'critical'].includes(one.impact))
  .map(one => [one.id, one.nodes.length, one.nodes[0].html.slice(0, 160), one.nodes[0].failureSummary])));
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["several classes", "two classes"])
def test_axe_finds_nothing_serious(browser, page, two_classes, axe, scheme, kind):
    spec = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", spec)
    browser.get((page if kind == "several classes" else two_classes[0]).as_uri())
    browser.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    browser.execute_cdp_cmd("Runtime.evaluate", {"expression": axe})  # past the policy of the page
    found = browser.execute_async_script(FINDINGS)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    assert found == []


def test_a_print_of_five_methods_has_six_pages_at_most(browser, five_methods):
    browser.get(five_methods.as_uri())
    options = {"printBackground": True, "preferCSSPageSize": True}
    content = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", options)["data"])

    assert 3 <= len(re.findall(rb"/Type\s*/Page\b", content)) <= 6


@pytest.fixture(scope="module")
def five_methods(tmp_path_factory):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(150, 15))
    y = X[:, 0] + X[:, 1] ** 2 + 0.5 * rng.normal(size=150)
    learners = {
        "ridge": fw.tune(Ridge(), alpha=[0.01, 1.0, 100.0]),
        "k-nn": fw.tune(KNeighborsRegressor(), n_neighbors=[1, 5, 15], weights=["uniform", "distance"]),
        "tree": fw.tune(DecisionTreeRegressor(), max_depth=[1, 3, 6], min_samples_leaf=[1, 5, 9]),
        "lasso": fw.tune(Lasso(), alpha=[0.01, 0.1, 1.0]),
    }
    path = tmp_path_factory.mktemp("page") / "five.html"
    options = {"outer": 4, "inner": 3, "loss": ["squared", "absolute"], "importance": True}
    result = fw.compare(learners, X, y, **options, jobs=1)
    result.predicting()
    result.report(path)
    return path
