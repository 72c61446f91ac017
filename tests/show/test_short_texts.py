"""show/short_texts.py: the guarantee of a development set, and the facts of a store."""

from __future__ import annotations

from foldwise.show.short_texts import bound_text, store_text
from foldwise.stats.bounds import excess_bound


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
