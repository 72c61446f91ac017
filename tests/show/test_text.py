"""The answer for a terminal is complete at any width and never lets a name act on the terminal."""

from __future__ import annotations

import pytest

from foldwise.show.bars import PLAIN_LETTERS
from foldwise.show.text import _method_choices, chosen, mean_weights, render_text, table_text


def test_the_wide_table_has_every_column_on_one_line(answer):
    head = next(line for line in render_text(answer, width=170).splitlines() if line.startswith("method"))

    for name in ("risk", "interval", "selection score", "optimism", "difference", "training risk", "gap"):
        assert name in head
    for name in ("agreement", "failed", "fits", "seconds"):
        assert name in head


@pytest.mark.parametrize("width", [40, 60, 80, 100, 170])
def test_no_number_is_lost_on_a_narrow_screen(answer, width):
    text = render_text(answer, width=width)

    squeezed = "".join(text.split())
    for part in ("3001", "2750to3252", "2990", "2860", "141", "67%", "664", "5930", "2929(2100to3700)"):
        assert part in squeezed, part


@pytest.mark.parametrize("width", [40, 60, 80, 100, 170])
def test_no_line_is_longer_than_the_screen(answer, width):
    lines = render_text(answer, width=width).splitlines()

    assert max(map(len, lines)) <= width
    assert any("├" in line and "●" in line and "┤" in line for line in lines)


def test_the_drawn_intervals_share_one_scale(answer):
    ridge, baseline = (
        next(line for line in render_text(answer, width=170).splitlines() if line.startswith(name) and "●" in line)
        for name in ("ridge", "baseline")
    )

    assert ridge.index("├") < ridge.index("●") < ridge.index("┤") < baseline.index("●")


def test_an_output_that_knows_no_such_letters_gets_plain_ones():
    assert "├─●─┤".translate(PLAIN_LETTERS) == "|-o-|"


def test_the_verdict_the_choices_the_refit_and_the_notes_follow_the_table(answer):
    text = render_text(answer, width=170)

    places = [
        text.index(part)
        for part in (
            "regression; 442 rows; squared loss; outer: 13 folds; inner: lines, 4 folds; seed 7",
            "ridge has the smallest estimated risk",
            "ridge: alpha=10 in 0 2; alpha=31.6 in 1",
            "To use on new rows: ridge with alpha=17.8",
            "note: optimism needs scores",
        )
    ]
    assert places == sorted(places)


def test_colour_appears_only_when_asked_for(answer):
    assert "\x1b" not in render_text(answer, width=100)
    assert "\x1b" in render_text(answer, width=100, color=True)


def test_a_name_cannot_colour_or_mark_up_the_terminal(answer):
    answer["methods"][0]["name"] = answer["best"] = "\x1b[31m[red]evil[/red]"
    text = render_text(answer, width=170)

    assert "\x1b" not in text
    assert "[red]evil[/red]" in text


def test_many_choices_are_summed_up(answer):
    ridge = answer["methods"][0]
    ridge["folds"] = [{**ridge["folds"][0], "fold": k, "candidate": {"alpha": float(k)}} for k in range(29)]

    assert "; 9 others in 9 folds" in " ".join(render_text(answer).split())


def test_folds_of_repeats_are_told_apart(answer):
    ridge = answer["methods"][0]
    ridge["folds"] = [{**ridge["folds"][0], "repeat": r} for r in (0, 1)]

    assert chosen(ridge) == [("alpha=10", ["0.0", "1.0"])]


def test_an_answer_of_nulls_is_shown_with_dashes(answer):
    for method in answer["methods"]:
        method.update(dict.fromkeys(set(method) - {"name", "folds"}))
    answer["best"] = answer["refit"] = None

    assert "No method has a risk" in render_text(answer)


def test_a_plain_table_keeps_the_order_of_its_columns():
    lines = table_text({"name": ["a", "b"], "risk": ["1", "22"]}, width=80).splitlines()

    assert lines[0].split() == ["name", "risk"]
    assert [line.split() for line in lines[2:]] == [["a", "1"], ["b", "22"]]


@pytest.mark.parametrize("width", [80, 100, 120])
def test_further_metrics_break_no_number_on_a_narrow_screen(answer, width):
    for method in answer["methods"]:
        method["metrics"] = {"brier": 0.05867, "balanced_zero_one": 0.04667, "auc": 0.9972}
    lines = render_text(answer, width=width).splitlines()

    starts = tuple(method["name"] for method in answer["methods"])
    assert sum("0.05867" in line and "0.9972" in line and line.startswith(starts) for line in lines) == len(starts)


def test_a_notebook_gets_the_whole_text_and_no_table_beside_it(answer, monkeypatch):
    """In a notebook rich draws at once whatever file it was given, so that the text would lack its table."""
    drawn = []
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setattr("rich.jupyter.display", lambda *given: drawn.append(given))

    text = render_text(answer, width=170)

    assert drawn == []
    assert "selection score" in text
    assert table_text({"name": ["one"], "count": ["2"]}).split()[-2:] == ["one", "2"]


def test_a_blend_shows_its_mean_weights_and_other_methods_their_choices():
    folds = [
        {"fold": 0, "repeat": 0, "candidate": {"ridge": 0.25, "k-nn": 0.75, "tree": 0.0}},
        {"fold": 1, "repeat": 0, "candidate": {"ridge": 0.75, "k-nn": 0.25, "tree": 0.001}},
    ]
    blend = {"name": "blend", "candidates": None, "folds": folds}
    assert mean_weights(blend) == {"ridge": 0.5, "k-nn": 0.5, "tree": 0.0005}
    assert _method_choices(blend, 80) == "  blend: on average ridge 0.50, k-nn 0.50"
    tuned = {"name": "ridge", "candidates": 2, "folds": [{"fold": 0, "repeat": 0, "candidate": {"alpha": 1.0}}]}
    assert mean_weights(tuned) == {}
    assert _method_choices(tuned, 80) == "  ridge: alpha=1.0 in 0"


@pytest.mark.parametrize("width", [40, 80, 100, 160])
def test_rows_stand_by_risk_and_the_best_is_marked_without_colour(answer, width):
    answer["methods"].reverse()
    text = render_text(answer, width=width)

    assert text.index("ridge *") < text.index("baseline")
    assert "baseline *" not in text


@pytest.mark.parametrize("width", [40, 80, 100, 160])
def test_names_and_heads_are_never_broken_inside_words(answer, width):
    answer["methods"][0]["name"] = answer["best"] = "forest:small"
    words = {word for line in render_text(answer, width=width).splitlines() for word in line.split()}

    assert "forest:small" in words
    heads = {word.strip(",") for word in words}
    assert {"selection", "difference", "agreement", "optimism", "training"} <= heads


def test_numbers_have_the_digits_that_their_interval_supports(answer):
    answer["methods"][0].update(risk=0.024683, low=0.007332, high=0.042031, train_risk=9.992e-16, gap=0.0246)
    text = render_text(answer, width=170)

    assert "0.025   0.007 to 0.042" in text
    assert "e-16" not in text


def test_both_intervals_of_the_best_are_named(answer):
    answer["winner"] = {"among": 4, "low_simultaneous": 2600.0, "high_simultaneous": 3400.0}

    words = " ".join(render_text(answer, width=100).split())
    assert "each for one method alone; for the best of 4 it is 2600 to 3400" in words
