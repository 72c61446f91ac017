"""A page says in plain words what it is about."""

from __future__ import annotations

from foldwise.show.about import about_words, untitled
from foldwise.show.html import render_html


def test_a_page_without_a_title_is_named_after_what_was_compared(answer):
    assert untitled(answer) == "ridge on 442 rows"
    assert "<title>ridge on 442 rows</title>" in render_html(answer)
    assert "Foldwise report" not in render_html(answer)


def test_the_subtitle_has_no_words_of_the_trade(answer):
    words = " ".join(about_words({**answer, "inner": "4 on lines"}, {"target": "quality"}))

    assert words.startswith("Target: quality. Regression, 442 rows, squared loss.")
    assert "inner" not in words
    assert "outer" not in words
    assert 'href="#how"' in render_html(answer)
