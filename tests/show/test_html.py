"""The page (show/sections.py) is complete, escaped, and asks the network for nothing."""

from __future__ import annotations

import base64
import errno
import hashlib
import json
import os
import re
from pathlib import Path

import pytest

from foldwise.errors import BadStudy
from foldwise.show.html import html_fragment, render_html, script_json, write_html, write_page


def embedded(page):
    return json.loads(re.search(r'<script type="application/json" id="answer">(.*?)</script>', page, re.DOTALL)[1])


def test_the_page_holds_every_number_and_every_choice(answer):
    page = render_html(answer, title="Wine")

    for part in ("<title>Wine</title>", "3001", "2750 to 3252", "alpha=31.6", "alpha=17.8", "optimism needs scores"):
        assert part in page
    assert page.count("<td>alpha=10</td>") == 2
    assert "ridge has the smallest estimated risk" in page


def test_the_page_allows_its_own_style_and_script_and_nothing_else(answer):
    page = render_html(answer)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1].replace("&#39;", "'")

    assert policy.startswith("default-src 'none'; ")
    for name in ("style", "script"):
        (text,) = re.findall(rf"<{name}>(.*?)</{name}>", page, re.DOTALL)
        said = re.search(rf"{name}-src 'sha256-([^']*)'", policy)[1]
        assert base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() == said


def test_the_page_needs_no_network(answer):
    page = render_html(answer)
    links = re.findall(r'(?:src|href|action)\s*=\s*"([^"]*)"', page)

    assert links
    assert all(link.startswith(("#", "data:application/json;base64,")) for link in links)
    assert not re.search(r"<link|<iframe|<img| on\w+=\"|url\(|@import|fetch\(|XMLHttpRequest|\beval\b", page)
    assert not re.search(r"\bstyle=", page)


def test_the_answer_can_be_read_back_from_the_page_and_from_its_link(answer):
    page = render_html(answer)
    link = re.search(r'href="data:application/json;base64,([^"]*)"', page)[1]

    assert embedded(page) == answer
    assert json.loads(base64.b64decode(link)) == answer


def test_a_large_answer_is_in_the_page_once(answer, monkeypatch):
    monkeypatch.setattr("foldwise.show.html.MOST_LINKED", 10)
    page = render_html(answer)

    assert embedded(page) == answer
    assert "data:application/json" not in page


def test_json_cannot_end_the_element_it_stands_in():
    text = script_json({"a": "</script><!--&\u2028\u2029"})

    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == {"a": "</script><!--&\u2028\u2029"}


def test_choices_may_come_as_a_data_frame(answer):
    pd = pytest.importorskip("pandas")
    choices = pd.DataFrame(
        {"method": ["k-nn"], "repeat": [0], "fold": [4], "candidate": [{"n_neighbors": 9}],
         "selection_score": [float("nan")], "selection_train_rows": [68], "loss": [1.5], "train_rows": [90]}
    )  # fmt: skip
    page = render_html(answer, choices=choices)

    assert (
        '<td>n_neighbors=9</td><td class="number">-</td><td class="number">68</td><td class="number">1.5</td>' in page
    )
    assert "<td>alpha=10</td>" not in page


def test_many_folds_are_listed_up_to_a_limit_and_the_rest_is_in_the_record(answer, monkeypatch):
    monkeypatch.setattr("foldwise.show.html.MOST_LISTED", 2)

    assert "2 more are in the record below" in render_html(answer)


def test_every_tag_is_closed(answer):
    page = render_html(answer)

    for tag in ("html", "head", "body", "main", "section", "table", "thead", "tbody", "dl", "ul", "details", "svg"):
        assert len(re.findall(f"<{tag}[ >]", page)) == page.count(f"</{tag}>"), tag


def test_an_answer_of_nulls_still_makes_a_page(answer):
    for method in answer["methods"]:
        method.update(dict.fromkeys(set(method) - {"name", "folds"}))
    answer.update(dict.fromkeys(set(answer) - {"methods", "notes", "versions"}))
    page = render_html(answer)

    assert "No method has a risk" in page
    assert "None" not in re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL).replace("'none'", "")


def test_the_page_is_written_into_a_new_folder(answer, tmp_path):
    path = write_html(tmp_path / "new" / "page.html", answer)

    assert path.read_text(encoding="utf-8") == render_html(answer)


def test_a_path_that_cannot_be_written_is_one_sentence(answer, tmp_path):
    with pytest.raises(BadStudy, match=r"cannot write the report .*Give another path"):
        write_html(tmp_path, answer)


def test_the_fragment_has_the_table_and_the_verdict_alone(answer):
    fragment = html_fragment(answer)

    assert "<table" in fragment
    assert "It beats the baseline" in fragment
    assert "<html" not in fragment
    assert "<script" not in fragment


def test_a_page_that_cannot_be_written_whole_leaves_the_old_one(tmp_path, monkeypatch):
    page = tmp_path / "page.html"
    write_page(page, "<p>old</p>")

    def full(number):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("foldwise.show.html.os.fsync", full)
    with pytest.raises(BadStudy, match=r"cannot write the report .*No space left"):
        write_page(page, "<p>new</p>" * 1000)
    assert page.read_text() == "<p>old</p>"
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]


def test_a_page_goes_through_a_link_and_into_a_pipe(tmp_path):
    (tmp_path / "true.html").write_text("old")
    (tmp_path / "link.html").symlink_to("true.html")
    write_page(tmp_path / "link.html", "new")
    assert (tmp_path / "link.html").is_symlink()
    assert (tmp_path / "true.html").read_text() == "new"
    write_page("/dev/null", "gone")
    assert not Path("/dev/null").is_file()
