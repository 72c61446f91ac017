"""A benchmark (questions/benchmark_answer.py, show/benchmark_text.py, show/benchmark_methods.py), seen."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from foldwise.api.benchmark_result import Benchmark
from foldwise.blocks.numbers import plain
from foldwise.questions.benchmark_answer import Entry, Terms
from foldwise.show.benchmark_methods import benchmark_paragraph, benchmark_references
from foldwise.show.benchmark_page import benchmark_page
from foldwise.show.benchmark_text import benchmark_text, benchmark_verdict, risk_columns
from foldwise.show.charts import critical_difference

INJECTIONS = json.loads((Path(__file__).parent / "injections.json").read_text(encoding="utf-8"))
SECTIONS = ["verdict", "ranks", "risks", "pairs", "intervals", "data", "meaning", "methods", "record"]
ELEMENTS = {
    "html", "head", "meta", "title", "style", "body", "a", "header", "div", "span", "svg", "rect", "circle", "line",
    "text", "path", "desc", "button", "h1", "h2", "p", "nav", "ul", "li", "fieldset", "legend", "label", "input",
    "main", "section", "strong", "dl", "dt", "dd", "b", "details", "summary", "table", "caption", "thead", "tbody",
    "tfoot", "tr", "th", "td", "figure", "code", "script", "wbr", "ol",
}  # fmt: skip


class Page(HTMLParser):
    """Elements, attributes and texts of a page."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.attributes, self.texts = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append(tag)
        self.attributes += attributes

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def sections(self):
        known = [value for name, value in self.attributes if name == "id"]
        return [value for value in known if value in SECTIONS]


def make_answer(risks, *, loss="squared"):
    """An answer of `compare` with these risks and no more than is read from it."""
    methods = [
        {"name": name, "status": "ok" if risk is not None else "failed", "risk": risk, "interval": "corrected t",
         "low": None if risk is None else risk - 0.1, "high": None if risk is None else risk + 0.1}
        for name, risk in risks.items()
    ]  # fmt: skip
    best = min((risk, name) for name, risk in risks.items() if risk is not None)[1]
    return {"methods": methods, "loss": loss, "task": "regression", "rows": 50, "best": best, "fits": 9,
            "fits_made": 9, "seconds": 0.5}  # fmt: skip


def make_benchmark(count=8, names=("forest", "ridge", "k-nn"), step=0.1, **more):
    rng = np.random.default_rng(0)
    entries = []
    for at in range(count):
        risks = {name: 1 + step * place + 0.01 * rng.normal() for place, name in enumerate(names)}
        entries.append(Entry(f"set {at}", "ok", make_answer({**risks, "baseline": 2.0})))
    return Benchmark([*entries, *more.pop("entries", [])], {}, Terms(**more))


def said(found):
    return " ".join(benchmark_verdict(found.to_dict()))


def test_the_verdict_of_a_clear_case():
    words = said(make_benchmark())

    assert words.startswith("forest has the best mean rank of 3 methods: 1 over 8 data sets; it has the smallest risk")
    assert "The methods differ by more than chance (Friedman's test, p = " in words
    assert "forest is better than ridge (p = 0.023) and k-nn (p = 0.023), by Friedman's test of two with" in words


def test_the_verdict_of_equal_methods_names_no_winner():
    words = said(make_benchmark(step=0.0))

    assert "The order may be chance: Friedman's test does not tell the methods apart" in words
    assert "cannot be told apart from" in words
    assert " is better than" not in words


def test_one_data_set_has_no_mean_rank():
    words = said(make_benchmark(1))

    assert words.startswith("forest has the smallest risk of 3 methods on the only data set. Its risk is 50.1% of the ")
    assert "mean" not in words
    assert "average" not in words


def test_no_sentence_takes_back_another():
    """All of 4 data sets agree on the order of 4 methods, which is no chance; no pair of them could show as much."""
    words = said(make_benchmark(4, ("a", "b", "c", "d")))

    assert "differ by more than chance (Friedman's test, p = 7.2e-05), but the pairs do not show which." in words
    assert "So few data sets cannot show which methods differ." in words
    assert "could not have shown a difference" not in words


def test_two_methods_have_one_test():
    words = said(make_benchmark(names=("forest", "ridge")))

    assert "forest is better than ridge" in words
    assert words.count("Friedman") == 1


def test_the_verdict_speaks_of_the_control():
    words = said(make_benchmark(control="ridge"))

    assert "ridge is better than k-nn (p = 0.016), by Friedman's test of two with Holm's correction" in words
    assert "forest (p = 0.016) is better than ridge" in words


def test_the_verdict_says_what_is_missing():
    entries = [Entry("gone", "failed", error="there is no file"), Entry("late", "unfinished")]
    words = said(make_benchmark(entries=entries))

    assert "Without an answer: gone. Not finished: late." in words
    assert said(Benchmark(entries, {})) == (
        "No data set has an answer that could be compared. Without an answer: gone. Not finished: late."
    )
    one, other = make_answer({"a": 1.0, "b": None}), make_answer({"a": None, "b": 1.0})
    lost = Benchmark([Entry("x", "ok", one), Entry("y", "ok", other)], {})
    assert said(lost).startswith("No learner has a risk on every data set, so none is ranked.")


def test_losing_to_the_baseline_is_said():
    entries = [Entry("hard", "ok", make_answer({"forest": 2.5, "ridge": 2.6, "k-nn": 2.7, "baseline": 2.0}))]

    assert "It is not below the baseline on 1 of 9 data sets." in said(make_benchmark(entries=entries))


def test_a_star_marks_the_smallest_of_those_compared():
    columns = risk_columns(make_benchmark(2).to_dict())

    assert [cell.endswith("*") for cell in columns["forest"]] == [True, True]
    assert not any(cell.endswith("*") for name in ("ridge", "k-nn", "baseline") for cell in columns[name])


@pytest.mark.parametrize("width", [60, 100, 170])
def test_the_text_fits_its_width(width):
    text = benchmark_text(make_benchmark().to_dict(), width=width)

    assert max(map(len, text.splitlines())) <= width


def test_the_page_has_every_section_and_its_record():
    answer = make_benchmark(entries=[Entry("gone", "failed", error="no file")]).to_dict()
    page = Page(benchmark_page(answer))

    assert page.sections == SECTIONS
    assert set(page.elements) <= ELEMENTS
    assert json.loads(next(text for text in page.texts if text.startswith('{"best"'))) == answer


def test_a_benchmark_of_nothing_still_has_a_page():
    page = Page(benchmark_page(Benchmark([Entry("gone", "failed", error="no file")], {}).to_dict()))

    assert "verdict" in page.sections
    assert "pairs" not in page.sections


def test_the_page_is_written_where_it_is_wanted(tmp_path):
    found = make_benchmark()

    assert found.report(tmp_path / "new" / "page.html", title="Mine") == (tmp_path / "new" / "page.html").read_text(
        encoding="utf-8"
    )
    assert "<title>Mine</title>" in found.report(title="Mine")
    assert "<script" not in found._repr_html_()


@pytest.mark.parametrize("text", INJECTIONS, ids=range(len(INJECTIONS)))
def test_names_and_errors_are_shown_and_never_obeyed(text):
    own = Entry(text, "ok", make_answer({text: 1.0, "other": 1.2, "baseline": 2.0}, loss=text))
    answer = Benchmark([own, Entry("gone", "failed", error=text)], {}).to_dict()
    page = Page(benchmark_page(answer, title=text))
    Page(Benchmark([own], {})._repr_html_())

    assert set(page.elements) <= ELEMENTS
    assert page.elements.count("script") == 2
    assert not [name for name, _ in page.attributes if name.startswith("on") or name in ("style", "src", "action")]
    hrefs = [value for name, value in page.attributes if name == "href"]
    assert all(value.startswith(("#", "data:application/json;base64,")) for value in hrefs)
    assert plain(text).strip() in "".join(page.texts)
    assert "\x1b" not in benchmark_text(answer)


def test_the_picture_puts_the_best_left_and_joins_what_is_close():
    ranks = {"a": 1.2, "b": 1.9, "c": 2.9}
    picture = Page(critical_difference(ranks, reach=1.0, groups=[["a", "b"]], title="Ranks"))
    left, middle, right = sorted(float(value) for name, value in picture.attributes if name == "cx")

    assert (middle - left) / (right - left) == pytest.approx(0.7 / 1.7, abs=1e-3)
    assert "Mean ranks: a 1.2, b 1.9, c 2.9. Critical difference 1. Not told apart: a and b." in picture.texts
    assert [value for name, value in picture.attributes if name == "class"].count("tie") == 1


def test_the_smallest_risk_of_each_data_set_is_marked_and_the_scale_ends_there():
    page = benchmark_page(make_benchmark().to_dict())

    assert page.count(" ●</b></td>") == 8
    deepest = [part for part in page.split("<td ")[1:] if part.startswith('class="number right shade-10"')]
    assert len(deepest) == 8
    assert all("●" in part for part in deepest)


def test_the_methods_of_a_benchmark_can_be_pasted_into_a_paper():
    found = make_benchmark().to_dict() | {"versions": {"foldwise": "1.2", "python": "3.12"}}
    words = benchmark_paragraph(found)

    assert words.startswith("3 methods (forest, ridge and k-nn) were compared on 8 data sets of")
    assert "Friedman's test" in words
    assert "Pairs were compared by Friedman's test of two, with Holm's correction over all pairs." in words
    assert "All was done with Foldwise 1.2 (python 3.12)" in words
    assert [text.split()[0] for text in benchmark_references(found)] == ["Demšar", "Holm", "Iman"]
