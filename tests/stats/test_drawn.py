"""An estimate in a notebook."""

from __future__ import annotations

import re

import foldwise as fw
from foldwise.stats.drawn import MARGIN, WIDTH, estimate_html


def places(text, name):
    return [float(place) for place in re.findall(rf'{name}="([\d.]+)"', text)]


def test_the_interval_takes_the_middle_half_and_the_value_lies_within():
    estimate = fw.intervals.holdout_t([101.0, 102.0, 103.0, 104.0])
    text = estimate_html(estimate)
    start, stop = places(text, "x1")[0], places(text, "x2")[0]
    quarter = (WIDTH - 2 * MARGIN) / 4
    assert (start, stop) == (MARGIN + quarter, MARGIN + 3 * quarter)
    assert places(text, "cx") == [WIDTH / 2]
    assert str(estimate) in text.partition("<p>")[2]


def test_zero_is_marked_only_where_it_lies_within_reach():
    assert "dasharray" in estimate_html(fw.intervals.holdout_t([-1.0, 0.0, 2.0, 1.0]))
    assert "dasharray" not in estimate_html(fw.intervals.holdout_t([10.0, 10.1, 10.2, 10.3]))


def test_an_estimate_without_an_interval_is_its_words():
    text = estimate_html(fw.intervals.holdout_t([2.0, 2.0, 2.0]))
    assert "<svg" not in text
    assert text.startswith("<p>")
