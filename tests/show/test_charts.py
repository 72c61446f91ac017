"""Pictures (show/charts/) say what their numbers say: places, ticks, words for those who do not see them."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldwise.show import charts
from foldwise.show.charts import Row, Scale, tag
from foldwise.show.charts.svg import make_scale, ticks

NUMBERS = st.floats(-1e6, 1e6, allow_nan=False)


def parsed(markup):
    return ElementTree.fromstring(f"<x>{markup}</x>")


def percent(text):
    return float(text.removesuffix("%"))


@given(st.lists(NUMBERS, min_size=1, max_size=8), NUMBERS)
def test_a_scale_keeps_the_order_of_numbers_and_holds_them_all(values, other):
    scale = make_scale(values)
    places = [scale(value) for value in sorted(values)]

    assert places == sorted(places)
    assert all(0 <= place <= 100 for place in [*places, scale(other)])


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_are_few_even_and_within(low, width):
    found = ticks(low, low + width, 5)

    assert 1 <= len(found) <= 7
    slack = 1e-6 * (abs(low) + width)
    assert all(low - slack <= value <= low + width + slack for value in found)
    steps = [after - before for before, after in pairwise(found)]
    assert all(step == pytest.approx(steps[0], rel=1e-3) for step in steps)


def test_a_logarithmic_scale_puts_powers_of_ten_at_even_steps():
    scale = Scale(1e-4, 1e4, is_log=True)

    assert [scale(10.0**power) for power in (-4, 0, 4)] == pytest.approx([0, 50, 100])
    assert scale.ticks(5) == pytest.approx([1e-4, 1e-2, 1, 1e2, 1e4])


def test_all_intervals_share_one_scale():
    rows = [Row("a", 2.0, 1.0, 3.0, cells=("2",)), Row("b", 5.0, 4.0, 9.0, cells=("5",)), Row("none", cells=("-",))]
    page = parsed(charts.intervals(rows, heads=("method", "risk"), caption="c", picture="p"))
    centres = [percent(circle.get("cx")) for circle in page.iter("circle")]
    lines = [line for line in page.iter("line") if line.get("class") == "span"]
    spans = [(percent(line.get("x1")), percent(line.get("x2"))) for line in lines]

    scale = make_scale([1.0, 9.0])
    assert centres == pytest.approx([scale(2), scale(5)], abs=0.01)
    assert spans == [pytest.approx((scale(1), scale(3)), abs=0.01), pytest.approx((scale(4), scale(9)), abs=0.01)]
    assert [th.text for th in page.iter("th") if th.get("scope") == "row"] == ["a", "b", "none"]


def test_every_picture_of_a_row_has_words_for_those_who_do_not_see_it():
    rows = [Row("a", 2.0, words="a: two", points=((1.0, "fold 0"), (3.0, "fold 1")))]
    page = parsed(charts.dots(rows, heads=("method",), caption="c", picture="p"))
    strip = next(svg for svg in page.iter("svg") if svg.get("role") == "img")

    assert strip.get("aria-label") == "a: two"
    assert [title.text for title in strip.iter("title")] == ["a: two", "fold 0", "fold 1"]


def test_equal_dots_do_not_hide_each_other():
    rows = [Row("a", 1.0, points=tuple((1.0, str(fold)) for fold in range(5)))]
    page = parsed(charts.dots(rows, heads=("method",), caption="c", picture="p"))

    assert len({circle.get("cy") for circle in page.iter("circle")}) == 5


def test_a_validation_curve_marks_what_was_chosen_and_both_ends():
    points = [
        {"value": value, "score": score, "low": score - 1, "high": score + 1, "folds": folds, "is_final": folds > 2,
         "train": None, "test": None}
        for value, score, folds in ((0.01, 5.0, 0), (1.0, 3.0, 4), (100.0, 6.0, 1))
    ]  # fmt: skip
    sides = {"left": "overfitting", "right": "underfitting"}
    curve = {"parameter": "alpha", "points": points, "is_ordered": True, "others": False, "sides": sides, "edge": None}
    text = charts.curve_panel(curve, title="ridge: alpha", risk=3.5, train_risk=-900.0)
    page = parsed(text)

    assert len([c for c in page.iter("circle") if c.get("class") == "point final"]) == 1
    assert [round(float(c.get("cx"))) for c in page.iter("circle")] == [62, 202, 342]
    assert "← overfitting" in text
    assert "underfitting →" in text
    assert "↓ training risk -900" in text
    assert "the smallest mean inner score is 3, at alpha=1" in next(page.iter("desc")).text


def test_confusion_is_a_table_with_its_classes_as_heads():
    found = {"classes": ["cat", "dog"], "counts": [[8, 2], [1, 9]]}
    page = parsed(charts.confusion_table(found, caption="c"))

    assert ["".join(cell.itertext()) for cell in page.iter("td")] == ["880%", "220%", "110%", "990%"]
    assert [cell.get("class") for cell in page.iter("td")] == [
        "right shade-8", "wrong shade-2", "wrong shade-1", "right shade-9"
    ]  # fmt: skip


def test_text_and_attributes_are_escaped():
    assert tag("text", '<b>"', aria_label='"><') == '<text aria-label="&#34;&gt;&lt;">&lt;b&gt;&#34;</text>'
    assert re.fullmatch(r"<p></p>", tag("p", class_=None))


LETTER = 6.8  # width of a letter of 11 points in DejaVu Sans, among the widest


def boxes(page):
    """Where the texts of a picture are: (left, right, top, bottom, text)."""
    for text in page.iter("text"):
        x, y, width = float(text.get("x")), float(text.get("y")), LETTER * len(text.text)
        left = x - {"middle": width / 2, "end": width}.get(text.get("text-anchor"), 0)
        yield left, left + width, y - 9, y + 2, text.text


@pytest.mark.parametrize("values", [range(30), ["squared_error"] * 9, ["none", "log2"], [True, False], [7]], ids=str)
@pytest.mark.parametrize("gap", [0.0, 0.01, 3.0])
def test_no_label_of_a_curve_lies_on_another_or_on_a_line(values, gap):
    points = [{"value": value, "train": 1 + at / 9, "test": 1 + gap + at / 9} for at, value in enumerate(values)]
    page = parsed(charts.learning_panel({"parameter": "k", "points": points}, title="t"))

    placed = list(boxes(page))
    marks = [(float(circle.get("cx")), float(circle.get("cy"))) for circle in page.iter("circle")]

    assert {"test error", "training error"} <= {text for *_, text in placed}
    for one, other in combinations(placed, 2):
        assert one[1] <= other[0] or other[1] <= one[0] or one[3] <= other[2] or other[3] <= one[2], (one, other)
    for left, right, top, bottom, text in placed:
        assert not any(left < x < right and top < y < bottom for x, y in marks), text


def curve_of(values, is_ordered):
    points = [
        {"value": value, "score": 1.0 + at, "low": 0.5, "high": 3.0, "folds": 1, "is_final": at == 0, "train": None,
         "test": None}
        for at, value in enumerate(values)
    ]  # fmt: skip
    sides = {"left": "overfitting", "right": "underfitting"} if is_ordered else None
    return {"parameter": "p", "points": points, "is_ordered": is_ordered, "others": False, "sides": sides, "edge": None}


def test_values_without_an_order_are_not_joined():
    text = charts.curve_panel(curve_of(["uniform", "distance"], False), title="t")

    assert 'class="line score"' not in text
    assert 'class="band"' not in text
    assert text.count('class="whisker"') == 2
    assert 'class="line score"' in charts.curve_panel(curve_of([1.0, 2.0], True), title="t")
    points = [{"value": word, "train": 1.0, "test": 2.0} for word in ("a", "b")]
    assert 'class="line test" d' not in charts.learning_panel({"parameter": "k", "points": points}, title="t")


def test_an_axis_of_whole_numbers_has_whole_ticks():
    page = parsed(charts.curve_panel(curve_of([1, 2], True), title="t"))
    ticks = [text.text for text in page.iter("text") if text.get("y") == "206"]

    assert ticks == ["1", "2"]


@pytest.mark.parametrize("levels", [{}, {"risk": 9000.0, "train_risk": 8000.0}, {"risk": -9e3, "train_risk": -8e3}])
def test_no_word_of_a_validation_curve_lies_on_another(levels):
    placed = list(boxes(parsed(charts.curve_panel(curve_of([0.1, 1.0, 10.0], True), title="t", **levels))))

    assert {"mean loss", "← overfitting", "underfitting →"} <= {text for *_, text in placed}
    for one, other in combinations(placed, 2):
        assert one[1] <= other[0] or other[1] <= one[0] or one[3] <= other[2] or other[3] <= one[2], (one, other)


@given(st.floats(0.0, 6.0))
def test_a_level_beyond_the_panel_is_told_off_the_other_level(risk):
    for beyond in (-900.0, 900.0):
        page = parsed(charts.curve_panel(curve_of([0.1, 1.0, 10.0], True), title="t", risk=risk, train_risk=beyond))
        levels = [float(line.get("y1")) for line in page.iter("line") if line.get("class") == "level risk"]
        (told,) = [box for box in boxes(page) if "training risk" in box[4]]
        assert not any(told[2] < level < told[3] for level in levels)


def test_counted_places_have_the_names_of_their_ends_and_of_the_commonest():
    points = tuple((count, str(count)) for count in (0, 0, 0, 5, 0, 0, 0, 1))
    places = tuple(str(value) for value in (1, 2, 3, 5, 8, 13, 21, 34))
    page = parsed(charts.counts([Row("k", points=points, places=places)], heads=("m",), caption="c", picture="p"))
    names = {text.text for text in page.iter("text")}

    assert {"1", "34", "5"} <= names
