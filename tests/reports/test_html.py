"""The page is complete, escaped, and asks the network for nothing."""

from __future__ import annotations

import html
import json
import re

import pytest

from foldwise.errors import BadStudy
from foldwise.reports.html import html_fragment, render_html, write_html

INJECTIONS = [
    "<script>alert(1)</script>",
    "</pre></details><img src=x onerror=alert(1)>",
    "\"'><b>",
    "{{ 7 * 7 }}",
    "&lt;",
]


def test_the_page_holds_every_number_and_every_choice(answer):
    page = render_html(answer, title="Wine")

    for part in ("<title>Wine</title>", "3001", "2750 to 3252", "alpha=31.6", "alpha=17.8", "optimism needs scores"):
        assert part in page
    assert page.count("<td>alpha=10</td>") == 2
    assert "ridge has the smallest estimated risk" in page


@pytest.mark.parametrize("text", INJECTIONS)
def test_text_from_outside_is_shown_and_never_obeyed(answer, text):
    answer["methods"][0]["name"] = answer["best"] = answer["loss"] = answer["refit"]["method"] = text
    answer["methods"][0]["target"] = answer["methods"][0]["interval"] = text
    answer["methods"][0]["folds"][0]["candidate"] = {text: text}
    answer["notes"] = [{"code": text, "text": text}]
    answer["versions"] = {text: text}
    page = render_html(answer, title=text) + html_fragment(answer)

    assert str(html.escape(text, quote=False)).replace('"', "&#34;").replace("'", "&#39;") in page
    assert "<script" not in page
    assert "<img" not in page
    assert "<b>" not in page
    assert "49" not in page.split("<h2>Methods")[0].split("<h1>")[1]


def test_the_page_needs_no_network_and_runs_nothing(answer):
    page = render_html(answer)

    assert "default-src 'none'" in page
    assert not re.search(r"<script|<link|<iframe|<img|\bon\w+=|(?:src|href)=|url\(|@import", page)


def test_the_answer_can_be_read_back_from_the_page(answer):
    embedded = re.search(r"<pre>(.*)</pre>", render_html(answer), re.DOTALL)

    assert json.loads(html.unescape(embedded[1])) == answer


def test_choices_may_come_as_a_data_frame(answer):
    pd = pytest.importorskip("pandas")
    choices = pd.DataFrame(
        {"method": ["k-nn"], "repeat": [0], "fold": [4], "candidate": [{"n_neighbors": 9}],
         "selection_score": [float("nan")], "loss": [1.5]}
    )  # fmt: skip
    page = render_html(answer, choices=choices)

    assert "<td>n_neighbors=9</td><td>-</td><td>1.5</td>" in page
    assert "<td>alpha=10</td>" not in page


def test_every_tag_is_closed(answer):
    page = render_html(answer)

    for tag in ("html", "head", "body", "main", "table", "thead", "tbody", "dl", "ul", "details", "pre"):
        assert len(re.findall(f"<{tag}[ >]", page)) == page.count(f"</{tag}>"), tag


def test_the_page_is_written_into_a_new_folder(answer, tmp_path):
    path = write_html(tmp_path / "new" / "page.html", answer)

    assert path.read_text(encoding="utf-8") == render_html(answer)


def test_a_path_that_cannot_be_written_is_one_sentence(answer, tmp_path):
    with pytest.raises(BadStudy, match=r"cannot write the report .*Give another path"):
        write_html(tmp_path, answer)


def test_the_fragment_has_the_table_and_the_verdict_alone(answer):
    fragment = html_fragment(answer)

    assert "<table>" in fragment
    assert "It beats the baseline" in fragment
    assert "<html" not in fragment
