"""show/curve_text.py, show/estimate_text.py, show/store_text.py, show/bound_text.py: words, pictures."""

from __future__ import annotations

import pytest

from foldwise.show.bound_text import bound_text
from foldwise.show.curve_text import curve_text
from foldwise.show.estimate_text import estimate_text
from foldwise.show.store_text import store_text
from foldwise.stats.bounds import excess_bound


def curve(*points, parameter="n_neighbors", best=None):
    rows = [{"value": value, "train": train, "test": test} for value, train, test in points]
    return {"learner": "k-nn", "parameter": parameter, "loss": "squared", "best": best, "points": rows}


def drawn(text):
    return [line for line in text.splitlines() if "●" in line][1:]  # less the heading


@pytest.mark.parametrize("width", [60, 80, 120])
def test_errors_are_drawn_on_one_scale_and_fit_the_width(width):
    text = curve_text(curve((1, 0.0, 10.0), (2, 2.5, 5.0), (3, 5.0, 7.5), best=2), width=width)

    assert max(map(len, text.splitlines())) <= width
    bars = [line[line.index("○") :] for line in drawn(text)]
    assert [line.index("○") for line in drawn(text)] == sorted(line.index("○") for line in drawn(text))
    assert len(bars[0]) == pytest.approx(4 * len(bars[1]), abs=4)  # a gap of 10 beside one of 2.5


def test_a_best_value_at_an_end_is_told():
    inside = curve_text(curve((1, 0.0, 3.0), (2, 1.0, 2.0), (3, 2.0, 4.0), best=2))
    at_end = curve_text(curve((1, 0.0, 3.0), (2, 1.0, 2.0), (3, 2.0, 1.0), best=3))

    assert "smallest at n_neighbors=2: 2." in inside
    assert "the best may lie beyond it" not in inside
    assert "That is the last value tried: the best may lie beyond it." in " ".join(at_end.split())


@pytest.mark.parametrize(
    ("last", "words"),
    [
        (8.0, "still falls, by 20.0% from 10 to 20"),
        (9.99, "hardly changes any more, by -0.1%"),
        (12.0, "rose by 20.0%"),
    ],
)
def test_a_learning_curve_says_what_the_last_rows_did(last, words):
    text = curve_text(curve((10, 1.0, 10.0), (20, 2.0, last), parameter="train_rows"))

    assert words in " ".join(text.split())


def test_a_point_without_an_error_is_left_out_of_the_picture():
    text = curve_text(curve((1, None, None), (2, 1.0, 2.0), best=2))

    assert len(drawn(text)) == 1


def test_an_estimate_without_an_interval_says_so_and_keeps_its_notes():
    told = {"value": 2.5, "low": None, "high": None, "level": 0.95, "interval": None, "target": "this predictor"}

    text = estimate_text({**told, "notes": [{"code": "x", "text": "the rows were trained on"}]}, of="m", loss="l")

    assert "is 2.50 (l); no interval is valid here." in text
    assert "note: the rows were trained on" in text


def test_failed_fits_of_a_store_are_drawn_and_listed_when_asked():
    failures = [{"learner": "ridge", "status": "error", "error": "singular\x1b]0;matrix"}]
    info = {"path": "a b", "records": 20, "failed": 5, "statuses": {"error": 5, "ok": 15}, "seconds": 1.0, "bytes": 10}

    few, all_of_it = (store_text({**info, "failures": failures}, failed=failed) for failed in (False, True))

    assert "a b keeps 20 fits in 10 bytes; 5 failed." in few
    lengths = {line.split()[0]: line.count("█") for line in few.splitlines() if "█" in line}
    assert lengths["ok"] == 3 * lengths["error"] + 1  # 40 and 13 characters
    assert "--failed lists" in few
    assert "ridge: error, singular" in all_of_it
    assert "\x1b" not in all_of_it
    assert "foldwise report" not in few
    assert store_text(info, documents=["study", "origin"]).endswith(
        "Its page: foldwise report 'a b'\nTo go on: foldwise resume 'a b'"
    )


def test_four_times_the_rows_halve_the_bound():
    asked = {"rows": 250, "candidates": 7, "delta": 0.1, "bounds": [0.0, 2.0]}
    text = bound_text({**asked, "excess": excess_bound(250, 7, 0.1, bounds=(0.0, 2.0))})

    lengths = [line.count("█") for line in text.splitlines() if "█" in line]

    assert lengths == [40, 20, 10]
    assert "With 250 development rows and 7 candidates" in text
